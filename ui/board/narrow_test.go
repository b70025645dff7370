package board

import (
	"strings"
	"testing"

	"drainboard/ledger/triage"
)

// TestCompletion: tab puts in one word after the other, the right arrow takes the rest that is shown, and the list follows.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		keys string
		text string // as it stands then
		foot string // in the footer
	}{
		{`/ "ki tab`, "kind:", "kind:"},
		{`/ "ki tab tab`, "kind:duplicate", "9 rows"},
		{`/ "ki right right`, "kind:duplicate", "9 rows"},
		{`/ "c tab`, "class:", "class:"},
		{`/ "c tab tab`, "cause:", "cause:"},
		{`/ "c tab tab shift+tab`, "class:", "class:"},
		{`/ "c shift+tab`, "search_repo", "1 row"},
		{`/ "c tab "k tab`, "class:keyed", "rows"}, // typing goes on behind the word
		{`/ "tool:ch tab`, "tool:charge_card", "5 rows"},
		{`/ "tool:open_pr  "s`, "tool:open_pr s", "tab  side:  sev>="},
		{`/ "tool:open_pr  "si right "de right`, "tool:open_pr side:dest", "6 rows"},
		{`/ "tool:open_pr  "si right "pa right`, "tool:open_pr side:pa", "0 rows"}, // the rows of that tool are on other sides
		{`/ "outcome:same,ex right`, "outcome:same,extra", "4 rows"},
		{`/ "kind:dr`, "kind:dr", "30 rows"}, // it is being typed: nothing is wrong yet
		{`/ "kind:zz`, "kind:zz", `unknown kind "zz"`},
		{`/ "zzz tab`, "zzz", "0 rows"},
		{`/ tab`, "kind:", "tab  kind:  tool:"},
		{`2 / "state:in right`, "state:inflight", "row"},
		{`4 / "class:un right`, "class:unclassified", "1 row"},
		{`4 / "arg.x=1`, "arg.x=1", "arg. looks at one call, a row here is about many"},
		{`/ "arg. right`, "arg.amount=", "expected a value"}, // those of the row under the cursor
	} {
		b := newBoard(t, newFake(), options(), 100, 24).keys(split(c.keys)...)
		p, ok := b.front.(*filterPrompt)
		if !ok {
			t.Fatalf("%q: no filter is typed", c.keys)
		}
		foot := strings.TrimSpace(last(b.frame()))
		if p.text != c.text || !strings.Contains(foot, c.foot) {
			t.Errorf("%q: %q, %q, want %q with %q", c.keys, p.text, foot, c.text, c.foot)
		}
	}
}

// last is the last line of a frame.
func last(frame string) string { return frame[strings.LastIndexByte(frame, '\n')+1:] }

// TestCompletionNarrow: at the least width a value is completed as at any, and the words that do not fit are left out.
func TestCompletionNarrow(t *testing.T) {
	opt := options()
	opt.Theme = "marks"
	b := newBoard(t, newFake(), opt, leastW, leastH).keys(split(`/ "tool:open_pr  "kind:du`)...)
	b.dirty = true
	if got := strings.TrimSpace(last(b.View())); !strings.Contains(got, "kind:du‹found p›‹faint licate›") {
		t.Errorf("the footer is %q", got)
	}
}

// TestCompletionOfMany: a long list is looked at in places, and every tool is known all the same.
func TestCompletionOfMany(t *testing.T) {
	f := crowd(20_000)
	f.snap.Tools = triage.NewList(func(a, b *triage.ToolView) bool { return a.Tool < b.Tool }, &triage.ToolView{Tool: "rare_tool"})
	b := newBoard(t, f, options(), 100, 24).keys(split(`/ "tool:ra right`)...)
	if p := b.front.(*filterPrompt); p.text != "tool:rare_tool" {
		t.Errorf("%q", p.text)
	}
}
