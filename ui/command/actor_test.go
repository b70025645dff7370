package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/ui/board"
)

// twoCharges is a trace of two charges under one key.
const twoCharges = `{"type": "tool_call", "ts": "2026-03-02T09:00:00Z", "run_id": "r", "call_id": "a", "tool": "charge_card", "args": {"amount": 1500}}
{"type": "tool_result", "ts": "2026-03-02T09:00:01Z", "run_id": "r", "call_id": "a", "status": "ok", "result": {"charge": "ch_1"}}
{"type": "tool_call", "ts": "2026-03-02T09:00:10Z", "run_id": "r", "call_id": "b", "tool": "charge_card", "args": {"amount": 1500}}
{"type": "tool_result", "ts": "2026-03-02T09:00:11Z", "run_id": "r", "call_id": "b", "status": "ok", "result": {"charge": "ch_2"}}
`

// hand is a board's hands in a test's world.
func hand(t *testing.T, w *world, args ...string) (*actor, *session) {
	t.Helper()
	a := &app{env: &w.Env, opts: newOptions()}
	a.opts.tools, a.opts.namedTools = filepath.Join(w.Dir, "tools.yaml"), true
	s, err := a.start(t.Context(), args, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	x := a.newActor(t.Context(), s)
	t.Cleanup(func() { _ = x.Close(false) })
	return x, s
}

// finding waits for the finding of a kind to be as it should.
func finding(t *testing.T, s *session, kind triage.Kind, want func(*triage.Finding) bool) *triage.Finding {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for _, f := range s.Snapshot().Findings.All {
			if f.Kind == kind && want(f) {
				return f
			}
		}
	}
	t.Fatalf("no such %s", kind)
	return nil
}

// TestOwnAcks: without a ledger an acknowledgement hides a finding, is kept for the next time, never turns the verdict, and is over
// when the finding grows.
func TestOwnAcks(t *testing.T) {
	w := newWorld(t)
	state := t.TempDir()
	w.Getenv = func(name string) string {
		if name == "XDG_STATE_HOME" {
			return state
		}
		return ""
	}
	path := filepath.Join(w.Dir, "run.jsonl")
	write(t, filepath.Join(w.Dir, "tools.yaml"), "tools: {charge_card: {class: compensate}}\n")
	write(t, path, twoCharges)
	x, s := hand(t, w, path)
	for _, act := range []board.Action{board.ActFail, board.ActCommit, board.ActHumanKey, board.ActUndo, board.ActCompensate} {
		if why := x.Can(act); why == "" {
			t.Errorf("%s works without a ledger", act)
		}
	}
	f := finding(t, s, triage.Duplicate, func(f *triage.Finding) bool { return f.Ack == "" })
	in := board.Acknowledge{Findings: []string{f.ID}, Keys: []string{f.Key}, Seen: []string{"something else"}, Reason: "known"}
	if _, err := x.Do(t.Context(), in); err == nil || !strings.Contains(err.Error(), "it has grown since you were asked") {
		t.Fatal(err)
	}
	_, _, in.Seen[0] = f.Acknowledgement()
	if _, err := x.Do(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	f = finding(t, s, triage.Duplicate, func(f *triage.Finding) bool { return f.Ack != "" })
	if f.Ack != "unknown@unknown: known" || f.Blocks() != "critical" || s.Snapshot().Verdict.Go {
		t.Errorf("%q, blocks %q", f.Ack, f.Blocks())
	}
	info, err := os.Stat(x.acks.path)
	if err != nil || info.Mode().Perm() != 0o600 || !strings.HasPrefix(x.acks.path, state) {
		t.Errorf("%v %v", info, err)
	}
	_, again := hand(t, w, path)
	finding(t, again, triage.Duplicate, func(f *triage.Finding) bool { return f.Ack == "unknown@unknown: known" })
	write(t, path, twoCharges+strings.NewReplacer(`"b"`, `"c"`, "ch_2", "ch_3", "09:00:1", "09:00:2").Replace(lastTwo(twoCharges)))
	finding(t, again, triage.Duplicate, func(f *triage.Finding) bool { return f.Ack == "" && f.Calls == 3 })
}

func lastTwo(text string) string {
	list := strings.SplitAfter(text, "\n")
	return strings.Join(list[len(list)-3:], "")
}

// TestTableActs changes the table in place and judges by it at once, and refuses a table that was changed behind its back.
func TestTableActs(t *testing.T) {
	w := newWorld(t)
	path, tools := filepath.Join(w.Dir, "run.jsonl"), filepath.Join(w.Dir, "tools.yaml")
	const before = "# mine\ntools:\n  get_file: {class: pure} # reads\n"
	write(t, tools, before)
	write(t, path, twoCharges)
	x, s := hand(t, w, path)
	finding(t, s, triage.UnclassifiedTool, func(f *triage.Finding) bool { return f.Tool == "charge_card" })
	said, err := x.Do(t.Context(), board.Classify{Tools: []string{"charge_card"}, Class: table.Keyed, Effect: table.Write})
	if err != nil || said != "charge_card: keyed write" {
		t.Fatal(said, err)
	}
	got, err := os.ReadFile(tools)
	if err != nil || !strings.HasPrefix(string(got), before) || !strings.Contains(string(got), "charge_card:") || !strings.Contains(string(got), "effect: write") {
		t.Fatalf("%s %v", got, err)
	}
	finding(t, s, triage.Duplicate, func(f *triage.Finding) bool { return f.Class == table.Keyed && f.Severity == triage.Critical })
	if _, err := x.Do(t.Context(), board.AddIgnore{Tool: "charge_card", Pointer: "/at"}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(tools); err != nil || !strings.Contains(string(got), "/at") {
		t.Fatalf("%s %v", got, err)
	}
	if _, err := x.Do(t.Context(), board.AddIgnore{Tool: "charge_card", Pointer: "at"}); err == nil {
		t.Error("a pointer without a slash was taken")
	}
	x.s.tableAt.fixed = "found beside the trace"
	if _, err := x.Do(context.Background(), board.Classify{Tools: []string{"charge_card"}, Class: table.Pure}); err == nil || !strings.Contains(err.Error(), "found beside the trace") {
		t.Error(err)
	}
}

// TestIgnoreDiffers: a rule that would merge calls which were answered differently is named so before it is written, and is written only
// when somebody says so all the same.
func TestIgnoreDiffers(t *testing.T) {
	w := newWorld(t)
	path, tools := filepath.Join(w.Dir, "run.jsonl"), filepath.Join(w.Dir, "tools.yaml")
	write(t, tools, "tools:\n  charge_card: {class: keyed}\n")
	write(t, path, `{"type": "tool_call", "ts": "2026-03-02T09:00:00Z", "run_id": "r", "call_id": "1", "tool": "charge_card", "args": {"order": 1}}
{"type": "tool_result", "ts": "2026-03-02T09:00:01Z", "run_id": "r", "call_id": "1", "status": "ok", "result": {"charge": "ch_1"}}
{"type": "tool_call", "ts": "2026-03-02T09:00:02Z", "run_id": "r", "call_id": "2", "tool": "charge_card", "args": {"order": 2}}
{"type": "tool_result", "ts": "2026-03-02T09:00:03Z", "run_id": "r", "call_id": "2", "status": "ok", "result": {"charge": "ch_2"}}
`)
	x, s := hand(t, w, path)
	for end := time.Now().Add(30 * time.Second); s.Snapshot().Totals.Results < 2 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	p, err := x.Preview(t.Context(), "charge_card", "/order")
	if err != nil || p.Sets != 1 || !p.Differs || len(p.Lines) != 1 || !strings.HasPrefix(p.Lines[0], "results DIFFER  r: 2 calls, 2 keys, first at ") {
		t.Fatalf("%+v %v", p, err)
	}
	in := board.AddIgnore{Tool: "charge_card", Pointer: "/order"}
	if _, err := x.Do(t.Context(), in); err == nil || !strings.Contains(err.Error(), "dangerous") {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(tools); err != nil || strings.Contains(string(got), "/order") {
		t.Fatalf("%s %v", got, err)
	}
	in.Different = true
	if _, err := x.Do(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(tools); err != nil || !strings.Contains(string(got), "/order") {
		t.Fatalf("%s %v", got, err)
	}
}

// TestReadOnly: no action works, and each says why.
func TestReadOnly(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.Dir, "run.jsonl")
	write(t, filepath.Join(w.Dir, "tools.yaml"), "tools: {charge_card: {class: compensate}}\n")
	write(t, path, twoCharges)
	x, _ := hand(t, w, path)
	x.a.opts.readOnly = true
	for _, act := range []board.Action{
		board.ActFail, board.ActCommit, board.ActHumanKey, board.ActCompensate, board.ActAck, board.ActUndo, board.ActClassify, board.ActIgnore,
	} {
		if why := x.Can(act); !strings.Contains(why, "read-only") {
			t.Errorf("%s: %q", act, why)
		}
	}
	for _, in := range []board.Intent{board.Classify{Tools: []string{"charge_card"}, Class: table.Pure}, board.AddIgnore{Tool: "charge_card", Pointer: "/at"}} {
		if _, err := x.Do(t.Context(), in); err == nil {
			t.Errorf("%T was carried out", in)
		}
	}
}
