package sqlite

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/storetest"
)

// TestMain lets the test binary be one of the processes that share a ledger.
func TestMain(m *testing.M) {
	if job := os.Getenv("DRAINBOARD_TEST_PROCESS"); job != "" {
		if err := process(job, os.Getenv("DRAINBOARD_TEST_LEDGER")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// report is what a process says at its end, as one line of JSON.
type report struct {
	Sent  []string        // keys it sent
	Waits []time.Duration // of each claim and commit
}

// process is the other side of processes.
func process(job, path string) error {
	s, err := OpenStore(context.Background(), path, StoreOptions{})
	if err != nil {
		return err
	}
	if job == "peer" {
		return errors.Join(storetest.ServePeer(s, os.Stdin, os.Stdout), s.Close())
	}
	env := &ledger.Envelope{Store: s, Now: time.Now, Random: rand.Reader, Actor: "me@host", Owner: ledger.Owner{Host: "h", PID: os.Getpid(), PIDStart: 1}}
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	var rep report
	one := func(key string) error {
		start := time.Now()
		_, err := env.Execute(context.Background(), ledger.Call{Key: key, Run: "r", Tool: "open_pr", Request: "{}", Class: table.Keyed},
			func(context.Context, string) ledger.Reply {
				rep.Sent = append(rep.Sent, key)
				return ledger.Reply{Outcome: ledger.Done, Response: "1", HasResponse: true}
			})
		rep.Waits = append(rep.Waits, time.Since(start))
		return err
	}
	switch job {
	case "same keys":
		for i := range 100 {
			if err := one(hexKey(i)); err != nil {
				return err
			}
		}
	case "own keys":
		for i, end := 0, time.Now().Add(2*time.Second); time.Now().Before(end); i++ {
			if err := one(fmt.Sprintf("%d-%d", os.Getpid(), i)); err != nil {
				return err
			}
		}
	case "die holding a claim":
		if _, err := env.Begin(context.Background(), ledger.Call{Key: "held", Run: "r", Tool: "open_pr", Request: "{}", Class: table.Keyed}); err != nil {
			return err
		}
		return die()
	case "die inside a transaction":
		return s.Update(context.Background(), func(tx ledger.Tx) error {
			for i := range 2000 {
				r := ledger.Row{Key: hexKey(i), Tool: "open_pr", Request: strings.Repeat("x", 4000), State: ledger.InFlight}
				if err := tx.Insert(&r); err != nil {
					return err
				}
			}
			return die()
		})
	}
	if err := s.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(rep)
}

// die ends the process as a kill or a power cut does: nothing is closed.
func die() error {
	p, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := p.Kill(); err != nil {
		return err
	}
	select {}
}

// processes runs n processes on one ledger, all set off at once, and returns what each says. A process that is killed
// says nothing.
func processes(tb testing.TB, n int, job, path string) []report {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	type running struct {
		cmd *exec.Cmd
		out *bufio.Reader
		end func()
	}
	var all []running
	for range n {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "DRAINBOARD_TEST_PROCESS="+job, "DRAINBOARD_TEST_LEDGER="+path)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			tb.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			tb.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			tb.Fatal(err)
		}
		r := running{cmd, bufio.NewReader(out), func() { fmt.Fprintln(in); _ = in.Close() }}
		if line, err := r.out.ReadString('\n'); err != nil {
			tb.Fatal(line, err)
		}
		all = append(all, r)
	}
	for _, r := range all {
		r.end()
	}
	reports := make([]report, n)
	for i, r := range all {
		if err := json.NewDecoder(r.out).Decode(&reports[i]); err != nil && !strings.HasPrefix(job, "die") {
			tb.Error(err)
		}
		if err := r.cmd.Wait(); err != nil && !strings.HasPrefix(job, "die") {
			tb.Error(err)
		}
	}
	return reports
}

func TestProcessesSendOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.sqlite")
	openStore(t, path, StoreOptions{Create: true})
	sent := map[string]int{}
	for _, r := range processes(t, 4, "same keys", path) {
		for _, k := range r.Sent {
			sent[k]++
		}
	}
	for i := range 100 {
		if n := sent[hexKey(i)]; n != 1 {
			t.Errorf("key %d was sent %d times", i, n)
		}
	}
}

func TestProcessDiesHoldingAClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.sqlite")
	s := openStore(t, path, StoreOptions{Create: true})
	processes(t, 1, "die holding a claim", path)
	env := &ledger.Envelope{Store: s, Now: time.Now, Random: rand.Reader}
	k, err := env.Begin(context.Background(), ledger.Call{Key: "held", Run: "r", Tool: "open_pr", Request: "{}", Class: table.Keyed})
	if err != nil || k.Reason != ledger.RefusedInFlight || k.Row.Claim == nil || k.Row.Claim.Host != "h" {
		t.Fatalf("%+v %v", k, err)
	}
}

// TestProcessDiesInsideATransaction: what it had not committed never happened, in every journal mode.
func TestProcessDiesInsideATransaction(t *testing.T) {
	for _, mode := range []string{"WAL", "DELETE"} {
		t.Run(mode, func(t *testing.T) {
			a := newAgent(t, "PRAGMA journal_mode="+mode)
			a.put("before", "committed", 1, "1")
			processes(t, 1, "die inside a transaction", a.path)
			if mode == "DELETE" {
				if _, err := os.Stat(a.path + "-journal"); err != nil {
					t.Fatal("the transaction left no journal: the test tries nothing")
				}
				if _, err := OpenLooker(context.Background(), a.path, Options{Patience: time.Millisecond}); err == nil || !strings.Contains(err.Error(), "ledger recover") {
					t.Fatalf("looking: %v", err)
				}
				n, err := Recover(context.Background(), a.path, time.Second)
				if err != nil || n != 1 {
					t.Fatalf("recover: %d rows, %v", n, err)
				}
			}
			if got := says(look(t, a.look(Options{}))); got != "all: before=committed" {
				t.Fatalf("got %q", got)
			}
		})
	}
}

// BenchmarkProcesses has four processes claim and commit keys of their own on one file for two seconds.
func BenchmarkProcesses(b *testing.B) {
	for range b.N {
		reports := processes(b, 4, "own keys", benchFile(b))
		var waits []time.Duration
		least, most := 1<<62, 0
		for _, r := range reports {
			waits = append(waits, r.Waits...)
			least, most = min(least, len(r.Waits)), max(most, len(r.Waits))
		}
		slices.Sort(waits)
		b.ReportMetric(float64(len(waits))/2, "calls/s")
		b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(float64(waits[len(waits)-1].Microseconds())/1000, "max-ms")
		b.ReportMetric(float64(least), "least-calls")
		b.ReportMetric(float64(most), "most-calls")
	}
}
