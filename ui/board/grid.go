package board

import "time"

// grid is the state of a windowed list: where its window and its cursor are, and which rows are marked. Rows are known by ID, so
// that the cursor stays on its row, and on its line of the screen, when rows arrive above it. It holds no rows.
type grid struct {
	top, cursor int
	height, n   int
	id          string // of the row under the cursor
	follow      bool   // the cursor stays on the first row
	touched     bool   // somebody has moved the cursor
	marks       map[string]subject
	moved       time.Time // when news last moved the row under the cursor on the screen, or replaced it
}

// setHeight says how many rows fit on screen.
func (g *grid) setHeight(h int) {
	g.height = max(h, 1)
	g.clamp()
}

// move moves the cursor; it reports whether it moved.
func (g *grid) move(by int) bool { return g.to(g.cursor + by) }

// to puts the cursor on a position.
func (g *grid) to(i int) bool {
	was := g.cursor
	g.cursor, g.touched = i, true
	g.clamp()
	return g.cursor != was
}

// page moves the cursor and the window by whole or half windows.
func (g *grid) page(by float64) bool {
	step := int(by * float64(g.height))
	if step == 0 {
		step = 1
		if by < 0 {
			step = -1
		}
	}
	g.top += step
	return g.move(step)
}

// settle takes in a list that has changed: it has n rows now, and the row that was under the cursor stands at position at, or
// nowhere when at is negative. Until somebody has moved the cursor it stays at the top.
func (g *grid) settle(n, at int, now time.Time) {
	line, was := g.cursor-g.top, g.id != ""
	g.n = n
	switch {
	case g.follow || !g.touched:
		g.top, g.cursor = 0, 0
		if was && at != 0 {
			g.moved = now
		}
		line = 0
	case at >= 0:
		g.cursor, g.top = at, at-line
	case was:
		g.moved = now
	}
	g.clamp()
	if was && g.cursor-g.top != line {
		g.moved = now
	}
}

func (g *grid) clamp() {
	g.cursor = max(min(g.cursor, g.n-1), 0)
	if g.height <= 0 {
		return
	}
	g.top = min(g.top, g.cursor)
	g.top = max(g.top, g.cursor-g.height+1)
	g.top = max(min(g.top, g.n-g.height), 0)
}

// mark turns the mark of a row.
func (g *grid) mark(id string, s subject) {
	if id == "" {
		return
	}
	if _, on := g.marks[id]; on {
		delete(g.marks, id)
		return
	}
	if g.marks == nil {
		g.marks = map[string]subject{}
	}
	g.marks[id] = s
}

// isMarked says whether a row is marked.
func (g *grid) isMarked(id string) bool { _, on := g.marks[id]; return on }

// visible is the range of positions on screen.
func (g *grid) visible() (from, to int) { return g.top, min(g.top+g.height, g.n) }
