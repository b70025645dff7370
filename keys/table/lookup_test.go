package table

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"drainboard/keys"
)

const lookups = `tools:
  get: {class: keyed}
  g?t: {class: pure, timeout: 1s}
  mcp__*: {class: compensate}
  mcp__github__*: {class: keyed}
  mcp__github__*_issue: {class: keyed, effect: write}
  mcp__github__get_*: {class: pure}
  mcp__github__get_secret: {class: compensate}
  Bash:
    class: compensate
    ignore: [/description]
    cases:
      - {at: /command, glob: "git status*", class: pure, polling: true}
      - {at: /command, glob: "git * --force*", class: compensate}
      - {at: /command, glob: "git push*", class: keyed, effect: write}
      - {at: /n, glob: "1", class: pure}
      - {at: /n, glob: "1.0", class: keyed}
      - {at: /list/1, glob: "true", class: pure}
      - {at: /list, glob: '[?a?]', class: keyed}
      - {at: /gone, glob: "null", class: pure}
      - {at: /empty, glob: "", class: pure}
  apply_patch:
    cases:
      - {at: "", glob: "??? Begin Patch*", class: keyed, effect: write}
`

func arguments(t testing.TB, raw string) *keys.Args {
	t.Helper()
	a := &keys.Args{}
	if err := a.Parse([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestLookup(t *testing.T) {
	table := mustParse(t, lookups)
	for _, c := range []struct{ tool, args, want string }{
		{"get", "", "get keyed"},
		{"got", "", "g?t pure"},
		{"gt", "", " unclassified"},
		{"g\u00e9t", "", "g?t pure"},
		{"geet", "", " unclassified"},
		{"mcp__x__y", "", "mcp__* compensate"},
		{"mcp__github__list", "", "mcp__github__* keyed"},
		{"mcp__github__close_issue", "", "mcp__github__*_issue keyed"},
		{"mcp__github__get_issue", "", "mcp__github__get_* pure"},
		{"mcp__github__get_secret", "", "mcp__github__get_secret compensate"},
		{"mcp__github__get_secrets", "", "mcp__github__get_* pure"},
		{"", "", " unclassified"},
		{"Get", "", " unclassified"},
		{"Bash", "", "Bash compensate"},
		{"Bash", `{}`, "Bash compensate"},
		{"Bash", `{"command": "git status -s"}`, "Bash#1 pure"},
		{"Bash", `{"command": " git status"}`, "Bash compensate"},
		{"Bash", `{"command": "git push --force"}`, "Bash#2 compensate"},
		{"Bash", `{"command": "git push"}`, "Bash#3 keyed"},
		{"Bash", `{"command": "\u0067it push"}`, "Bash#3 keyed"},
		{"Bash", `"{\"command\": \"git push\"}"`, "Bash#3 keyed"},
		{"Bash", `{"command": ["git push"]}`, "Bash compensate"},
		{"Bash", `{"n": 1}`, "Bash#4 pure"},
		{"Bash", `{"n": "1"}`, "Bash#4 pure"},
		{"Bash", `{"n": 1.0}`, "Bash#5 keyed"},
		{"Bash", `{"list": [false, true]}`, "Bash#6 pure"},
		{"Bash", `{"list": ["a"]}`, "Bash#7 keyed"},
		{"Bash", `{"gone": null}`, "Bash#8 pure"},
		{"Bash", `{"empty": ""}`, "Bash#9 pure"},
		{"Bash", `{"empty": 0}`, "Bash compensate"},
		{"apply_patch", `"*** Begin Patch\n*** End Patch"`, "apply_patch#1 keyed"},
		{"apply_patch", `{"patch": "*** Begin Patch"}`, "apply_patch unclassified"},
	} {
		var args *keys.Args
		if c.args != "" {
			args = arguments(t, c.args)
		}
		r := table.Lookup(c.tool, args)
		got := r.Name
		if r.Case > 0 {
			got += fmt.Sprintf("#%d", r.Case)
		}
		if got += " " + r.Class.String(); got != c.want {
			t.Errorf("%q %s: got %q, want %q", c.tool, c.args, got, c.want)
		}
		if table.Rules()[r.ID] != r {
			t.Errorf("%q: the rule's ID %d is not its place", c.tool, r.ID)
		}
	}
	if r := table.Lookup("Bash", arguments(t, `{"command":"git status"}`)); texts(r.Ignore) != "/description" || !r.Polling {
		t.Errorf("a case of Bash has not what its row says: %+v", r)
	}
	if !table.NeedsArgs("Bash") || table.NeedsArgs("get") || table.NeedsArgs("nothing") {
		t.Error("NeedsArgs is wrong about Bash, get or a tool in no row")
	}
}

func TestLookupFromManyGoroutines(t *testing.T) {
	table := mustParse(t, lookups)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			args := arguments(t, `{"command": "git push"}`)
			for range 200 {
				if table.Lookup("Bash", args).Class != Keyed || table.Lookup("mcp__github__get_x", nil).Class != Pure {
					t.Error("another answer than alone")
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, text string
		want       bool
	}{
		{"", "", true},
		{"", "x", false},
		{"*", "", true},
		{"**", "abc", true},
		{"?", "", false},
		{"?", "日", true},
		{"?", "\xed\xa0\xbd", true}, // a lone surrogate is one character
		{"??", "\xed\xa0\xbd", false},
		{"?", "\xff", true},
		{"?", "e\u0301", false},
		{"a*b*c", "axxbyyc", true},
		{"a*b*c", "axxbyyd", false},
		{"*a", "ba\na", true},
		{"a?*", "a", false},
		{"[ab]", "[ab]", true},
		{"[ab]", "a", false},
		{`\*`, `\x`, true},
		{"é*", "èx", false},
		{strings.Repeat("a*", 30) + "b", strings.Repeat("a", 3000), false},
	} {
		if got := match(c.glob, c.text); got != c.want {
			t.Errorf("match(%q, %.40q) = %v", c.glob, c.text, got)
		}
		if got := match(c.glob, []byte(c.text)); got != c.want {
			t.Errorf("match(%q, bytes of %.40q) = %v", c.glob, c.text, got)
		}
	}
}

func TestCeiling(t *testing.T) {
	table := mustParse(t, `budget: {calls_per_run: 7, runs: {"n*": 1, "nightly-*": 40, nightly-7: 50, "nightly-long-*": 60, "*-x": 3, "n*y": 2, idle: 0}}`)
	for run, want := range map[string]int{
		"r-22": 7, "nightly-1": 40, "nightly-7": 50, "nightly-70": 40, "nightly-long-1": 60, "a-x": 3, "n": 1, "ny": 2, "": 7, "idle": 0,
	} {
		if got := table.Ceiling(run); got != want {
			t.Errorf("Ceiling(%q) = %d, want %d", run, got, want)
		}
	}
	if got := Default().Ceiling("r"); got != 12 {
		t.Errorf("without a table the ceiling is %d, want 12", got)
	}
}

func TestAdvice(t *testing.T) {
	product := map[string][3]string{ // PRODUCT.md "advice"
		"pure read":                  {"send again", "send again", "nothing"},
		"keyed create":               {"wait, then replay the store", "return the stored payload", "close or comment the extra object"},
		"keyed write":                {"wait, then replay the store", "return the stored payload", "overwrite with the stored canonical body"},
		"effect with no natural key": {"do not retry by yourself", "refuse until a human gives a key", "run the documented compensation"},
		"unclassified":               {"classify the tool first", "classify the tool first", "classify the tool first"},
	}
	for _, r := range []Rule{{Class: Pure}, {Class: Keyed}, {Class: Keyed, Effect: Write}, {Class: Compensate, Effect: Write}, {}} {
		want, ok := product[Shape(&r)]
		delete(product, Shape(&r))
		if got := [3]string{Advice(&r, OnTimeout), Advice(&r, OnRetry), Advice(&r, OnExtra)}; !ok || got != want {
			t.Errorf("%s: got %q, want %q", Shape(&r), got, want)
		}
	}
	if len(product) > 0 {
		t.Errorf("shapes that no rule has: %v", product)
	}
	if got := fmt.Sprint(OnTimeout, OnRetry, OnExtra); got != "on timeout on identical retry on confirmed extra write" {
		t.Errorf("headings: %s", got)
	}
}

func TestDefaultIsNew(t *testing.T) {
	if a, b := Default(), Default(); a == b || !reflect.DeepEqual(a, b) {
		t.Error("two default tables share something or differ")
	}
}

func BenchmarkLookup(b *testing.B) {
	table, err := Parse([]byte(lookups), "t")
	if err != nil {
		b.Fatal(err)
	}
	args := arguments(b, `{"command": "git push origin main", "description": "push"}`)
	for _, tool := range []string{"get", "mcp__github__get_issue", "nothing", "Bash"} {
		b.Run(tool, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				table.Lookup(tool, args)
			}
		})
	}
}
