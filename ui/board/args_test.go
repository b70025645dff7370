package board

import (
	"testing"

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
