package keys

import (
	"bytes"
	"math"
	"strconv"

	"drainboard/keys/pyjson"
)

// isInt says whether a JSON number is an int to Python.
func isInt(raw []byte) bool {
	for _, c := range raw {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// appendPython writes a JSON number as json.dumps does after json.loads: an int digit by digit, a float
// by its repr. What int refuses is written too, with the reason.
func appendPython(dst, raw []byte) ([]byte, string) {
	if !isInt(raw) {
		if asItIs(raw) {
			return append(dst, raw...), ""
		}
		return pyjson.AppendFloat(dst, pyjson.ParseFloat(raw)), ""
	}
	if len(raw) == 2 && raw[0] == '-' && raw[1] == '0' {
		raw = raw[1:]
	}
	dst = append(dst, raw...)
	if n := len(bytes.TrimPrefix(raw, []byte("-"))); n > pythonDigits {
		return dst, "expected integers of at most 4300 digits, found " + strconv.Itoa(n)
	}
	return dst, ""
}

// asItIs says whether a float's spelling is its repr for certain: at most 15 digits, which a double
// always tells apart, no exponent, no zero too many on either side.
func asItIs(raw []byte) bool {
	s := raw
	if s[0] == '-' {
		s = s[1:]
	}
	if len(s) > 16 || s[0] == '0' || s[0] > '9' {
		return false
	}
	point := bytes.IndexByte(s, '.')
	if point < 0 {
		return false
	}
	for _, c := range s[point+1:] {
		if c > '9' || c < '0' {
			return false
		}
	}
	return s[len(s)-1] != '0' || point == len(s)-2
}

// appendStr writes a JSON number as Python's str() does: as json.dumps, but for nan, inf and -inf.
func appendStr(dst, raw []byte) ([]byte, string) {
	if !isInt(raw) {
		switch f := pyjson.ParseFloat(raw); {
		case math.IsNaN(f):
			return append(dst, "nan"...), ""
		case math.IsInf(f, 1):
			return append(dst, "inf"...), ""
		case math.IsInf(f, -1):
			return append(dst, "-inf"...), ""
		}
	}
	return appendPython(dst, raw)
}

// appendES writes a JSON number as ECMAScript does (RFC 8785, 3.2.2.3).
func appendES(dst, raw []byte) ([]byte, string) {
	f := pyjson.ParseFloat(raw)
	a := math.Abs(f)
	switch {
	case a > math.MaxFloat64 || f != f:
		if c := raw[len(raw)-1]; c >= '0' && c <= '9' {
			return dst, "expected numbers that a double can hold, found " + shorten(raw)
		}
		return dst, "expected numbers, found " + string(raw)
	case a == 0:
		return append(dst, '0'), ""
	case a >= 1e-6 && a < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64), ""
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '-' || dst[n-3] == '+') { // e-07 is e-7
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, ""
}

func shorten(raw []byte) string {
	if len(raw) > 40 {
		return string(raw[:37]) + "..."
	}
	return string(raw)
}

// appendExact writes a number so that equal values are written equally, whatever their spelling and
// size: an integer of up to 40 digits as these digits, another number of up to 15 digits that is not
// far from 1 with its decimal point (both as Python writes them), anything else as its digits, without
// zeros on either side, and a power of ten.
func appendExact(dst, raw []byte) []byte {
	if c := raw[len(raw)-1]; c > '9' || c < '0' {
		return append(dst, raw...) // NaN, Infinity
	}
	n := pyjson.Split(raw)
	whole, fraction := n.Whole, bytes.TrimRight(n.Fraction, "0")
	if len(fraction) == 0 {
		whole = bytes.TrimRight(whole, "0")
	}
	digits := len(whole) + len(fraction)
	if digits == 0 {
		return append(dst, '0')
	}
	if n.Negative {
		dst = append(dst, '-')
	}
	start := len(dst)
	exp := int(max(min(n.Exponent, 1000), -1000))
	switch {
	case n.Far == nil && exp >= digits && exp <= 40:
		dst = append(append(dst, whole...), fraction...)
		return appendZeros(dst, exp-digits)
	case n.Far == nil && exp > 0 && exp < digits && digits <= 15:
		dst = append(append(append(dst, '.'), whole...), fraction...)
		copy(dst[start:], dst[start+1:start+1+exp])
		dst[start+exp] = '.'
		return dst
	case n.Far == nil && exp > -4 && exp <= 0 && digits <= 15:
		dst = appendZeros(append(dst, "0."...), -exp)
		return append(append(dst, whole...), fraction...)
	}
	dst = append(append(dst, '.'), whole...)
	dst = append(append(dst, fraction...), 'e')
	if n.Far != nil {
		return appendSum(dst, n.Far, n.Exponent)
	}
	return strconv.AppendInt(dst, n.Exponent, 10)
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

// appendSum writes far + near, far being an integer's digits, more than near has, so that far's sign is
// the sum's.
func appendSum(dst, far []byte, near int64) []byte {
	if far[0] == '-' {
		dst = append(dst, '-')
		far, near = far[1:], -near
	}
	start := len(dst)
	dst = append(append(dst, '0'), far...)
	for i := len(dst) - 1; near != 0; i-- {
		near += int64(dst[i] - '0')
		digit := (near%10 + 10) % 10
		dst[i] = byte('0' + digit)
		near = (near - digit) / 10
	}
	if dst[start] == '0' { // at most one zero more appears, when 10...0 shrinks
		k := start
		for k < len(dst)-1 && dst[k] == '0' {
			k++
		}
		dst = append(dst[:start], dst[k:]...)
	}
	return dst
}

// isIntegral says whether a finite number's exact value is an integer.
func isIntegral(raw []byte) bool {
	if c := raw[len(raw)-1]; c > '9' || c < '0' {
		return false
	}
	n := pyjson.Split(raw)
	fraction := bytes.TrimRight(n.Fraction, "0")
	digits := len(n.Whole) + len(fraction)
	if len(fraction) == 0 {
		digits = len(bytes.TrimRight(n.Whole, "0"))
	}
	if n.Far != nil {
		return n.Far[0] != '-'
	}
	return n.Exponent >= int64(digits)
}
