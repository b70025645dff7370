package board

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
)

// The test binary is also the program that the tests below put on a terminal of its own: helperEnv says what it does there.
const helperEnv = "DRAINBOARD_TEST_BOARD"

func TestMain(m *testing.M) {
	if how := os.Getenv(helperEnv); how != "" {
		os.Exit(helper(how))
	}
	os.Exit(m.Run())
}

// trouble is an engine that does something bad when it is asked.
type trouble struct {
	*fake
	calls, updates, progress func()
	asked                    int
	news                     atomic.Pointer[triage.Snapshot]
}

func (e *trouble) Snapshot() *triage.Snapshot {
	if s := e.news.Load(); s != nil {
		return s
	}
	return e.snap
}

func (e *trouble) Progress() intake.Progress {
	if e.asked++; e.asked > 1 && e.progress != nil { // the board is up, and its second hand asks
		e.progress()
	}
	return e.fake.Progress()
}

func (e *trouble) Calls(ctx context.Context, q intake.Query) ([]triage.CallView, int, error) {
	if e.calls != nil {
		e.calls()
	}
	return e.fake.Calls(ctx, q)
}

func (e *trouble) Updates() <-chan struct{} {
	if e.updates != nil {
		e.updates()
	}
	return e.fake.Updates()
}

// helper runs the board on the terminal it is on; its exit code says how it ended.
func helper(how string) int {
	eng := &trouble{fake: newFake()}
	switch how {
	case "crowd":
		eng.fake = crowd(million)
		go func() { // as while lines arrive: a newer snapshot twenty times a second
			for g := uint64(2); ; g++ {
				s := *eng.snap
				s.Generation = g
				s.Totals.Calls += int(g)
				s.Sides = slices.Clone(s.Sides)
				s.Sides[0].Calls += int(g)
				eng.news.Store(&s)
				eng.fake.updates <- struct{}{}
				time.Sleep(pumpPause)
			}
		}()
	case "command":
		eng.calls = func() { panic("in a command") }
	case "update":
		eng.progress = func() { panic("in update") }
	case "stuck":
		eng.progress = func() { _, _ = io.WriteString(os.Stdout, "STUCK"); select {} }
	case "goroutine":
		eng.updates = func() { panic("in a goroutine") }
	}
	opt := options()
	opt.In, opt.Out, opt.Env, opt.Faults, opt.Theme = os.Stdin, os.Stdout, os.Environ(), os.Getenv("FAULTS"), "auto"
	err := Run(context.Background(), eng, opt)
	var fault *Fault
	switch {
	case errors.As(err, &fault):
		return 3
	case errors.Is(err, ErrSignal):
		return 4
	case err != nil:
		return 5
	}
	return 0
}

// session is the board in a process of its own, on a terminal of its own.
type session struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File
	was    *term.State
	mu     sync.Mutex
	out    bytes.Buffer
	more   chan struct{}
}

func start(t testing.TB, how, faults string) *session {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, cmd: exec.CommandContext(t.Context(), exe), more: make(chan struct{}, 1)}
	s.cmd.Env = append(os.Environ(), helperEnv+"="+how, "FAULTS="+faults, "TERM=xterm-256color", "NO_COLOR=")
	if s.master, s.tty, err = pty.Open(); err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	if err := pty.Setsize(s.master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	if s.was, err = term.GetState(s.tty.Fd()); err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.tty, s.tty, s.tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read()
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.master.Close(); _ = s.tty.Close() })
	return s
}

func (s *session) read() {
	buf := make([]byte, 4096)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		s.out.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *session) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// wait waits until something stands in what the program has written.
func (s *session) wait(text string) {
	s.t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(s.text(), text) {
		select {
		case <-s.more:
		case <-late:
			s.t.Fatalf("never saw %q in %q", text, s.text())
		}
	}
}

func (s *session) types(keys string) {
	if _, err := io.WriteString(s.master, keys); err != nil {
		s.t.Fatal(err)
	}
}

// ended waits for the end, and checks that the terminal is as it was.
func (s *session) ended(code int) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		s.t.Fatalf("the program does not end; it wrote %q", s.text())
	}
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("it ended with %d, want %d; it wrote %q", got, code, s.text())
	}
	now, err := term.GetState(s.tty.Fd())
	if err != nil || !reflect.DeepEqual(now, s.was) {
		s.t.Errorf("the terminal is not set as it was: %v %v, was %v", err, now, s.was)
	}
	_, _ = io.WriteString(s.tty, "END-OF-OUTPUT")
	s.wait("END-OF-OUTPUT")
	out := s.text()
	for _, mode := range []string{"?1049", "?2004"} {
		if on, off := strings.LastIndex(out, "\x1b["+mode+"h"), strings.LastIndex(out, "\x1b["+mode+"l"); on < 0 || off < on {
			s.t.Errorf("mode %s was switched on and not off", mode)
		}
	}
	if hidden, shown := strings.LastIndex(out, "\x1b[?25l"), strings.LastIndex(out, "\x1b[?25h"); hidden < 0 || shown < hidden {
		s.t.Error("the cursor was hidden and not shown")
	}
}

// TestEnds ends the board in every way there is: the terminal is as it was each time, and the exit says what happened.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name, how string
		do        func(*session)
		code      int
	}{
		{"q", "run", func(s *session) { s.types("q") }, 0},
		{"ctrl-c", "run", func(s *session) { s.types("\x03") }, 0},
		{"SIGTERM", "run", func(s *session) { s.signal(syscall.SIGTERM) }, 4},
		{"SIGHUP", "run", func(s *session) { s.signal(syscall.SIGHUP) }, 4},
		{"SIGQUIT", "run", func(s *session) { s.signal(syscall.SIGQUIT) }, 4},
		{"SIGINT", "run", func(s *session) { s.signal(syscall.SIGINT) }, 4},
		{"mouse on, then SIGTERM", "run", func(s *session) { s.types("M"); s.wait("\x1b[?1002h"); s.signal(syscall.SIGTERM) }, 4},
		{"second signal while the loop is stuck", "stuck", func(s *session) {
			s.wait("STUCK")
			s.signal(syscall.SIGTERM)
			s.signal(syscall.SIGHUP)
		}, 4},
		{"fault in update", "update", func(*session) {}, 3},
		{"fault in a command", "command", func(*session) {}, 3},
		{"fault in a goroutine", "goroutine", func(*session) {}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			faults := t.TempDir()
			s := start(t, c.how, faults)
			if c.how != "goroutine" && c.how != "command" {
				s.wait("NO-GO")
			}
			c.do(s)
			s.ended(c.code)
			traces, _ := filepath.Glob(filepath.Join(faults, "*"))
			if want := c.code == 3; (len(traces) == 1) != want {
				t.Fatalf("%d traces of faults were written", len(traces))
			}
			if c.code == 3 {
				trace, err := os.ReadFile(traces[0])
				if err != nil || !strings.Contains(string(trace), "run_test.go") {
					t.Errorf("the trace does not lead to the fault (%v):\n%s", err, trace)
				}
			}
		})
	}
}

func (s *session) signal(sig syscall.Signal) {
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// TestStops stops the board from outside and with ctrl-z: the terminal is given back, and taken again when it goes on.
func TestStops(t *testing.T) {
	for name, stop := range map[string]func(*session){
		"SIGTSTP": func(s *session) { s.signal(syscall.SIGTSTP) },
		"ctrl-z":  func(s *session) { s.types("\x1a") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "run", t.TempDir())
			s.wait("NO-GO")
			for range 2 { // the second one finds what the first one left behind
				s.clear()
				stop(s)
				s.stopped()
				s.wait(giveScreen)
				if now, err := term.GetState(s.tty.Fd()); err != nil || !reflect.DeepEqual(now, s.was) {
					t.Errorf("the terminal is not set as it was: %v %v", err, now)
				}
				s.clear()
				s.signal(syscall.SIGCONT)
				s.wait(takeScreen)
				s.wait("NO-GO")
			}
			s.types("q")
			s.ended(0)
		})
	}
}

// clear forgets what was written.
func (s *session) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.Reset()
}

// stopped waits until the process is stopped.
func (s *session) stopped() {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/stat")
		if err != nil {
			s.t.Skipf("it cannot be told here whether a process is stopped: %v", err)
		}
		if strings.Contains(string(stat), ") T ") {
			return
		}
	}
	s.t.Fatalf("it was not stopped; it wrote %q", s.text())
}

// TestRunRefuses: what cannot be shown is an error before the terminal is touched.
func TestRunRefuses(t *testing.T) {
	opt := options()
	var out strings.Builder
	opt.Theme, opt.Out = "pink", &out
	err := Run(context.Background(), newFake(), opt)
	if err == nil || !strings.Contains(err.Error(), "expected auto, light, dark or mono") || out.Len() > 0 {
		t.Errorf("error %v, output %q", err, out.String())
	}
}

// TestThemes: NO_COLOR and a dumb terminal are respected unless a theme is asked for.
func TestThemes(t *testing.T) {
	for _, c := range []struct{ theme, env, want string }{
		{"", "", "auto"}, {"auto", "NO_COLOR=1", "mono"}, {"", "NO_COLOR=", "auto"}, {"dark", "NO_COLOR=1", "dark"}, {"", "TERM=dumb", "none"}, {"light", "", "light"},
	} {
		opt := Options{Theme: c.theme, Env: []string{c.env}}
		theme, err := opt.theme()
		if err != nil || theme.Name != c.want {
			t.Errorf("theme %q with %q is %v, want %q (%v)", c.theme, c.env, theme, c.want, err)
		}
	}
}

// TestPump: every piece of news reaches the program in the end, many at once as one, and the pump ends with its context.
func TestPump(t *testing.T) {
	f := newFake()
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan tea.Msg, 100)
	ended := make(chan struct{})
	go func() { pump(ctx, f, func(m tea.Msg) { got <- m }); close(ended) }()
	for range 3 {
		select {
		case f.updates <- struct{}{}:
		default:
		}
	}
	if m := (<-got).(newsMsg); m.snap != f.snap {
		t.Errorf("the news are %v", m)
	}
	f.updates <- struct{}{}
	<-got
	cancel()
	<-ended
}

// TestClipboard: one write, with the sequence that the terminal wants, of safe text.
func TestClipboard(t *testing.T) {
	for _, c := range []struct {
		env, keys, want string
	}{
		{"TERM=xterm", "y", "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(key64("e1d0550ab2c9"))) + "\a"},
		{"TMUX=/tmp/x", "y", "\x1bPtmux;"},
		{"TERM=screen", "y", "\x1bP"},
		{"TERM=xterm", "Y", "\x1b]52;c;"},
	} {
		w := &writes{}
		opt := options()
		opt.Env, opt.Out = []string{c.env}, w
		b := newBoard(t, newFake(), opt, 80, 24)
		b.keys(c.keys)
		if len(w.all) != 1 || !strings.HasPrefix(w.all[0], c.want) {
			t.Errorf("%s %s: wrote %q, want one write that begins with %q", c.env, c.keys, w.all, c.want)
		}
		if !strings.Contains(b.note, "sent") || strings.Contains(b.note, "copied") {
			t.Errorf("it says %q", b.note)
		}
	}
}

// writes keeps what was written, write by write.
type writes struct{ all []string }

func (w *writes) Write(p []byte) (int, error) {
	w.all = append(w.all, string(p))
	return len(p), nil
}

// TestRowJSON: every kind of row can be copied, as JSON without empty names.
func TestRowJSON(t *testing.T) {
	for _, keys := range []string{"Y", "2 Y", "3 Y", "4 Y", "enter Y", "3 enter Y"} {
		w := &writes{}
		opt := options()
		opt.Out = w
		b := newBoard(t, newFake(), opt, 80, 24)
		b.keys(split(keys)...)
		if len(w.all) != 1 {
			t.Fatalf("%q: %d writes; it says %q", keys, len(w.all), b.note)
		}
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(w.all[0], "\x1b]52;c;"), "\a"))
		var row map[string]any
		if err != nil || json.Unmarshal(raw, &row) != nil || len(row) < 4 || strings.Contains(string(raw), `""`) {
			t.Errorf("%q: copied %q (%v)", keys, raw, err)
		}
	}
}

// BenchmarkKeyToScreen types on a board with a million groups while a newer snapshot comes twenty times a second, and waits for
// what that changes on the terminal: 99 of 100 keys are to be seen within 16 ms.
func BenchmarkKeyToScreen(b *testing.B) {
	s := start(b, "crowd", b.TempDir())
	s.wait("NO-GO")
	var all []time.Duration
	key := []string{"j", "k"}
	for i := 0; b.Loop(); i++ {
		s.clear()
		at := time.Now()
		s.types(key[i%2])
		s.wait("\x1b[1;36m▌") // the caret is drawn on another line
		all = append(all, time.Since(at))
		time.Sleep(33*time.Millisecond - time.Since(at)) // a key that is held down comes thirty times a second
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms/p50")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "ms/p99")
}
