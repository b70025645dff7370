package ledger

import (
	"encoding/base64"
	"unicode/utf8"

	"drainboard/keys/pyjson"
)

// MaxStored is how many bytes of a child's output are stored as its response; more is not, and the call is in doubt.
const MaxStored = 1 << 20

// only is the name that marks bytes which are no text.
const only = "base64"

// StoredOutput turns a child's standard output into the response that is stored, so that Printed gives the same bytes again:
// one JSON value stays as it is, white space included; other text is a JSON string, and so are a value that is a string
// and an object whose only name is base64, which would be taken for something else; what is no UTF-8 is
// {"base64": ...}. ok is false above MaxStored.
func StoredOutput(out []byte) (response string, ok bool) {
	switch {
	case len(out) > MaxStored:
		return "", false
	case !utf8.Valid(out):
		return `{"` + only + `": "` + base64.StdEncoding.EncodeToString(out) + `"}`, true
	}
	var d pyjson.Doc
	if d.ParseWhole(out) == nil {
		v := d.Root()
		if v.Kind() != pyjson.String && !marked(v) {
			return string(out), true
		}
	}
	return string(pyjson.AppendQuote(nil, out)), true
}

// PrintedOutput is the output that a stored response stands for. What another writer stored is printed by the same
// rules; what they do not fit is printed as it is.
func PrintedOutput(response string) []byte {
	var d pyjson.Doc
	if d.ParseWhole([]byte(response)) != nil {
		return []byte(response)
	}
	v := d.Root()
	switch {
	case v.Kind() == pyjson.String:
		return v.AppendText(nil)
	case marked(v) && v.Get(only).Kind() == pyjson.String:
		if b, err := base64.StdEncoding.DecodeString(v.Get(only).Text()); err == nil {
			return b
		}
	}
	return []byte(response)
}

// marked says whether a value is an object whose only name is base64.
func marked(v pyjson.Value) bool {
	if v.Kind() != pyjson.Object || v.Len() == 0 {
		return false
	}
	for name := range v.Members() {
		if !name.IsText(only) {
			return false
		}
	}
	return true
}
