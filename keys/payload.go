package keys

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"drainboard/keys/pyjson"
)

// Scratch is the memory that ValueDigest works in. The zero Scratch is ready; one is for one goroutine.
type Scratch struct {
	outer, inner pyjson.Doc
	w            writer
	text, buf    []byte
	removed      []int
}

// ValueDigest gives equal digests to equal payloads (PRODUCT.md "Payloads"): JSON values are equal when
// they are after the ignored pointers are left out, key order aside (the last of several members with one
// name counts), numbers by their exact value (1, 1.0 and 1e0; 0 and -0; not 0.1 and a decimal that a
// double would round to it). A payload that is a string counts without trailing white space, and if
// that is a whole JSON object or array, as that value (once). NaN equals NaN. Text that is
// no JSON value, and values nested more than 10,000 deep, equal only the same bytes.
func ValueDigest(s *Scratch, raw []byte, ignore []Pointer) [16]byte {
	if s.outer.ParseWhole(raw) != nil {
		return sum('!', raw)
	}
	return DigestOf(s, s.outer.Root(), ignore)
}

// DigestOf is ValueDigest of a value that was parsed already; it must not be Missing.
func DigestOf(s *Scratch, v pyjson.Value, ignore []Pointer) [16]byte {
	if v.AsPython() {
		if spelled := trimSpelled(inner(v)); !mayHoldJSON(spelled) {
			return sum('"', spelled)
		}
	}
	v, text := s.payload(v, ignore)
	if v.Kind() == pyjson.Missing {
		s.buf = pyjson.AppendQuote(s.buf[:0], text)
		return sum('"', s.buf[1:len(s.buf)-1])
	}
	s.buf, _ = s.w.write(s.buf[:0], &exactForm, v, s.removed)
	return sum(' ', s.buf)
}

// mayHoldJSON says whether a trimmed text, as json.dumps spells it, begins and ends as an object or array does.
func mayHoldJSON(spelled []byte) bool {
	for i := 0; i < len(spelled); i++ {
		switch c := spelled[i]; {
		case c == ' ':
		case c == '\\' && spelledSpace(spelled[i+1]) && spelled[i+1] != 'f':
			i++
		default:
			return (c == '{' || c == '[') && spelled[len(spelled)-1] == c+2 // '}' and ']' stand two behind '{' and '['
		}
	}
	return false
}

// trimSpelled is trimSpace for a text as json.dumps spells it.
func trimSpelled(spelled []byte) []byte {
	for n := len(spelled); n > 0; n = len(spelled) {
		if spelled[n-1] == ' ' {
			spelled = spelled[:n-1]
			continue
		}
		if n < 2 || spelled[n-2] != '\\' || !spelledSpace(spelled[n-1]) {
			break
		}
		before := bytes.TrimRight(spelled[:n-2], "\\") // pairs of what stands behind it are backslashes themselves
		if (n-2-len(before))%2 != 0 {
			break
		}
		spelled = spelled[:n-2]
	}
	return spelled
}

// spelledSpace says whether a letter behind a backslash stands for white space.
func spelledSpace(c byte) bool { return c == 'n' || c == 't' || c == 'r' || c == 'f' }

// payload gives what counts of a payload: a value, of which s.removed is to be left out, or, it being Missing, a text.
func (s *Scratch) payload(v pyjson.Value, ignore []Pointer) (_ pyjson.Value, text []byte) {
	if v.Kind() == pyjson.String {
		text = inner(v)
		if v.Escaped() {
			s.text = v.AppendText(s.text[:0])
			text = s.text
		}
		if text = trimSpace(text); !parseText(&s.inner, text) {
			return pyjson.Value{}, text
		}
		v = s.inner.Root()
	}
	s.removed = s.removed[:0]
	for _, p := range ignore {
		s.removed = p.remove(v, s.removed)
	}
	slices.Sort(s.removed)
	return v, nil
}

// trimSpace cuts white space off the end.
func trimSpace(text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeLastRune(text)
		if !unicode.IsSpace(r) {
			break
		}
		text = text[:len(text)-n]
	}
	return text
}
