package leftovers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/leftovers"
	"drainboard/trace"
)

const tools = `
defaults: {retry_window: 10m}
tools:
  open_pr: {class: keyed, natural_key: [/repo, /head], compensate: {run: [./close.sh]}}
  put_file: {class: keyed, effect: write, natural_key: [/path]}
  create_issue: {class: keyed}
  create_branch: {class: keyed}
  add_comment: {class: keyed}
  get_file: {class: pure}
`

// fakeLedger holds rows.
type fakeLedger struct{ rows []ledger.Row }

func (f *fakeLedger) Look(context.Context) (ledger.Changes, error) {
	return ledger.Changes{All: true, Rows: f.rows, Facts: &ledger.Facts{}}, nil
}

func (f *fakeLedger) Row(context.Context, string) (ledger.Row, bool, error) {
	return ledger.Row{}, false, nil
}
func (f *fakeLedger) Close() error { return nil }

// call is one call of a trace; second is when it was made, and its answer came one second later.
type call struct {
	side, run, tool, args string
	second                int
	status, result        string // "" for no answer
	stored                bool
}

// hunt writes the calls, reads them, and hunts.
func hunt(t *testing.T, calls ...call) leftovers.Found {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	rows := &fakeLedger{}
	for i, c := range calls {
		at := time.Date(2026, 9, 6, 12, 0, 0, 0, time.UTC).Add(time.Duration(c.second) * time.Second)
		name := filepath.Join(dir, c.side, c.run+".jsonl")
		files[name] += fmt.Sprintf(`{"type":"tool_call","ts":%q,"run_id":%q,"call_id":"c%d","tool":%q,"args":%s}`+"\n", at.Format(time.RFC3339), c.run, i, c.tool, c.args)
		if c.status != "" {
			field := "result"
			if c.status == "error" {
				field = "error"
			}
			files[name] += fmt.Sprintf(`{"type":"tool_result","ts":%q,"run_id":%q,"call_id":"c%d","status":%q,%q:%s}`+"\n", at.Add(time.Second).Format(time.RFC3339), c.run, i, c.status, field, c.result)
		}
		if c.stored {
			var a keys.Args
			if err := a.Parse([]byte(c.args)); err != nil {
				t.Fatal(err)
			}
			d, err := keys.Intent.Derive(keys.RunID{Text: []byte(c.run)}, []byte(c.tool), &a)
			if err != nil {
				t.Fatal(err)
			}
			rows.rows = append(rows.rows, ledger.Row{Key: keys.Intent.Text(d), Tool: c.tool, Request: c.args, Response: c.result, HasResponse: true, State: ledger.Committed, Created: 1, Updated: 2})
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tab, err := table.Parse([]byte(tools), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, err := intake.Start(t.Context(), intake.Config{
		Sources: []trace.Source{{Label: "paid", Path: filepath.Join(dir, "paid")}, {Label: "dest", Path: filepath.Join(dir, "dest")}},
		Table:   tab, Since: trace.NoTime, Ledger: rows, LedgerPath: "ledger",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, _, err := leftovers.Traces(t.Context(), e, leftovers.Options{RetryWindow: tab.Defaults.RetryWindow, Undo: []string{"undo"}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// line is a group in one line.
func line(g leftovers.Group) string {
	out := string(g.Basis)
	if g.Guess {
		out += "?"
	}
	for _, o := range g.Objects {
		name := o.Name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			name = name[i+1:]
		}
		out += fmt.Sprintf(" | %s %s %s", o.Action, o.Side, name)
		if len(o.Command) > 0 {
			out += " (" + strings.Join(append([]string{o.Command[0]}, o.Command[2:len(o.Command)-2]...), " ") + ")"
		}
	}
	return out
}

// pr is the answer of a pull request.
func pr(n int) string { return fmt.Sprintf(`{"html_url":"https://code.invalid/o/shop/pull/%d"}`, n) }

// TestTraces hunts for leftovers of every basis.
func TestTraces(t *testing.T) {
	const feat = `{"repo":"shop","head":"feat"}`
	comment := func(body string) string { return fmt.Sprintf(`{"issue":7,"body":%q}`, body) }
	for _, c := range []struct {
		name   string
		calls  []call
		want   []string
		shared int
	}{
		{"two pull requests from one head, on two sides: what the ledger stored first is kept", []call{
			{"paid", "r1", "open_pr", feat, 0, "ok", pr(41), true},
			{"dest", "r2", "open_pr", feat, 60, "ok", pr(42), true},
		}, []string{"natural key | keep paid 41 | compensate dest 42 (undo --kept)"}, 0},
		{"an extra effect of one key", []call{
			{"paid", "r1", "open_pr", feat, 0, "ok", pr(41), false},
			{"paid", "r1", "open_pr", feat, 60, "ok", pr(42), true},
		}, []string{"natural key | compensate paid 41 (undo) | keep paid 42"}, 0},
		{"other order of names, other arguments, one natural key", []call{
			{"paid", "r1", "open_pr", `{"repo":"shop","head":"feat","body":"x"}`, 0, "ok", pr(41), true},
			{"dest", "r2", "open_pr", `{"body":"y","head":"feat","repo":"shop"}`, 60, "ok", pr(42), false},
		}, []string{"natural key | keep paid 41 | by hand dest 42"}, 0},
		{"another head", []call{
			{"paid", "r1", "open_pr", feat, 0, "ok", pr(41), true}, {"dest", "r2", "open_pr", `{"repo":"shop","head":"other"}`, 60, "ok", pr(42), true},
		}, nil, 0},
		{"a part of the natural key is missing", []call{
			{"paid", "r1", "open_pr", `{"head":"feat"}`, 0, "ok", pr(41), true}, {"dest", "r2", "open_pr", `{"head":"feat"}`, 60, "ok", pr(42), true},
		}, nil, 0},
		{"one object, answered to two intents, is no leftover", []call{
			{"paid", "r1", "open_pr", feat, 0, "ok", pr(41), true}, {"dest", "r2", "open_pr", feat, 60, "ok", pr(41), true},
		}, nil, 1},
		{"a replay is no second object", []call{
			{"paid", "r1", "open_pr", feat, 0, "ok", pr(41), true}, {"paid", "r1", "open_pr", feat, 60, "replayed", pr(41), false},
		}, nil, 0},
		{"a definite failure is none", []call{
			{"paid", "r1", "open_pr", feat, 0, "error", `"422 unprocessable"`, false}, {"dest", "r2", "open_pr", feat, 60, "ok", pr(42), true},
		}, nil, 0},
		{"a timeout may have made one", []call{
			{"paid", "r1", "open_pr", feat, 0, "error", `"timeout"`, false}, {"dest", "r2", "open_pr", feat, 60, "ok", pr(42), true},
		}, []string{"natural key? | look paid  | keep dest 42"}, 0},
		{"two writes of one path make one file", []call{
			{"paid", "r1", "put_file", `{"path":"a"}`, 0, "ok", `{"sha":"1111111"}`, true}, {"dest", "r2", "put_file", `{"path":"a"}`, 60, "ok", `{"sha":"2222222"}`, true},
		}, nil, 0},
		{"pure calls make nothing", []call{
			{"paid", "r1", "get_file", `{"path":"a"}`, 0, "ok", `{"id":1}`, false}, {"dest", "r2", "get_file", `{"path":"a"}`, 60, "ok", `{"id":2}`, false},
		}, nil, 0},
		{"issue titles, as people read them", []call{
			{"paid", "r1", "create_issue", `{"repo":"shop","title":"Meter the retries"}`, 0, "ok", `{"number":7}`, true},
			{"dest", "r2", "create_issue", `{"repo":"shop","title":" meter  the Retries"}`, 60, "ok", `{"number":8}`, true},
			{"dest", "r3", "create_issue", `{"repo":"other","title":"Meter the retries"}`, 70, "ok", `{"number":7}`, true},
		}, []string{"issue title? | keep paid number 7 | by hand dest number 8"}, 0},
		{"comments within one retry window, and beyond it", []call{
			{"paid", "r1", "add_comment", comment("deployed"), 0, "ok", `{"id":1}`, true},
			{"dest", "r2", "add_comment", comment("Deployed "), 500, "ok", `{"id":2}`, true},
			{"dest", "r3", "add_comment", comment("deployed"), 2000, "ok", `{"id":3}`, true},
			{"dest", "r4", "add_comment", comment("something else"), 2001, "ok", `{"id":4}`, true},
		}, []string{"comment? | keep paid id 1 | by hand dest id 2"}, 0},
		{"a guess at /branch where the table names nothing", []call{
			{"paid", "r1", "create_branch", `{"branch":"feat"}`, 0, "ok", `{"ref":"x"}`, true},
			{"dest", "r2", "create_branch", `{"branch":"feat"}`, 60, "ok", `{"ref":"x"}`, true},
		}, []string{"argument? | keep paid  | by hand dest "}, 0},
		{"two tools that make one kind of object, known by their urls", []call{
			{"paid", "r1", "create_pull_request", `{"head":"feat"}`, 0, "ok", pr(41), false},
			{"dest", "r2", "mcp__code__new_pr", `{"head":"feat"}`, 60, "ok", pr(42), false},
		}, []string{"argument? | keep paid 41 | by hand dest 42"}, 0},
		{"what a stronger key says is not said again", []call{
			{"paid", "r1", "create_issue", `{"title":"t","name":"n"}`, 0, "ok", `{"number":7}`, true}, {"dest", "r2", "create_issue", `{"title":"t","name":"n"}`, 60, "ok", `{"number":8}`, true},
		}, []string{"issue title? | keep paid number 7 | by hand dest number 8"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := hunt(t, c.calls...)
			var got []string
			for _, g := range f.Groups {
				got = append(got, line(g))
			}
			if !slices.Equal(got, c.want) || len(f.Shared) != c.shared || f.Unread != 0 {
				t.Errorf("got %q and %d shared, %d unread\nwant %q and %d", got, len(f.Shared), f.Unread, c.want, c.shared)
			}
		})
	}
}

// TestCommentsSayNothing: what a comment says is not told, only where it stands.
func TestCommentsSayNothing(t *testing.T) {
	f := hunt(t, call{"paid", "r1", "add_comment", `{"issue":7,"body":"the token is hunter2"}`, 0, "ok", `{"id":1}`, true},
		call{"dest", "r2", "add_comment", `{"issue":7,"body":"the token is hunter2"}`, 1, "ok", `{"id":2}`, true})
	if text := fmt.Sprintf("%+v", f); len(f.Groups) != 1 || strings.Contains(text, "hunter2") || !strings.Contains(text, "/issue") {
		t.Error(text)
	}
}
