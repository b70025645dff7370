package board

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
)

// TestTerminalDraws: whatever frames come after each other, what stands on the screen is the last one, also after something else
// wrote there; only lines that differ are written, with one write.
func TestTerminalDraws(t *testing.T) {
	w := &writes{}
	term := newTerminal(w)
	term.draw("never seen") // the screen is not the board's yet
	term.enter()
	frames := []string{"one\ntwo\nthree", "one\n2wo\nthree", "one\n2wo\nthree", "four\nlines\nare\nhere", "日本\n2\n3\n4"}
	var at []int
	for _, f := range frames {
		term.draw(f)
		at = append(at, len(w.all))
	}
	if at[1]-at[0] != 1 || strings.Contains(w.all[at[1]-1], "three") || at[2] != at[1] {
		t.Errorf("a frame is not one write of what differs: %q", w.all)
	}
	term.forget()
	term.draw(frames[4])
	if got := w.all[len(w.all)-1]; !strings.Contains(got, "日本") || !strings.Contains(got, "4") {
		t.Errorf("after something else wrote, %q is written", got)
	}
	screen := vt.NewEmulator(20, 4)
	defer screen.Close()
	_, _ = screen.WriteString(strings.Join(w.all, ""))
	for y, want := range []string{"日本", "2", "3", "4"} {
		line := ""
		for x := range 20 {
			line += screen.CellAt(x, y).Content
		}
		if strings.TrimRight(line, " ") != want {
			t.Errorf("line %d is %q, want %q", y, line, want)
		}
	}
	term.track(true)
	term.leave()
	term.draw("not seen any more")
	if got := w.all[len(w.all)-1]; got != mouseOff+giveScreen {
		t.Errorf("leaving writes %q", got)
	}
}

// TestTerminalLatestWins: of frames that come faster than they are drawn the last one is drawn.
func TestTerminalLatestWins(t *testing.T) {
	w := &writes{}
	term := newTerminal(w)
	term.enter()
	for _, f := range []string{"a", "b", "c"} {
		term.show(f)
	}
	term.draw(<-term.next)
	if got := w.all[len(w.all)-1]; !strings.HasSuffix(got, "c") || len(term.next) > 0 {
		t.Errorf("drawn is %q, %d wait", got, len(term.next))
	}
}

// TestFrameRate: a burst of keys is answered at once, and in no second are there more than sixty frames.
func TestFrameRate(t *testing.T) {
	b := newBoard(t, newFake(), options(), 80, 24)
	b.model.term = newTerminal(&writes{})
	key := keyMsg("j")
	clock := noon.Add(time.Hour)
	b.model.steady = func() time.Time { return clock }
	frames := 0
	drawn := func() {
		select {
		case <-b.model.term.next:
			frames++
		default:
		}
	}
	b.Update(key)
	if drawn(); frames != 1 {
		t.Fatal("the first key is not answered at once")
	}
	clock = clock.Add(2 * time.Millisecond)
	b.Update(key)
	if drawn(); frames != 2 {
		t.Fatal("a key a moment later is not answered at once")
	}
	start := clock
	for clock.Sub(start) < time.Second-2*time.Millisecond {
		clock = clock.Add(time.Millisecond)
		b.Update(key)
		if b.model.later && clock.Sub(b.model.spent) >= frameTime { // the moment that was waited for
			b.Update(paintMsg{})
		}
		drawn()
	}
	if frames > 60 || frames < 50 {
		t.Errorf("%d frames in a second of a thousand keys", frames)
	}
}
