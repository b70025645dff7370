package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drainboard/ledger"
)

// sh is a command of the system's shell; tests without one are skipped.
func sh(t *testing.T, script string) Command {
	t.Helper()
	bin, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh to run commands with")
	}
	return Command{Argv: []string{bin, "-c", script}, Env: Allow(os.Environ(), nil), Grace: time.Minute}
}

func TestRun(t *testing.T) {
	big := "i=0; while [ $i -lt 100 ]; do echo 0123456789; i=$((i+1)); done"
	tests := []struct {
		name   string
		change func(c *Command)
		script string
		want   Result // Took aside
	}{
		{"output and exit code", nil, "echo out; echo err >&2; exit 3", Result{
			Exit: 3, Stdout: Output{Head: []byte("out\n"), Bytes: 4}, Stderr: Output{Head: []byte("err\n"), Bytes: 4},
		}},
		{"a signal", nil, "kill -9 $$", Result{Exit: 137, Signal: "SIGKILL"}},
		{"standard input", func(c *Command) { c.Stdin = strings.NewReader("in") }, "cat", Result{Stdout: Output{Head: []byte("in"), Bytes: 2}}},
		{"no standard input", nil, "cat", Result{}},
		{"head and tail", func(c *Command) { c.Keep = 12 }, big, Result{Stdout: Output{Head: []byte("0123456789\n0"), Tail: []byte("\n0123456789\n"), Bytes: 1100}}},
		{"its folder", func(c *Command) { c.Dir = "/" }, "pwd", Result{Stdout: Output{Head: []byte("/\n"), Bytes: 2}}},
		{"an empty environment", func(c *Command) { c.Env = nil }, "echo ${HOME-none}", Result{Stdout: Output{Head: []byte("none\n"), Bytes: 5}}},
		{"the limit", func(c *Command) { c.Limit = 20 * time.Millisecond }, "exec sleep 60", Result{Exit: 143, Signal: "SIGTERM", TimedOut: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := sh(t, tt.script)
			if tt.change != nil {
				tt.change(&c)
			}
			got, err := Run(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			if got.Exit != tt.want.Exit || got.Signal != tt.want.Signal || got.TimedOut != tt.want.TimedOut || got.Stopped {
				t.Fatalf("got %+v", got)
			}
			for _, o := range []struct{ got, want Output }{{got.Stdout, tt.want.Stdout}, {got.Stderr, tt.want.Stderr}} {
				if o.got.Bytes != o.want.Bytes || !bytes.Equal(o.got.Head, o.want.Head) || !bytes.Equal(o.got.Tail, o.want.Tail) {
					t.Fatalf("output %q %q %d, want %q %q %d", o.got.Head, o.got.Tail, o.got.Bytes, o.want.Head, o.want.Tail, o.want.Bytes)
				}
			}
		})
	}
}

// TestTheWholeGroupEnds: what the command started ends with it once it is ready, even if the command itself is long gone.
func TestTheWholeGroupEnds(t *testing.T) {
	for _, script := range []string{
		"sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.05; done' & wait",
		"sh -c 'echo $$; exec sleep 600' & wait",
	} {
		ctx, cancel := context.WithCancel(context.Background())
		c := sh(t, script)
		c.Stdout = writer(func(p []byte) (int, error) { cancel(); return len(p), nil })
		c.Grace = 200 * time.Millisecond
		got, err := Run(ctx, c)
		if err != nil || !got.Stopped {
			t.Fatalf("%+v %v", got, err)
		}
		stat := filepath.Join("/proc", strings.TrimSpace(string(got.Stdout.Head)), "stat")
		for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			said, err := os.ReadFile(stat)
			if err != nil || strings.Contains(string(said), ") Z ") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the grandchild is still there: %s", said)
			}
		}
	}
}

// TestContextStops stops commands once they have said that they are ready.
func TestContextStops(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		grace        time.Duration
		exit         int
	}{
		{"TERM ends it", "echo ready; exec sleep 600", time.Minute, 143},
		{"TERM is ignored", "trap '' TERM; echo ready; while :; do sleep 1; done", 50 * time.Millisecond, 137},
		{"it tidies up", "exec 2>/dev/null; trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done", time.Minute, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			c := sh(t, tt.script)
			c.Grace = tt.grace
			c.Stdout = writer(func(p []byte) (int, error) { cancel(); return len(p), nil })
			got, err := Run(ctx, c)
			if err != nil || !got.Stopped || got.TimedOut || got.Exit != tt.exit {
				t.Fatalf("%+v %v", got, err)
			}
		})
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestStreamThatFails: a reader that goes away is told of, and the child is not.
func TestStreamThatFails(t *testing.T) {
	c := sh(t, "echo one; echo two; exit 4")
	gone := errors.New("gone")
	c.Stdout = writer(func([]byte) (int, error) { return 0, gone })
	got, err := Run(context.Background(), c)
	if err != nil || got.Exit != 4 || !errors.Is(got.Stream, gone) || string(got.Stdout.Head) != "one\ntwo\n" {
		t.Fatalf("%+v %v", got, err)
	}
}

func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	junk := filepath.Join(dir, "junk")
	if err := os.WriteFile(junk, []byte{0, 1, 2}, 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		argv []string
		env  []string
		exit int
	}{
		{"nothing", nil, nil, 127},
		{"no such name", []string{"no-such-program"}, []string{"PATH=" + dir}, 127},
		{"no PATH", []string{"sh"}, nil, 127},
		{"no such file", []string{dir + "/none"}, nil, 127},
		{"not executable", []string{plain}, nil, 126},
		{"not executable, by name", []string{"plain"}, []string{"PATH=" + dir}, 126},
		{"a folder", []string{dir + "/"}, nil, 126},
		{"not a program", []string{junk}, nil, 126},
		{"the working directory is not in PATH", []string{"plain"}, []string{"PATH=."}, 127},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Run(context.Background(), Command{Argv: tt.argv, Env: tt.env})
			var n *NotStarted
			if !errors.As(err, &n) || n.Exit != tt.exit {
				t.Fatalf("got %v, want exit %d", err, tt.exit)
			}
		})
	}
}

func TestAllow(t *testing.T) {
	got := Allow([]string{"PATH=/bin", "SECRET=1", "GH_TOKEN=t", "HOME=/h", "odd"}, []string{"GH_TOKEN"})
	if want := []string{"PATH=/bin", "GH_TOKEN=t", "HOME=/h"}; !slices.Equal(got, want) {
		t.Fatalf("got %q", got)
	}
}

func TestScript(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"good": 0o755, "loose": 0o777, "plain": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("good", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	full, err := filepath.EvalSymlinks(filepath.Join(dir, "good"))
	if err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string]string{
		"./good": "", "good": "", "link": "", filepath.Join(dir, "good"): "",
		"loose": "only its owner may change", "plain": "leave to execute", "none": "find the script", ".": "expected a program",
	} {
		got, err := Script(dir, name)
		if words == "" && (err != nil || got != full) {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if words != "" && (err == nil || !strings.Contains(err.Error(), words)) {
			t.Errorf("%s: %v, want %q", name, err, words)
		}
	}
}

func TestAlive(t *testing.T) {
	p := Proc{"/proc"}
	self, err := p.Self()
	if err != nil || self.PID != os.Getpid() {
		t.Fatalf("%+v %v", self, err)
	}
	if self.PIDStart == 0 {
		t.Skip("there is no /proc here: whether a process lives is not known")
	}
	change := func(f func(o *ledger.Owner)) ledger.Owner { o := self; f(&o); return o }
	for name, tt := range map[string]struct {
		o    ledger.Owner
		want ledger.Liveness
	}{
		"this process":            {self, ledger.Alive},
		"another host":            {change(func(o *ledger.Owner) { o.Host += "x" }), ledger.Unknown},
		"another boot":            {change(func(o *ledger.Owner) { o.BootID += "x" }), ledger.Gone},
		"its number was reused":   {change(func(o *ledger.Owner) { o.PIDStart++ }), ledger.Gone},
		"start unknown":           {change(func(o *ledger.Owner) { o.PIDStart = 0 }), ledger.Unknown},
		"nobody has such numbers": {change(func(o *ledger.Owner) { o.PID = 1 << 30 }), ledger.Gone},
	} {
		if got := p.Alive(self, tt.o); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// TestStat reads names of commands that try to look like other fields.
func TestStat(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "7"), 0o700); err != nil {
		t.Fatal(err)
	}
	fields := " 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %s 1 1"
	for text, want := range map[string]int64{
		"7 (sh) S" + strings.Replace(fields, "%s", "4711", 1):           4711,
		"7 (a) R (b) 9 9) S" + strings.Replace(fields, "%s", "4712", 1): 4712,
		"7 (sh) Z" + strings.Replace(fields, "%s", "4713", 1):           0,
		"7 sh": 0, "": 0,
	} {
		if err := os.WriteFile(filepath.Join(root, "7", "stat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _ := (Proc{root}).start(7); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func FuzzKeeper(f *testing.F) {
	f.Add([]byte("hello world"), uint8(3), uint8(4))
	f.Fuzz(func(t *testing.T, data []byte, keep, step uint8) {
		n := int(keep%40) + 1
		k := newKeeper(nil, n)
		for rest := data; len(rest) > 0; {
			m := min(int(step%17)+1, len(rest))
			if w, err := k.Write(rest[:m]); w != m || err != nil {
				t.Fatal(w, err)
			}
			rest = rest[m:]
		}
		o := k.output()
		head := data[:min(n, len(data))]
		rest := data[len(head):]
		tail := rest[max(0, len(rest)-n):]
		if o.Bytes != int64(len(data)) || !bytes.Equal(o.Head, head) || !bytes.Equal(o.Tail, tail) {
			t.Fatalf("keep %d of %q: %q %q %d", n, data, o.Head, o.Tail, o.Bytes)
		}
		whole, ok := o.Whole()
		if ok != (len(data) <= 2*n) || ok && !bytes.Equal(whole, data) {
			t.Fatalf("whole %q %v", whole, ok)
		}
	})
}
