package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/storetest"
)

// helper runs testdata/replay_store.py and returns its lines.
func helper(t *testing.T, args ...string) [][]byte {
	t.Helper()
	bin, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: what an agent's own store does is not tried here")
	}
	var said bytes.Buffer
	cmd := exec.Command(bin, append([]string{"testdata/replay_store.py"}, args...)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
	return slices.Collect(bytes.Lines(out))
}

// pythonCall is a call that the helper made.
type pythonCall struct{ Key, Run, Args, Error string }

// TestSharedWithPython has two Python agents and drainboard work on one file: nobody is told that it is locked, and both
// compute the same keys. An operator settles calls of the agents that are in flight; the agents' late commits overwrite
// that, and each such row is found. Behind the fence none is overwritten, and each late commit is kept.
func TestSharedWithPython(t *testing.T) {
	for _, mode := range []string{"DELETE", "WAL"} {
		for _, fenced := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s fenced %v", mode, fenced), func(t *testing.T) { sharedWithPython(t, mode, fenced) })
		}
	}
}

func sharedWithPython(t *testing.T, mode string, fenced bool) {
	ctx := context.Background()
	a := newAgent(t, "PRAGMA journal_mode="+mode)
	s := openStore(t, a.path, StoreOptions{})
	if err := s.Fence(ctx, fenced, "op@host", "drain", time.Now()); err != nil {
		t.Fatal(err)
	}
	seconds := storetest.Count(3, 60)
	calls := make([][]pythonCall, 2)
	var agents, ours sync.WaitGroup
	for i := range calls {
		agents.Go(func() {
			for _, line := range helper(t, "load", a.path, fmt.Sprint(i), fmt.Sprint(seconds)) {
				var c pythonCall
				if err := json.Unmarshal(line, &c); err != nil {
					t.Errorf("%s: %v", line, err)
				}
				calls[i] = append(calls[i], c)
			}
		})
	}
	stop := make(chan struct{})
	var sent, longest atomic.Int64
	for w := range 4 {
		ours.Go(func() { longest.Store(max(longest.Load(), int64(sendUntil(t, s, w, &sent, stop)))) })
	}
	settled := map[string]bool{}
	ours.Go(func() { settleUntil(t, s, a, settled, stop) })
	agents.Wait()
	close(stop)
	ours.Wait()

	told, made := map[string]int{}, 0
	for _, c := range slices.Concat(calls...) {
		made++
		if c.Error != "" {
			told[c.Error]++
		}
		sameKey(t, s, &c, !settled[c.Key] && c.Error == "")
	}
	if len(told) > 0 {
		t.Errorf("the agents were told %v", told)
	}
	if len(settled) == 0 || made == 0 || sent.Load() == 0 {
		t.Fatal("nothing was settled, made or sent: the test tries nothing")
	}
	found, late := foundSettlements(t, a, s, settled)
	wantFound, wantLate := len(settled), 0
	if fenced {
		wantFound, wantLate = 0, len(settled)
	}
	if found != wantFound || late != wantLate {
		t.Errorf("%d settled: %d found overwritten, %d kept as late; want %d and %d", len(settled), found, late, wantFound, wantLate)
	}
	t.Logf("%d s: the agents made %d calls, drainboard %d (the longest took %s); %d settled in flight: %d overwritten and found, %d kept as late; all keys agree",
		seconds, made, sent.Load(), time.Duration(longest.Load()).Round(time.Millisecond), len(settled), found, late)
}

// sendUntil sends keys of drainboard's own, and returns how long the longest took.
func sendUntil(t *testing.T, s *Store, w int, sent *atomic.Int64, stop <-chan struct{}) (longest time.Duration) {
	env := envelope(s)
	for i := 0; ; i++ {
		select {
		case <-stop:
			return longest
		default:
		}
		start := time.Now()
		k, err := env.Execute(context.Background(), keyed(fmt.Sprintf("ours %d %d", w, i)), func(context.Context, string) ledger.Reply {
			sent.Add(1)
			return ledger.Reply{Outcome: ledger.Done, Response: "1", HasResponse: true}
		})
		longest = max(longest, time.Since(start))
		if err != nil || k.Ticket.Decision != ledger.Send || k.Settled.Late {
			t.Errorf("%+v %v", k, err)
			return longest
		}
	}
}

// settleUntil is an operator who looks, and marks what is in flight without a claim as committed.
func settleUntil(t *testing.T, s *Store, a *agent, settled map[string]bool, stop <-chan struct{}) {
	op := &ledger.Operator{Store: s, Now: time.Now, Actor: "op@host"}
	l, err := OpenLooker(context.Background(), a.path, Options{})
	if err != nil {
		t.Error(err)
		return
	}
	defer l.Close()
	for {
		select {
		case <-stop:
			return
		case <-time.After(5 * time.Millisecond):
		}
		ch, err := l.Look(context.Background())
		var held *ledger.Problem
		if errors.As(err, &held) && held.Kind == ledger.Locked {
			continue // without a WAL, writers may hold up who looks for longer than it waits: as faces do, it looks again
		}
		if err != nil {
			t.Error(err)
			return
		}
		for _, r := range ch.Rows {
			if r.State != ledger.InFlight || r.Claim != nil {
				continue
			}
			res, err := op.MarkCommitted(context.Background(), r, `"settled"`, true, "looked")
			if err != nil {
				t.Error(err)
				return
			}
			if res.Done {
				settled[r.Key] = true
			}
		}
	}
}

// sameKey computes the key of a call that Python made; the row that it names is that call's.
func sameKey(t *testing.T, s *Store, c *pythonCall, committed bool) {
	t.Helper()
	var args keys.Args
	if err := args.Parse([]byte(c.Args)); err != nil {
		t.Fatal(err)
	}
	d, err := keys.Intent.Derive(keys.RunID{Text: []byte(c.Run)}, []byte("open_pr"), &args)
	if err != nil || keys.Intent.Text(d) != c.Key {
		t.Fatalf("%s: Python's key is %s, this one %s, %v", c.Args, c.Key, keys.Intent.Text(d), err)
	}
	if !committed {
		return
	}
	k, err := envelope(s).Begin(context.Background(), ledger.Call{Key: keys.Intent.Text(d), Run: c.Run, Tool: "open_pr", Request: c.Args, Class: table.Keyed})
	if err != nil || k.Decision != ledger.Replay || !strings.HasPrefix(k.Row.Response, `{"by": `) {
		t.Fatalf("%s: %+v %v", c.Args, k, err)
	}
}

// foundSettlements says of how many settled rows a fresh look tells that they were overwritten, and how many late commits
// of others are kept.
func foundSettlements(t *testing.T, a *agent, s *Store, settled map[string]bool) (found, late int) {
	t.Helper()
	ch := look(t, a.look(Options{}))
	for _, o := range ch.Facts.Overwritten {
		if !settled[o.Key] || o.Wrote.Response != `"settled"` || !strings.HasPrefix(o.Found.Response, `{"by": `) {
			t.Errorf("%s: from %+v to %+v", o.Key, o.Wrote, o.Found)
		}
		found++
	}
	for _, l := range ch.Facts.Late {
		if !settled[l.Key] || !l.Differs || !strings.HasPrefix(l.Response, `{"by": `) {
			t.Errorf("late %+v", l)
		}
		late++
	}
	return found, late
}

// TestHelperRacesItself is the helper's own race: both workers have read, then both replace. Only the fence stops one.
func TestHelperRacesItself(t *testing.T) {
	rounds := storetest.Count(10, 200)
	for _, fenced := range []bool{false, true} {
		a := newAgent(t, "PRAGMA journal_mode=WAL")
		s := openStore(t, a.path, StoreOptions{})
		if err := s.Fence(context.Background(), fenced, "op@host", "drain", time.Now()); err != nil {
			t.Fatal(err)
		}
		sends := map[int]int{}
		for _, line := range helper(t, "race", a.path, fmt.Sprint(rounds)) {
			var r struct {
				Sent int
				Said []string
			}
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			sends[r.Sent]++
			for _, said := range r.Said {
				if !strings.Contains(said, "fenced by drainboard") {
					t.Errorf("a worker was told %q", said)
				}
			}
		}
		want := map[bool]int{false: 2, true: 1}[fenced]
		if sends[want] != rounds {
			t.Errorf("fenced %v: rounds by how many sent: %v, want %d rounds with %d", fenced, sends, rounds, want)
		}
		t.Logf("fenced %v: in %d of %d rounds %d of the helper's two workers sent", fenced, sends[want], rounds, want)
	}
}
