//go:build unix

package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestExecPassesSignalsOn ends a command by each signal that drainboard takes: the child gets that one, and no other.
func TestExecPassesSignalsOn(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			dir := shop(t, "")
			write(t, filepath.Join(dir, "tools.yaml"), "tools:\n  open_pr: {class: keyed}\n")
			script := `for s in INT TERM HUP; do trap "echo $s > got; exit 9" $s; done; : > running; while :; do sleep 0.01; done`
			cmd := drainboard(t, dir, "exec", "--quiet", "--run", "r", "--tool", "open_pr", "--args", "{}", "--", "sh", "-c", script)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			started(t, filepath.Join(dir, "running"))
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 9 {
				t.Errorf("it ended with %v", err)
			}
			got, err := os.ReadFile(filepath.Join(dir, "got"))
			if err != nil || strings.TrimSpace(string(got)) != name {
				t.Errorf("the command got %q, %v; want %s", got, err, name)
			}
			if out := ends(t, drainboard(t, dir, "ledger", "ls", "--json"), 0); !strings.Contains(out, `"inflight":1`) {
				t.Errorf("it is not in doubt: %s", out)
			}
		})
	}
}
