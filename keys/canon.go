package keys

import (
	"bytes"
	"slices"
	"strconv"

	"drainboard/keys/pyjson"
)

// Limits of CPython 3.11 and 3.12 at their defaults, measured from a program's top level (a deeper
// stack leaves less): json.dumps writes 995 levels, the object that intent wraps around the arguments
// being one of them; int refuses texts of more than 4,300 digits, so json.loads does.
const (
	pythonDepth  = 995
	pythonDigits = 4300
)

// maxDepth is how deep this package follows values, whatever the form. Deeper arguments have no key,
// and their Digest is that of the bytes as recorded.
const maxDepth = 10_000

// form is one way to write values canonically.
type form struct {
	comma, colon string
	jcs          bool
	exact        bool // numbers by value, nothing refused: see ValueDigest
	depth        int  // levels of arrays and objects that may be written
}

var (
	defaultForm = form{comma: ", ", colon: ": ", depth: pythonDepth - 1}
	compactForm = form{comma: ",", colon: ":", depth: pythonDepth}
	jcsForm     = form{comma: ",", colon: ":", jcs: true, depth: maxDepth}
	exactForm   = form{comma: ",", colon: ":", exact: true, depth: maxDepth}
)

// writer writes values in a form. It is kept for its memory.
type writer struct {
	*form
	dst     []byte
	removed []int
	members []member // of the objects being written that are not in order, innermost last
	names   []byte   // their decoded names
	level   int
	deep    bool   // maxDepth was met: dst is not whole
	reason  string // the first reason to refuse
	shape   *shape // set while a Shape is written
}

type member struct {
	text        []byte // the name, decoded
	name, value pyjson.Value
}

// write appends v in a form. What the form refuses is written all the same, as far as maxDepth.
func (w *writer) write(dst []byte, f *form, v pyjson.Value, removed []int) ([]byte, string) {
	w.form, w.dst, w.removed = f, dst, removed
	w.level, w.deep, w.reason = 0, false, ""
	w.names = w.names[:0]
	w.value(v)
	if w.deep {
		w.dst = append(append(w.dst[:len(dst)], 0), v.Raw()...)
	}
	dst, w.dst = w.dst, nil
	return dst, w.reason
}

func (w *writer) refuse(reason string) {
	if w.reason == "" {
		w.reason = reason
	}
}

func (w *writer) value(v pyjson.Value) {
	if w.shape != nil && v.IsLeaf() && w.blank(v) {
		return
	}
	switch v.Kind() {
	case pyjson.Object:
		if w.enter() {
			w.object(v)
		}
		w.level--
	case pyjson.Array:
		if w.enter() {
			w.array(v)
		}
		w.level--
	default:
		w.scalar(v)
	}
}

// scalar writes what is neither a filled array nor a filled object.
func (w *writer) scalar(v pyjson.Value) {
	switch v.Kind() {
	case pyjson.Object:
		w.dst = append(w.dst, '{', '}')
	case pyjson.Array:
		w.dst = append(w.dst, '[', ']')
	case pyjson.String:
		w.str(v)
	case pyjson.Int, pyjson.Float:
		w.number(v.Raw())
	default:
		w.dst = append(w.dst, v.Raw()...)
	}
}

// enter goes one level down and says whether what is there is to be written.
func (w *writer) enter() bool {
	w.level++
	if w.level > w.depth {
		w.refuse("expected at most " + strconv.Itoa(w.depth) + " levels of arrays and objects, found more")
	}
	if w.level > maxDepth {
		w.deep = true
	}
	return !w.deep
}

func (w *writer) str(v pyjson.Value) {
	var reason string
	switch {
	case v.IsPlain():
		w.dst = append(w.dst, v.Raw()...)
	case w.jcs, w.exact:
		if w.dst, reason = appendJCSRaw(w.dst, v.Raw()); reason != "" {
			w.refuse(reason)
		}
	default:
		w.dst = pyjson.AppendRequoted(w.dst, v.Raw())
	}
}

func (w *writer) number(raw []byte) {
	var reason string
	switch {
	case w.exact:
		w.dst = appendExact(w.dst, raw)
	case w.jcs:
		w.dst, reason = appendES(w.dst, raw)
	default:
		w.dst, reason = appendPython(w.dst, raw)
	}
	if reason != "" {
		w.refuse(reason)
	}
}

func (w *writer) array(v pyjson.Value) {
	w.dst = append(w.dst, '[')
	first := true
	i := 0
	for e := range v.Elements() {
		if w.isRemoved(e) {
			i++
			continue
		}
		if !first {
			w.dst = append(w.dst, w.comma...)
		}
		first = false
		if w.shape != nil {
			w.shape.push(segment{position: i})
		}
		w.value(e)
		if w.shape != nil {
			w.shape.pop()
		}
		i++
	}
	w.dst = append(w.dst, ']')
}

func (w *writer) isRemoved(v pyjson.Value) bool {
	if len(w.removed) == 0 {
		return false
	}
	_, found := slices.BinarySearch(w.removed, v.Index())
	return found
}

func (w *writer) object(v pyjson.Value) {
	w.dst = append(w.dst, '{')
	first := true
	if w.inOrder(v) {
		for name, value := range v.Members() {
			if !w.isRemoved(value) {
				w.member(member{inner(name), name, value}, first)
				first = false
			}
		}
	} else {
		start, end := w.gather(v)
		for i := start; i < end; i++ {
			if m := w.members[i]; !w.isRemoved(m.value) {
				w.member(m, first)
				first = false
			}
		}
		w.members = w.members[:start]
	}
	w.dst = append(w.dst, '}')
}

func (w *writer) member(m member, first bool) {
	if !first {
		w.dst = append(w.dst, w.comma...)
	}
	w.str(m.name)
	w.dst = append(w.dst, w.colon...)
	if w.shape == nil {
		w.value(m.value)
		return
	}
	w.shape.push(segment{name: m.text, named: true})
	w.value(m.value)
	w.shape.pop()
}

// inOrder says whether the members stand in canonical order already, no name twice.
func (w *writer) inOrder(v pyjson.Value) bool {
	var last []byte
	for name := range v.Members() {
		if name.Escaped() {
			return false
		}
		text := inner(name)
		if last != nil && w.compare(last, text) >= 0 {
			return false
		}
		last = text
	}
	return true
}

func inner(s pyjson.Value) []byte {
	raw := s.Raw()
	return raw[1 : len(raw)-1]
}

// gather puts the members of v that count into w.members in canonical order.
func (w *writer) gather(v pyjson.Value) (start, end int) {
	start = len(w.members)
	for name, value := range v.Members() {
		text := inner(name)
		if name.Escaped() {
			n := len(w.names)
			w.names = name.AppendText(w.names)
			text = w.names[n:]
		}
		w.members = append(w.members, member{text, name, value})
	}
	list := w.members[start:]
	if w.jcs {
		slices.SortStableFunc(list, func(a, b member) int { return compareUnits(a.text, b.text) })
	} else {
		slices.SortStableFunc(list, func(a, b member) int { return bytes.Compare(a.text, b.text) })
	}
	kept := list[:0]
	for i, m := range list {
		if i+1 < len(list) && bytes.Equal(m.text, list[i+1].text) {
			if w.jcs {
				w.refuse("expected each member name once, found " + string(pyjson.AppendQuote(nil, m.text)) + " twice")
			}
			continue
		}
		kept = append(kept, m)
	}
	w.members = w.members[:start+len(kept)]
	return start, len(w.members)
}

func (w *writer) compare(a, b []byte) int {
	if w.jcs {
		return compareUnits(a, b)
	}
	return bytes.Compare(a, b)
}

// compareUnits compares UTF-8 texts by their UTF-16 units (RFC 8785, 3.2.3). It differs from the order
// of bytes only where a character above U+FFFF (first byte F0 to F4, a surrogate pair in UTF-16) meets
// one of U+E000 to U+FFFF (first byte EE or EF).
func compareUnits(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}
