package pyjson

import (
	"math"
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
		d.nodes, d.stack = nil, nil
	}
	d.nodes, d.stack, d.depth = d.nodes[:0], d.stack[:0], 0
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

const reasonEnd = "expected the rest of a value, found the end"

// values parses the value at the start of d.src. It gives the offset behind it, or that of the fault
// and a reason; an offset of len(d.src) says that the source ended first.
func (d *Doc) values() (int, string) {
	s := d.src
	i := 0
	var reason string
	for {
		// Here a value must start.
		i = skipSpace(s, i)
		if i >= len(s) {
			return len(s), reasonEnd
		}
		switch c := s[i]; c {
		case '{', '[':
			kind, closer := Object, byte('}')
			if c == '[' {
				kind, closer = Array, ']'
			}
			d.stack = append(d.stack, uint32(len(d.nodes)))
			d.depth = max(d.depth, len(d.stack))
			d.nodes = append(d.nodes, node{start: uint32(i), kind: kind})
			i = skipSpace(s, i+1)
			if i < len(s) && s[i] == closer {
				break // closed below
			}
			if kind == Object {
				if i, reason = d.name(i); reason != "" {
					return i, reason
				}
			}
			continue
		case '"':
			if i, reason = d.str(i); reason != "" {
				return i, reason
			}
		default:
			if i, reason = d.scalar(i); reason != "" {
				return i, reason
			}
		}
		// Here a value is whole, or its closing bracket comes next.
		more := false
		for !more {
			if len(d.stack) == 0 {
				return i, ""
			}
			if i, more, reason = d.after(i); reason != "" {
				return i, reason
			}
		}
	}
}

// after reads what follows an element or member inside the innermost open container: a comma (and
// the next member's name), after which more is true, or the closing bracket.
func (d *Doc) after(i int) (next int, more bool, reason string) {
	s := d.src
	i = skipSpace(s, i)
	if i >= len(s) {
		return len(s), false, reasonEnd
	}
	at := d.stack[len(d.stack)-1]
	n := &d.nodes[at]
	switch c := s[i]; {
	case c == ',':
		if n.kind == Array {
			return i + 1, true, ""
		}
		i, reason = d.name(skipSpace(s, i+1))
		return i, true, reason
	case c == '}' && n.kind == Object, c == ']' && n.kind == Array:
		n.end, n.next = uint32(i+1), uint32(len(d.nodes))
		d.stack = d.stack[:len(d.stack)-1]
		return i + 1, false, ""
	case n.kind == Object:
		return i, false, "expected ',' or '}' after a member, found " + quoteByte(c)
	default:
		return i, false, "expected ',' or ']' after an element, found " + quoteByte(c)
	}
}

// name reads a member name at i, and the colon behind it.
func (d *Doc) name(i int) (int, string) {
	s := d.src
	if i >= len(s) {
		return len(s), reasonEnd
	}
	if s[i] != '"' {
		return i, "expected a member name in double quotes, found " + quoteByte(s[i])
	}
	i, reason := d.str(i)
	if reason != "" {
		return i, reason
	}
	i = skipSpace(s, i)
	if i >= len(s) {
		return len(s), reasonEnd
	}
	if s[i] != ':' {
		return i, "expected ':' after a member name, found " + quoteByte(s[i])
	}
	return i + 1, ""
}

// scalar reads a number or a word at i.
func (d *Doc) scalar(i int) (int, string) {
	s := d.src
	kind, word := Missing, ""
	switch c := s[i]; {
	case c >= '0' && c <= '9':
		return d.number(i)
	case c == '-':
		if i+1 < len(s) && s[i+1] != 'I' {
			return d.number(i)
		}
		kind, word = Float, "-Infinity"
	case c == 'n':
		kind, word = Null, "null"
	case c == 't':
		kind, word = True, "true"
	case c == 'f':
		kind, word = False, "false"
	case c == 'N':
		kind, word = Float, "NaN"
	case c == 'I':
		kind, word = Float, "Infinity"
	default:
		return i, "expected a value, found " + quoteByte(c)
	}
	for k := 1; k < len(word); k++ {
		if i+k >= len(s) {
			return len(s), reasonEnd
		}
		if s[i+k] != word[k] {
			return i + k, "expected " + word + ", found " + quoteByte(s[i+k])
		}
	}
	d.add(kind, i, i+len(word), 0)
	return i + len(word), ""
}

func (d *Doc) add(kind Kind, start, end int, flags uint8) {
	d.nodes = append(d.nodes, node{
		start: uint32(start), end: uint32(end), next: uint32(len(d.nodes) + 1), kind: kind, flags: flags,
	})
}

// number reads a number at i, where a digit or a minus sign that is not -Infinity's stands.
func (d *Doc) number(start int) (int, string) {
	s := d.src
	i := start
	if s[i] == '-' {
		i++
	}
	kind := Int
	switch {
	case i >= len(s):
		return len(s), reasonEnd
	case s[i] == '0':
		i++
	default:
		first := i
		if i = digits(s, i); i == first {
			return i, "expected a digit, found " + quoteByte(s[i])
		}
	}
	if i < len(s) && s[i] == '.' {
		kind = Float
		first := i + 1
		if i = digits(s, first); i == first {
			return fault(s, i, "expected a digit after the decimal point")
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
			return fault(s, i, "expected a digit in the exponent")
		}
	}
	if i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || s[i]|0x20 == 'e') {
		return i, "expected the end of a number, found " + quoteByte(s[i])
	}
	d.add(kind, start, i, 0)
	return i, ""
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
