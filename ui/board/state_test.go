package board

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"drainboard/ledger/triage"
)

// TestRemembers: what was chosen is there again in the next board of the directory, also on lists that are filtered in a command.
func TestRemembers(t *testing.T) {
	big := crowd(small * 2)
	b := newBoard(t, big, options(), 160, 40)
	b.keys("/", `"run:run-77*`, "enter", "s", "P", "T", "<", "<", "W", `"night shift`, "enter", "2", "tab", "tab", "3")
	src, err := json.Marshal(b.state())
	if err != nil {
		t.Fatal(err)
	}
	opt := options()
	if err := json.Unmarshal(src, &opt.State); err != nil {
		t.Fatal(err)
	}
	c := newBoard(t, big, opt, 160, 40)
	c.run(c.begin)
	if c.screen != onRuns || c.split != b.split || c.split == 0 || !c.look.absolute {
		t.Errorf("at %v, split %d, %v", c.screen, c.split, c.look.absolute)
	}
	c.keys("1")
	if got := c.pane().options(); got.filter.Text != "run:run-77*" || got.order != 1 || !got.pure {
		t.Errorf("the list is %+v", got)
	}
	if c.pane().shown() == 0 || c.pane().shown() != b.panes[onFindings].shown() {
		t.Errorf("%d rows are shown, want %d", c.pane().shown(), b.panes[onFindings].shown())
	}
	c.keys("2")
	if !strings.Contains(c.frame(), "failed") || c.pane().options().tab != 2 {
		t.Errorf("the list in flight is not the failed one")
	}
	c.keys(":", `"night`, "enter")
	if c.screen != onFindings || c.pane().options().filter.Text != "run:run-77*" {
		t.Errorf("the view shows %v", c.screen)
	}
	c.keys(":", `"forget`, "enter", `"night shift`, "enter")
	if len(c.saved) != 0 || slices.ContainsFunc(c.binds, func(b binding) bool { return b.view }) {
		t.Errorf("the view is still there: %v", c.saved)
	}
}

// TestBeginsFiltered: a long list that was remembered with a filter is filtered when the board opens on it.
func TestBeginsFiltered(t *testing.T) {
	opt := options()
	opt.State = State{Lists: map[string]ListState{"Findings": {Filter: "run:run-77*"}}}
	b := newBoard(t, crowd(small*2), opt, 120, 40)
	b.run(b.begin)
	if n := b.pane().shown(); n == 0 || n == small*2 {
		t.Errorf("%d rows are shown", n)
	}
}

// TestSettings reads board.yaml: what is wrong in it is named with what was expected.
func TestSettings(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", ""},
		{"theme: dark\ntimes: absolute\nnotify: bell\nmouse: true\n", ""},
		{"keys: {failed: ctrl+f12}\n", `"ctrl+f12" is no key`},
		{"keys: {failed: F5}\n", `"F5" is no key`},
		{"keys: {failed: f5, committed: [alt+m, 'é']}\n", ""},
		{"keys: {fail: x}\n", `no action is called "fail"`},
		{"keys: {failed: a}\n", `"a" means both`},
		{"keys: {mark: space}\n", ""},
		{"keys: {failed: a, ack: f}\n", ""},
		{"keys: {quit: []}\n", "expected a key"},
		{"theme: pink\n", `theme: expected one of auto, light, dark, mono, found "pink"`},
		{"notify: loud\n", "expected one of off, bell, osc9"},
		{"colour: red\n", "line 1: field colour not found"},
		{"columns: {findings: [tool, key, run]}\n", ""},
		{"columns: {findings: [tool, kay]}\n", `expected some of severity, tool, key, calls, cause, outcome, run, side, first, last, found "kay"`},
		{"columns: {drain: [tool]}\n", "expected findings, in flight, runs, tools or log"},
		{"views: [{name: night, key: f6, screen: in flight, filter: 'age>5m', list: failed}]\n", ""},
		{"views: [{name: night, key: q}]\n", `"q" means both`},
		{"views: [{name: night, key: space}]\n", `" " means both`},
		{"views: [{name: night, filter: 'kind:dirft'}]\n", `did you mean drift?`},
		{"views: [{filter: x}]\n", "expected a name"},
		{"views: [{name: x, screen: moon}]\n", `there is no screen "moon"`},
	} {
		_, err := ParseSettings([]byte(c.src), "board.yaml")
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.src, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "board.yaml")):
			t.Errorf("%q: %v, want %q", c.src, err, c.want)
		}
	}
}

// TestSettingsWork: keys, columns and views of the settings are those of the board, in footer, advice and help too.
func TestSettingsWork(t *testing.T) {
	opt := options()
	var err error
	opt.Settings, err = ParseSettings([]byte(`
times: absolute
keys: {compensate: X, filter: ctrl+f, page down: pgdown, down: [j, down, J]}
columns: {findings: [severity, tool, side, last]}
views: [{name: night shift, key: f6, screen: in flight, list: failed}]
`), "board.yaml")
	if err != nil {
		t.Fatal(err)
	}
	opt.Actor = &doer{}
	b := newBoard(t, newFake(), opt, 100, 24)
	b.keys("J", "J")
	got := b.frame()
	for _, want := range []string{"X ./scripts/refund.sh", "ctrl+f filter", "SIDE", "11:59"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "OUTCOME") || strings.Contains(got, "CAUSE") {
		t.Errorf("a column that was not chosen is shown:\n%s", got)
	}
	b.send(keyMsg("f6"))
	if b.screen != onFlight || b.pane().options().tab != 2 {
		t.Errorf("the view's key shows %v, %+v", b.screen, b.pane().options())
	}
	b.keys("1", "/")
	if b.front != nil {
		t.Error("the key that was taken away still works")
	}
	b.keys("?", "ctrl+d", "ctrl+d")
	if got := b.frame(); !strings.Contains(got, "X ") {
		t.Errorf("help does not know the key:\n%s", got)
	}
}

// TestNotices: a new critical finding rings once; what was there when reading began does not, and what comes while reading does not.
func TestNotices(t *testing.T) {
	f := newFake()
	opt := options()
	opt.Settings.Notify = "osc9"
	w := &writes{}
	b := newBoard(t, f, opt, 80, 24)
	b.model.term = newTerminal(w)
	b.send(newsMsg{snap: f.snap})
	if len(w.all) != 0 {
		t.Fatalf("it rings for what was there: %q", w.all)
	}
	next := newer(f, 1)
	b.send(newsMsg{snap: next})
	b.send(newsMsg{snap: next})
	rung := 0
	for _, s := range w.all {
		if strings.HasPrefix(s, "\x1b]9;drainboard: critical: ") && strings.HasSuffix(s, "\a") && strings.Count(s, "\x1b") == 1 {
			rung++
		}
	}
	if rung != 1 {
		t.Errorf("it rang %d times: %q", rung, w.all)
	}
	var n notices
	if n.fresh(f.snap, true) != nil || n.fresh(next, true) != nil || n.fresh(next, false) != nil {
		t.Error("it rings while everything is read for the first time")
	}
}

// TestMoments: what a moment can be, by noon.
func TestMoments(t *testing.T) {
	l := look{now: noon.UnixNano(), zone: time.FixedZone("here", 3600)}
	for _, c := range []struct{ text, want string }{
		{"5m", "2026-03-14T11:55:00Z"},
		{"12:30", "2026-03-13T11:30:00Z"},
		{"12:30:05", "2026-03-13T11:30:05Z"},
		{"2026-03-01 10:00", "2026-03-01T09:00:00Z"},
		{"2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"},
		{"soon", ""},
		{"-5m", ""},
	} {
		got, err := moment(c.text, l, noon.Add(-24*time.Hour).UnixNano())
		if text := time.Unix(0, got).UTC().Format(time.RFC3339); err == nil && text != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q is %s, want %s (%v)", c.text, text, c.want, err)
		}
	}
}

// TestGoToTime goes to the first call at a moment of a long timeline, which is fetched on the way.
func TestGoToTime(t *testing.T) {
	f := newFake()
	var calls []triage.CallView
	for i := range 5000 {
		calls = append(calls, triage.CallView{Tool: "t", Time: noon.Add(time.Duration(i-5000) * time.Second).UnixNano()})
	}
	f.calls["run run-22"] = calls
	b := newBoard(t, f, options(), 100, 24).keys("3", "enter", "@", `"11:00:00`, "enter")
	if got := b.grid().cursor; got != 1400 {
		t.Errorf("the cursor is at %d", got)
	}
	b.keys("@", `"soon`, "enter")
	if !strings.Contains(b.frame(), "expected a time such as") || b.front == nil {
		t.Errorf("nonsense is taken:\n%s", b.frame())
	}
	b.keys("esc", "@", `"0s`, "enter")
	if b.grid().cursor != 4999 || !strings.Contains(b.note, "after the last call") {
		t.Errorf("at %d: %q", b.grid().cursor, b.note)
	}
}
