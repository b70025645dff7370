package keys

import (
	"bytes"
	"fmt"

	"drainboard/keys/pyjson"
)

// appendJCSRaw writes a JSON string, given as it stands in its source, as RFC 8785 does. Lone surrogates
// are written as WTF-8, with the reason to refuse them.
func appendJCSRaw(dst, raw []byte) ([]byte, string) {
	reason := ""
	dst = append(dst, '"')
	for s := raw[1 : len(raw)-1]; len(s) > 0; {
		k := bytes.IndexByte(s, '\\')
		if k < 0 {
			k = len(s)
		}
		if lone := loneSurrogate(s[:k]); lone != "" && reason == "" {
			reason = lone
		}
		dst = append(dst, s[:k]...)
		if s = s[k:]; len(s) == 0 {
			break
		}
		r, n := pyjson.Unescape(s)
		if isSurrogate(r) && reason == "" {
			reason = surrogate(r)
		}
		dst = appendJCSRune(dst, r)
		s = s[n:]
	}
	return append(dst, '"'), reason
}

// appendJCSText writes a WTF-8 text as a JSON string of RFC 8785.
func appendJCSText(dst, text []byte) ([]byte, string) {
	dst = append(dst, '"')
	for _, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			dst = appendJCSRune(dst, rune(c))
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, '"'), loneSurrogate(text)
}

func appendJCSRune(dst []byte, r rune) []byte {
	if r < ' ' || r == '"' || r == '\\' {
		return pyjson.AppendEscape(dst, r) // RFC 8785 escapes these as Python does
	}
	return pyjson.AppendRune(dst, r)
}

// loneSurrogate gives the reason to refuse a WTF-8 text where only UTF-8 will do: its first surrogate
// code point. It is "" when there is none.
func loneSurrogate(text []byte) string {
	for i := 0; i < len(text); {
		k := bytes.IndexByte(text[i:], 0xED)
		if k < 0 {
			return ""
		}
		i += k
		if r, _ := pyjson.DecodeRune(text[i:]); isSurrogate(r) {
			return surrogate(r)
		}
		i++
	}
	return ""
}

func isSurrogate(r rune) bool { return r >= 0xD800 && r <= 0xDFFF }

func surrogate(r rune) string {
	return fmt.Sprintf("expected text that UTF-8 can hold, found the lone surrogate U+%04X", r)
}
