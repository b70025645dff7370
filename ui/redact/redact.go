// Package redact takes secrets out of text and JSON that a person is shown, or that leaves the machine.
//
// Contract. A secret is known by its name (password, api_key, Authorization: names.go says which) or by its shape (tokens of known
// services, private keys, what follows Bearer: shapes.go). Hidden stands in its place; everything else stays byte for byte. JSON stays
// JSON. Masking what was masked changes nothing more. It is for eyes: keys and digests are made from what was there before.
//
// Loss. What has neither a telling name nor a known shape is not known to be a secret, and is shown. So is a passphrase's tail where only white
// space tells that it goes on. On the other hand a word behind "token:" is hidden, whatever it is.
//
// Cost. One pass for names and one for shapes; nothing is kept between calls. All functions may be used by any goroutine.
package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"drainboard/keys/pyjson"
)

// Hidden stands where something was taken away.
const Hidden = "[hidden]"

// deepest is how deep the values of a document are looked at one by one; what lies below is hidden whole.
const deepest = 500

// Text takes what looks like a secret out of a text of any kind.
func Text(s string) string { return named(Shapes(s)) }

// JSON takes secrets out of a JSON value, as CPython reads JSON: whole values by the names of their members, parts of strings by what Text
// knows. Names count through everything that they hold, and through strings that are JSON themselves; a header or a variable given as
// {"name": ..., "value": ...} or as a pair counts as a member; so does what follows a flag in a list of arguments. Of what is hidden, true,
// false and null stay. What is no JSON is masked as text. The result may be raw itself.
func JSON(raw []byte) []byte {
	var d pyjson.Doc
	raw, ok := parse(&d, raw)
	if !ok {
		return []byte(Text(string(raw)))
	}
	w := walk{src: raw}
	w.value(d.Root(), false, 0)
	return w.done()
}

// parse parses a value; where it is JSON but for bytes that are no UTF-8, with U+FFFD in their place, as Go's own JSON package reads it.
func parse(d *pyjson.Doc, raw []byte) ([]byte, bool) {
	if d.ParseWhole(raw) == nil {
		return raw, true
	}
	if utf8.Valid(raw) {
		return raw, false
	}
	if mended := bytes.ToValidUTF8(raw, []byte("\uFFFD")); d.ParseWhole(mended) == nil {
		return mended, true
	}
	return raw, false
}

// At is JSON of the value at a JSON pointer, whose last name tells about it.
func At(pointer string, raw []byte) []byte {
	var d pyjson.Doc
	raw, ok := parse(&d, raw)
	if !ok {
		return []byte(Text(string(raw)))
	}
	w := walk{src: raw}
	w.value(d.Root(), hides(secret(lastName(pointer)), d.Root()), 0)
	return w.done()
}

// walk copies a document and replaces some of its strings and numbers. out holds what src[:at] became.
type walk struct {
	src, out []byte
	at       int
}

// done is the whole document, masked.
func (w *walk) done() []byte {
	if w.at == 0 {
		return w.src
	}
	return append(w.out, w.src[w.at:]...)
}

// put replaces a value by a string.
func (w *walk) put(v pyjson.Value, text string) {
	w.out = append(w.out, w.src[w.at:v.Offset()]...)
	w.out = appendQuoted(w.out, text)
	w.at = v.Offset() + len(v.Raw())
}

// value masks a value, all of it when hide is set.
func (w *walk) value(v pyjson.Value, hide bool, depth int) {
	switch kind := v.Kind(); {
	case v.IsLeaf() && kind != pyjson.String:
		if _, word := v.Bool(); hide && !word && len(v.Raw()) > 0 && kind != pyjson.Object && kind != pyjson.Array && !bytes.Equal(v.Raw(), []byte("null")) {
			w.put(v, Hidden)
		}
	case kind == pyjson.String:
		w.text(v, hide)
	case depth > deepest:
		w.put(v, Hidden)
	case kind == pyjson.Object:
		w.object(v, hide, depth)
	default:
		w.array(v, hide, depth)
	}
}

func (w *walk) text(v pyjson.Value, hide bool) {
	was := v.Text()
	is := Hidden
	if !hide {
		is = inside(was)
	}
	if is != was {
		w.put(v, is)
	}
}

// inside masks a string of a document: as JSON when it is an object or an array.
func inside(s string) string {
	if at := strings.TrimLeft(s, " \t\r\n"); at != "" && (at[0] == '{' || at[0] == '[') {
		return string(JSON([]byte(s)))
	}
	return Text(s)
}

// object masks the members of an object.
func (w *walk) object(v pyjson.Value, hide bool, depth int) {
	about := sure(0) // what a member says that the value beside it is: {"name": "Authorization", "value": "..."}
	for name, value := range v.Members() {
		if value.Kind() == pyjson.String && naming(name.Text()) {
			about = max(about, secret(lastName(value.Text())))
		}
	}
	for name, value := range v.Members() {
		text := name.Text()
		if is := Shapes(text); is != text {
			w.put(name, is)
		}
		how := secret(text)
		if valued(text) {
			how = max(how, about)
		}
		w.value(value, hide || hides(how, value), depth+1)
	}
}

// hides says whether a value is hidden whose name tells so much.
func hides(how sure, v pyjson.Value) bool {
	switch how {
	case surely:
		return true
	case several:
		_, number := v.Float64()
		return !number
	case perhaps:
		return v.Kind() == pyjson.String && random(v.Text())
	}
	return false
}

// array masks the elements of an array. A pair of strings is a name and its value; what follows a flag is its value.
func (w *walk) array(v pyjson.Value, hide bool, depth int) {
	before, i, pair := "", 0, v.Len() == 2
	for e := range v.Elements() {
		how := sure(0)
		switch flag := strings.TrimLeft(before, "-"); {
		case flag != before && !strings.Contains(flag, "="):
			how = secret(flag)
		case pair && i == 1:
			how = secret(before)
		}
		hidden := hide || hides(how, e)
		before, i = e.Text(), i+1
		w.value(e, hidden, depth+1)
	}
}

// appendQuoted appends a string as JSON. Characters stay as they are, if all of them are UTF-8.
func appendQuoted(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return pyjson.AppendQuote(dst, []byte(s))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil { // never: it is a string
		return pyjson.AppendQuote(dst, []byte(s))
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
