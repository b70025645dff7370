package keys

import (
	"math"
	"time"

	"drainboard/keys/pyjson"
)

// window is how far a timestamp may lie from its call's own time.
const window = 5 * time.Minute

// isTime says whether a value is a moment within five minutes of the call's time: date-time text of ISO
// 8601, or a number of seconds since 1970 or, above 1e11, of milliseconds.
func isTime(v pyjson.Value, call int64) bool {
	if call == NoTime {
		return false
	}
	at, ok := int64(0), false
	switch v.Kind() {
	case pyjson.String:
		at, ok = textTime(v)
	case pyjson.Int, pyjson.Float:
		at, ok = numberTime(v)
	}
	if !ok {
		return false
	}
	// Compared this way round, nothing can overflow: at is between 1678 and 2262.
	return call >= at-int64(window) && call <= at+int64(window)
}

// lastSecond bounds numbers that are taken for times: beyond it nanoseconds do not fit into 64 bits.
const lastSecond = 9_000_000_000

// numberTime reads seconds, or milliseconds above 1e11, as nanoseconds.
func numberTime(v pyjson.Value) (int64, bool) {
	if n, ok := v.Int64(); ok {
		if n > 1e11 && n < lastSecond*1000 {
			return n * int64(time.Millisecond), true
		}
		return n * int64(time.Second), n > 0 && n < lastSecond
	}
	f, _ := v.Float64()
	unit, fine := int64(time.Second), 1e9
	if f > 1e11 {
		unit, fine = int64(time.Millisecond), 1e6
	}
	if !(f > 0 && f*fine < lastSecond*1e9) {
		return 0, false
	}
	whole, fraction := math.Modf(f)
	return int64(whole)*unit + int64(math.Round(fraction*fine)), true
}

// textTime reads a String that is an ISO 8601 date-time as nanoseconds since 1970.
func textTime(v pyjson.Value) (int64, bool) {
	const longest = 64
	text := inner(v)
	if len(text) < 12 || len(text) > 6*longest || text[0] != '\\' && (text[0] < '0' || text[0] > '9') {
		return 0, false
	}
	if v.Escaped() {
		var room [longest]byte
		if text = v.AppendText(room[:0]); len(text) > longest {
			return 0, false
		}
	}
	return parseTime(text)
}

// parseTime reads YYYY-MM-DDThh:mm[:ss[.fraction]][zone] or its basic form YYYYMMDDThhmm[ss[.fraction]][zone]
// (a space, t or a comma may stand for T and the point), the zone being Z, ±hh, ±hh:mm or ±hhmm; without one the
// time is UTC.
func parseTime(s []byte) (int64, bool) {
	c := cursor{s: s, ok: true}
	year := c.number(4)
	extended := c.skip('-')
	month := c.number(2)
	if extended {
		c.need(c.skip('-'))
	}
	day := c.number(2)
	c.need(c.skip('T') || c.skip('t') || c.skip(' '))
	hour := c.number(2)
	if extended {
		c.need(c.skip(':'))
	}
	minute := c.number(2)
	second, nanos := 0, int64(0)
	if extended && c.skip(':') || !extended && c.digit() {
		second = c.number(2)
		if c.skip('.') || c.skip(',') {
			nanos = c.fraction()
		}
	}
	offset := c.zone()
	if !c.ok || len(c.s) > 0 || year < 1678 || year > 2261 || month < 1 || month > 12 || day < 1 ||
		hour > 23 || minute > 59 || second > 60 {
		return 0, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if second < 60 && t.Day() != day {
		return 0, false
	}
	return t.UnixNano() + nanos - offset*int64(time.Second), true
}

// cursor reads a time from the front of s; ok falls to false for good at the first fault.
type cursor struct {
	s  []byte
	ok bool
}

func (c *cursor) need(ok bool) { c.ok = c.ok && ok }

func (c *cursor) digit() bool { return len(c.s) > 0 && c.s[0] >= '0' && c.s[0] <= '9' }

func (c *cursor) skip(b byte) bool {
	if len(c.s) == 0 || c.s[0] != b {
		return false
	}
	c.s = c.s[1:]
	return true
}

// number reads n digits.
func (c *cursor) number(n int) int {
	v := 0
	for range n {
		if !c.digit() {
			c.ok = false
			return 0
		}
		v = v*10 + int(c.s[0]-'0')
		c.s = c.s[1:]
	}
	return v
}

// fraction reads one digit or more behind a decimal point, as nanoseconds.
func (c *cursor) fraction() int64 {
	c.need(c.digit())
	v, unit := int64(0), int64(time.Second/10)
	for ; c.digit(); c.s = c.s[1:] {
		v += int64(c.s[0]-'0') * unit
		unit /= 10
	}
	return v
}

// zone reads a zone as seconds east of UTC; none is UTC.
func (c *cursor) zone() int64 {
	if len(c.s) == 0 || c.skip('Z') || c.skip('z') {
		return 0
	}
	sign := int64(1)
	if !c.skip('+') {
		c.need(c.skip('-'))
		sign = -1
	}
	hours, minutes := c.number(2), 0
	if c.skip(':') || c.digit() {
		minutes = c.number(2)
	}
	c.need(hours < 24 && minutes < 60)
	return sign * int64(hours*3600+minutes*60)
}
