package board

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestAtLine: programs that are known open a file at a line, others open it.
func TestAtLine(t *testing.T) {
	for argv, want := range map[string]string{
		"less -S":         "less -S +41 a.jsonl",
		"/usr/bin/vim":    "/usr/bin/vim +41 a.jsonl",
		"code --wait":     "code --wait --goto a.jsonl:41",
		"hx":              "hx a.jsonl:41",
		"cat":             "cat a.jsonl",
		"emacsclient -nw": "emacsclient -nw +41 a.jsonl",
	} {
		if got := strings.Join(atLine(strings.Fields(argv), "a.jsonl", 41), " "); got != want {
			t.Errorf("%s: %q, want %q", argv, got, want)
		}
	}
	if got := atLine([]string{"less"}, "-rf", 0); got[1] != "+1" || got[2] != "./-rf" {
		t.Errorf("a name that looks like a flag: %q", got)
	}
}

// TestOpenTrace: the place is that of the call under the cursor, and where there is none it says why.
func TestOpenTrace(t *testing.T) {
	for _, c := range []struct{ keys, want, not string }{
		{"j j", "traces/paid/run-22.jsonl:41", ""},
		{"3", "traces/paid/a.jsonl:1", ""},
		{"3 enter", "traces/paid/run-22.jsonl:41", ""},
		{"enter", "traces/shadow/run-31.jsonl:41", ""},
		{`/ "zzz enter`, "", "no call of a trace stands behind this row"},
	} {
		opt := options()
		opt.Env = []string{"PAGER=less"}
		b := newBoard(t, newFake(), opt, 80, 24).keys(split(c.keys)...)
		at, _ := b.tracePos()
		if why := b.whyTrace(); why != c.not || c.not == "" && !strings.HasSuffix(c.want, fmt.Sprintf("%s:%d", at.File[strings.LastIndexByte(at.File, '/'):], at.Line)) {
			t.Errorf("%s: %s:%d %q, want %s %q", c.keys, at.File, at.Line, why, c.want, c.not)
		}
	}
	f := newFake()
	for _, x := range f.snap.Findings.All {
		x.First.File = "a.jsonl.gz"
	}
	opt := options()
	opt.Env = []string{"EDITOR=vi"}
	if b := newBoard(t, f, opt, 80, 24); b.whyTrace() != "a.jsonl.gz is compressed" {
		t.Errorf("says %q", b.whyTrace())
	}
	if b := newBoard(t, newFake(), options(), 80, 24).keys(":", `"open tr`, "enter"); b.note != "open trace: neither PAGER nor EDITOR is set" {
		t.Errorf("says %q", b.note)
	}
}

// planner is a doer that says what a compensation would do.
type planner struct {
	doer
	asked []Target
}

func (p *planner) Plan(_ context.Context, targets []Target) (*Plan, error) {
	p.asked = targets
	return &Plan{Effects: 1, Lines: []string{"9b1c22d0a7f3  charge ch_1  ./scripts/refund.sh"}, Env: "PATH"}, nil
}

// TestCompensateStored: the effect that is kept is undone only by name, and only when the tool's name was typed.
func TestCompensateStored(t *testing.T) {
	act := &planner{}
	opt := options()
	opt.Actor = act
	b := newBoard(t, newFake(), opt, 100, 30).keys("/", `"9b1c22`, "enter", ":", `"kept`, "enter")
	for _, want := range []string{"Undo what the ledger stored of charge_card", "nothing of the intent is left", "type charge_card to say that you mean the one that is kept"} {
		if !strings.Contains(b.frame(), want) {
			t.Errorf("no %q in\n%s", want, b.frame())
		}
	}
	if len(act.asked) != 1 || !act.asked[0].Kept {
		t.Errorf("planned %+v", act.asked)
	}
	b.keys(`"cancelled`, "enter", "enter", "y")
	if len(act.did) > 0 {
		t.Fatalf("did %v without the name", act.did)
	}
	b.keys("shift+tab", `"charge_card`, "enter", "y")
	if len(act.did) != 1 || act.did[0].(RunCompensation).Plan == nil {
		t.Errorf("did %v", act.did)
	}
}
