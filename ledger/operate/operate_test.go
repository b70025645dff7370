package operate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/sqlite"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// tools is the decision table of the tests.
const tools = `tools:
  charge_card: {class: compensate, compensate: {run: [./undo.sh], timeout: 20s, env: [TOKEN]}, ignore_result: [/at]}
  open_pr: {class: keyed}
`

// bench is a desk over a trace and a ledger.
type bench struct {
	*Desk
	dir   string
	store *sqlite.Store
	path  string // of the ledger
}

// result is one call of charge_card and its answer.
type result struct{ status, payload string }

// newBench makes a desk. Each result is a call of charge_card with one key.
func newBench(t *testing.T, script string, results ...result) *bench {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	for i, r := range results {
		at := time.Date(2026, 3, 2, 9, 0, 2*i, 0, time.UTC)
		fmt.Fprintf(&b, `{"type": "tool_call", "ts": %q, "run_id": "r", "call_id": "%d", "tool": "charge_card", "args": "{\"amount\": 1500}"}`+"\n", at.Format(time.RFC3339), i)
		name := "result"
		if r.status == "error" {
			name = "error"
		}
		if r.status != "" {
			fmt.Fprintf(&b, `{"type": "tool_result", "ts": %q, "run_id": "r", "call_id": "%d", "status": %q, %q: %s}`+"\n", at.Add(time.Second).Format(time.RFC3339), i, r.status, name, r.payload)
		}
	}
	for name, text := range map[string]string{"run.jsonl": b.String(), "undo.sh": "#!/bin/sh\n" + script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	k := &bench{dir: dir, path: filepath.Join(dir, "ledger.sqlite")}
	var err error
	if k.store, err = sqlite.OpenStore(t.Context(), k.path, sqlite.StoreOptions{Create: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.store.Close() })
	tab, err := table.Parse([]byte(tools), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	k.Desk = &Desk{
		Op:    &ledger.Operator{Store: k.store, Now: time.Now, Actor: "op@host", Owner: ledger.Owner{Host: "h", PID: 1, PIDStart: 1}},
		Table: func() *table.Table { return tab }, Recipe: func() *keys.Recipe { return keys.Intent }, Folder: dir,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "TOKEN=t", "SECRET=s", "DRAINBOARD_ACTOR=x"},
	}
	k.read(t)
	return k
}

// read reads the trace, and the ledger as it is now.
func (k *bench) read(t *testing.T) {
	t.Helper()
	look, err := sqlite.OpenLooker(t.Context(), k.path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := intake.Start(t.Context(), intake.Config{
		Sources: []trace.Source{{Path: filepath.Join(k.dir, "run.jsonl")}}, Table: k.Table(), Since: trace.NoTime, Ledger: look, LedgerPath: k.path,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	if err := e.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.Book = e
}

// key is that of the calls.
func (k *bench) key(t *testing.T) string {
	t.Helper()
	calls, _, err := k.Book.Calls(t.Context(), triage.Question{})
	if err != nil || len(calls) == 0 {
		t.Fatal(calls, err)
	}
	return calls[0].Key
}

// stores puts the row of the calls into the ledger, and reads again.
func (k *bench) stores(t *testing.T, state ledger.State, response string) ledger.Row {
	t.Helper()
	r := ledger.Row{
		Key: k.key(t), Tool: "charge_card", Request: `{"amount": 1500}`, Response: response, HasResponse: response != "", State: state,
		Created: 1772442000, Updated: 1772442001,
	}
	if err := k.store.Update(t.Context(), func(tx ledger.Tx) error { return tx.Insert(&r) }); err != nil {
		t.Fatal(err)
	}
	k.read(t)
	return r
}

func ok(payload string) result { return result{"ok", payload} }

// TestPlan shows which effect is kept and which are extra.
func TestPlan(t *testing.T) {
	timeout := result{"error", `"timed out"`}
	for _, c := range []struct {
		name    string
		stored  string
		results []result
		keep    string
		want    string // extras: payload#number
		err     string
	}{
		{"the stored one is kept", `{"charge": "b"}`, []result{ok(`{"charge": "a"}`), ok(`{"charge": "b"}`), ok(`{"charge": "c"}`)}, `{"charge": "b"}`, `{"charge":"a"}#0 {"charge":"c"}#0`, ""},
		{"else the first ok", "", []result{timeout, ok(`{"charge": "a"}`), ok(`{"charge": "b"}`)}, `{"charge": "a"}`, `{"charge":"b"}#0`, ""},
		{"equal extras are numbered", "", []result{ok(`1`), ok(`2`), ok(`2.0`)}, `1`, `2#0 2#1`, ""},
		{"equal to the kept one is none", "", []result{ok(`1`), ok(`1.0`), ok(`2`)}, `1`, `2#0`, ""},
		{"what the row ignores makes no other payload", "", []result{ok(`{"charge": "a", "at": 1}`), ok(`{"charge": "a", "at": 2}`), ok(`{"at": 3, "charge": "b"}`)}, `{"charge": "a", "at": 1}`, `{"charge":"b"}#0`, ""},
		{"a text that holds an object is one", "", []result{ok(`"{\"charge\": \"a\"}"`), ok(`"{\"charge\": \"b\"}"`)}, `{"charge": "a"}`, `{"charge":"b"}#0`, ""},
		{"an ambiguous group has one without payload", "", []result{timeout, ok(`{"charge": "a"}`)}, `{"charge": "a"}`, `none#0`, ""},
		{"one that never answered keeps nothing", "", []result{timeout, timeout}, `null`, `none#0`, ""},
		{"equal answers are no extra", "", []result{ok(`1`), ok(`1`)}, "", "", "there is no extra effect, its outcome is same"},
		{"a single call", "", []result{ok(`1`)}, "", "", "it was called once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newBench(t, "", c.results...)
			if c.stored != "" {
				k.stores(t, ledger.Committed, c.stored)
			}
			list, err := k.Plan(t.Context(), k.key(t), "", false)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("%v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, u := range list {
				got = append(got, fmt.Sprintf("%s#%d", u.Extra, u.Number))
				if string(u.keep) != c.keep || string(u.args) != `{"amount": 1500}` {
					t.Errorf("keep %s args %s, want %s", u.keep, u.args, c.keep)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("extras %s, want %s", got, c.want)
			}
		})
	}
}

// TestScript holds what a script gets, and what of it is kept, to the letter.
func TestScript(t *testing.T) {
	k := newBench(t, `cat > row
env | sort > env
pwd > folder
printf '\033]0;title\007\377\n'
echo wrong >&2
`, ok(`{"charge": "a"}`), ok(`{"charge": "b"}`))
	list, err := k.Plan(t.Context(), k.key(t), "", false)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	var out bytes.Buffer
	e, err := k.Run(t.Context(), list[0], false, "a \"reason\"\n", &out)
	if err != nil || !e.Done {
		t.Fatalf("%+v %v", e, err)
	}
	key := k.key(t)
	if got, want := k.file(t, "row"), `{"key":"`+key+`","run":"r","tool":"charge_card","args":{"amount": 1500},"keep":{"charge": "a"},"extra":{"charge": "b"},"reason":"a \"reason\"\n","actor":"op@host","attempt":1}`+"\n"; got != want {
		t.Errorf("standard input\n%s\nwant\n%s", got, want)
	}
	env := k.file(t, "env")
	for _, want := range []string{"DRAINBOARD_ATTEMPT=1\n", "DRAINBOARD_IDEMPOTENCY_KEY=" + list[0].ID + "\n", "DRAINBOARD_KEY=" + key + "\n", "DRAINBOARD_RUN=r\n", "DRAINBOARD_TOOL=charge_card\n", "TOKEN=t\n"} {
		if !strings.Contains(env, want) {
			t.Errorf("no %q in %s", want, env)
		}
	}
	if strings.Contains(env, "SECRET") || strings.Contains(env, "ACTOR") {
		t.Errorf("too much in %s", env)
	}
	real, err := filepath.EvalSymlinks(k.dir)
	if err != nil || strings.TrimSpace(k.file(t, "folder")) != real {
		t.Errorf("it ran in %s, want %s", k.file(t, "folder"), real)
	}
	if !strings.Contains(out.String(), "\x1b]0;title") || !strings.Contains(out.String(), "wrong") {
		t.Errorf("streamed %q", out.String())
	}
	entries, err := ledger.Log(t.Context(), k.store, 0, 10)
	if err != nil || len(entries) != 2 || entries[0].Action != ledger.ActStart || entries[1].Action != ledger.ActEnd {
		t.Fatalf("%+v %v", entries, err)
	}
	if got, want := Output(&entries[1]), "\x1b]0;title\a\uFFFD\nwrong\n"; got != want {
		t.Errorf("kept %q, want %q", got, want)
	}
	again, err := k.Run(t.Context(), list[0], true, "again", nil)
	if err != nil || again.Done || again.Why != "this effect has been compensated already" {
		t.Errorf("%+v %v", again, err)
	}
}

func (k *bench) file(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(k.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestMoved changes the world between question and answer: nothing runs, and the operator is told.
func TestMoved(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func(t *testing.T, k *bench)
	}{
		{"the extra is the stored one by now", "no longer an extra effect", func(t *testing.T, k *bench) { k.stores(t, ledger.Committed, `{"charge": "b"}`) }},
		{"another is kept", "another effect is kept by now", func(t *testing.T, k *bench) { k.stores(t, ledger.Committed, `{"charge": "z"}`) }},
		{"the script may be changed by all", "run chmod o-w on it", func(t *testing.T, k *bench) { chmod(t, k, 0o777) }},
		{"the script may not be run", "found mode -rw-------", func(t *testing.T, k *bench) { chmod(t, k, 0o600) }},
		{"the table may not be used", "nothing of the table is run: found beside the trace", func(_ *testing.T, k *bench) { k.NoRun = "found beside the trace" }},
		{"the trace changed", "the file has changed", func(t *testing.T, k *bench) {
			if err := os.WriteFile(filepath.Join(k.dir, "run.jsonl"), []byte(strings.ReplaceAll(k.file(t, "run.jsonl"), `"b"`, `"q"`)), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newBench(t, ": > ran\n", ok(`{"charge": "a"}`), ok(`{"charge": "b"}`))
			list, err := k.Plan(t.Context(), k.key(t), "", false)
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			c.change(t, k)
			e, err := k.Run(t.Context(), list[0], false, "twice", nil)
			if err != nil || e.Done || e.Ran || !strings.Contains(e.Why, c.why) {
				t.Errorf("%+v %v, want %q", e, err, c.why)
			}
			if _, err := os.Stat(filepath.Join(k.dir, "ran")); err == nil {
				t.Error("it ran")
			}
			if list, err := ledger.Log(t.Context(), k.store, 0, 10); err != nil || len(list) != 0 {
				t.Errorf("logged %+v %v", list, err)
			}
		})
	}
}

func chmod(t *testing.T, k *bench, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(k.dir, "undo.sh"), mode); err != nil {
		t.Fatal(err)
	}
}

// TestLedgerLost takes the ledger away while a script runs: its end cannot be recorded, and that is said.
func TestLedgerLost(t *testing.T) {
	k := newBench(t, "", ok(`1`), ok(`2`))
	list, err := k.Plan(t.Context(), k.key(t), "", false)
	if err != nil {
		t.Fatal(err)
	}
	chmodScript := "#!/bin/sh\n: > ran\nwhile [ ! -e closed ]; do sleep 0.01; done\n"
	if err := os.WriteFile(filepath.Join(k.dir, "undo.sh"), []byte(chmodScript), 0o700); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := k.Run(context.WithoutCancel(t.Context()), list[0], false, "twice", nil)
		done <- err
	}()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(k.dir, "ran")); err == nil {
			break
		}
	}
	if err := k.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.dir, "closed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "ended with exit code 0, and that could not be recorded, so that its outcome is unknown") {
		t.Error(err)
	}
}

// TestFromTrace takes the payload of the trace where there is one, and only one.
func TestFromTrace(t *testing.T) {
	for _, c := range []struct {
		results []result
		want    string
		err     string
	}{
		{[]result{{"error", `"no"`}, ok(`{"charge": "a"}`)}, `{"charge": "a"}`, ""},
		{[]result{ok(`{"a": 1, "b": 2}`), ok(`{"b": 2, "a": 1.0}`)}, `{"a": 1, "b": 2}`, ""},
		{[]result{ok(`1`), ok(`2`)}, "", "2 different ok results"},
		{[]result{{"error", `"no"`}}, "", "no ok result"},
		{[]result{{}}, "", "no ok result"},
	} {
		k := newBench(t, "", c.results...)
		row := k.stores(t, ledger.InFlight, "")
		done, err := k.MarkCommitted(t.Context(), []ledger.Row{row}, k.FromTrace, "the trace has it")
		if err != nil {
			t.Fatal(err)
		}
		if o := done[0]; o.Done != (c.err == "") || !strings.Contains(o.Why, c.err) {
			t.Errorf("%v: %+v, want %q", c.results, o, c.err)
		}
		is, err := k.Desk.read(t.Context(), row.Key)
		if err != nil || is.Response != c.want {
			t.Errorf("%v: stored %q %v, want %q", c.results, is.Response, err, c.want)
		}
	}
}

func TestSentence(t *testing.T) {
	done := Outcome{Key: "aaaaaaaaaaaaaaaa", Tool: "open_pr", Done: true}
	left := Outcome{Key: "b", Tool: "put_file", Why: "the row moved"}
	for _, c := range []struct {
		all  []Outcome
		want string
	}{
		{[]Outcome{done}, "open_pr aaaaaaaaaaaa marked"},
		{[]Outcome{left}, "put_file b was left as it is: the row moved"},
		{[]Outcome{done, left, left}, "1 of 3 marked; put_file b was left as it is: the row moved (and 1 more)"},
		{[]Outcome{done, done}, "2 of 2 marked"},
		{nil, "0 of 0 marked"},
	} {
		if got := Sentence("marked", c.all); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	var got []string
	l := Lines{To: func(s string) { got = append(got, s) }}
	for _, p := range []string{"a", "b\n\nc", strings.Repeat("x", maxPiece+1), "\nlast"} {
		_, _ = l.Write([]byte(p))
	}
	l.End()
	want := []string{"ab", "", "c" + strings.Repeat("x", maxPiece-1), "xx", "last"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d lines: %.40q", len(got), got)
	}
}
