package board

import (
	"context"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/triage"
)

// TestFilterArguments narrows by an argument of a row's first call, which is read in a command; what was typed before then is stale.
func TestFilterArguments(t *testing.T) {
	f := newFake()
	for _, x := range f.snap.Findings.All {
		if calls := f.calls[x.Key]; len(calls) > 0 {
			x.First = calls[0].Pos
		}
	}
	for _, c := range []struct {
		text string
		want string // the tool of every row
	}{
		{"arg.amount=1500 kind:duplicate", "charge_card"},
		{"arg.head:keys", "open_pr"},
		{"arg.meta.by.name=agent", "open_pr"},
		{"arg.head=nowhere", ""},
	} {
		b := newBoard(t, f, options(), 100, 30).keys("/", `"`+c.text, "enter")
		n := b.pane().shown()
		if (n > 0) != (c.want != "") {
			t.Errorf("%s: %d rows\n%s", c.text, n, b.frame())
		}
		b.pane().each(func(_ string, s subject) {
			if s.toolName() != c.want {
				t.Errorf("%s: shows %s", c.text, s.toolName())
			}
		})
	}
	l := &list[*triage.Finding]{spec: findingsSpec()}
	reads := 0
	l.spec.args = func(*triage.Finding) []byte {
		if reads++; reads == 2 {
			l.restate(noon) // another letter
		}
		return nil
	}
	b := newBoard(t, f, options(), 100, 30).keys("/", `"-arg.x=1`, "enter")
	l.state.filter = b.pane().options().filter
	l.snap = f.snap
	l.job = 7
	l.wanted.Store(7)
	l.snap = nil
	l.build(&building[*triage.Finding]{raw: l.spec.rows(f.snap, &l.state), state: l.state, now: noon.UnixNano(), job: 7})
	if reads != 2 {
		t.Errorf("a stale job read %d arguments", reads)
	}
}

// TestFilterArgumentsElsewhere: rows in flight go by what the ledger was asked for, and by their call where no ledger row is.
func TestFilterArgumentsElsewhere(t *testing.T) {
	f := newFake()
	for key, text := range map[string]string{`2 / "arg.id=1 enter`: "inflight", `2 / "arg.id=2 enter`: "No row passes"} {
		b := newBoard(t, f, options(), 100, 30).keys(split(key)...)
		if !strings.Contains(b.frame(), text) {
			t.Errorf("%s: no %q in\n%s", key, text, b.frame())
		}
	}
}

// counting counts how often arguments are read.
type counting struct {
	*fake
	reads map[triage.Pos]int
}

func (e *counting) Args(_ context.Context, at triage.Pos) ([]byte, error) {
	e.reads[at]++
	return []byte(`{"n": 1}`), nil
}

// TestFilterArgumentsInParts: of many rows those that pass are shown as they are found, and no line is read twice for further letters.
func TestFilterArgumentsInParts(t *testing.T) {
	e := &counting{crowd(5000), map[triage.Pos]int{}}
	for i, x := range e.snap.Findings.All {
		x.First = triage.Pos{File: "a.jsonl", Line: i + 1, N: 1, Offset: int64(i)}
	}
	b := newBoard(t, e, options(), 100, 30).keys("/", `"arg.n=`)
	_, cmd := b.Update(keyMsg("1"))
	for shown := []int{}; ; {
		d, more := job(cmd)
		if !more {
			if len(shown) < 4 || shown[0] != readsAtOnce || shown[len(shown)-1] != 5000 {
				t.Errorf("shows %v rows", shown)
			}
			break
		}
		if _, cmd = b.Update(d); b.pane().busy() != (b.pane().shown() < 5000) {
			t.Errorf("with %d rows: looking is %v", b.pane().shown(), b.pane().busy())
		}
		shown = append(shown, b.pane().shown())
	}
	b.keys(`"1`)
	if n := b.pane().shown(); n != 0 {
		t.Errorf("%d rows have an argument of 11", n)
	}
	for at, n := range e.reads {
		if n != 1 {
			t.Fatalf("%v was read %d times", at, n)
		}
	}
}

// job runs commands until one of them brings rows.
func job(cmd tea.Cmd) (jobDone, bool) {
	if cmd == nil {
		return jobDone{}, false
	}
	switch msg := cmd().(type) {
	case jobDone:
		return msg, true
	case tea.BatchMsg:
		for _, c := range msg {
			if d, ok := job(c); ok {
				return d, true
			}
		}
	}
	return jobDone{}, false
}
