package pyjson

import (
	"math"
	"strconv"
)

// ParseFloat gives the double nearest to a JSON number or to NaN, Infinity or -Infinity, whatever the
// length of the spelling; beyond the range of a double it is infinite, as CPython's float() has it.
func ParseFloat(raw []byte) float64 {
	if len(raw) > 64 {
		return parseLong(raw)
	}
	f, _ := strconv.ParseFloat(string(raw), 64) // the error can only be ErrRange, which comes with the infinity
	return f
}

// parseLong brings a long spelling to one that strconv reads exactly: strconv cuts exponents at five
// digits, which is wrong when a point far from the digits makes up for them. 800 significant digits
// decide every rounding (no double or midpoint between two has more than 767); a 1 stands for the rest.
func parseLong(raw []byte) float64 {
	const keep = 800
	n := Split(raw)
	var buf [keep + 32]byte
	b := buf[:0]
	if n.Negative {
		b = append(b, '-')
	}
	b = append(b, '0', '.')
	rest := keep
	for _, part := range [2][]byte{n.Whole, n.Fraction} {
		for _, c := range part {
			if rest == 0 {
				if c != '0' {
					rest = -1
				}
			} else if rest > 0 {
				b = append(b, c)
				rest--
			}
		}
	}
	if rest < 0 {
		b = append(b, '1')
	}
	exp := max(min(n.Exponent, 9999), -9999)
	if n.Far != nil {
		exp = 9999
		if n.Far[0] == '-' {
			exp = -9999
		}
	}
	b = strconv.AppendInt(append(b, 'e'), exp, 10)
	f, _ := strconv.ParseFloat(string(b), 64)
	return f
}

// Parts is a number's exact value: 0.DIGITS times ten to the power of Exponent, DIGITS being Whole and
// Fraction one after the other, without leading zeros. Zero has no digits.
type Parts struct {
	Negative        bool
	Whole, Fraction []byte
	Exponent        int64
	// Far is set when the written exponent has more than 17 digits: it is to be added to Exponent then.
	// It starts with '-' when negative, else with a digit, and has no leading zeros.
	Far []byte
}

// Split takes a JSON number (not NaN or an infinity) apart.
func Split(raw []byte) Parts {
	var n Parts
	if raw[0] == '-' {
		n.Negative, raw = true, raw[1:]
	}
	end := digits(raw, 0)
	n.Whole, raw = raw[:end], raw[end:]
	if len(raw) > 0 && raw[0] == '.' {
		end = digits(raw, 1)
		n.Fraction, raw = raw[1:end], raw[end:]
	}
	n.Whole = trimZeros(n.Whole)
	exp := int64(len(n.Whole))
	if len(n.Whole) == 0 {
		t := trimZeros(n.Fraction)
		exp = -int64(len(n.Fraction) - len(t))
		n.Fraction = t
	}
	if len(n.Whole)+len(n.Fraction) == 0 {
		return n
	}
	n.Exponent = exp
	if len(raw) > 0 {
		n.addExponent(raw[1:])
	}
	return n
}

// addExponent adds a written exponent.
func (n *Parts) addExponent(s []byte) {
	sign := int64(1)
	if s[0] == '-' {
		sign = -1
	}
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	s = trimZeros(s)
	if len(s) > 17 {
		n.Far = s
		if sign < 0 {
			n.Far = append([]byte{'-'}, s...)
		}
		return
	}
	e := int64(0)
	for _, c := range s {
		e = e*10 + int64(c-'0')
	}
	n.Exponent += sign * e
}

func trimZeros(s []byte) []byte {
	for len(s) > 0 && s[0] == '0' {
		s = s[1:]
	}
	return s
}

// AppendFloat appends a double as Python's json.dumps writes it: float.__repr__ (the shortest digits
// that read back, an exponent below 1e-4 and from 1e16 on), or NaN, Infinity, -Infinity.
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case f > math.MaxFloat64:
		return append(dst, "Infinity"...)
	case f < -math.MaxFloat64:
		return append(dst, "-Infinity"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64) // a two-digit exponent at least, as Python's
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' {
			return dst
		}
	}
	return append(dst, '.', '0')
}
