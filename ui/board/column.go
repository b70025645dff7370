package board

import "slices"

// column says how a column of a list may stand.
type column struct {
	title    string
	name     string // in settings; "": the first word of the title
	min, max int    // width in columns of the screen; max 0: min
	want     int    // what it gets before others grow; 0: min
	gap      int    // columns before it; 0: two
	drop     int    // among the columns that do not fit those with the highest number go first; 0: never
	right    bool   // the title stands at the right
	from     int    // only in lists of at least this width
	when     bool   // shows times: as wide as these are
}

// places says where the columns of a list stand; a column of width 0 is not shown.
type places struct {
	width int // of the list
	when  int // of times
	x, w  []int
}

// indent is where the first column starts, behind the caret and the mark.
const indent = 2

// solve gives each column its place in a list of a width, when times are of a width. Columns that do not fit are dropped; what is
// left over goes round among the columns that can grow.
func solve(cols []column, width, when int) places {
	cols = slices.Clone(cols)
	for i := range cols {
		if cols[i].when {
			cols[i].min = max(when, len(cols[i].title))
		}
	}
	p := places{width: width, when: when, x: make([]int, len(cols)), w: make([]int, len(cols))}
	shown := make([]bool, len(cols))
	for i, c := range cols {
		shown[i] = c.from <= width
	}
	used := func() int {
		n, first := indent, true
		for i, c := range cols {
			if shown[i] {
				n += c.min
				if !first {
					n += c.space()
				}
				first = false
			}
		}
		return n
	}
	for used() > width {
		worst := -1
		for i, c := range cols {
			if shown[i] && c.drop > 0 && (worst < 0 || c.drop > cols[worst].drop) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		shown[worst] = false
	}
	left := width - used()
	for i, c := range cols {
		if shown[i] {
			p.w[i] = c.min
		}
	}
	for i, c := range cols {
		if more := min(c.want-p.w[i], left); shown[i] && more > 0 {
			p.w[i] += more
			left -= more
		}
	}
	for grown := true; left > 0 && grown; {
		grown = false
		for i, c := range cols {
			if shown[i] && left > 0 && p.w[i] < c.max {
				p.w[i]++
				left--
				grown = true
			}
		}
	}
	x, first := indent, true
	for i, c := range cols {
		if !shown[i] {
			continue
		}
		if !first {
			x += c.space()
		}
		first = false
		p.x[i] = x
		x += p.w[i]
	}
	return p
}

func (c *column) space() int {
	if c.gap > 0 {
		return c.gap
	}
	return 2
}
