package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/storetest"
	"drainboard/trace"
)

// TestServerDiesUnderLoad stops the server at once and starts it again, over and over, while workers send keys of their
// own and keys that all want, and a board looks. Errors are told to who asked, no key is sent twice, nobody has to be
// restarted, and in the end the board shows what the ledger holds.
func TestServerDiesUnderLoad(t *testing.T) {
	url := database(t)
	times := storetest.Count(3, 30)
	load := &load{sent: map[string]int{}, done: map[string]bool{}}
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for w := range 6 {
		// The patience of half of them outlasts a restart, that of the others does not: they are told.
		s := openStore(t, url, StoreOptions{Connections: 3, Patience: []time.Duration{20 * time.Second, 30 * time.Millisecond}[w%2]})
		for g := range 2 {
			workers.Go(func() { load.work(t, s, 2*w+g, stop) })
		}
	}
	b := watch(t, url)
	for i := range times {
		before := load.sends.Load()
		wait(t, "workers send", func() bool { return load.sends.Load() > before+20 })
		if err := shared.ctl("-m", "immediate", "stop"); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 { // else it is back before a board has looked
			wait(t, "the board says that the ledger cannot be read", func() bool { return b.Progress().Ledger != "" && !b.Snapshot().Verdict.Go })
		}
		time.Sleep(rand.N(50 * time.Millisecond))
		if err := shared.start(); err != nil {
			t.Fatal(err)
		}
	}
	after := load.sends.Load()
	wait(t, "workers send again", func() bool { return load.sends.Load() > after+50 })
	close(stop)
	workers.Wait()
	doubts := load.check(t, url)
	states := map[string]int{}
	ch, err := openLooker(t, url, Options{}).Look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range ch.Rows {
		states[string(r.State)]++
	}
	wait(t, "the board shows what the ledger holds", func() bool {
		return b.Progress().Ledger == "" && maps.Equal(b.Snapshot().States, states)
	})
	t.Logf("%d stops: %d sends, %d errors told, %d replayed, %d refused; %d left in doubt; no key twice; the ledger holds %v",
		times, load.sends.Load(), load.told.Load(), load.replayed.Load(), load.refused.Load(), doubts, states)
	if load.told.Load() == 0 || load.replayed.Load() == 0 {
		t.Error("nobody was told anything, or no key was asked for twice: the test tries nothing")
	}
}

// load is what workers did.
type load struct {
	sends, told, replayed, refused atomic.Int64

	mu   sync.Mutex
	sent map[string]int
	done map[string]bool // the caller was told that it is committed
}

func (l *load) work(t *testing.T, s *Store, me int, stop <-chan struct{}) {
	e := envelope(s)
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		key := fmt.Sprintf("own %d %d", me, i/2) // each twice
		if i%3 == 0 {
			key = fmt.Sprintf("all %d", i)
		}
		c := ledger.Call{Key: key, Run: fmt.Sprint("r", me), Tool: "open_pr", Request: "{}", Class: table.Keyed}
		a, err := e.Execute(context.Background(), c, func(context.Context, string) ledger.Reply {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.sent[key]++
			l.sends.Add(1)
			return ledger.Reply{Outcome: ledger.Done, Response: `"` + key + `"`, HasResponse: true}
		})
		if err != nil {
			l.told.Add(1)
			if p := (*ledger.Problem)(nil); !errors.As(err, &p) || p.Do == "" {
				t.Errorf("an error that says nothing to do: %v", err)
			}
			time.Sleep(10 * time.Millisecond) // as a worker that tries again would
			continue
		}
		switch {
		case a.Ticket.Decision == ledger.Send && !a.Settled.Late:
			l.mu.Lock()
			l.done[key] = true
			l.mu.Unlock()
		case a.Ticket.Decision == ledger.Replay && a.Ticket.Row.Response == `"`+key+`"`:
			l.replayed.Add(1)
		case a.Ticket.Reason == ledger.RefusedInFlight:
			l.refused.Add(1)
		default:
			t.Errorf("%s: %s, late %v", key, a.Ticket.Decision, a.Settled.Late)
		}
	}
}

// check holds what was sent against what the ledger holds, and returns how many keys are in doubt.
func (l *load) check(t *testing.T, url string) (doubts int) {
	s := openStore(t, url, StoreOptions{})
	err := s.View(context.Background(), func(tx ledger.Tx) error {
		for key, n := range l.sent {
			r, err := tx.Row(key)
			switch {
			case err != nil:
				return err
			case n != 1:
				t.Errorf("%s was sent %d times", key, n)
			case r == nil:
				t.Errorf("%s was sent and has no row", key)
			case l.done[key] && (r.State != ledger.Committed || r.Response != `"`+key+`"`):
				t.Errorf("%s was told to be committed, and is %s %q", key, r.State, r.Response)
			case r.State == ledger.InFlight:
				doubts++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return doubts
}

// watch is the engine under a board that follows an empty trace and a ledger.
func watch(t *testing.T, url string) *intake.Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tab, err := table.Parse([]byte("tools:\n  open_pr: {class: keyed}\n"), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, err := intake.Start(context.Background(), intake.Config{
		Sources: []trace.Source{{Path: path}}, Follow: true, Table: tab, Since: trace.NoTime,
		Ledger: openLooker(t, url, Options{Patience: 200 * time.Millisecond}), LedgerPath: strings.Split(url, "?")[0],
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func wait(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited two minutes: %s", what)
		}
	}
}
