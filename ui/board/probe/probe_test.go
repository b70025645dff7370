package probe_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	_ "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"

	_ "drainboard/ui/board/probe"
)

const silentEnv = "DRAINBOARD_TEST_SILENT"

func TestMain(m *testing.M) {
	if os.Getenv(silentEnv) != "" {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestNothingIsAsked starts a program that imports Bubble Tea and this package on a terminal that never answers: not one byte is
// written, and it ends without waiting. Without the import it writes a query and waits for five seconds.
func TestNothingIsAsked(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	for _, kv := range os.Environ() {
		if kv != "CI" && (len(kv) < 3 || kv[:3] != "CI=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, silentEnv+"=1", "TERM=xterm-256color", "COLORTERM=", "TMUX=")
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	defer master.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Run(); err != nil {
		t.Fatalf("the program did not end by itself: %v", err)
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	if out, _ := io.ReadAll(master); len(out) > 0 {
		t.Errorf("the terminal was sent %q", out)
	}
}
