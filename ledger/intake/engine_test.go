package intake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// fakeLedger is a ledger that a test changes.
type fakeLedger struct {
	mu   sync.Mutex
	rows []ledger.Row
	next ledger.Changes
	err  error
}

func (f *fakeLedger) Look(context.Context) (ledger.Changes, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.next
	f.next = ledger.Changes{}
	return c, f.err
}

func (f *fakeLedger) Row(_ context.Context, key string) (ledger.Row, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.rows {
		if r.Key == key {
			return r, true, nil
		}
	}
	return ledger.Row{}, false, nil
}

func (f *fakeLedger) Close() error { return nil }

func (f *fakeLedger) set(rows ...ledger.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = rows
	f.next = ledger.Changes{All: true, Rows: rows}
}

func (f *fakeLedger) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func mustTable(t *testing.T, src string) *table.Table {
	t.Helper()
	tab, err := table.Parse([]byte(src), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func begin(t *testing.T, c Config) *Engine {
	t.Helper()
	c.Since = trace.NoTime
	e, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := e.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return e
}

// until waits for a snapshot that holds.
func until(t *testing.T, e *Engine, what string, holds func(*triage.Snapshot) bool) *triage.Snapshot {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		if s := e.Snapshot(); holds(s) {
			return s
		}
		select {
		case <-e.Updates():
		case <-limit:
			t.Fatalf("never seen: %s; last snapshot: %+v", what, e.Snapshot().Totals)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func callLine(n int, run, head string) string {
	return fmt.Sprintf(`{"type":"tool_call","ts":%d,"run_id":%q,"call_id":"c%d","tool":"open_pr","args":{"head":%q}}`+"\n", 1789000000+n, run, n, head)
}

func resultLine(n int, run, url string) string {
	return fmt.Sprintf(`{"type":"tool_result","ts":%d,"run_id":%q,"call_id":"c%d","status":"ok","result":{"url":%q}}`+"\n", 1789000001+n, run, n, url)
}

func TestFollowsFilesAndLedger(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	write(t, path, callLine(1, "r", "x")+resultLine(1, "r", "u1"))
	led := &fakeLedger{}
	led.set()
	e := begin(t, Config{Sources: []trace.Source{{Path: dir}}, Follow: true, Table: mustTable(t, "tools: {open_pr: {class: keyed}}"), Ledger: led, LedgerPath: "l"})
	s := e.Snapshot()
	if s.Totals.Calls != 1 || s.Kinds[triage.Unmatched] != 1 {
		t.Fatalf("after the start: %d calls, %d unmatched; want 1 and 1", s.Totals.Calls, s.Kinds[triage.Unmatched])
	}

	write(t, path, callLine(2, "r", "x")+resultLine(2, "r", "u2"))
	s = until(t, e, "the repeat", func(s *triage.Snapshot) bool { return s.Totals.Calls == 2 && s.Totals.Results == 2 })
	f, ok := s.Findings.At(0)
	if !ok || f.Kind != triage.Duplicate || f.Outcome != triage.OutcomeExtra || f.Severity != triage.Critical {
		t.Fatalf("the repeat is %+v", f)
	}
	page, total, err := e.Calls(t.Context(), Query{Finding: f})
	if err != nil || total != 2 || page[1].Repeat != 2 || page[1].Results[0].Same != 2 {
		t.Fatalf("its calls: %d %+v %v", total, page, err)
	}
	args, err := e.Args(t.Context(), page[0].Pos)
	if err != nil || string(args) != `{"head":"x"}` {
		t.Fatalf("arguments %s, %v", args, err)
	}
	payload, err := e.Payload(t.Context(), page[1].Results[0].Pos)
	if err != nil || string(payload) != `{"url":"u2"}` {
		t.Fatalf("payload %s, %v", payload, err)
	}

	led.set(ledger.Row{Key: f.Key, Tool: "open_pr", Request: `{"head": "x"}`, State: ledger.InFlight, Updated: 1789000000})
	s = until(t, e, "the row", func(s *triage.Snapshot) bool { return s.States["inflight"] == 1 && s.Kinds[triage.SettledInTrace] == 1 })
	if s.Kinds[triage.Unmatched] != 0 || s.Kinds[triage.Hung] != 1 || s.Foreign != 0 {
		t.Fatalf("with the row: %d unmatched, %d hung, %d foreign", s.Kinds[triage.Unmatched], s.Kinds[triage.Hung], s.Foreign)
	}
	led.fail(errors.New("locked"))
	until(t, e, "a ledger that cannot be read blocks", func(s *triage.Snapshot) bool {
		for _, b := range s.Verdict.Blockers {
			if b.Kind == "unread" {
				return e.Progress().Ledger == "locked"
			}
		}
		return false
	})
	led.fail(nil)
	until(t, e, "the ledger is back", func(s *triage.Snapshot) bool { return len(s.Verdict.Blockers) == 2 && e.Progress().Ledger == "" })

	write(t, filepath.Join(dir, "b.jsonl"), callLine(3, "s", "y"))
	until(t, e, "a new file", func(s *triage.Snapshot) bool { return s.Totals.Calls == 3 && s.Totals.Runs == 2 })

	// cut the file: what was counted stays, its bytes are gone
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	write(t, path, callLine(4, "r", "z"))
	until(t, e, "the cut file goes on", func(s *triage.Snapshot) bool { return s.Totals.Calls == 4 })
	if _, err := e.Args(t.Context(), page[0].Pos); err == nil {
		t.Fatal("the arguments of a call whose bytes are gone were shown")
	}
}

// TestFindsTheRecipe: without a set recipe the one that makes the ledger's keys is in force; a set one that makes fewer says so.
func TestFindsTheRecipe(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	var rows []ledger.Row
	for i := range 5 {
		head := fmt.Sprintf("h%d", i)
		write(t, path, callLine(i, "r", head))
		var a keys.Args
		if err := a.Parse([]byte(`{"head":"` + head + `"}`)); err != nil {
			t.Fatal(err)
		}
		d, err := keys.Dedup16.Derive(keys.RunID{Text: []byte("r")}, []byte("open_pr"), &a)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, ledger.Row{Key: keys.Dedup16.Text(d), Tool: "open_pr", Request: `{"head": "` + head + `"}`, State: ledger.Committed})
	}
	tab := mustTable(t, "tools: {open_pr: {class: keyed}}")
	held := func() ledger.Looker { // one for each engine: what one is handed, another does not see
		led := &fakeLedger{}
		led.set(rows...)
		return led
	}
	for _, follow := range []bool{false, true} {
		e := begin(t, Config{Sources: []trace.Source{{Path: path}}, Follow: follow, Table: tab, Ledger: held()})
		r, err := e.Report(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Recipe != "dedup16" || r.Calls != 5 || len(r.Unmatched) != 0 || r.Ledger.Foreign != 0 || r.RecipeNote != "" {
			t.Errorf("found: recipe %s, %d calls, %d unmatched, %d foreign, note %q", r.Recipe, r.Calls, len(r.Unmatched), r.Ledger.Foreign, r.RecipeNote)
		}
	}
	e := begin(t, Config{Sources: []trace.Source{{Path: path}}, Table: tab, Ledger: held(), Recipe: "intent"})
	r, err := e.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Recipe != "intent" || len(r.Unmatched) != 5 || r.Ledger.Foreign != 5 || !strings.Contains(r.RecipeNote, "dedup16") {
		t.Errorf("set: recipe %s, %d unmatched, %d foreign, note %q", r.Recipe, len(r.Unmatched), r.Ledger.Foreign, r.RecipeNote)
	}
}

// TestReloadsTheTable: another table is judged by without another start, standard input included.
func TestReloadsTheTable(t *testing.T) {
	in := strings.NewReader(callLine(1, "r", "x") + callLine(2, "r", "x"))
	e := begin(t, Config{Sources: []trace.Source{{Path: trace.Stdin}}, Stdin: in})
	if s := e.Snapshot(); s.Kinds[triage.UnclassifiedTool] != 1 || s.Totals.Calls != 2 {
		t.Fatalf("before: %+v", s.Totals)
	}
	if err := e.Reload(t.Context(), mustTable(t, "tools: {open_pr: {class: pure, ignore: [/head]}}")); err != nil {
		t.Fatal(err)
	}
	s := until(t, e, "the new table", func(s *triage.Snapshot) bool {
		return s.Totals.Calls == 2 && s.Kinds[triage.UnclassifiedTool] == 0 && s.Verdict.Go
	})
	if f, _ := s.Findings.At(0); f == nil || f.Severity != triage.Info {
		t.Fatalf("the repeat of a pure tool is %+v", f)
	}
}
