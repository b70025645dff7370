package pyjson

import (
	"math"
	"slices"
	"unicode/utf8"
)

// Parse reads one value of src that starts at or after off, skipping JSON white space before it, and
// checks all of it: grammar, strict UTF-8 in strings, escapes, numbers. end is the offset just behind
// the value; what follows is not looked at, except that a number must not run on (01, 1.2.3).
// The error is a *SyntaxError; the Doc is then empty.
func (d *Doc) Parse(src []byte, off int) (end int, err error) {
	d.text = false
	return d.parse(src, off)
}

// ParseText is Parse for text that is WTF-8 already, as AppendText writes it: surrogate code points
// may stand in strings, as they may in a Python str.
func (d *Doc) ParseText(src []byte, off int) (end int, err error) {
	d.text = true
	return d.parse(src, off)
}

// ParseWhole is Parse of a source that must hold one value and nothing else but white space round it.
func (d *Doc) ParseWhole(src []byte) error {
	d.text = false
	return d.whole(src)
}

// ParseWholeText is ParseWhole for WTF-8 text; see ParseText.
func (d *Doc) ParseWholeText(src []byte) error {
	d.text = true
	return d.whole(src)
}

func (d *Doc) whole(src []byte) error {
	end, err := d.parse(src, 0)
	if err != nil {
		return err
	}
	if end = skipSpace(src, end); end < len(src) {
		d.nodes = d.nodes[:0]
		return &SyntaxError{Offset: end, Reason: "expected nothing after the value, found " + quoteByte(src[end])}
	}
	return nil
}

// keptNodes is how much room is kept whatever is parsed.
const keptNodes = 1 << 16

func (d *Doc) parse(src []byte, off int) (int, error) {
	if room := cap(d.nodes); room > keptNodes && len(d.nodes) < room/8 {
		d.nodes = nil
	}
	d.nodes, d.depth = d.nodes[:0], 0
	off = skipSpace(src, off)
	d.base, d.src = off, src[off:]
	if len(d.src) > math.MaxUint32 {
		d.src = d.src[:math.MaxUint32]
	}
	end, reason := d.values()
	if reason == "" {
		d.src = d.src[:end]
		return off + end, nil
	}
	d.nodes, d.depth = d.nodes[:0], 0
	e := &SyntaxError{Offset: off + end, Reason: reason}
	if end >= len(d.src) {
		if len(src)-off > math.MaxUint32 {
			e.Reason = "expected a value of at most 4 GiB, found a longer one"
		} else {
			e.Unfinished = true
		}
	}
	return e.Offset, e
}

// leaf makes a node of the n-th, which holds no others. It sets one field after the other: a whole node would be put together in other memory first, and
// reading it at once from what was written in parts holds up the processor.
func (at *node) leaf(start, end int, n uint32, kind Kind, flags uint8) {
	at.start, at.end, at.next, at.kind, at.flags = uint32(start), uint32(end), n+1, kind, flags
}

const reasonEnd = "expected the rest of a value, found the end"

// noNode is the number of no node: what stands round the root.
const noNode = math.MaxUint32

// values parses the value at the start of d.src. It gives the offset behind it, or that of the fault
// and a reason; an offset of len(d.src) says that the source ended first. While a container is open its
// node's next is the number of the container round it.
//
// It is one long function because each call would cost as much as what is done between two values.
func (d *Doc) values() (int, string) {
	s, nodes := d.src, d.nodes[:cap(d.nodes)]
	n, up, depth, i := uint32(0), uint32(noNode), 0, 0
	object := false // the innermost open container is one
	var reason string
	for {
		if int(n)+2 > len(nodes) {
			nodes = slices.Grow(nodes[:n], max(64, int(n)))
			nodes = nodes[:cap(nodes)]
		}
		if object { // a member's name comes first
			if i = skipSpace(s, i); i >= len(s) {
				return len(s), reasonEnd
			}
			if s[i] != '"' {
				return i, "expected a member name in double quotes, found " + quoteByte(s[i])
			}
			start := i
			var flags uint8
			if i, flags, reason = d.inside(i + 1); reason != "" {
				return i, reason
			}
			nodes[n].leaf(start, i, n, String, flags)
			n++
			if i = skipSpace(s, i); i >= len(s) {
				return len(s), reasonEnd
			}
			if s[i] != ':' {
				return i, "expected ':' after a member name, found " + quoteByte(s[i])
			}
			i++
		}
		if i = skipSpace(s, i); i >= len(s) {
			return len(s), reasonEnd
		}
		start := i
		switch c := s[i]; c {
		case '"':
			var flags uint8
			if i, flags, reason = d.inside(i + 1); reason != "" {
				return i, reason
			}
			nodes[n].leaf(start, i, n, String, flags)
			n++
		case '{', '[':
			object = c == '{'
			kind := Array
			if object {
				kind = Object
			}
			at := &nodes[n]
			at.start, at.next, at.kind, at.flags = uint32(start), up, kind, 0
			up = n
			n++
			if depth++; depth > d.depth {
				d.depth = depth
			}
			if i = skipSpace(s, i+1); i >= len(s) || s[i] != c+2 { // '}' and ']' stand two behind '{' and '['
				continue
			}
		default:
			kind := Int
			if c-'0' <= 9 || c == '-' && i+1 < len(s) && s[i+1] != 'I' {
				i, kind, reason = number(s, i)
			} else {
				i, kind, reason = word(s, i)
			}
			if reason != "" {
				return i, reason
			}
			nodes[n].leaf(start, i, n, kind, 0)
			n++
		}
		// A value is whole, or its closing bracket comes next.
		for {
			if up == noNode {
				d.nodes = nodes[:n]
				return i, ""
			}
			if i = skipSpace(s, i); i >= len(s) {
				return len(s), reasonEnd
			}
			c := s[i]
			if c == ',' {
				i++
				break
			}
			if object && c != '}' {
				return i, "expected ',' or '}' after a member, found " + quoteByte(c)
			}
			if !object && c != ']' {
				return i, "expected ',' or ']' after an element, found " + quoteByte(c)
			}
			i++
			at := &nodes[up]
			up, at.end, at.next = at.next, uint32(i), n
			depth--
			object = up != noNode && nodes[up].kind == Object
		}
	}
}

// word reads one of JSON's words at i, Python's further ones too.
func word(s []byte, i int) (int, Kind, string) {
	kind, word := Missing, ""
	switch c := s[i]; c {
	case '-':
		kind, word = Float, "-Infinity"
	case 'n':
		kind, word = Null, "null"
	case 't':
		kind, word = True, "true"
	case 'f':
		kind, word = False, "false"
	case 'N':
		kind, word = Float, "NaN"
	case 'I':
		kind, word = Float, "Infinity"
	default:
		return i, kind, "expected a value, found " + quoteByte(c)
	}
	for k := 1; k < len(word); k++ {
		if i+k >= len(s) {
			return len(s), kind, reasonEnd
		}
		if s[i+k] != word[k] {
			return i + k, kind, "expected " + word + ", found " + quoteByte(s[i+k])
		}
	}
	return i + len(word), kind, ""
}

// number reads a number at i, where a digit or a minus sign that is not -Infinity's stands.
func number(s []byte, i int) (int, Kind, string) {
	if s[i] == '-' {
		i++
	}
	kind := Int
	switch {
	case i >= len(s):
		return len(s), kind, reasonEnd
	case s[i] == '0':
		i++
	default:
		first := i
		if i = digits(s, i); i == first {
			return i, kind, "expected a digit, found " + quoteByte(s[i])
		}
	}
	if i >= len(s) || s[i] != '.' && s[i]|0x20 != 'e' && s[i]-'0' > 9 {
		return i, kind, ""
	}
	if s[i] == '.' {
		kind = Float
		first := i + 1
		if i = digits(s, first); i == first {
			i, reason := fault(s, i, "expected a digit after the decimal point")
			return i, kind, reason
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		kind = Float
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		first := i
		if i = digits(s, first); i == first {
			i, reason := fault(s, i, "expected a digit in the exponent")
			return i, kind, reason
		}
	}
	if i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || s[i]|0x20 == 'e') {
		return i, kind, "expected the end of a number, found " + quoteByte(s[i])
	}
	return i, kind, ""
}

func fault(s []byte, i int, expected string) (int, string) {
	if i >= len(s) {
		return len(s), reasonEnd
	}
	return i, expected + ", found " + quoteByte(s[i])
}

func digits(s []byte, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func skipSpace(s []byte, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// quoteByte shows a byte of the source in an error: printable ASCII in quotes, anything else as hex.
func quoteByte(c byte) string {
	const hex = "0123456789abcdef"
	if c > ' ' && c < utf8.RuneSelf-1 {
		return "'" + string(rune(c)) + "'"
	}
	return "0x" + string([]byte{hex[c>>4], hex[c&15]})
}
