package pyjson

import (
	"bytes"
	"iter"
	"strconv"
)

// Value is a handle on one value of a Doc, valid until the Doc parses again. The zero Value is
// Missing; all methods may be called on it, so that look-ups can be chained without checks.
type Value struct {
	d *Doc
	i uint32
}

func (v Value) node() *node { return &v.d.nodes[v.i] }

// Kind says what the value is.
func (v Value) Kind() Kind {
	if v.d == nil {
		return Missing
	}
	return v.node().kind
}

// Raw gives the value's bytes as they stand in the source, nil when it is Missing.
func (v Value) Raw() []byte {
	if v.d == nil {
		return nil
	}
	n := v.node()
	return v.d.src[n.start:n.end:n.end]
}

// Offset is the position of the value's first byte in the source given to Parse; -1 when Missing.
func (v Value) Offset() int {
	if v.d == nil {
		return -1
	}
	return v.d.base + int(v.node().start)
}

// Index numbers the values and member names of a Doc in source order from 0, the root; -1 when
// Missing. Doc.Value turns it back.
func (v Value) Index() int {
	if v.d == nil {
		return -1
	}
	return int(v.i)
}

// Past is the Index behind the value and all that it holds; -1 when Missing.
func (v Value) Past() int {
	if v.d == nil {
		return -1
	}
	return int(v.node().next)
}

// Node gives the value or member name of the same Doc whose Index is i; there must be one.
func (v Value) Node(i int32) Value { return Value{v.d, uint32(i)} }

// AsPython says that the value is a string which json.dumps writes as its Raw: of printable ASCII, and
// of escapes as it spells them. It may be false for one that holds other escapes.
func (v Value) AsPython() bool {
	return v.d != nil && v.node().flags&flagPython != 0
}

// Escaped says whether the value is a string with escapes: otherwise its text is what stands between
// the quotes.
func (v Value) Escaped() bool {
	return v.d != nil && v.node().flags&flagEscaped != 0
}

// IsLeaf says whether the value is a scalar, [] or {}.
func (v Value) IsLeaf() bool {
	return v.d != nil && v.node().next == v.i+1
}

// Get gives the member called name, the last one if there are several; Missing when the value is no
// object or has no such member.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	found := Value{}
	nodes, src := v.d.nodes, v.d.src
	for i, end := v.i+1, nodes[v.i].next; i < end; i = nodes[i+1].next {
		n := &nodes[i]
		if n.flags&flagEscaped == 0 {
			if int(n.end-n.start) == len(name)+2 && string(src[n.start+1:n.end-1]) == name {
				found = Value{v.d, i + 1}
			}
		} else if (Value{v.d, i}).IsText(name) {
			found = Value{v.d, i + 1}
		}
	}
	return found
}

// At gives the i-th element of an array, counted from 0; Missing when there is none. It walks from
// the first element: use Elements to see them all.
func (v Value) At(i int) Value {
	if v.Kind() != Array || i < 0 {
		return Value{}
	}
	for e := range v.Elements() {
		if i == 0 {
			return e
		}
		i--
	}
	return Value{}
}

// Len is the number of elements of an array, or of members of an object with duplicates counted; 0
// for all else. It walks over them.
func (v Value) Len() int {
	n := 0
	switch v.Kind() {
	case Array:
		for range v.Elements() {
			n++
		}
	case Object:
		for range v.Members() {
			n++
		}
	}
	return n
}

// Elements ranges over the elements of an array; over nothing for all else.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		nodes := v.d.nodes
		for i, end := v.i+1, nodes[v.i].next; i < end; i = nodes[i].next {
			if !yield(Value{v.d, i}) {
				return
			}
		}
	}
}

// Members ranges over the names (Strings) and values of an object in source order, duplicates
// included; over nothing for all else.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(name, value Value) bool) {
		if v.Kind() != Object {
			return
		}
		nodes := v.d.nodes
		for i, end := v.i+1, nodes[v.i].next; i < end; i = nodes[i+1].next {
			if !yield(Value{v.d, i}, Value{v.d, i + 1}) {
				return
			}
		}
	}
}

// inner gives what stands between the quotes of a String.
func (v Value) inner() []byte {
	n := v.node()
	return v.d.src[n.start+1 : n.end-1]
}

// AppendText appends the text of a String, decoded to WTF-8; nothing for all else.
func (v Value) AppendText(dst []byte) []byte {
	if v.Kind() != String {
		return dst
	}
	if !v.Escaped() {
		return append(dst, v.inner()...)
	}
	return appendUnescaped(dst, v.inner())
}

// Text gives the text of a String as a Go string, decoded to WTF-8; "" for all else.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	if !v.Escaped() {
		return string(v.inner())
	}
	return string(v.AppendText(nil))
}

// IsText says whether the value is a String whose text is s. It does not allocate.
func (v Value) IsText(s string) bool {
	if v.Kind() != String {
		return false
	}
	t := v.inner()
	if !v.Escaped() {
		return string(t) == s
	}
	for {
		k := bytes.IndexByte(t, '\\')
		if k < 0 {
			return string(t) == s
		}
		if len(s) < k || string(t[:k]) != s[:k] {
			return false
		}
		r, n := Unescape(t[k:])
		var buf [4]byte
		c := AppendRune(buf[:0], r)
		if len(s) < k+len(c) || string(c) != s[k:k+len(c)] {
			return false
		}
		s, t = s[k+len(c):], t[k+n:]
	}
}

// Bool gives the value of true or false, and whether it is one of them.
func (v Value) Bool() (value, ok bool) {
	k := v.Kind()
	return k == True, k == True || k == False
}

// Int64 gives the value of an Int that fits into 64 bits, and whether it is one.
func (v Value) Int64() (int64, bool) {
	if v.Kind() != Int {
		return 0, false
	}
	raw := v.Raw()
	if len(raw) > 20 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

// Float64 gives the value of a number as Python's float would round it (to infinity beyond the range
// of a double), and whether it is a number.
func (v Value) Float64() (float64, bool) {
	switch v.Kind() {
	case Int:
		return ParseFloat(v.Raw()) + 0, true // the int -0 is 0
	case Float:
		return ParseFloat(v.Raw()), true
	}
	return 0, false
}
