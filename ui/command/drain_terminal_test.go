package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrainOnTheBoard takes two sides from NO-GO to GO on the drain screen and loses it again: a row in flight, an unclassified tool and a write
// around the envelope are gone to from their lines and settled one after the other, the window counts down without a blocker, and one that
// comes after it takes the GO back.
func TestDrainOnTheBoard(t *testing.T) {
	dir := t.TempDir()
	for _, side := range []string{"paid", "dest"} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "tools.yaml"), "tools:\n  open_pr: {class: keyed, in_doubt_exit: [9]}\n  create_issue: {class: keyed}\n  read_file: {class: pure}\n")
	ends(t, drainboard(t, dir, "exec", "--quiet", "--run", "p1", "--tool", "open_pr", "--args", `{"n": 1}`, "--", "sh", "-c", "exit 9"), 9)
	write(t, filepath.Join(dir, "paid", "p1.jsonl"), `{"type":"tool_call","ts":"2026-03-02T09:00:00Z","run_id":"p1","call_id":"1","tool":"open_pr","args":{"n":1}}`+"\n")
	write(t, filepath.Join(dir, "paid", "p2.jsonl"), `{"type":"tool_call","ts":"2026-03-02T09:00:00Z","run_id":"p2","call_id":"1","tool":"lookup_crm","args":{"n":1}}
{"type":"tool_result","ts":"2026-03-02T09:00:01Z","run_id":"p2","call_id":"1","status":"ok","result":1}
{"type":"tool_call","ts":"2026-03-02T09:00:02Z","run_id":"p2","call_id":"2","tool":"create_issue","args":{"title":"around"}}
{"type":"tool_result","ts":"2026-03-02T09:00:03Z","run_id":"p2","call_id":"2","status":"ok","result":2}
`)
	write(t, filepath.Join(dir, "dest", "d1.jsonl"), `{"type":"tool_call","ts":"2026-03-02T09:00:00Z","run_id":"d1","call_id":"1","tool":"read_file","args":{}}`+"\n")
	s := open(t, dir, "watch", "paid=paid", "dest=dest", "--window", "5s")
	s.sees("NO-GO 3", "2 In flight 2") // the call of the row in flight is not there twice
	s.types("5")
	s.sees("BEFORE THE SWITCH", "open_pr", "lookup_crm", "no ledger row", "draining")

	s.types(enter)
	s.sees("in flight", "trace only")
	s.types("V")
	s.asks("f", "Mark open_pr fed8d14ef793 failed?")
	s.sees("1 marked row is left out: the ledger has none for it")
	s.types("its worker gave up", enter, "y")
	s.sees("NO-GO 2")

	s.types("5", "j", enter)
	s.sees("class:unclassified", "its name looks like pure")
	s.asks("t", "Classify lookup_crm")
	s.types("j", "y")
	s.sees("NO-GO 1")

	// Somebody edits the table meanwhile: with a mistake, which is told, then without.
	table, err := os.ReadFile(filepath.Join(dir, "tools.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tools.yaml"), string(table)+"  update_crm: {class: keyde}\n")
	s.sees("NO-GO 1", "table not read: tools.yaml:6")
	write(t, filepath.Join(dir, "tools.yaml"), strings.Replace(string(table), "read_file", "read_files", 1))
	s.sees("NO-GO 2")
	write(t, filepath.Join(dir, "tools.yaml"), string(table))
	s.sees("NO-GO 1")

	s.types("5", "j", enter)
	s.sees("create_issue", "unmatched")
	s.asks("a", "Acknowledge")
	s.types("looked: one issue", enter, enter, "y")
	s.types("5")
	s.sees("nothing blocks", "of 5s")
	s.sees("the window of 5s is through")

	f, err := os.OpenFile(filepath.Join(dir, "paid", "p2.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"type":"tool_call","ts":"2026-03-02T09:00:04Z","run_id":"p2","call_id":"3","tool":"page_someone","args":{}}` + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s.sees("NO-GO 1", "page_someone")
	s.types("q")
	s.ends()
}
