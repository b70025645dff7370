package board

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/vt"
)

// screenOf draws a frame on a terminal and reads back what stands in its cells.
func screenOf(term *vt.Emulator, frame string) [][]string {
	w, h := term.Width(), term.Height()
	_, _ = term.WriteString("\x1b[2J\x1b[H\x1b[?7l") // no wrapping: a line that is too long must not reach the next one
	_, _ = term.WriteString(strings.ReplaceAll(frame, "\n", "\r\n"))
	out := make([][]string, h)
	for y := range out {
		out[y] = make([]string, w)
		for x := range out[y] {
			if c := term.CellAt(x, y); c != nil {
				out[y][x] = c.Content
			}
		}
	}
	return out
}

// hostile are texts that a terminal must never see as they are.
var hostile = []string{
	"\x1b[2J\x1b[H", "\x1b[1;1HSPOOFED", "\b\b\b\b\b\bOK", "\rstart", "\x1b]0;title\a", "\x1b]52;c;cHduZWQ=\a", "\x1b]8;;http://x\x1b\\", "\x1b[?1049l", "\x1b[41m red", "a\nb",
	"\t\t\t", "\x00\x01\x7f", "\x9b2J", "\u009b2J", "\u202eright to left", "e\u0301\u0301\u0301\u0301\u0301\u0301", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "日本語のとても長い名前です", "\xff\xfe", "\xed\xa0\xbd",
	"<9B>", "\u2028\u2029", "\U000e0041\U000e0042", "\u200b\u200b", "🇳🇬🇳", "कि", strings.Repeat("x", 300), "‹", "▌▌", "│││", "───",
}

// TestHostileText puts hostile text into every field of every view: no byte of it reaches the terminal raw, and no cell outside of
// the panes that show it changes.
func TestHostileText(t *testing.T) {
	for _, text := range hostile {
		checkHostile(t, text, func(int) bool { return true })
	}
}

// FuzzHostileText does the same with any text, each in some of the views.
func FuzzHostileText(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), 200)]
		checkHostile(t, text, func(view int) bool { return view%5 == len(text)%5 })
	})
}

func checkHostile(t *testing.T, text string, in func(view int) bool) {
	t.Helper()
	mess := func(s string) string { return text + s + text }
	world := messed(mess)
	for offset := range world.args {
		world.args[offset] = `{"` + strings.ToValidUTF8(quotable(text), "?") + `": "` + quotable(text) + `"}`
	}
	for offset := range world.replies {
		world.replies[offset] = `{"x": "` + quotable(text) + `"}`
	}
	for _, size := range [][2]int{{80, 24}, {140, 34}} {
		term := vt.NewEmulator(size[0], size[1])
		defer term.Close()
		for i, v := range views {
			if !in(i) || v.name == "wrong" || v.name == "nothing" || size[0] > 80 && !slices.Contains([]string{"findings", "flight", "tools", "drift"}, v.name) {
				continue
			}
			opt := options()
			opt.Theme = "auto"
			b := newBoard(t, world, opt, size[0], size[1]).keys(v.keys...)
			frame := b.frame()
			for i, r := range frame {
				if r < ' ' && r != '\n' && r != 0x1b || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u202e' {
					t.Fatalf("%s with %q: %q at byte %d", v.name, text, r, i)
				}
			}
			for _, seq := range strings.Split(frame, "\x1b")[1:] {
				end := strings.IndexByte(seq, 'm')
				if seq[0] != '[' || end < 0 || strings.Trim(seq[1:end], "0123456789;") != "" {
					t.Fatalf("%s with %q: an escape that is no style: %q", v.name, text, seq[:min(len(seq), 12)])
				}
			}
			checkFixed(t, b, screenOf(term, frame), v.name, text)
		}
	}
}

// checkFixed looks at the cells that no text of a trace may reach: rules, wall, tabs, verdict.
func checkFixed(t *testing.T, b *board, cells [][]string, view, text string) {
	t.Helper()
	line := func(y int) string { return strings.Join(cells[y], "") }
	l := b.layout()
	if got := line(b.h - 2); strings.Trim(got, "─┴") != "" {
		t.Fatalf("%s with %q: the rule above the footer is %q", view, text, got)
	}
	if b.top() == nil && b.pane().options().filter == nil && strings.Trim(line(2), "─┬") != "" {
		t.Fatalf("%s with %q: the upper rule is %q", view, text, line(2))
	}
	if !strings.HasSuffix(strings.TrimRight(line(0), " "), "NO-GO 12") || !strings.HasPrefix(line(0), " drainboard ") {
		t.Fatalf("%s with %q: the header is %q", view, text, line(0))
	}
	if !strings.HasPrefix(line(1), " 1 Findings ") {
		t.Fatalf("%s with %q: the tabs are %q", view, text, line(1))
	}
	if l.wide && b.top() == nil {
		for y := bodyTop; y < b.h-2-l.sheet; y++ {
			if cells[y][l.list] != "│" {
				t.Fatalf("%s with %q: the wall is %q on line %d: %q", view, text, cells[y][l.list], y, line(y))
			}
		}
	}
}

// quotable is a text as it may stand in a JSON string.
func quotable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == '\\' {
			return -1
		}
		return r
	}, s)
}

// TestPaste: what is pasted into a field loses its control characters, and reaches the screen in visible form.
func TestPaste(t *testing.T) {
	for _, text := range hostile {
		b := newBoard(t, newFake(), options(), 80, 24)
		b.keys("/")
		b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
		b.frame()
		for _, r := range b.front.(*filterPrompt).text {
			if r < ' ' || r == 0x7f {
				t.Errorf("%q: the field holds %q", text, r)
			}
		}
	}
}
