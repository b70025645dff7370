package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// whole is a table with everything in it that PRODUCT.md names.
const whole = `recipe: intent                # intent | dedup16 | jcs | a name from recipes:
budget: {calls_per_run: 13, runs: {"nightly-*": 40, nightly-7: 50, "nightly-long-*": 60}}
runaway: {identical: 6, errors: 7}
defaults: {timeout: 90s, retry_window: 15m}
tools:
  search_repo: {class: pure}
  job_status: {class: pure, polling: true}
  open_pr:
    class: keyed
    effect: create            # create (default) | write
    natural_key: [/repo, /head]
    ignore: [/requested_at]   # left out of the key
    ignore_result: [/request_id]
    timeout: 30s
    scope: forever
    in_doubt_exit: [28]
    compensate: {run: [./scripts/close-pr.sh, --now, ""], timeout: 61s, env: [GH_TOKEN]}
  charge_card: {class: compensate, compensate: {run: [./scripts/refund.sh]}}
  mcp__github__get_*: {class: pure}
  Bash:
    ignore: [/description, /timeout]
    timeout: 5s
    cases:
      - {at: /command, glob: "git status*", class: pure}
      - {at: /command, glob: "git push*", class: keyed, effect: write, timeout: 6s}
formats:
  gateway:
    call: {when: {/kind: "invoke*"}, tool: /fn, args: /params, call_id: /id, run: /session, time: /at, recorded: /dedup}
    result: {call_id: /id, run: /session, time: /at, status: /status, error: /error, result: /out}
recipes:
  shop: {form: python-spaced, parts: [run, tool, args], separator: "|", digest: sha1, length: 12}
  depot: {form: jcs, object: {r: run, a: args}, digest: md5}
`

func mustParse(t *testing.T, src string) *Table {
	t.Helper()
	table, err := Parse([]byte(src), "tools.yaml")
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, src)
	}
	return table
}

func texts[T fmt.Stringer](list []T) string {
	var out []string
	for _, x := range list {
		out = append(out, x.String())
	}
	return strings.Join(out, " ")
}

func TestParseReadsAll(t *testing.T) {
	table := mustParse(t, whole)
	for i, r := range table.Rules() {
		if r.ID != i {
			t.Errorf("rule %d has the ID %d", i, r.ID)
		}
	}
	pr := table.Lookup("open_pr", nil)
	got := fmt.Sprint(pr.Class, pr.Effect, pr.Polling, texts(pr.NaturalKey), texts(pr.Ignore), texts(pr.IgnoreResult),
		pr.Timeout, pr.Forever, pr.InDoubtExit, pr.Line)
	if want := fmt.Sprint(Keyed, Create, false, "/repo /head", "/requested_at", "/request_id", 30*time.Second, true, []int{28}, 8); got != want {
		t.Errorf("open_pr: got %s, want %s", got, want)
	}
	if want := (&Undo{Run: []string{"./scripts/close-pr.sh", "--now", ""}, Timeout: 61 * time.Second, Env: []string{"GH_TOKEN"}}); !reflect.DeepEqual(pr.Compensate, want) {
		t.Errorf("open_pr: compensate %+v, want %+v", pr.Compensate, want)
	}
	if c := table.Lookup("charge_card", nil); c.Timeout != 90*time.Second || c.Compensate.Timeout != 90*time.Second || c.Forever {
		t.Errorf("charge_card has not the table's defaults: %+v %+v", c, c.Compensate)
	}
	push := table.Rules()[table.Row("Bash").Own().ID+2]
	if push.Case != 2 || push.Class != Keyed || push.Effect != Write || push.Timeout != 6*time.Second || texts(push.Ignore) != "/description /timeout" || push.Line != 25 {
		t.Errorf("second case of Bash: %+v", push)
	}
	if table.Recipe != "intent" || table.Budget.CallsPerRun != 13 || table.Runaway != (Runaway{6, 7}) ||
		table.Defaults != (Defaults{90 * time.Second, 15 * time.Minute}) || table.Rows() != 6 {
		t.Errorf("settings: %+v, %d rows", table, table.Rows())
	}
	wantFormats := []Format{{
		Name: "gateway", Line: 27,
		Call: &Fields{
			When: []Test{{"/kind", "invoke*"}}, Tool: "/fn", Args: "/params", CallID: "/id", Run: "/session",
			Time: "/at", Recorded: "/dedup",
		},
		Result: &Fields{CallID: "/id", Run: "/session", Time: "/at", Status: "/status", Error: "/error", Result: "/out"},
	}}
	if !reflect.DeepEqual(table.Formats, wantFormats) {
		t.Errorf("formats: %+v", table.Formats)
	}
	wantRecipes := []Recipe{
		{Name: "shop", Form: PythonSpaced, Parts: []Part{PartRun, PartTool, PartArgs}, Separator: "|", Digest: "sha1", Length: 12, Line: 31},
		{Name: "depot", Form: JCS, Object: []Member{{"r", PartRun}, {"a", PartArgs}}, Digest: "md5", Length: 32, Line: 32},
	}
	for i := range table.Recipes {
		if table.Recipes[i].made == nil {
			t.Errorf("recipe %q was not made", table.Recipes[i].Name)
		}
		table.Recipes[i].made = nil
	}
	if !reflect.DeepEqual(table.Recipes, wantRecipes) {
		t.Errorf("recipes: %+v", table.Recipes)
	}
	for name, want := range map[string]string{"depot": "depot", "jcs": "jcs", "shed": `recipe "shed" is not known: expected intent, jcs, dedup16, shop or depot`} {
		r, err := mustParse(t, whole).KeyRecipe(name)
		if err != nil && err.Error() != want || err == nil && r.Name() != want {
			t.Errorf("recipe %q: %v, %v; want %s", name, r, err, want)
		}
	}
}

func TestParseEmpty(t *testing.T) {
	for _, src := range []string{"", "\n", "# nothing yet\n", "---\n", "{}", "tools:\n", "tools: {}\n", "\uFEFF", "\uFEFF# x\n", "null"} {
		got := mustParse(t, src)
		want := Default()
		want.Path = got.Path
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, want the default table", src, got)
		}
		if r := got.Lookup("open_pr", nil); r.ID != 0 || r.Class != Unclassified || r.Timeout != time.Minute {
			t.Errorf("%q: open_pr has the rule %+v", src, r)
		}
	}
}

func TestParseAcceptsForms(t *testing.T) {
	for name, src := range map[string]string{
		"byte order mark": "\uFEFFtools:\n  open_pr: {class: keyed}\n",
		"CRLF":            "tools:\r\n  open_pr: {class: keyed}\r\n",
		"CR":              "tools:\r  open_pr: {class: keyed}\r",
		"JSON":            `{"tools": {"open_pr": {"class": "keyed"}}}`,
		"alias":           "tools:\n  create_pr: &k {class: keyed}\n  open_pr: *k\n",
		"merge":           "tools:\n  create_pr: &k {class: keyed, timeout: 3s}\n  open_pr: {<<: *k, timeout: 4s}\n",
		"merge list":      "tools:\n  a: &a {class: pure}\n  b: &b {class: keyed}\n  open_pr: {<<: [*b, *a]}\n",
		"merge of rows":   "tools:\n  <<: &rows {open_pr: {class: keyed}}\n",
		"document marks":  "---\ntools:\n  open_pr: {class: keyed}\n...\n",
	} {
		if r := mustParse(t, src).Lookup("open_pr", nil); r.Class != Keyed {
			t.Errorf("%s: open_pr is %s, want keyed", name, r.Class)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"tool:\n", `1:1: expected recipe, budget, runaway, defaults, tools, formats or recipes as name in the table, found "tool"; did you mean "tools"?`},
		{"tools:\n  a: {klass: pure}\n", `2:7: expected ignore, ignore_result, scope, cases, class, effect, polling, natural_key, timeout, in_doubt_exit or compensate as name in a tool's row, found "klass"; did you mean "class"?`},
		{"tools:\n  a: {class: Pure}\n", `2:14: expected pure, keyed or compensate as class, found "Pure"; did you mean "pure"?`},
		{"tools:\n  a: {class: unclassified}\n", `2:14: expected pure, keyed or compensate as class, found "unclassified"`},
		{"tools:\n  a: {class: 1}\n", `2:14: expected pure, keyed or compensate as class, found 1`},
		{"tools:\n  a: {class: [pure]}\n", `2:14: expected pure, keyed or compensate as class, found a list`},
		{"tools:\n  a: {class: }\n", `2:14: expected pure, keyed or compensate as class, found nothing`},
		{"tools:\n  a: {effect: wirte}\n", `2:15: expected create or write as effect, found "wirte"; did you mean "write"?`},
		{"tools:\n  a: {polling: yes}\n", `2:16: expected true or false, found "yes"`},
		{"tools:\n  a: {timeout: 30}\n", `2:16: expected a duration above zero such as 30s or 10m, found 30`},
		{"tools:\n  a: {timeout: -1s}\n", `2:16: expected a duration above zero such as 30s or 10m, found "-1s"`},
		{"tools:\n  a: {timeout: soon}\n", `2:16: expected a duration above zero such as 30s or 10m, found "soon"`},
		{"tools:\n  a: {scope: always}\n", `2:14: expected run or forever as scope, found "always"`},
		{"tools:\n  a: {ignore: /x}\n", `2:15: expected a list as ignore, found "/x"`},
		{"tools:\n  a: {ignore: [x]}\n", `2:16: expected a JSON pointer such as /repo/name, found "x"`},
		{"tools:\n  a: {ignore: [/x~2]}\n", `2:16: expected a JSON pointer such as /repo/name, found "/x~2"`},
		{"tools:\n  a: {ignore: ['']}\n", `2:16: expected a pointer to a part of the value in ignore, found the empty one`},
		{"tools:\n  a: {natural_key: [7]}\n", `2:21: expected a JSON pointer such as /repo/name, found 7`},
		{"tools:\n  a: {in_doubt_exit: [0]}\n", `2:23: expected a whole number from 1 to 255 as an exit code, found 0`},
		{"tools:\n  a: {in_doubt_exit: [1.5]}\n", `2:23: expected a whole number from 1 to 255 as an exit code, found 1.5`},
		{"tools:\n  a: {compensate: {timeout: 3s}}\n", `2:19: expected run: with the command and its arguments as a list, found none`},
		{"tools:\n  a: {compensate: {run: []}}\n", `2:19: expected run: with the command`},
		{"tools:\n  a: {compensate: {run: ['']}}\n", `2:26: expected an argument, found an empty text`},
		{"tools:\n  a: {compensate: {run: ./x.sh}}\n", `2:25: expected a list as run, found "./x.sh"`},
		{"tools:\n  a: {compensate: {run: [x], env: [A=B]}}\n", `2:36: expected the name of an environment variable, found "A=B"`},
		{"tools:\n  a: {cases: [{glob: x, class: pure}]}\n", `2:15: expected at: and glob: in a case, found only glob:`},
		{"tools:\n  a: {cases: [{at: /x, class: pure}]}\n", `2:15: expected at: and glob: in a case, found only at:`},
		{"tools:\n  a: {cases: [pure]}\n", `2:15: expected names and values as a case, found "pure"`},
		{"tools:\n  a: {cases: [{at: /x, glob: 1}]}\n", `2:30: expected a glob (text, so quote it), found 1`},
		{"tools:\n  a: {cases: [{at: /x, glob: y, ignore: [/z]}]}\n", `2:33: expected at, glob, class, effect, polling, natural_key, timeout, in_doubt_exit or compensate as name in a case, found "ignore"`},
		{"tools:\n  '*': {class: pure}\n", `2:3: expected a tool, or a glob that begins with a literal prefix, found "*"`},
		{"tools:\n  '?et': {class: pure}\n", `2:3: expected a tool, or a glob that begins with a literal prefix, found "?et"`},
		{"tools:\n  * : {class: pure}\n", `2:3: expected YAML, found: did not find expected alphabetic or numeric character`},
		{"tools:\n  a: {class: pure}\n  b: {class: pure}\n  a: {class: keyed}\n", `4:3: expected each name once in tools, found "a" again: it stands in line 2`},
		{"tools:\n  \"a\": {class: pure}\n  a: {class: keyed}\n", `3:3: expected each name once in tools, found "a" again: it stands in line 2`},
		{"tools: {a: {class: pure, class: keyed}}\n", `1:26: expected each name once in a tool's row, found "class" again: it stands in line 1`},
		{"tools:\n  '': {class: pure}\n", `2:3: expected a name in tools, found ""`},
		{"tools:\n  [a]: {class: pure}\n", `2:3: expected a name in tools, found a list`},
		{"tools: [a]\n", `1:8: expected names and values as tools, found a list`},
		{"- tools\n", `1:1: expected names and values as the table, found a list`},
		{"recipe: itent\n", `1:9: expected intent, dedup16 or jcs as recipe, found "itent"; did you mean "intent"?`},
		{"recipe: 7\n", `1:9: expected the name of a recipe (text, so quote it), found 7`},
		{"budget: {calls_per_run: -1}\n", `1:25: expected a whole number of 0 or more as calls_per_run, found -1`},
		{"budget: {calls_per_run: many}\n", `1:25: expected a whole number of 0 or more as calls_per_run, found "many"`},
		{"budget: {runs: {'*': 3}}\n", `1:17: expected a run or a glob over some runs, found "*": for all runs set calls_per_run`},
		{"runaway: {identical: 0}\n", `1:22: expected a whole number of 1 or more as identical, found 0`},
		{"defaults: {retry_window: 0s}\n", `1:26: expected a duration above zero`},
		{"formats: {x: {}}\n", `1:11: expected call: or result: in format "x", found neither`},
		{"formats: {x: {call: {args: /a}}}\n", `1:11: expected tool: in the call of format "x", found none`},
		{"formats: {x: {result: {status: /a}}}\n", `1:11: expected call_id: or tool: in the result of format "x", found neither`},
		{"formats: {x: {call: {tool: /a, status: /b}}}\n", `1:32: expected when, tool, args, call_id, run, time or recorded as name in the fields of a format, found "status"`},
		{"formats: {x: {call: {tool: a}}}\n", `1:28: expected a JSON pointer such as /repo/name, found "a"`},
		{"recipes: {jcs: {parts: [args]}}\n", `1:11: expected a name of its own, found "jcs", which is a built-in recipe`},
		{"recipes: {x: {form: python}}\n", `1:11: expected either object: or parts: in recipe "x", found neither`},
		{"recipes: {x: {parts: [args], object: {a: args}}}\n", `1:11: expected either object: or parts: in recipe "x", found both`},
		{"recipes: {x: {object: {a: args}, separator: x}}\n", `1:45: expected parts: beside separator:, found object:`},
		{"recipes: {x: {parts: [args], digest: md5, print: \"{name}#{digest}\"}}\n", `1:50: recipe "x": expected {digest} once, and beside text only {run} and {tool}, found "{name}#{digest}"`},
		{"recipes: {x: {parts: [args], print: \"{tool}#{digest}\"}}\n", `1:37: recipe "x": expected at most 32 digits in a key with other text, found 64: set a shorter length`},
		{"recipes: {x: {parts: [run, tool]}}\n", `1:11: expected the part args in recipe "x", found none`},
		{"recipes: {x: {parts: [args, call]}}\n", `1:29: expected run, tool or args as part, found "call"`},
		{"recipes: {x: {parts: [args], digest: sha512}}\n", `1:38: expected md5, sha1 or sha256 as digest, found "sha512"; did you mean "sha1"?`},
		{"recipes: {x: {parts: [args], digest: md5, length: 33}}\n", `1:51: expected a whole number from 8 to 32 as length, found 33`},
		{"tools:\n  a: {class: pure\n  b: {}\n", `2:3: expected YAML, found: did not find expected ',' or '}'`},
		{"tools:\n\ta: {}\n", `2:2: expected YAML, found: found character that cannot start any token`},
		{"tools: {}\n---\ntools: {}\n", `2:1: expected one document, found a second one`},
		{"tools:\n  é\x00: {}\n", `2:4: expected text, found the control character U+0000`},
		{"tools:\n  ab\xff: {}\n", `2:5: expected UTF-8, found the byte 0xff`},
		{"\uFEFFx\x1b", `1:2: expected text, found the control character U+001B`},
		{"tools:\n  a: *nowhere\n", `2:6: expected YAML, found: unknown anchor 'nowhere' referenced`},
		{"tools: &t\n  a: *t\n", `2:3: expected ignore, `},
		{"tools: &t\n  <<: *t\n", `expected at most 16 merge keys inside each other, found more`},
	} {
		_, err := Parse([]byte(c.src), "t/tools.yaml")
		if err == nil {
			t.Errorf("%q: no mistake, want %s", c.src, c.want)
			continue
		}
		first, _, _ := strings.Cut(err.Error(), "\n")
		rest, ok := strings.CutPrefix(first, "t/tools.yaml:")
		if c.want[0] > '9' {
			_, rest, _ = strings.Cut(rest, ": ")
		}
		if !ok || !strings.HasPrefix(rest, c.want) {
			t.Errorf("%q:\n got %s\nwant %s", c.src, rest, c.want)
		}
	}
}

func TestParseReportsEveryMistake(t *testing.T) {
	_, err := Parse([]byte("recipe: x\ntools:\n  b: {timeout: 3}\n  a: {class: pur, ignore: [x]}\nbugdet: {}\n"), "t")
	var list Errors
	if !errors.As(err, &list) || len(list) != 5 {
		t.Fatalf("got %d mistakes, want 5: %v", len(list), err)
	}
	var at []string
	for _, e := range list {
		at = append(at, fmt.Sprintf("%d:%d", e.Line, e.Column))
	}
	if got, want := strings.Join(at, " "), "1:9 3:16 4:14 4:28 5:1"; got != want {
		t.Errorf("positions %s, want %s", got, want)
	}
	var one *Error
	if !errors.As(err, &one) || one.File != "t" || one.Line != 1 {
		t.Errorf("a single mistake is not to be had from the list: %+v", one)
	}
}

// Files that would take forever, or all memory, if they were taken at their word.
func TestParseIsBounded(t *testing.T) {
	var laughs, rows strings.Builder
	laughs.WriteString("tools:\n  a0: &a0 {class: pure}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&laughs, "  a%d: &a%d {<<: [*a%d, *a%d, *a%d]}\n", i, i, i-1, i-1, i-1)
	}
	rows.WriteString("tools:\n  a: &a {ignore: [" + strings.Repeat("/x, ", 9999) + "/x]}\n")
	for i := range 20000 {
		fmt.Fprintf(&rows, "  a%d: *a\n", i)
	}
	for name, c := range map[string]struct{ src, want string }{
		"merge keys":  {laughs.String(), "found more"},
		"alias rows":  {rows.String(), "found more"},
		"size":        {"#" + strings.Repeat("x", maxSource), "expected at most 1048576 bytes, found 1048577"},
		"deep":        {"tools: " + strings.Repeat("[", 200000), "expected YAML"},
		"many errors": {"tools:\n" + strings.Repeat("  ? []\n", 500), "more than 100 mistakes"},
	} {
		_, err := Parse([]byte(c.src), "t")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %.300v, want %s", name, err, c.want)
		}
		var list Errors
		if errors.As(err, &list) && len(list) > maxErrors+1 {
			t.Errorf("%s: %d mistakes are listed", name, len(list))
		}
	}
}

func TestParseCases(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cases/*/tools.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases found: %v", err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		table, err := Parse(src, f)
		if err != nil || table.Rows() == 0 {
			t.Errorf("%s: %d rows, %v", f, table.Rows(), err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("tools: &t\n  <<: *t\n  a: *t\n"))
	f.Add([]byte("\uFEFF{\"tools\": {\"a\": {\"class\": \"pure\"}}}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		table, err := Parse(src, "t")
		if (table == nil) == (err == nil) {
			t.Fatalf("table %v, error %v", table, err)
		}
		var list Errors
		if err != nil && (!errors.As(err, &list) || len(list) == 0) {
			t.Fatalf("an error that is no list: %v", err)
		}
		for _, e := range list {
			if e.Line < 1 || e.Column < 1 || e.Line > len(newLines(src).starts)+1 {
				t.Fatalf("mistake outside of the file: %v", e)
			}
		}
		if table != nil {
			if out := Init([]Seen{{Tool: string(src), Calls: 1}}, nil); len(out) > 0 {
				if again, err := Parse(out, "t"); err != nil || again.Lookup(string(src), nil).Class != Unclassified {
					t.Fatalf("Init: %v\n%s", err, out)
				}
			}
		}
	})
}
