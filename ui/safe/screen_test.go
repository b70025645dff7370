package safe

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

const (
	screenWidth, screenHeight = 36, 3
	boxX, boxY                = 4, 1
	boxWidth                  = screenWidth - boxX - 2
)

// screen is a terminal full of signs, and what it was told beside text.
type screen struct {
	*vt.Emulator
	told string
}

func newScreen() *screen {
	s := &screen{Emulator: vt.NewEmulator(screenWidth, screenHeight)}
	for row := range screenHeight {
		fmt.Fprintf(s, "\x1b[%d;1H%s", row+1, strings.Repeat("#", screenWidth))
	}
	s.SetCallbacks(vt.Callbacks{
		Title:       func(string) { s.told = "a title" },
		Bell:        func() { s.told = "to ring" },
		AltScreen:   func(bool) { s.told = "to change the screen" },
		EnableMode:  func(ansi.Mode) { s.told = "to enable a mode" },
		DisableMode: func(ansi.Mode) { s.told = "to disable a mode" },
	})
	return s
}

// draw writes a text that is said to be w cells wide into the middle of the screen, and says what happened
// outside of them. When nothing did, the screen is as it was before.
func (s *screen) draw(text string, w int) string {
	fmt.Fprintf(s, "\x1b[%d;%dH", boxY+1, boxX+1)
	if _, err := s.WriteString(text); err != nil {
		return err.Error()
	}
	if s.told != "" {
		return "the terminal was told " + s.told
	}
	if at := s.CursorPosition(); at.X != boxX+w || at.Y != boxY {
		return fmt.Sprintf("the cursor is at %d,%d, not at %d,%d", at.X, at.Y, boxX+w, boxY)
	}
	for row := range screenHeight {
		for col := range screenWidth {
			if row == boxY && col >= boxX && col < boxX+w {
				continue
			}
			if c := s.CellAt(col, row); c == nil || c.Content != "#" || !c.Style.IsZero() {
				return fmt.Sprintf("the screen at %d,%d is %+v", col, row, c)
			}
		}
	}
	fmt.Fprintf(s, "\x1b[%d;%dH%s", boxY+1, boxX+1, strings.Repeat("#", w))
	return ""
}

// stays says what a source does outside of its cell in either mode.
func (s *screen) stays(text string, w int) string {
	for _, m := range []Mode{Unicode, ASCII} {
		cell := m.Cell(text, w)
		if why := s.draw(string(cell), w); why != "" {
			return fmt.Sprintf("%q: %s", cell, why)
		}
	}
	return ""
}

// What hostile cells do when they are written as they are.
var attacks = []string{
	"\x1b[2J", "\x1b[1;1HSPOOFED", "a\b\b\b\b\b\b\bOK", "\rOK", "\x1b]0;title\a", "\x1b]52;c;cHduZWQ=\a", "\x1b]0;never ended", "\x1b[?1049l",
	"\x1b[?1002h", "\x1b[41mred", "\n", "\x9b2J", "日日日日日日日日日日日日日日日日日日", "\t\t\t",
}

func TestCellStaysInItsBox(t *testing.T) {
	for _, a := range attacks {
		if why := newScreen().draw(a, 4); why == "" {
			t.Errorf("%q does no harm: this test would not see it", a)
		}
	}
	s := newScreen()
	for _, a := range attacks {
		for w := range boxWidth {
			if why := s.stays(a, w); why != "" {
				t.Fatalf("%q in %d cells: %s", a, w, why)
			}
		}
	}
	r := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		text, w := hostile(r, 12), r.IntN(boxWidth)
		if why := s.stays(text, w); why != "" {
			t.Fatalf("%q in %d cells: %s", text, w, why)
		}
	}
}

func FuzzScreen(f *testing.F) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 50 {
		f.Add(hostile(r, 10), uint8(r.IntN(boxWidth)))
	}
	for _, a := range attacks {
		f.Add(a, uint8(9))
	}
	f.Fuzz(func(t *testing.T, text string, w uint8) {
		width := int(w) % boxWidth
		if why := holds(text, width); why != "" {
			t.Fatalf("%q in %d cells: %s", text, width, why)
		}
		if why := newScreen().stays(text, width); why != "" {
			t.Fatalf("%q in %d cells: %s", text, width, why)
		}
	})
}
