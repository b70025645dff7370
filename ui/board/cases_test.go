package board

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"drainboard/keys"
	"drainboard/keys/table"
)

// witness is a doer that knows what speaks for a class.
type witness struct {
	doer
	evidence *Evidence
	failed   error
}

func (w *witness) Evidence(context.Context, string) (*Evidence, error) { return w.evidence, w.failed }

func at1(t testing.TB, text string) keys.Pointer {
	t.Helper()
	p, err := keys.ParsePointer(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shellWorld is a world whose tool Bash has two cases and ran some commands.
func shellWorld(t testing.TB) (*fake, *witness) {
	t.Helper()
	f := newFake()
	tab, err := table.Parse([]byte("tools:\n  mystery_tool:\n    class: compensate\n    cases:\n      - {at: /command, glob: \"git status*\", class: pure}\n      - {at: /command, glob: \"git*\", class: keyed, effect: write}\n"), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f.table = tab
	at := at1(t, "/command")
	e := &Evidence{Class: table.Compensate, Why: []string{"compensate: its name says bash"}, At: []keys.Pointer{at}, Beyond: 2}
	for _, r := range []Ran{
		{[]string{"git status"}, 12},
		{[]string{"npm test"}, 9},
		{[]string{"git push origin main"}, 3},
		{[]string{"npm test; rm -rf dist"}, 2},
		{[]string{"rm -rf build"}, 1},
	} {
		e.Ran = append(e.Ran, &r)
	}
	e.Cases = []SeenCase{
		{table.Case{At: at, Glob: "git status*", Class: table.Pure}, "it only looks"},
		{table.Case{At: at, Glob: "git push*", Class: table.Keyed, Effect: table.Write}, "a second time changes nothing more"},
		{table.Case{At: at, Glob: "npm*"}, "some go on with another command, a pipe or a redirection"},
		{table.Case{At: at, Glob: "rm*"}, ""},
	}
	return f, &witness{evidence: e}
}

// TestCases edits the cases of a tool: what falls under each is counted as it would be decided, and y writes what was changed at once.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		keys string // on the sheet
		want string // what is written
		see  string // on the screen before the last key
	}{
		{"y", "", "nothing is changed yet"},
		{"3 y", "put git status* keyed write", "y write 1"},
		{"1 y", "", "nothing is changed yet"}, // it is pure already
		{"j 4 y", "put git* compensate create", "changes"},
		{"x y", "gone git status*", "is taken out"},
		{"x x y", "", "nothing is changed yet"},
		{"x 4 y", "put git status* compensate create", "changes"},
		{"j j 4 y", "put git push* compensate create", "is added"},
		{"j j 4 x y", "", "nothing is changed yet"},
		{"j j j 1 G 4 y", "put npm* pure create; put rm* compensate create", "y write 2"},
		{"j j j y", "", "2 calls of these go on with another command"},
		{`+ "git+log* enter 1 y`, "put git log* pure create", "no call falls under it"},
		{`+ "rm* enter 4 y`, "put rm* compensate create", "seen: rm -rf build"}, // it is there already
		{"+ enter enter", "", "expected a glob"},
		{`+ "x esc 3 y`, "put git status* keyed write", ""},
		{"3 esc", "", ""},
	} {
		f, act := shellWorld(t)
		opt := options()
		opt.Actor = act
		b := newBoard(t, f, opt, 100, 30).keys(split("4 t y")...)
		if _, ok := b.front.(*caseSheet); !ok {
			t.Fatalf("no cases are shown:\n%s", b.frame())
		}
		all := split(c.keys)
		for i, k := range all {
			if c.see != "" && i == len(all)-1 {
				if k == "y" && c.want == "" {
					b.keys(k)
				}
				if !strings.Contains(b.frame(), c.see) {
					t.Errorf("%s: no %q in\n%s", c.keys, c.see, b.frame())
				}
			}
			b.keys(strings.ReplaceAll(k, "+log", " log"))
		}
		var got []string
		for _, in := range act.did {
			in := in.(EditCases)
			for _, p := range in.Put {
				got = append(got, fmt.Sprintf("put %s %s %s", p.Glob, p.Class, p.Effect))
			}
			for _, p := range in.Gone {
				got = append(got, "gone "+p.Glob)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: wrote %q, want %q", c.keys, got, c.want)
		}
	}
}

// TestCasesFrames shows the question with its evidence, and the sheet.
func TestCasesFrames(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		for name, keys := range map[string]string{"evidence": "4 t", "cases": "4 t y j j 4"} {
			f, act := shellWorld(t)
			opt := options()
			opt.Actor = act
			b := newBoard(t, f, opt, size[0], size[1]).keys(split(keys)...)
			golden(t, fmt.Sprintf("%s-%dx%d.txt", name, size[0], size[1]), trimmed(b.frame()))
		}
	}
	f, act := shellWorld(t)
	opt := options()
	opt.Actor = act
	b := newBoard(t, f, opt, leastW, leastH).keys(split("4 t y j j j")...)
	if got := b.frame(); !strings.Contains(got, "git push*") || !strings.Contains(got, "everything else") {
		t.Errorf("at the least size:\n%s", got)
	}
}

// TestEvidence: what speaks for a class stands in the question, whose answer is nobody's but the operator's; the natural key that was seen is
// written with a keyed class.
func TestEvidence(t *testing.T) {
	f, act := newFake(), &witness{evidence: &Evidence{Why: []string{"keyed: its name says create", "pure: its server calls it read-only, unchecked"}, NaturalKey: []string{"/repo", "/head"}}}
	opt := options()
	opt.Actor = act
	b := newBoard(t, f, opt, 100, 30).keys(split("4 t y")...)
	for _, want := range []string{"its server calls it read-only, unchecked", "natural key  /repo /head", "choose a class first"} {
		if !strings.Contains(b.frame(), want) {
			t.Errorf("no %q in\n%s", want, b.frame())
		}
	}
	if b.keys("j", "j", "y"); len(act.did) != 1 {
		t.Fatalf("did %v", act.did)
	}
	if in := act.did[0].(Classify); in.Class != table.Keyed || fmt.Sprint(in.NaturalKey) != "[/repo /head]" {
		t.Errorf("%+v", in)
	}
	b.keys(split(`4 t j j enter  "x enter y`)...)
	if len(act.did) != 1 || !strings.Contains(b.frame(), "expected pointers such as /repo /head, found x") {
		t.Errorf("%v\n%s", act.did, b.frame())
	}
	b.keys("esc")
	act.failed = fmt.Errorf("the file is gone")
	if b.keys("t"); !strings.Contains(b.frame(), "cannot be read again: the file is gone") {
		t.Errorf("%s", b.frame())
	}
}

// TestNoCases: a table that was written meanwhile may leave the sheet nothing to show, and every key does what it can.
func TestNoCases(t *testing.T) {
	f, act := shellWorld(t)
	opt := options()
	opt.Actor = act
	b := newBoard(t, f, opt, 100, 30)
	tab, err := table.Parse([]byte("tools:\n  mystery_tool: {class: compensate}\n"), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	f.table = tab
	b.front = newCaseSheet(b.model, "mystery_tool", &Evidence{At: act.evidence.At, Ran: act.evidence.Ran})
	for _, k := range split("j k G g 1 x y") {
		b.keys(k)
		if !strings.Contains(b.frame(), "everything else") {
			t.Fatalf("after %s:\n%s", k, b.frame())
		}
	}
	b.keys(split(`+ "rm* enter 4 y`)...)
	if got := fmt.Sprint(act.did); !strings.Contains(got, "rm*") {
		t.Errorf("wrote %s", got)
	}
}
