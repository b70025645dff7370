package trace

import (
	"math"
	"strconv"

	"drainboard/keys/pyjson"
)

// Instant reads a recorded time: ISO 8601 text (without a zone it is UTC), or a number of seconds since 1970, or of
// milliseconds when its absolute value is above 1e11 (FORMATS.md §0a). Numbers are exact to the nanosecond. It gives
// NoTime for everything else, and beyond the years 1678 to 2262 that nanoseconds in 64 bits reach.
func (w *Scratch) Instant(v pyjson.Value) int64 {
	switch v.Kind() {
	case pyjson.Int, pyjson.Float:
		return EpochTime(v.Raw())
	case pyjson.String:
		return ParseTime(w.Text(v))
	}
	return NoTime
}

// EpochTime reads a decimal number of seconds or, above 1e11, milliseconds since 1970.
func EpochTime(num []byte) int64 {
	s := num
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	whole, i := uint64(0), 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		if whole > math.MaxInt64/10 {
			return NoTime
		}
		whole = whole*10 + uint64(s[i]-'0')
	}
	if i == 0 {
		return NoTime
	}
	frac, digits := uint64(0), 0
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && isDigit(s[i]); i++ {
			if digits < 9 {
				frac, digits = frac*10+uint64(s[i]-'0'), digits+1
			}
		}
	}
	if i < len(s) {
		f, err := strconv.ParseFloat(string(num), 64) // an exponent: rare, and exact enough
		if err != nil {
			return NoTime
		}
		return floatTime(f)
	}
	for ; digits < 9; digits++ {
		frac *= 10
	}
	if whole > 1e11 || whole == 1e11 && frac > 0 {
		frac = whole%1000*1e6 + frac/1000
		whole /= 1000
	}
	return nanos(int64(whole), int64(frac), neg)
}

func floatTime(f float64) int64 {
	if math.Abs(f) > 1e11 {
		f /= 1000
	}
	if math.IsNaN(f) || math.Abs(f) > maxSeconds {
		return NoTime
	}
	sec := math.Floor(f)
	return nanos(int64(sec), int64((f-sec)*1e9), false)
}

// maxSeconds is how far from 1970 nanoseconds in 64 bits reach, with a second to spare.
const maxSeconds = math.MaxInt64/1_000_000_000 - 1

func nanos(sec, ns int64, neg bool) int64 {
	if sec > maxSeconds || sec < -maxSeconds {
		return NoTime
	}
	t := sec*1e9 + ns
	if neg {
		return -t
	}
	return t
}

// ParseTime reads ISO 8601 text: a date, or a date and a time of day parted by T or a space, with a fraction of a second
// of any length after a point or comma, and Z, an offset or nothing (UTC) at the end.
func ParseTime(s []byte) int64 {
	p := clockReader{s: s}
	year, ok1 := p.number(4)
	ok2 := p.skip('-')
	month, ok3 := p.number(2)
	ok4 := p.skip('-')
	day, ok5 := p.number(2)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return NoTime
	}
	sec := daysSince1970(year, month, day) * 86400
	if len(p.s) == 0 {
		return nanos(sec, 0, false)
	}
	if !p.skip('T') && !p.skip('t') && !p.skip(' ') {
		return NoTime
	}
	clock, frac, ok := p.clock()
	if !ok {
		return NoTime
	}
	zone, ok := p.zone()
	if !ok || len(p.s) > 0 {
		return NoTime
	}
	return nanos(sec+clock-zone, frac, false)
}

type clockReader struct{ s []byte }

func (p *clockReader) skip(c byte) bool {
	if len(p.s) > 0 && p.s[0] == c {
		p.s = p.s[1:]
		return true
	}
	return false
}

// number reads exactly n digits.
func (p *clockReader) number(n int) (int, bool) {
	if len(p.s) < n {
		return 0, false
	}
	v := 0
	for _, c := range p.s[:n] {
		if !isDigit(c) {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	p.s = p.s[n:]
	return v, true
}

// clock reads hh:mm[:ss[.fraction]]; a 60th second is the next minute's first.
func (p *clockReader) clock() (sec, ns int64, ok bool) {
	h, ok := p.number(2)
	if !ok || h > 24 || !p.skip(':') {
		return 0, 0, false
	}
	m, ok := p.number(2)
	if !ok || m > 59 {
		return 0, 0, false
	}
	s := 0
	if p.skip(':') {
		if s, ok = p.number(2); !ok || s > 60 {
			return 0, 0, false
		}
		if p.skip('.') || p.skip(',') {
			digits := 0
			for ; len(p.s) > 0 && isDigit(p.s[0]); p.s = p.s[1:] {
				if digits < 9 {
					ns, digits = ns*10+int64(p.s[0]-'0'), digits+1
				}
			}
			if digits == 0 {
				return 0, 0, false
			}
			for ; digits < 9; digits++ {
				ns *= 10
			}
		}
	}
	if h == 24 && (m > 0 || s > 0 || ns > 0) {
		return 0, 0, false
	}
	return int64(h*3600 + m*60 + s), ns, true
}

// zone reads the offset from UTC in seconds: Z, +hh, +hhmm, +hh:mm, or nothing.
func (p *clockReader) zone() (int64, bool) {
	if len(p.s) == 0 || p.skip('Z') || p.skip('z') {
		return 0, true
	}
	p.skip(' ')
	sign := int64(1)
	if p.skip('-') {
		sign = -1
	} else if !p.skip('+') {
		return 0, false
	}
	h, ok := p.number(2)
	if !ok || h > 23 {
		return 0, false
	}
	m := 0
	if p.skip(':') || len(p.s) > 0 {
		if m, ok = p.number(2); !ok || m > 59 {
			return 0, false
		}
	}
	return sign * int64(h*3600+m*60), true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSince1970 counts days in the Gregorian calendar; years start in March, so that the odd day comes last.
func daysSince1970(year, month, day int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	yoe := y - era*400
	m := int64(month+9) % 12
	doy := (153*m+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}
