package keys

import (
	"slices"

	"drainboard/keys/pyjson"
)

// AppendValue appends a payload as one text for all payloads that are equal (PRODUCT.md "Payloads"): ValueDigest of two
// payloads is equal when these texts are, and ValueDigest of the text is that of the payload. The text is JSON when raw is.
func AppendValue(dst []byte, s *Scratch, raw []byte, ignore []Pointer) []byte {
	if s.outer.ParseWhole(raw) != nil {
		return append(dst, raw...)
	}
	v, text := s.payload(s.outer.Root(), ignore)
	if v.Kind() == pyjson.Missing {
		return pyjson.AppendQuote(dst, text)
	}
	start := len(dst)
	if dst, _ = s.w.write(dst, &valueForm, v, s.removed); s.w.deep {
		return append(dst[:start], v.Raw()...)
	}
	return dst
}

// appendDecimal is appendExact as JSON: with a digit before a decimal point.
func appendDecimal(dst, raw []byte) []byte {
	start := len(dst)
	dst = appendExact(dst, raw)
	if dst[start] == '-' {
		start++
	}
	if dst[start] == '.' {
		dst = slices.Insert(dst, start, '0')
	}
	return dst
}
