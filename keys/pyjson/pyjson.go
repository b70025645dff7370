// Package pyjson reads JSON as CPython's json module does, and keeps what it read.
//
// Contract. A Doc holds one parsed value as a flat, reusable node array over the caller's
// bytes: nothing is copied, so the bytes must not change while the Doc is used, and a Value
// is valid until the next Parse of its Doc. Accepted is exactly what json.loads accepts of a
// str decoded from strict UTF-8: NaN, Infinity, -Infinity, lone surrogate escapes (\ud83d),
// control characters only when escaped, duplicate names (the last wins in Get; iteration
// still sees all). Nesting and integer length are not limited here (package keys refuses
// what CPython's recursion and integer limits refuse); Parse never recurses on the stack.
// Text is WTF-8: a lone surrogate is its three-byte encoding, so that byte order is code
// point order. No state is shared between Docs; one Doc is for one goroutine.
package pyjson

import "fmt"

// Kind says what a Value is.
type Kind uint8

// The kinds. A number is an Int when it has neither fraction nor exponent, as in Python; NaN,
// Infinity and -Infinity are Floats.
const (
	Missing Kind = iota // nothing: the zero Value, or what Get and At found nothing for
	Null
	False
	True
	Int
	Float
	String
	Array
	Object
)

var kindNames = [...]string{"missing", "null", "false", "true", "int", "float", "string", "array", "object"}

// String names the kind as Python's json documentation would: "object", "string", "int".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// A SyntaxError says where and why a text is no JSON value.
type SyntaxError struct {
	Offset int    // byte offset in the source given to Parse
	Reason string // what was expected or found there, lower-case
	// Unfinished is set when all that was read is the beginning of some value and the source ended:
	// more bytes may make it whole. It is set for a source of white space only, too.
	Unfinished bool
}

// Error gives the reason and the offset.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset)
}

// node is one value or member name. A container's nodes follow it in source order, a member's name
// (a String) before its value, so that next, the index behind the whole subtree, skips a value at once.
type node struct {
	start, end uint32 // bytes, relative to Doc.base
	next       uint32
	kind       Kind
	flags      uint8
}

const (
	flagEscaped = 1 << iota // a String with at least one backslash
	flagPython              // a String that is its own Python spelling: of printable ASCII and letters behind a backslash, but for '/' and u
)

// Doc holds one parsed value. The zero Doc is ready; reuse it to parse without allocating. It takes 16
// bytes for each value and member name, so up to eight times the source in the worst case ([0,0,0,...]);
// room for more than 65,536 of them is given back once a value has used less than an eighth of it.
type Doc struct {
	src   []byte // from the value's first byte on
	base  int    // offset of src in what Parse was given
	nodes []node
	depth int
	text  bool // surrogate code points may stand in the source (ParseText)
}

// Root is the parsed value, Missing before the first successful Parse and after a failed one.
func (d *Doc) Root() Value {
	return d.Value(0)
}

// Value gives the value or member name whose Index is i; Missing when there is none.
func (d *Doc) Value(i int) Value {
	if i < 0 || i >= len(d.nodes) {
		return Value{}
	}
	return Value{d, uint32(i)}
}

// Nodes is the number of values and member names in the document.
func (d *Doc) Nodes() int { return len(d.nodes) }

// Depth is the deepest nesting of arrays and objects: 0 for a scalar, 1 for [] or {"a": 1}.
func (d *Doc) Depth() int { return d.depth }

// Whole says whether src is one value with nothing but JSON white space round it.
func Whole(src []byte) bool {
	var d Doc
	return d.ParseWhole(src) == nil
}

// Valid says whether src is one value with nothing round it, not even white space.
func Valid(src []byte) bool {
	var d Doc
	end, err := d.Parse(src, 0)
	return err == nil && end == len(src) && d.base == 0
}
