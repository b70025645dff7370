package trace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"
)

// TestSilentPipe waits for the writer of a pipe without holding anything up: not the other sources, not the end.
func TestSilentPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	file := write(t, filepath.Join(dir, "a.jsonl"), text(lines(0, 5)))
	for _, following := range []bool{true, false} {
		r, err := Open(t.Context(), Config{Sources: sources(pipe, file), Follow: following, SpoolDir: dir})
		must(t, err)
		done := make(chan error)
		go func() {
			g := newGather()
			var w Scratch
			for g.stats.Calls < 5 {
				it, err := r.Next(t.Context())
				if err != nil {
					break
				}
				g.take(t, it, &w)
			}
			done <- r.Close()
		}()
		select {
		case err := <-done:
			must(t, err)
		case <-time.After(time.Minute):
			t.Fatalf("following %v: a pipe that nobody writes to holds up the rest", following)
		}
	}
}

// TestBrokenInput tells of standard input that breaks off: what came before counts, but it is not all.
func TestBrokenInput(t *testing.T) {
	broken := errors.New("input/output error")
	for name, before := range map[string]int{"at once": 0, "after lines": 3} {
		t.Run(name, func(t *testing.T) {
			in := io.MultiReader(strings.NewReader(text(lines(0, before))), iotest.ErrReader(broken))
			g := readAll(t, Config{Sources: sources(Stdin), Stdin: in, SpoolDir: t.TempDir()})
			bad := g.told(Unreadable)
			if len(bad) != 1 || !errors.Is(bad[0].Err, broken) || bad[0].Path != Stdin || g.stats.Calls != before {
				t.Errorf("%d calls and %+v, want %d and one notice with %v", g.stats.Calls, bad, before, broken)
			}
		})
	}
}

// TestBarredFolder says of a folder that was named why it cannot be read, and not that it holds no traces.
func TestBarredFolder(t *testing.T) {
	if os.Getuid() == 0 { // who may read every folder
		asNobody(t)
		return
	}
	dir := filepath.Join(t.TempDir(), "barred")
	must(t, os.Mkdir(dir, 0o000))
	g := readAll(t, Config{Sources: sources(dir)})
	if bad := g.told(Unreadable); len(bad) != 1 || !errors.Is(bad[0].Err, fs.ErrPermission) || len(g.told(NoTraces)) > 0 {
		t.Errorf("told %+v, want a permission alone", g.notices)
	}
}

// asNobody runs this test again as a user who may not read everything.
func asNobody(t *testing.T) {
	const nobody = 65534
	self, err := os.Executable()
	must(t, err)
	data, err := os.ReadFile(self)
	must(t, err)
	dir, err := os.MkdirTemp("", "drainboard-test-") // not t.TempDir, which is for its owner alone
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o755))
	bin := filepath.Join(dir, "trace.test")
	must(t, os.WriteFile(bin, data, 0o755))
	must(t, os.Chmod(bin, 0o755))
	cmd := exec.CommandContext(t.Context(), bin, "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}
