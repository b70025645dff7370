package board

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// terminal draws frames. A frame is handed over and drawn by a goroutine of its own, so that a slow line delays no key; of frames
// that come faster than the line takes them the last one is drawn. Only lines that differ from what stands there are written, a
// frame with one write. It exists because Bubble Tea's own renderer looks sixty times a second whether there is something to
// draw, and draws a key's effect only then: this one draws at once, and rests when nothing happens.
type terminal struct {
	out  io.Writer
	next chan string // the frame to be drawn; capacity 1, the latest wins

	mu    sync.Mutex
	on    bool // the screen is the board's
	mouse bool
	lines []string // what stands on it
	buf   []byte
}

// silent is out for Bubble Tea: it finds the terminal's size and modes there, and whatever its renderer writes is dropped.
func silent(out io.Writer) io.Writer {
	if f, ok := out.(*os.File); ok {
		return silentFile{f}
	}
	return io.Discard
}

type silentFile struct{ *os.File }

func (silentFile) Write(p []byte) (int, error) { return len(p), nil }

// Modes: alternate screen, no cursor, no wrapping (a line that a terminal takes for too wide must not reach the next one), pastes in
// brackets.
const (
	takeScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J"
	giveScreen = "\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?1049l\x1b[?25h"
	mouseOn    = "\x1b[?1002h\x1b[?1006h"
	mouseOff   = "\x1b[?1002l\x1b[?1006l"
)

func newTerminal(out io.Writer) *terminal {
	return &terminal{out: out, next: make(chan string, 1)}
}

// run draws until ctx ends.
func (t *terminal) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case frame := <-t.next:
			t.draw(frame)
		}
	}
}

// show hands a frame over; it never waits. It is called from the program's loop only.
func (t *terminal) show(frame string) {
	select {
	case <-t.next:
	default:
	}
	t.next <- frame
}

// draw writes what differs. A terminal that is gone is noticed by whoever reads its keys.
func (t *terminal) draw(frame string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.on {
		return
	}
	lines := strings.Split(frame, "\n")
	t.buf = t.buf[:0]
	if len(lines) != len(t.lines) {
		t.lines = nil
		t.buf = append(t.buf, "\x1b[2J"...)
	}
	for y, l := range lines {
		if t.lines != nil && t.lines[y] == l {
			continue
		}
		t.buf = append(strconv.AppendInt(append(t.buf, "\x1b["...), int64(y+1), 10), ";1H\x1b[2K"...)
		t.buf = append(t.buf, l...)
	}
	t.lines = lines
	if len(t.buf) > 0 {
		_, _ = t.out.Write(t.buf)
	}
}

// enter takes the screen, leave gives it back as it was; what is shown in between is drawn anew.
func (t *terminal) enter() { t.set(true) }

func (t *terminal) leave() { t.set(false) }

func (t *terminal) set(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.on == on {
		return
	}
	t.on, t.lines = on, nil
	text := giveScreen
	if on {
		text = takeScreen
	}
	if t.mouse {
		if on {
			text += mouseOn
		} else {
			text = mouseOff + text
		}
	}
	_, _ = io.WriteString(t.out, text)
}

// forget has everything drawn anew: something else has written on the screen.
func (t *terminal) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = nil
}

// track turns reports of the mouse on or off.
func (t *terminal) track(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mouse = on
	text := mouseOff
	if on {
		text = mouseOn
	}
	_, _ = io.WriteString(t.out, text)
}

// write writes a sequence that is no part of a frame, with one write between two of those.
func (t *terminal) write(seq string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := io.WriteString(t.out, seq)
	return err
}
