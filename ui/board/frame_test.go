package board

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/board/ink"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// board is a model under test: keys go in, frames come out, commands run at once.
type board struct {
	*model
	t     testing.TB
	clock time.Time
	quit  bool
}

func options() Options {
	return Options{Ledger: "traces/tool_replay.sqlite", Table: "tools.yaml", Theme: "none", Now: func() time.Time { return noon }, Zone: time.UTC, Out: &strings.Builder{}}
}

func newBoard(t testing.TB, eng Engine, opt Options, w, h int) *board {
	t.Helper()
	b := &board{t: t, clock: noon}
	opt.Now = func() time.Time { return b.clock }
	theme, err := ink.New(opt.Theme, opt.ASCII)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	b.model = newModel(ctx, eng, opt.complete(), theme, &guard{cancel: cancel, dir: t.TempDir()}, nil, func() time.Time { return b.clock })
	b.ticks = b.generation()
	b.send(tea.WindowSizeMsg{Width: w, Height: h})
	return b
}

// send gives the model a message and runs what follows from it until nothing does.
func (b *board) send(msg tea.Msg) {
	b.t.Helper()
	_, cmd := b.Update(msg)
	b.run(cmd)
	if f := b.guard.first(); f != nil {
		trace, _ := os.ReadFile(f.Path)
		b.t.Fatalf("%v\n%s", f, trace)
	}
}

func (b *board) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			b.run(c)
		}
	case tea.QuitMsg:
		b.quit = true
	default:
		if fmt.Sprintf("%T", msg)[:3] != "tea" { // messages to Bubble Tea itself are its business
			b.send(msg)
		}
	}
}

// keys types keys, named as Bubble Tea names them; words in quotes are typed letter by letter.
func (b *board) keys(all ...string) *board {
	b.t.Helper()
	for _, k := range all {
		if text, ok := strings.CutPrefix(k, `"`); ok {
			for _, r := range text {
				b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
			}
			continue
		}
		b.send(keyMsg(k))
	}
	return b
}

var keyTypes = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "ctrl+d": tea.KeyCtrlD, "ctrl+u": tea.KeyCtrlU,
	"ctrl+c": tea.KeyCtrlC, "ctrl+w": tea.KeyCtrlW, "ctrl+a": tea.KeyCtrlA, "ctrl+k": tea.KeyCtrlK, "ctrl+l": tea.KeyCtrlL, "ctrl+z": tea.KeyCtrlZ, "f6": tea.KeyF6, "ctrl+f": tea.KeyCtrlF,
}

func keyMsg(k string) tea.KeyMsg {
	if t, ok := keyTypes[k]; ok {
		return tea.KeyMsg{Type: t}
	}
	if k == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

// frame draws, and checks that the frame fits the screen exactly.
func (b *board) frame() string {
	b.t.Helper()
	b.dirty = true
	view := b.View()
	if f := b.guard.first(); f != nil {
		trace, _ := os.ReadFile(f.Path)
		b.t.Fatalf("%v\n%s", f, trace)
	}
	lines := strings.Split(view, "\n")
	if len(lines) != b.h {
		b.t.Fatalf("the frame has %d lines, the screen %d:\n%s", len(lines), b.h, view)
	}
	for i, l := range lines {
		if w := ansi.StringWidth(l); w != b.w {
			b.t.Fatalf("line %d is %d columns wide, the screen %d:\n%s", i, w, b.w, l)
		}
	}
	return view
}

// views are ways into the board: what to press for each picture.
var views = []struct {
	name string
	keys []string
}{
	{"findings", nil},
	{"flight", []string{"2"}},
	{"failed", []string{"2", "tab", "tab"}},
	{"runs", []string{"3"}},
	{"tools", []string{"4"}},
	{"drain", []string{"5"}},
	{"log", []string{"6"}},
	{"detail", []string{"enter"}},
	{"drift", []string{"/", `"kind:drift`, "enter", "enter"}},
	{"timeline", []string{"3", "enter"}},
	{"help", []string{"?"}},
	{"sources", []string{"S"}},
	{"compare", []string{" ", "j", " ", "d"}},
	{"palette", []string{":", `"co`}},
	{"wrong", []string{"/", `"kind:dirft tool:open`}},
	{"nothing", []string{"/", `"zzz`}},
	{"completion", []string{"/", `"sev>=medium tool:c`}},
	{"marked", []string{" ", " ", "s"}},
}

// TestFrames compares what is drawn with the pictures in testdata/frames.
func TestFrames(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}} {
		for _, v := range views {
			name := fmt.Sprintf("%s-%dx%d", v.name, size[0], size[1])
			if size[0] == 40 && v.name != "findings" { // too small for anything else
				continue
			}
			t.Run(name, func(t *testing.T) {
				b := newBoard(t, newFake(), options(), size[0], size[1]).keys(v.keys...)
				golden(t, name+".txt", trimmed(b.frame()))
			})
		}
	}
}

// TestColours writes the tones of a frame as marks, so that a change of colour is read like a change of words.
func TestColours(t *testing.T) {
	for _, v := range views {
		if !slices.Contains([]string{"findings", "flight", "failed", "runs", "tools", "drain", "log", "detail", "completion"}, v.name) {
			continue
		}
		opt := options()
		opt.Theme = "marks"
		b := newBoard(t, newFake(), opt, 80, 24).keys(v.keys...)
		b.dirty = true
		golden(t, v.name+"-marks.txt", trimmed(b.View()))
	}
}

// trimmed is a frame without blanks at the ends of its lines.
func trimmed(frame string) string {
	lines := strings.Split(frame, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "frames", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if got != string(want) {
		t.Errorf("%s has changed; look at it, then run with -update\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// TestFramesFit draws every view at many sizes: each frame has exactly the screen's lines and columns.
func TestFramesFit(t *testing.T) {
	for _, v := range views {
		b := newBoard(t, newFake(), options(), 80, 24).keys(v.keys...)
		for h := 1; h <= 70; h += 4 {
			for w := 1; w <= 230; w += 11 {
				b.send(tea.WindowSizeMsg{Width: w, Height: h})
				b.frame()
			}
		}
	}
}

// TestASCII draws every view with --ascii: no sign beyond ASCII, and none of the board's own spelled out.
func TestASCII(t *testing.T) {
	for _, v := range views {
		opt := options()
		opt.ASCII = true
		for _, w := range []int{80, 160} {
			b := newBoard(t, messed(asciiOnly), opt, w, 40).keys(v.keys...)
			for i, r := range b.frame() {
				if r >= 0x80 {
					t.Fatalf("%s: %q at byte %d", v.name, r, i)
				}
			}
			if i := strings.Index(strings.ReplaceAll(b.frame(), "<U+65E5>", ""), "<U+"); i >= 0 && v.name != "detail" {
				t.Errorf("%s: a sign of the board's own is spelled out: %s", v.name, b.frame()[max(i-30, 0):i+20])
			}
		}
	}
}

func asciiOnly(s string) string { return s }

// TestLoading shows how far reading is, and what the header says of trouble.
func TestLoading(t *testing.T) {
	for _, c := range []struct {
		name string
		prog intake.Progress
		want string
	}{
		{"loading", intake.Progress{Loading: true, Read: 43, Total: 100, Rate: 1.2e9}, "◌ loading 43% 1.2 GB/s"},
		{"unknown size", intake.Progress{Loading: true}, "◌ loading"},
		{"ledger", intake.Progress{Ledger: "locked"}, "✗ ledger locked, retrying"},
		{"behind", intake.Progress{Behind: 5 << 20}, "● live, 5.2 MB behind"},
		{"live", intake.Progress{}, "● live"},
	} {
		f := newFake()
		f.prog = c.prog
		head, _, _ := strings.Cut(newBoard(t, f, options(), 120, 24).frame(), "\n")
		if !strings.Contains(head, c.want) {
			t.Errorf("%s: the header is %q, want %q in it", c.name, head, c.want)
		}
	}
}

// TestWindow: a drain window counts down in header and on the drain screen, without news, and its end is said.
func TestWindow(t *testing.T) {
	f := newFake()
	f.snap.Verdict = triage.Verdict{Go: true}
	since := noon.Add(-10 * time.Minute).UnixNano()
	window := &triage.WindowView{Need: 30 * time.Minute, Since: since, Until: since + int64(30*time.Minute)}
	f.snap.Apply(window)
	b := newBoard(t, f, options(), 100, 24).keys("5")
	for _, want := range []string{"NO-GO, 20:00 left", "NO-GO for 20:00 more: nothing may block for 30m, and nothing has since 11:50:00."} {
		if !strings.Contains(b.frame(), want) {
			t.Errorf("no %q in\n%s", want, b.frame())
		}
	}
	b.clock = b.clock.Add(15 * time.Second)
	b.look.now = b.clock.UnixNano() // as the second hand does
	if !strings.Contains(b.frame(), "NO-GO, 19:45 left") || !strings.Contains(b.frame(), "for 19:45 more") {
		t.Errorf("the countdown stands still:\n%s", b.frame())
	}
	through := *f.snap
	through.Generation++
	through.Verdict = triage.Verdict{Go: true}
	window = &triage.WindowView{Need: window.Need, Since: since, Until: window.Until, Through: true}
	through.Apply(window)
	b.send(newsMsg{snap: &through})
	if !strings.Contains(b.frame(), "the window of 30m is through") || strings.Contains(b.frame(), "NO-GO") {
		t.Errorf("GO is not said:\n%s", b.frame())
	}
	blocked := through
	blocked.Generation++
	blocked.Verdict = triage.Verdict{Rows: 2}
	blocked.Apply(&triage.WindowView{Need: window.Need, Since: trace.NoTime, Until: trace.NoTime})
	b.send(newsMsg{snap: &blocked})
	if !strings.Contains(b.frame(), "NO-GO 2") || !strings.Contains(b.frame(), "GO comes when nothing has blocked for 30m without a break.") {
		t.Errorf("what is still to come is not said:\n%s", b.frame())
	}
}

// TestNarrow: at the least width every screen is named, and without sides the header says how much was read, and how old that is.
func TestNarrow(t *testing.T) {
	f := newFake()
	f.snap.Sides = nil
	f.snap.Sources[0].Last = noon.Add(-7 * time.Second).UnixNano()
	lines := strings.Split(newBoard(t, f, options(), leastW, leastH).frame(), "\n")
	if !strings.Contains(lines[1], "6 Log") || !strings.Contains(lines[1], "1 Findings 30") || !strings.Contains(lines[1], "?1") {
		t.Errorf("the tabs are %q", lines[1])
	}
	head, _, _ := strings.Cut(newBoard(t, f, options(), 120, 24).frame(), "\n")
	if !strings.Contains(head, count(f.snap.Totals.Calls, "call", "calls")+" ") || strings.Contains(head, "paid") {
		t.Errorf("the header is %q", head)
	}
}
