package board

import (
	"testing"
)

// The crowd is a million groups: no frame's cost grows with their number.
const million = 1_000_000

func benchBoard(b *testing.B, n int) *board {
	b.Helper()
	opt := options()
	opt.Theme = "auto"
	x := newBoard(b, crowd(n), opt, 200, 60)
	x.frame()
	b.ReportAllocs()
	b.ResetTimer()
	return x
}

// BenchmarkView draws a frame of 200x60.
func BenchmarkView(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{{"1k", 1000}, {"1M", million}} {
		b.Run(c.name, func(b *testing.B) {
			x := benchBoard(b, c.n)
			for b.Loop() {
				x.dirty = true
				_ = x.View()
			}
		})
	}
}

// BenchmarkKeyToFrame moves the cursor down a million groups, and draws.
func BenchmarkKeyToFrame(b *testing.B) {
	x := benchBoard(b, million)
	down := keyMsg("j")
	for b.Loop() {
		x.Update(down)
		_ = x.View()
	}
}

// BenchmarkNews takes in a snapshot of a million groups while the cursor is in the middle, and draws.
func BenchmarkNews(b *testing.B) {
	x := benchBoard(b, million)
	x.keys("G", "k")
	x.grid().to(million / 2)
	s := *x.snap
	for b.Loop() {
		s.Generation++
		next := s
		x.Update(newsMsg{snap: &next})
		_ = x.View()
	}
}

// BenchmarkFilter filters a million groups, as a command does it.
func BenchmarkFilter(b *testing.B) {
	x := benchBoard(b, million)
	x.keys("/", `"tool:open run:run-77*`)
	for b.Loop() {
		work := x.pane().restate(noon)
		x.pane().take(work(), noon)
	}
}
