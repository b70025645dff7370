package postgres

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"drainboard/ledger"
)

// program is the whole program, built for the tests that need several of it.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "drainboard-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "drainboard")
	out, err := exec.Command("go", "build", "-o", path, "drainboard").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

const chargeKey = "41beb98a18ce631112e9b4e023ac261ab12b452932d399f367e2a26a96f89b83"

// shop is a folder with three charges under one key, of which the ledger stores the first, and the program in it.
func shop(t *testing.T, url string) func(args ...string) *exec.Cmd {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var trace bytes.Buffer
	for i := 1; i <= 3; i++ {
		fmt.Fprintf(&trace, `{"type": "tool_call", "ts": "2026-03-02T09:00:%02dZ", "run_id": "r", "call_id": "%d", "tool": "charge_card", "args": {"amount": 1500}}`+"\n", 2*i, i)
		fmt.Fprintf(&trace, `{"type": "tool_result", "ts": "2026-03-02T09:00:%02dZ", "run_id": "r", "call_id": "%d", "status": "ok", "result": {"charge": "ch_%d"}}`+"\n", 2*i+1, i, i)
	}
	for name, text := range map[string]string{
		"run.jsonl": trace.String(), "undo.sh": "#!/bin/sh\ncat >> undone\n",
		"tools.yaml": "tools:\n  charge_card: {class: compensate, compensate: {run: [./undo.sh], timeout: 20s}}\n  open_pr: {class: keyed}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "DRAINBOARD_LEDGER="+url)
		return cmd
	}
}

// TestCommands works on a PostgreSQL ledger as on a file: exec sends once, twenty processes undo each extra effect once, and the log
// tells it; no output holds the password.
func TestCommands(t *testing.T) {
	url := strings.Replace(database(t), "drainer@", "drainer:s3cret@", 1)
	drainboard := shop(t, url)
	for range 2 {
		out, err := drainboard("exec", "--run", "r", "--tool", "open_pr", "--args", "{}", "--", "sh", "-c", "echo sent >> sent; echo 41").Output()
		if err != nil || string(out) != "41\n" {
			t.Fatalf("%q %v", out, err)
		}
	}
	s := openStore(t, url, StoreOptions{})
	row := ledger.Row{
		Key: chargeKey, Tool: "charge_card", Request: `{"amount": 1500}`, Response: `{"charge": "ch_1"}`, HasResponse: true, State: ledger.Committed,
		Created: 1772442000, Updated: 1772442001,
	}
	if err := s.Update(context.Background(), func(tx ledger.Tx) error { return tx.Insert(&row) }); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if out, err := drainboard("compensate", "--all", "--from", "run.jsonl", "--reason", "twice", "--yes", "--quiet").CombinedOutput(); err != nil && !bytes.Contains(out, []byte("left as it is")) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	cmd := drainboard("check", "run.jsonl", "--now", "2026-03-02T12:00:00Z")
	undone, err := os.ReadFile(filepath.Join(cmd.Dir, "undone"))
	if err != nil || bytes.Count(undone, []byte("\n")) != 2 || !bytes.Contains(undone, []byte("ch_2")) || !bytes.Contains(undone, []byte("ch_3")) {
		t.Fatalf("undone %s %v", undone, err)
	}
	if sent, err := os.ReadFile(filepath.Join(cmd.Dir, "sent")); err != nil || string(sent) != "sent\n" {
		t.Fatalf("sent %q %v", sent, err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("GO")) || bytes.Contains(out, []byte("s3cret")) {
		t.Fatalf("%s %v", out, err)
	}
	out, err = drainboard("ledger", "log").CombinedOutput()
	if err != nil || bytes.Count(out, []byte("exit code 0")) != 2 || bytes.Contains(out, []byte("s3cret")) {
		t.Fatalf("%s %v", out, err)
	}
	for _, args := range [][]string{{"ledger", "fence", "--yes"}, {"ledger", "recover", "--yes"}} {
		if out, err := drainboard(args...).CombinedOutput(); err == nil || bytes.Contains(out, []byte("s3cret")) {
			t.Errorf("%q: %s", args, out)
		}
	}
	gone := strings.Replace(url, "host=%2Ftmp", "host=%2Fnowhere", 1)
	cmd = drainboard("ledger", "ls")
	cmd.Env = append(cmd.Env, "DRAINBOARD_LEDGER="+gone)
	if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("expected a PostgreSQL server, could not reach one; check host, port and network")) && !bytes.Contains(out, []byte("could not reach one")) || bytes.Contains(out, []byte("s3cret")) {
		t.Errorf("%s %v", out, err)
	}
}
