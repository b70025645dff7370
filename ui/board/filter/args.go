package filter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Reads says whether the filter looks at arguments, which are read from their files again.
func (f *Filter) Reads() bool { return f != nil && f.reads }

// argTerm reads what stands behind "arg.".
func argTerm(t *term, body string, on Subject) (*term, error) {
	if on == Runs || on == Tools {
		return nil, fmt.Errorf("arg. looks at one call, a row here is about many: use it on findings or in flight; here: %s", strings.Join(Names(on), ", "))
	}
	at := strings.IndexAny(body, ":=<>")
	if at < 0 {
		return nil, unknown("arg", on)
	}
	name, op, value := body[:at], body[at], strings.ToLower(strings.ReplaceAll(body[at+1:], `"`, ""))
	switch {
	case op == '<' || op == '>':
		return nil, fmt.Errorf("arg.%s can be compared with = and : only", name)
	case name == "":
		return nil, unknown("arg", on)
	case value == "":
		return nil, fmt.Errorf("expected a value after arg.%s%c", name, op)
	}
	t.field, t.path, t.whole, t.values = arg, strings.Split(name, "."), op == '=', strings.Split(value, ",")
	return t, nil
}

// matchArgs reads the arguments once for all terms that look at them.
func (f *Filter) matchArgs(r *Record) bool {
	if r.Args == nil {
		return false
	}
	v, ok := decoded(r.Args())
	for i := range f.terms {
		if t := &f.terms[i]; t.field == arg && (ok && t.holds(v, t.path)) == t.not {
			return false
		}
	}
	return true
}

// decoded is a JSON value; a text that is a whole object or array counts as that.
func decoded(raw []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	if text, is := v.(string); is && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var inner any
		if d.Decode(&inner) == nil {
			return inner, true
		}
	}
	return v, true
}

// holds says whether one of the term's values is found at a path; in an array one element is enough.
func (t *term) holds(v any, path []string) bool {
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			if t.holds(x, path) || len(path) > 0 && path[0] == strconv.Itoa(i) && t.holds(x, path[1:]) {
				return true
			}
		}
		return false
	case map[string]any:
		if len(path) == 0 {
			return false
		}
		for n := len(path); n > 0; n-- { // a name may hold dots itself
			if x, ok := v[strings.Join(path[:n], ".")]; ok && t.holds(x, path[n:]) {
				return true
			}
		}
		return false
	}
	return len(path) == 0 && t.leaf(v)
}

func (t *term) leaf(v any) bool {
	text := "null"
	switch v := v.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	case bool:
		text = strconv.FormatBool(v)
	}
	text = strings.ToLower(text)
	for _, w := range t.values {
		switch {
		case strings.Contains(w, "*"):
			if glob(w, text) {
				return true
			}
		case t.whole && text == w, !t.whole && strings.Contains(text, w):
			return true
		}
	}
	return false
}
