package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recorded run: a call that its model asked for twice, with other answers, and one whose arguments hold the time.
const recorded = `{"type": "tool_call", "ts": "2026-03-02T09:00:00Z", "run_id": "r", "call_id": "c1", "tool": "open_pr", "args": {"head": "feat/keys"}}
{"type": "tool_result", "ts": "2026-03-02T09:00:01Z", "run_id": "r", "call_id": "c1", "status": "ok", "result": {"pr": 41}}
{"type": "tool_call", "ts": "2026-03-02T09:00:10Z", "run_id": "r", "call_id": "c2", "tool": "open_pr", "args": {"head": "feat/keys"}}
{"type": "tool_result", "ts": "2026-03-02T09:00:11Z", "run_id": "r", "call_id": "c2", "status": "ok", "result": {"pr": 42}}
{"type": "tool_call", "ts": "2026-03-02T09:00:20Z", "run_id": "r", "call_id": "c3", "tool": "post_status", "args": {"text": "up", "at": "2026-03-02T09:00:20Z"}}
{"type": "tool_result", "ts": "2026-03-02T09:00:21Z", "run_id": "r", "call_id": "c3", "status": "ok", "result": "sent"}
{"type": "tool_call", "ts": "2026-03-02T09:00:30Z", "run_id": "r", "call_id": "c4", "tool": "post_status", "args": {"text": "up", "at": "2026-03-02T09:00:30Z"}}
{"type": "tool_result", "ts": "2026-03-02T09:00:31Z", "run_id": "r", "call_id": "c4", "status": "ok", "result": "sent"}
`

// TestStories are two of the three users of PRODUCT.md with a board on a terminal, each in few keys; the one on call is TestBoardHands.
func TestStories(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "run.jsonl"), recorded)
	write(t, filepath.Join(dir, "tools.yaml"), "tools:\n  post_status: {class: keyed} # says that it is up\n")
	tools := func() string {
		src, err := os.ReadFile(filepath.Join(dir, "tools.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}

	t.Run("developer", func(t *testing.T) { // is the repeat in the model's output or in my handler, and why do these keys differ?
		s := openAt(t, 100, 26, dir, "run.jsonl", "--utc", "--now", "2026-03-02T09:02:00Z")
		s.sees("the repeat is in the model's", "confirmed extra write", "drift /at")
		s.types("/", "kind:drift", enter, enter)
		s.sees("DIFFERENCES", "/at", "timestamp")
		s.types("\x1b")
		s.asks("i", "Leave an argument out of the keys of post_status?")
		s.sees("merges 1 set of keys", "equal results  r: 2 calls, 2 keys, first at run.jsonl:5 and run.jsonl:7")
		s.picture("developer")
		s.types(enter, "y")
		s.sees("post_status ignores /at")
		if got := tools(); !strings.Contains(got, "/at") || !strings.Contains(got, "# says that it is up") {
			t.Errorf("the table is %q", got)
		}
		s.types("q")
		s.ends()
	})
	t.Run("reviewer", func(t *testing.T) { // which tools are in no class?
		s := openAt(t, 100, 26, dir, "run.jsonl", "--utc", "--now", "2026-03-02T09:02:00Z")
		s.sees("/kind:drift") // as it was left
		s.types("4")
		s.sees("open_pr", "unclassified", "NO-GO")
		s.asks("t", "Classify open_pr?")
		s.sees("keyed: its name says open")
		s.types("j", "j")
		s.sees("on confirmed extra write  close or comment the extra object")
		s.picture("reviewer")
		s.types("y")
		s.sees("open_pr: keyed")
		if got := tools(); !strings.Contains(got, "open_pr") {
			t.Errorf("the table is %q", got)
		}
		s.types("q")
		s.ends()
	})
	t.Run("in lines", func(t *testing.T) {
		cmd := drainboard(t, dir, "run.jsonl", "--utc", "--plain", "--now", "2026-03-02T12:00:00Z")
		cmd.Stdin = strings.NewReader("1\nesc\n/\nsev:critical\nq\n")
		out := ends(t, cmd, 0)
		for _, want := range []string{"NO-GO 1; live", "Findings, 1 row", "the repeat is in the model's output"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("there are escapes in %q", out)
		}
	})
	if got := fmt.Sprint(len(lines(t, filepath.Join(dir, "run.jsonl")))); got != "8" {
		t.Errorf("the trace has %s lines", got)
	}
}
