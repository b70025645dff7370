package command_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// screen is a board on an emulated terminal.
type screen struct {
	t   *testing.T
	tty *os.File
	cmd *exec.Cmd

	mu   sync.Mutex
	term *vt.Emulator
	raw  bytes.Buffer
}

func open(t *testing.T, dir string, args ...string) *screen {
	t.Helper()
	return openAt(t, 160, 40, dir, args...)
}

// openAt opens a board on a terminal of a size.
func openAt(t *testing.T, cols, rows int, dir string, args ...string) *screen {
	t.Helper()
	cmd := drainboard(t, dir, args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "CI=")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, tty: tty, cmd: cmd, term: vt.NewEmulator(cols, rows)}
	go func() { _, _ = io.Copy(io.Discard, s.term) }() // its answers; nobody asks
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := tty.Read(buf)
			s.mu.Lock()
			_, _ = s.term.Write(buf[:n])
			s.raw.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.String()
}

// sees waits until the screen shows all of some texts.
func (s *screen) sees(want ...string) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text, missing := s.text(), ""
		for _, w := range want {
			if !strings.Contains(text, w) {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("never saw %q on\n%s", missing, text)
		}
	}
}

func (s *screen) types(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		if _, err := io.WriteString(s.tty, k); err != nil {
			s.t.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond) // as fingers do: letters that come at once are one paste to some terminals
	}
}

// asks presses an action's key until its question is up: a row that has just moved is not acted on.
func (s *screen) asks(key, question string) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		s.types(key)
		for range 20 {
			if strings.Contains(s.text(), question) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	s.t.Fatalf("%q never asked %q on\n%s", key, question, s.text())
}

func (s *screen) ends() {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		s.t.Fatalf("it does not end\n%s", s.text())
	}
	_ = s.tty.Close()
}

const enter = "\r"

// TestBoardHands acts on the board: a row that a worker settled while the question was up is left alone, the others are settled, undone,
// acknowledged, and the log tells it.
func TestBoardHands(t *testing.T) {
	dir := shop(t, "cat >> undone\n")
	exec := func(code int, args ...string) {
		ends(t, drainboard(t, dir, append([]string{"exec", "--quiet", "--run", "r", "--tool", "open_pr"}, args...)...), code)
	}
	write(t, filepath.Join(dir, "tools.yaml"), "tools:\n  charge_card: {class: compensate, compensate: {run: [./undo.sh]}}\n  open_pr: {class: keyed, in_doubt_exit: [9]}\n")
	exec(9, "--args", `{"n": 1}`, "--", "sh", "-c", "exit 9")
	s := open(t, dir, "run.jsonl", "--actor", "alice")
	s.sees("NO-GO 2", "charge_card")

	s.types("2")
	s.sees("open_pr", "inflight")
	s.asks("f", "Mark open_pr")
	ends(t, drainboard(t, dir, "ledger", "mark", rowKey(t, dir, "open_pr"), "committed", "--response", "1", "--reason", "worker", "--yes"), 0)
	s.types("looked", enter, "y")
	s.sees("the row moved: it was inflight")

	s.types("1")
	s.asks("c", "Compensate")
	s.sees("2 effects of charge_card", "undo.sh", "environment: PATH HOME LANG TZ DRAINBOARD_*")
	s.types("charged twice", enter, "charge_card", enter, "y")
	s.sees("2 of 2 compensated", "GO")
	if got := lines(t, filepath.Join(dir, "undone")); len(got) != 2 || !strings.Contains(got[0], `"actor":"alice (`) {
		t.Fatalf("undone %q", got)
	}
	s.types("6")
	s.sees("compensated", "mark committed", "reason: exit code 0")
	s.types("j")
	s.sees("reason: charged twice")
	s.types("q")
	s.ends()
	if bytes.Count(s.raw.Bytes(), []byte("\x1b[?1049l")) == 0 {
		t.Error("the terminal was not restored")
	}
}

// rowKey is the key of the one row of a tool.
func rowKey(t *testing.T, dir, tool string) string {
	t.Helper()
	out := ends(t, drainboard(t, dir, "ledger", "ls", "--json"), 0)
	_, rest, _ := strings.Cut(out, `"rows":`)
	at := strings.Index(rest, `","tool":"`+tool)
	if at < 64 {
		t.Fatalf("no row of %s in %s", tool, out)
	}
	return rest[at-64 : at]
}

// TestBoardEndsWhileAScriptRuns hangs up on a board whose compensation runs: it waits for the script, starts no other one, and records
// the end.
func TestBoardEndsWhileAScriptRuns(t *testing.T) {
	dir := shop(t, ": > running\nwhile [ ! -e go ]; do sleep 0.01; done\ncat >> undone\n")
	s := open(t, dir, "run.jsonl")
	s.sees("NO-GO 1", "charge_card")
	s.asks("c", "Compensate")
	s.types("charged twice", enter, "charge_card", enter, "y")
	started(t, filepath.Join(dir, "running"))
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.sees("waiting for the compensation of charge_card")
	write(t, filepath.Join(dir, "go"), "")
	s.ends()
	if got := lines(t, filepath.Join(dir, "undone")); len(got) != 1 {
		t.Fatalf("undone %q", got)
	}
	if out := ends(t, drainboard(t, dir, "ledger", "log"), 0); strings.Count(out, "compensated") != 1 || !strings.Contains(out, "exit code 0") {
		t.Fatal(out)
	}
}
