package board

import (
	"testing"
	"time"
)

// TestGrid runs moves and changes of the list and looks at where window and cursor are.
func TestGrid(t *testing.T) {
	type state struct{ top, cursor int }
	for _, c := range []struct {
		name string
		n, h int
		do   func(*grid)
		want state
	}{
		{"starts at the top", 100, 10, func(*grid) {}, state{0, 0}},
		{"down", 100, 10, func(g *grid) { g.move(1) }, state{0, 1}},
		{"up stops", 100, 10, func(g *grid) { g.move(-1) }, state{0, 0}},
		{"down scrolls", 100, 10, func(g *grid) { g.move(12) }, state{3, 12}},
		{"up within the window", 100, 10, func(g *grid) { g.move(12); g.move(-5) }, state{3, 7}},
		{"last", 100, 10, func(g *grid) { g.to(g.n - 1) }, state{90, 99}},
		{"beyond", 100, 10, func(g *grid) { g.to(1000) }, state{90, 99}},
		{"page", 100, 10, func(g *grid) { g.page(1) }, state{10, 10}},
		{"half pages", 100, 10, func(g *grid) { g.page(0.5); g.page(0.5); g.page(-0.5) }, state{5, 5}},
		{"page at the end", 15, 10, func(g *grid) { g.page(1) }, state{5, 10}},
		{"half a page of one row", 15, 1, func(g *grid) { g.page(0.5) }, state{1, 1}},
		{"empty", 0, 10, func(g *grid) { g.move(1); g.page(1); g.to(5) }, state{0, 0}},
		{"shrinks", 100, 10, func(g *grid) { g.to(99); g.settle(20, -1, noon) }, state{10, 19}},
		{"empties and fills", 100, 10, func(g *grid) { g.to(50); g.settle(0, -1, noon); g.settle(100, -1, noon) }, state{0, 0}},
		{"taller", 100, 10, func(g *grid) { g.to(99); g.setHeight(30) }, state{70, 99}},
		{"rows above: the row stays on its line", 100, 10, func(g *grid) { g.to(20); g.move(-3); g.settle(110, 27, noon) }, state{21, 27}},
		{"rows above an untouched cursor", 100, 10, func(g *grid) { g.settle(110, 10, noon) }, state{0, 0}},
		{"rows above the first row, touched", 100, 10, func(g *grid) { g.move(1); g.move(-1); g.settle(110, 10, noon) }, state{10, 10}},
		{"follow", 100, 10, func(g *grid) { g.to(20); g.follow = true; g.settle(110, 30, noon) }, state{0, 0}},
	} {
		g := &grid{}
		g.setHeight(c.h)
		g.settle(c.n, -1, noon)
		g.id = "row"
		c.do(g)
		if got := (state{g.top, g.cursor}); got != c.want {
			t.Errorf("%s: top and cursor %v, want %v", c.name, got, c.want)
		}
		if from, to := g.visible(); from < 0 || to > g.n || to-from > c.h && c.name != "taller" {
			t.Errorf("%s: rows %d to %d of %d are on screen of %d", c.name, from, to, g.n, c.h)
		}
	}
}

// TestGridMoved: what moves or replaces the row under the cursor is noted, what leaves it in its place is not.
func TestGridMoved(t *testing.T) {
	for _, c := range []struct {
		name  string
		n, at int
		moved bool
	}{
		{"nothing happened", 100, 50, false},
		{"rows above and room to scroll", 120, 70, false},
		{"the row is gone", 99, -1, true},
		{"the row jumps to the top", 100, 0, true},
	} {
		g := &grid{}
		g.setHeight(10)
		g.settle(100, -1, noon)
		g.to(50)
		g.id = "row"
		g.moved = time.Time{}
		g.settle(c.n, c.at, noon)
		if got := !g.moved.IsZero(); got != c.moved {
			t.Errorf("%s: moved %v, want %v", c.name, got, c.moved)
		}
	}
}

// TestSolve: columns never overlap and never leave the list, whatever the width; the list is used up when something can grow.
func TestSolve(t *testing.T) {
	for name, cols := range map[string][]column{
		"findings": findingsSpec().columns, "flight": flightSpec().columns, "runs": runsSpec().columns, "tools": toolsSpec(nil).columns, "log": journalSpec(nil).columns,
		"timeline": timelineColumns, "sides": sideColumns,
	} {
		for _, when := range []int{4, 8} {
			for width := 0; width < 260; width++ {
				p := solve(cols, width, when)
				end := 0
				for i := range cols {
					if p.w[i] == 0 {
						continue
					}
					if p.x[i] < end {
						t.Fatalf("%s at %d: column %d starts at %d, before %d", name, width, i, p.x[i], end)
					}
					end = p.x[i] + p.w[i]
				}
				if width >= 68 && end > width {
					t.Fatalf("%s at %d: columns end at %d", name, width, end)
				}
			}
		}
	}
}

func TestSolveDropsAndGrows(t *testing.T) {
	cols := []column{{min: 10}, {min: 5, max: 8, drop: 2}, {min: 5, drop: 1}, {min: 4, from: 50}}
	for _, c := range []struct {
		width int
		want  []int
	}{
		{26, []int{10, 5, 5, 0}}, {25, []int{10, 0, 5, 0}}, {17, []int{10, 0, 0, 0}}, {29, []int{10, 8, 5, 0}}, {49, []int{10, 8, 5, 0}}, {50, []int{10, 8, 5, 4}},
	} {
		p := solve(cols, c.width, 4)
		for i, w := range c.want {
			if p.w[i] != w {
				t.Errorf("at %d the widths are %v, want %v", c.width, p.w, c.want)
				break
			}
		}
	}
}
