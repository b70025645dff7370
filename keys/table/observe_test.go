package table

import (
	"fmt"
	"strings"
	"testing"

	"drainboard/keys"
)

func observe(t *testing.T, calls ...string) *Observed {
	t.Helper()
	var o Observed
	var args keys.Args
	for _, raw := range calls {
		if err := args.Parse([]byte(raw)); err != nil {
			t.Fatal(err)
		}
		o.Add(&args)
	}
	return &o
}

func TestNaturalKey(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		calls []string
		want  string
	}{
		{[]string{`{"repo":"a/b","head":"x","title":"one"}`, `{"repo":"a/b","head":"y","title":"two"}`}, "[/head /repo]"},
		{[]string{`{"issueId":7,"body":"x"}`, `{"issueId":8,"body":"y"}`}, "[/issueId]"},
		{[]string{`{"request_id":"a","path":"/x"}`, `{"request_id":"b","path":"/y"}`}, "[/path]"}, // volatile by its name
		{[]string{`{"path":"/x"}`, `{}`}, "[]"},                                                   // not in every call
		{[]string{`{"name":"` + long + `"}`}, "[]"},
		{[]string{`{"id":{"a":1}}`}, "[]"},
		{[]string{`{"to":"a","n":1}`, `{"to":"b","n":1}`, `{"to":"c","n":1}`}, "[/to]"}, // the one that tells calls apart
		{[]string{`{"to":"a","n":1}`, `{"to":"b","n":2}`, `{"to":"c","n":3}`}, "[]"},
		{[]string{`{"file/path":"a"}`}, "[/file~1path]"},
		{[]string{`"a patch"`}, "[]"},
		{nil, "[]"},
	} {
		if got := fmt.Sprint(observe(t, c.calls...).NaturalKey()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.calls, got, c.want)
		}
	}
}

func TestCommands(t *testing.T) {
	o := observe(t,
		`{"command":"git status --short"}`, `{"command":" git status"}`, `{"command":"git push origin x"}`, `{"command":"ls -l"}`,
		`{"command":"ls; rm -rf x"}`, `{"command":"cat a"}`, `{"command":"./deploy.sh now"}`, `{"command":"git -C x status"}`)
	var got []string
	for _, c := range o.Commands() {
		got = append(got, fmt.Sprintf("%d %s %s", c.Calls, c.Begin, c.Case(c.Suggest())))
	}
	want := []string{
		`2 git status {at: /command, glob: "git status*", class: pure}`,
		`2 ls {at: /command, glob: "ls*"}`, // one of them does more than look
		`1 ./deploy.sh {at: /command, glob: "./deploy.sh*"}`,
		`1 cat {at: /command, glob: "cat*", class: pure}`,
		`1 git {at: /command, glob: "git*"}`,
		`1 git push {at: /command, glob: "git push*", class: keyed, effect: write}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, c := range observe(t, `{"command":"ls"}`, `{"command":"lsof x"}`).Commands() {
		if c.Begin == "ls" && c.Suggest().Class != Unclassified {
			t.Errorf("ls* fits lsof too: %+v", c.Suggest())
		}
	}
	for _, c := range o.Commands() {
		if _, err := Parse([]byte("tools: {sh: {cases: ["+c.Case(c.Suggest())+"]}}"), "t"); err != nil {
			t.Errorf("%q is no case: %v", c.Begin, err)
		}
	}
	if n := len(observe(t, `{"command":"view"}`, `{"x":1}`, `{"x":2}`).Commands()); n != 0 {
		t.Errorf("a tool few of whose calls hold a command has %d", n)
	}
	if c := observe(t, `{"cmd":["bash","-lc","git diff"]}`).Commands(); len(c) != 1 || c[0].At != "/cmd/2" {
		t.Errorf("a command in a list: %+v", c)
	}
}

// TestObservedIsBounded: however many names and commands, memory stays.
func TestObservedIsBounded(t *testing.T) {
	var o Observed
	var args keys.Args
	for i := range 3000 {
		if err := args.Parse(fmt.Appendf(nil, `{"n%d":"v","command":"cmd%d x","id":%d}`, i, i, i)); err != nil {
			t.Fatal(err)
		}
		o.Add(&args)
	}
	if len(o.members) > mostMembers || len(o.commands) > mostCommands || len(o.members["id"].values) > mostValues {
		t.Errorf("%d names, %d commands, %d values", len(o.members), len(o.commands), len(o.members["id"].values))
	}
}

func TestBehaved(t *testing.T) {
	for _, c := range []struct {
		o    Observed
		want string
	}{
		{Observed{Exists: 2, Changing: 1}, "keyed 2 errors say: it is there already"},
		{Observed{Changing: 1}, "pure the same arguments had changing results, as when looking (1 key)"},
		{Observed{Steady: 3}, "unclassified "},
	} {
		if s := c.o.Behaved(); s.Class.String()+" "+s.Why != c.want {
			t.Errorf("%+v: got %s %s, want %s", c.o, s.Class, s.Why, c.want)
		}
	}
	for text, want := range map[string]bool{
		"Error: a pull request already exists for feat/keys": true, "EEXIST: x": true, "duplicate key value": true, "not found": false, "timeout": false,
	} {
		if SaysExists(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
