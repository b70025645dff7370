package pyjson

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// block is how many bytes str looks at together: as many as a word has bits.
const block = 64

// What scanText says of what it passed over: the flag of an escape, the flag that is not to be set, and that the string closes there.
const (
	seenEscaped = flagEscaped
	seenOdd     = flagPython
	seenClosed  = 4
)

// inside reads a string from its inside at i on. It gives the offset behind the closing quote and the string's flags. Most strings are short
// and plain.
func (d *Doc) inside(i int) (int, uint8, string) {
	s := d.src
	if i+32 <= len(s) {
		b := (*[32]byte)(s[i:])
		hit := notPlain(binary.LittleEndian.Uint64(b[:]))
		if hit == 0 {
			i += 8
			if hit = notPlain(binary.LittleEndian.Uint64(b[8:])); hit == 0 {
				i += 8
				if hit = notPlain(binary.LittleEndian.Uint64(b[16:])); hit == 0 {
					i += 8
					if hit = notPlain(binary.LittleEndian.Uint64(b[24:])); hit == 0 {
						return d.str(i + 8)
					}
				}
			}
		}
		if i += bits.TrailingZeros64(hit) >> 3; s[i] == '"' {
			return i + 1, flagPython, ""
		}
	}
	return d.str(i)
}

// str reads on in a string from i on. It gives the offset behind the closing quote and the string's flags.
func (d *Doc) str(i int) (int, uint8, string) {
	s := d.src
	flags := uint8(flagPython)
	for i+block < len(s) {
		if vectors() {
			n, seen := scanText(&s[i], len(s)-i)
			flags = (flags | seen&seenEscaped) &^ (seen & seenOdd)
			if seen&seenClosed != 0 {
				return i + n + 1, flags, ""
			}
			if i += begun(s[i : i+n]); i+block >= len(s) {
				break
			}
		}
		var closed bool
		var reason string
		if i, flags, closed, reason = d.block(i, flags); closed || reason != "" {
			return i, flags, reason
		}
	}
	for {
		if i = skipPlain(s, i); i >= len(s) {
			return len(s), flags, reasonEnd
		}
		if s[i] == '"' {
			return i + 1, flags, ""
		}
		var reason string
		if i, flags, reason = d.odd(i, flags); reason != "" {
			return i, flags, reason
		}
	}
}

// begun gives the offset in text, the checked beginning of a string's inside, of the escape or character that may not be whole; its length
// when it ends in none.
func begun(text []byte) int {
	n := len(text)
	if n == 0 {
		return 0
	}
	if c := text[n-1]; c >= utf8.RuneSelf {
		n--
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
	} else if c == '\\' {
		k := n
		for k > 0 && text[k-1] == '\\' {
			k--
		}
		n -= (n - k) & 1
	}
	return n
}

// block is str for the 64 bytes from i on, which there must be, and those of what begins in them.
//
// Where escapes come every few bytes a search for each costs a branch that cannot be foreseen: so all the places of a block at which
// something is to be done are found first.
func (d *Doc) block(i int, flags uint8) (next int, _ uint8, closed bool, reason string) {
	s := d.src
	next = i + block
	for m := oddPlaces(s[i:]); m != 0; {
		at := i + bits.TrailingZeros64(m)
		behind := at + 2
		if c := s[at]; c == '\\' && simpleEscapes[s[at+1]] != 0 {
			flags |= flagEscaped
			if s[at+1] == '/' {
				flags &^= flagPython
			}
		} else if c == '"' {
			return at + 1, flags, true, ""
		} else if behind, flags, reason = d.odd(at, flags); reason != "" {
			return behind, flags, false, reason
		}
		m &= ^uint64(0) << (behind - i) // nothing is left of it when that is behind the block
		next = max(next, behind)
	}
	return next, flags, false, ""
}

// odd reads what stands at i in a string and is neither plain nor its closing quote. It gives the offset behind it and the
// string's flags, or the offset of the fault and a reason.
func (d *Doc) odd(i int, flags uint8) (int, uint8, string) {
	s := d.src
	switch c := s[i]; {
	case c == '\\':
		flags |= flagEscaped
		if i+1 < len(s) && sameEscape(s[i+1]) {
			return i + 2, flags, ""
		}
		next, reason := escape(s, i)
		return next, flags &^ flagPython, reason
	case c < ' ':
		return i, flags, "expected control characters in a string to be escaped, found " + quoteByte(c)
	case c < utf8.RuneSelf: // DEL: legal as it stands, but Python writes it as an escape
		return i + 1, flags &^ flagPython, ""
	}
	n := d.runeLen(s[i:])
	if n > 0 {
		return i + n, flags &^ flagPython, ""
	}
	if !utf8.FullRune(s[i:]) {
		return len(s), flags, reasonEnd
	}
	return i, flags, "expected UTF-8 in a string, found the byte " + quoteByte(s[i])
}

// oddPlaces gives the places among the first 64 bytes of s at which skipPlain would stop, a bit for each.
func oddPlaces(s []byte) (places uint64) {
	_ = s[block-1]
	for k := 0; k < block; k += 8 {
		places |= together(odd(binary.LittleEndian.Uint64(s[k:]))) << k
	}
	return places
}

// odd is notPlain for all of the eight bytes, not for the lowest hit alone: no test carries into the next byte.
func odd(x uint64) uint64 {
	y := x &^ (0x80 * ones)
	plain := ((y ^ 2*ones) + 0x5F*ones) & ((y ^ '\\'*ones) + 0x7F*ones)
	return (^plain | (y + ones) | x) & (0x80 * ones)
}

// together makes eight bits of the top bits of eight bytes.
func together(tops uint64) uint64 { return (tops >> 7) * 0x0102_0408_1020_4080 >> 56 }

// runeLen gives the length of the encoded character at the start of s, whose first byte is not ASCII;
// 0 when it is none.
func (d *Doc) runeLen(s []byte) int {
	if len(s) >= 3 && s[1]&0xC0 == 0x80 {
		switch c := s[0]; {
		case c >= 0xC2 && c <= 0xDF:
			return 2
		case c >= 0xE1 && c <= 0xEF && c != 0xED && s[2]&0xC0 == 0x80:
			return 3
		}
	}
	r, n := utf8.DecodeRune(s)
	if r != utf8.RuneError || n > 1 {
		return n
	}
	if d.text && surrogateAt(s) {
		return 3
	}
	return 0
}

// surrogateAt says whether s starts with the three bytes of a surrogate code point.
func surrogateAt(s []byte) bool {
	return len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2] >= 0x80 && s[2] <= 0xBF
}

// skipPlain gives the offset of the first byte at or after i that is not printable ASCII, or is a
// quote or a backslash.
func skipPlain(s []byte, i int) int {
	for i+8 <= len(s) {
		if hit := notPlain(binary.LittleEndian.Uint64(s[i:])); hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
		i += 8
	}
	if rest := len(s) - i; rest > 0 && len(s) >= 8 { // the last eight bytes: zeros, which are not plain, come behind the rest of them
		x := binary.LittleEndian.Uint64(s[len(s)-8:]) >> (64 - 8*uint(rest))
		return i + bits.TrailingZeros64(notPlain(x))>>3
	}
	for i < len(s) && s[i] >= ' ' && s[i] < 0x7F && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// notPlain looks at eight bytes at once for those at which skipPlain stops: each test sets the top bit of the bytes it
// hits; a borrow or carry can only disturb bytes above a hit, and the lowest hit is the one used. Quotes
// and control characters are one test: with the second bit turned they are all below 0x21, and no others.
func notPlain(x uint64) uint64 {
	return (((x ^ 2*ones) - 0x21*ones) | ((x ^ '\\'*ones) - ones) | (x + ones) | x) & (0x80 * ones)
}

// simpleEscapes gives the character that a letter behind a backslash stands for; 0 for none and for u.
var simpleEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape checks the escape at i and gives the offset behind it.
func escape(s []byte, i int) (int, string) {
	if i+1 >= len(s) {
		return len(s), reasonEnd
	}
	if c := s[i+1]; simpleEscapes[c] != 0 {
		return i + 2, ""
	} else if c != 'u' {
		return i + 1, "expected an escape (one of \"\\/bfnrtu after the backslash), found " + quoteByte(c)
	}
	for k := i + 2; k < i+6; k++ {
		if k >= len(s) {
			return len(s), reasonEnd
		}
		if hexDigit(s[k]) > 15 {
			return k, "expected four hexadecimal digits after \\u, found " + quoteByte(s[k])
		}
	}
	return i + 6, ""
}

// hexDigit gives the value of a hexadecimal digit, or 255.
func hexDigit(c byte) uint8 {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// hex4 reads the four valid hexadecimal digits at the start of s.
func hex4(s []byte) rune {
	return rune(hexDigit(s[0]))<<12 | rune(hexDigit(s[1]))<<8 | rune(hexDigit(s[2]))<<4 | rune(hexDigit(s[3]))
}

// Unescape reads the escape at the start of s, a checked string's bytes from a backslash on: the code
// point and the length of its spelling. Two escapes that are a surrogate pair are one code point, as
// json.loads joins them; a surrogate alone stands for itself.
func Unescape(s []byte) (rune, int) {
	if c := simpleEscapes[s[1]]; c != 0 {
		return rune(c), 2
	}
	r := hex4(s[2:])
	if r>>10 == 0xD800>>10 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low := hex4(s[8:]); low>>10 == 0xDC00>>10 {
			return (r-0xD800)<<10 + (low - 0xDC00) + 0x10000, 12
		}
	}
	return r, 6
}

// appendUnescaped appends the text of a checked string's inside. Eight bytes are copied at once, those behind a
// backslash to be written over.
func appendUnescaped(dst, s []byte) []byte {
	k := len(dst)
	dst = slices.Grow(dst, len(s)+8) // no text is longer than its spelling
	dst = dst[:k+len(s)+8]
	i, tries := 0, 0
	for i+8 <= len(s) {
		if vectors() && i >= tries && i+block <= len(s) {
			n, m := unescapeText(&dst[k], &s[i], len(s)-i)
			i, k = i+n, k+m
			tries = i + block // another escape than of one letter may come often
			continue
		}
		word := binary.LittleEndian.Uint64(s[i:])
		binary.LittleEndian.PutUint64(dst[k:], word)
		x := word ^ '\\'*ones
		hit := (x - ones) &^ x & (0x80 * ones)
		if hit == 0 {
			i, k = i+8, k+8
			continue
		}
		n := bits.TrailingZeros64(hit) >> 3
		i, k = unescapeAt(dst, s, i+n, k+n)
	}
	for i < len(s) {
		if s[i] == '\\' {
			i, k = unescapeAt(dst, s, i, k)
			continue
		}
		dst[k] = s[i]
		i, k = i+1, k+1
	}
	return dst[:k]
}

// unescapeAt writes what the escape at s[i] stands for to dst[k:], and gives the offsets behind both.
func unescapeAt(dst, s []byte, i, k int) (int, int) {
	if c := simpleEscapes[s[i+1]]; c != 0 {
		dst[k] = c
		return i + 2, k + 1
	}
	r, n := Unescape(s[i:])
	return i + n, len(AppendRune(dst[:k], r))
}

// ones has each byte 1: times a byte, it is eight of that byte.
const ones = 0x0101010101010101

// AppendRune is utf8.AppendRune, but writes surrogates as the three bytes that WTF-8 has for them.
func AppendRune(dst []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(dst, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// AppendQuote appends the text wtf8 as a JSON string as Python's json.dumps writes it: all but
// printable ASCII escaped, in lower-case hexadecimal, characters above U+FFFF as surrogate pairs.
// A byte that is no WTF-8 is written as U+FFFD.
func AppendQuote(dst, wtf8 []byte) []byte {
	dst = append(dst, '"')
	tries := 0
	for i := 0; i < len(wtf8); {
		if vectors() && i >= tries && i+block <= len(wtf8) {
			dst = slices.Grow(dst, len(wtf8)-i+block)
			n, m := quoteText(&dst[len(dst):cap(dst)][0], &wtf8[i], len(wtf8)-i, cap(dst)-len(dst))
			dst = dst[:len(dst)+m]
			i += n
			tries = i + block // what takes more may come often
			continue
		}
		k := skipPlain(wtf8, i)
		dst = append(dst, wtf8[i:k]...)
		if i = k; i == len(wtf8) {
			break
		}
		r, n := DecodeRune(wtf8[i:])
		dst = AppendEscape(dst, r)
		i += n
	}
	return append(dst, '"')
}

// AppendRequoted appends a checked JSON string, given with its quotes as it stands in a source, as
// json.dumps writes it after json.loads: AppendQuote of its text.
func AppendRequoted(dst, raw []byte) []byte {
	dst = append(dst, '"')
	s := raw[1 : len(raw)-1]
	done := 0 // of s, in dst
	for i := 0; i < len(s); {
		if i = skipPlain(s, i); i == len(s) {
			break
		}
		decode := DecodeRune
		if s[i] == '\\' {
			if sameEscape(s[i+1]) {
				i += 2
				continue
			}
			decode = Unescape
		}
		dst = append(dst, s[done:i]...)
		r, n := decode(s[i:])
		dst = AppendEscape(dst, r)
		i += n
		done = i
	}
	return append(append(dst, s[done:]...), '"')
}

// sameEscape says whether json.dumps writes the character as the escape that has this letter.
func sameEscape(c byte) bool {
	return simpleEscapes[c] != 0 && c != '/'
}

// DecodeRune is utf8.DecodeRune for WTF-8: it also reads surrogate code points.
func DecodeRune(s []byte) (rune, int) {
	r, n := utf8.DecodeRune(s)
	if r == utf8.RuneError && n == 1 && surrogateAt(s) {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, n
}

// AppendEscape appends one code point as json.dumps writes it inside a string with ensure_ascii.
func AppendEscape(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r >= ' ' && r < 0x7F:
		return append(dst, byte(r))
	case r == '\n':
		return append(dst, '\\', 'n')
	case r == '\t':
		return append(dst, '\\', 't')
	case r == '\r':
		return append(dst, '\\', 'r')
	case r == '\b':
		return append(dst, '\\', 'b')
	case r == '\f':
		return append(dst, '\\', 'f')
	case r > 0xFFFF:
		r -= 0x10000
		return appendUnit(appendUnit(dst, 0xD800+r>>10), 0xDC00+r&0x3FF)
	}
	return appendUnit(dst, r)
}

func appendUnit(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
