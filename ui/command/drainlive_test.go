package command

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/run"
	"drainboard/ledger/sqlite"
)

// clockwork is a clock that a test puts forward.
type clockwork struct{ ahead atomic.Int64 }

func (c *clockwork) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clockwork) forward(d time.Duration) { c.ahead.Add(int64(d)) }

// runtime is an agent's runtime: it writes its calls into a trace, and sends mutators through the envelope.
type agent struct {
	dir, side string
	env       *ledger.Envelope
	store     ledger.Store
	tools     *table.Table
	ids       int
}

// intent is one line of testdata/drain.
type intent struct {
	Run    string          `json:"run"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
	Around bool            `json:"around"` // of the envelope
}

func newAgent(dir, side string, now func() time.Time) (*agent, error) {
	src, err := os.ReadFile(filepath.Join(dir, "tools.yaml"))
	if err != nil {
		return nil, err
	}
	t, err := table.Parse(src, "tools.yaml")
	if err != nil {
		return nil, err
	}
	store, err := sqlite.OpenStore(context.Background(), filepath.Join(dir, "ledger.sqlite"), sqlite.StoreOptions{Create: true})
	if err != nil {
		return nil, err
	}
	self, err := run.Proc{Root: "/proc"}.Self()
	return &agent{dir: dir, side: side, store: store, tools: t, env: &ledger.Envelope{Store: store, Now: now, Random: rand.Reader, Owner: self, Actor: "agent@test"}}, err
}

// say appends one line to the trace of a run.
func (a *agent) say(i *intent, words string, more string) error {
	f, err := os.OpenFile(filepath.Join(a.dir, a.side, i.Run+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, `{"type":%q,"ts":%q,"run_id":%q,"call_id":"c%d","tool":%q,%s}`+"\n", words, a.env.Now().UTC().Format(time.RFC3339Nano), i.Run, a.ids, i.Tool, more)
	return errors.Join(err, f.Close())
}

func keyOf(i *intent) (string, error) {
	var args keys.Args
	if err := args.Parse(i.Args); err != nil {
		return "", err
	}
	d, err := keys.Intent.Derive(keys.RunID{Text: []byte(i.Run)}, []byte(i.Tool), &args)
	return keys.Intent.Text(d), err
}

// do carries out one intent: call, claim, send, commit, answer. during is called while it is in flight.
func (a *agent) do(ctx context.Context, i *intent, during func()) error {
	a.ids++
	if err := a.say(i, "tool_call", `"args":`+string(i.Args)); err != nil {
		return err
	}
	key, err := keyOf(i)
	if err != nil {
		return err
	}
	class := a.tools.Lookup(i.Tool, nil).Class
	if i.Around || class == table.Unclassified {
		return a.say(i, "tool_result", `"status":"ok","result":`+string(i.Result))
	}
	_, err = a.env.Execute(ctx, ledger.Call{Key: key, Run: i.Run, Tool: i.Tool, Request: string(i.Args), Class: class}, func(context.Context, string) ledger.Reply {
		if during != nil {
			during()
		}
		return ledger.Reply{Outcome: ledger.Done, Response: string(i.Result), HasResponse: true}
	})
	if err != nil {
		return err
	}
	return a.say(i, "tool_result", `"status":"ok","result":`+string(i.Result))
}

// play carries out the intents of a script.
func (a *agent) play(ctx context.Context, script string) error {
	src, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(src))
	for lines.Scan() {
		var i intent
		if err := json.Unmarshal(lines.Bytes(), &i); err != nil {
			return err
		}
		if err := a.do(ctx, &i, nil); err != nil {
			return err
		}
	}
	return lines.Err()
}

// goOn makes pull requests, each in a run of its own, until ctx ends.
func (a *agent) goOn(ctx context.Context) error {
	for n := 0; ctx.Err() == nil; n++ {
		i := intent{Run: fmt.Sprintf("%s-live-%d", a.side, n%7), Tool: "open_pr", Args: json.RawMessage(fmt.Sprintf(`{"repo":"shop","head":"live/%d"}`, n)), Result: json.RawMessage(fmt.Sprintf(`{"pr":%d}`, 1000+n))}
		if err := a.do(ctx, &i, func() { time.Sleep(3 * time.Millisecond) }); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// killedIntent is what the worker holds when it is killed.
var killedIntent = intent{Run: "p4", Tool: "charge_card", Args: json.RawMessage(`{"amount":1500}`)}

// worker is the process that TestDrainLive kills in the middle of a call.
func worker(dir string) error {
	a, err := newAgent(dir, "paid", time.Now)
	if err != nil {
		return err
	}
	i := killedIntent
	return a.do(context.Background(), &i, func() {
		fmt.Println("in flight")
		select {}
	})
}

// kill starts the worker and kills it while its call is in flight.
func kill(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDrainLive$")
	cmd.Env = append(os.Environ(), "DRAINBOARD_TEST_WORKER="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "in flight") {
		t.Log("worker: ", lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the worker ended by itself: %v", err)
	}
}

// console collects what a command prints, for a test that waits for words of it.
type console struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.text.Write(p)
	select {
	case c.news <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (c *console) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// awaits waits until the last line holds the words.
func (c *console) awaits(t *testing.T, words string) {
	t.Helper()
	limit := time.After(60 * time.Second)
	for {
		lines := strings.Split(strings.TrimSpace(c.all()), "\n")
		if strings.Contains(lines[len(lines)-1], words) {
			return
		}
		select {
		case <-c.news:
		case <-limit:
			t.Fatalf("never said %q:\n%s", words, c.all())
		}
	}
}

// drainScene is a folder in which a drain is played.
type drainScene struct {
	t     *testing.T
	dir   string
	clock clockwork
}

// command runs a command line in the scene.
func (s *drainScene) command(out, errs *console, args ...string) int {
	env := &Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: out, Stderr: errs, Dir: s.dir, Temp: s.t.TempDir(), Now: s.clock.now,
		Getenv: func(name string) string {
			if name == "XDG_STATE_HOME" {
				return filepath.Join(s.dir, "state")
			}
			return ""
		},
	}
	return Run(s.t.Context(), env)
}

// must runs a command that has to succeed.
func (s *drainScene) must(args ...string) {
	s.t.Helper()
	out := &console{news: make(chan struct{}, 1)}
	if code := s.command(out, out, args...); code != 0 {
		s.t.Fatalf("%q: exit %d: %s", args, code, out.all())
	}
}

func (s *drainScene) flags(args ...string) []string {
	return append(args, "--ledger", filepath.Join(s.dir, "ledger.sqlite"), "--tools", filepath.Join(s.dir, "tools.yaml"))
}

func (s *drainScene) sides(args ...string) []string {
	return append(s.flags(args...), "paid="+filepath.Join(s.dir, "paid"), "dest="+filepath.Join(s.dir, "dest"), "--window", "30m")
}

// TestDrainLive plays a drain: two runtimes write while `drain --wait` looks, a worker is killed in the middle of a call, a tool turns up that nobody
// classified, a write goes around the envelope. It stays NO-GO for these reasons and no other, turns GO after the operator settled them and the window
// has passed, and falls back when a blocker comes at the last second. All the while the other side goes on working, which blocks nothing.
func TestDrainLive(t *testing.T) {
	if dir := os.Getenv("DRAINBOARD_TEST_WORKER"); dir != "" {
		t.Fatal("the worker was not killed: ", worker(dir))
	}
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here: whether a process lives is not known")
	}
	s := &drainScene{t: t, dir: t.TempDir()}
	src, err := os.ReadFile("../../testdata/drain/tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(s.dir, "tools.yaml"), string(src))
	for _, side := range []string{"paid", "dest"} {
		if err := os.Mkdir(filepath.Join(s.dir, side), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	paid, err := newAgent(s.dir, "paid", s.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	dest, err := newAgent(s.dir, "dest", s.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	failed := make(chan error, 4)
	background := func(f func() error) {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := f(); err != nil {
				failed <- err
			}
		}()
	}
	defer func() {
		stop()
		group.Wait()
		for _, err := range []error{paid.store.Close(), dest.store.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
		select {
		case err := <-failed:
			t.Error(err)
		default:
		}
	}()

	out, said := &console{news: make(chan struct{}, 1)}, &console{news: make(chan struct{}, 1)}
	ended := make(chan int, 1)
	background(func() error {
		ended <- s.command(out, said, s.sides("drain", "--wait", "--timeout", "3m", "--json")...)
		return nil
	})
	background(func() error { return paid.play(ctx, "../../testdata/drain/paid.jsonl") })
	background(func() error {
		if err := dest.play(ctx, "../../testdata/drain/dest.jsonl"); err != nil {
			return err
		}
		return dest.goOn(ctx)
	})
	kill(t, s.dir)
	said.awaits(t, "NO-GO 3: 1 row in flight, 1 unclassified tool, 1 unmatched mutator")

	// What it says of them: the killed worker's row is the draining side's, its process is gone.
	once := &console{news: make(chan struct{}, 1)}
	if code := s.command(once, once, s.sides("drain", "--json")...); code != 1 {
		t.Fatalf("exit %d: %s", code, once.all())
	}
	var answer drainAnswer
	if err := json.Unmarshal([]byte(once.all()), &answer); err != nil {
		t.Fatalf("%v: %s", err, once.all())
	}
	held := ""
	for _, f := range answer.InFlight {
		switch {
		case f.Blocks && f.Tool == "charge_card" && f.Side == "paid" && f.Process == gone:
			held = f.Key
		case f.Blocks && f.Side != "":
			t.Errorf("it blocks, and should not: %+v", f)
		case f.Side == "dest" && f.Process != lives && f.Process != over:
			t.Errorf("its process is this one: %+v", f)
		}
	}
	if held == "" || answer.Draining != "paid" || answer.Verdict != "NO-GO" {
		t.Fatalf("the killed worker's row is not told: %s", once.all())
	}

	// The operator settles them, one after the other.
	s.must(s.flags("ledger", "mark", held, "failed", "--reason", "its worker is gone, the card was not charged", "--yes")...)
	said.awaits(t, "NO-GO 2: 1 unclassified tool, 1 unmatched mutator")
	s.must("tools", "set", "lookup_crm", "pure", "--tools", filepath.Join(s.dir, "tools.yaml"))
	said.awaits(t, "NO-GO 1: 1 unmatched mutator")
	around, err := keyOf(&intent{Run: "d2", Tool: "create_issue", Args: json.RawMessage(`{"repo": "shop", "title": "Around the envelope"}`)})
	if err != nil {
		t.Fatal(err)
	}
	s.must(append(s.flags("ledger", "ack", around, "--reason", "looked: one issue", "--yes"), "--from", "paid="+filepath.Join(s.dir, "paid"), "--from", "dest="+filepath.Join(s.dir, "dest"))...)
	said.awaits(t, "nothing blocks, 30m of 30m left")

	// At the last second the draining side resumes a run.
	s.clock.forward(30*time.Minute - 10*time.Second)
	release := make(chan struct{})
	background(func() error {
		i := intent{Run: "p3", Tool: "charge_card", Args: json.RawMessage(`{"amount":99}`), Result: json.RawMessage(`{"charge":"ch_1"}`)}
		return paid.do(ctx, &i, func() { <-release })
	})
	said.awaits(t, "NO-GO 1: 1 row in flight")
	s.clock.forward(time.Minute) // the window would be over by now
	close(release)
	said.awaits(t, "nothing blocks, 30m of 30m left")
	select {
	case code := <-ended:
		t.Fatalf("it ended with %d before the window was over:\n%s", code, said.all())
	default:
	}

	// Then nothing comes for the length of the window.
	s.clock.forward(30*time.Minute + 5*time.Second)
	select {
	case code := <-ended:
		if code != 0 || !strings.Contains(out.all(), `"verdict":"GO"`) || !strings.Contains(out.all(), `"through":true`) {
			t.Fatalf("exit %d: %s\n%s", code, out.all(), said.all())
		}
	case <-time.After(60 * time.Second):
		t.Fatalf("it never ends:\n%s", said.all())
	}
}
