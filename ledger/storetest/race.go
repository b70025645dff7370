package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"drainboard/keys/table"
	"drainboard/ledger"
)

// together runs f n times at once.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

func raceOneKey(t *testing.T, b *bench) {
	for round := range 20 {
		c := call(fmt.Sprint("k", round), table.Keyed)
		var sent, other atomic.Int32
		together(16, func(int) {
			a, err := b.env.Execute(context.Background(), c, func(context.Context, string) ledger.Reply {
				sent.Add(1)
				return ledger.Reply{Outcome: ledger.Done, Response: "1", HasResponse: true}
			})
			if err != nil {
				t.Error(err)
				return
			}
			if s := says(a.Ticket); s != "send" && s != "replay" && s != "refuse in flight" {
				t.Errorf("decision %q", s)
			}
			other.Add(1)
		})
		if sent.Load() != 1 || other.Load() != 16 {
			t.Fatalf("round %d: sent %d times, %d answers", round, sent.Load(), other.Load())
		}
		b.state(t, c.Key, ledger.Committed, "1")
	}
}

func raceManyKeys(t *testing.T, b *bench) {
	const workers, calls = 16, 25
	var calledTimes atomic.Int64
	together(workers, func(w int) {
		for i := range calls {
			c := call(fmt.Sprintf("k%d", (w*calls+i)%(workers*calls/2)), table.Keyed)
			_, err := b.env.Execute(context.Background(), c, func(context.Context, string) ledger.Reply {
				calledTimes.Add(1)
				return ledger.Reply{Outcome: ledger.Done, Response: "1", HasResponse: true}
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	if calledTimes.Load() != workers*calls/2 {
		t.Fatalf("sent %d times, want %d", calledTimes.Load(), workers*calls/2)
	}
	if k := b.begin(t, call("last", table.Pure)); k.Calls != workers*calls+1 {
		t.Fatalf("the run's counter says %d, want %d", k.Calls, workers*calls+1)
	}
}

// raceStores is the race of many processes: each has a store of its own.
func raceStores(t *testing.T, b *bench) {
	envs := []*ledger.Envelope{b.env}
	for i := range 3 {
		envs = append(envs, b.envelope(b.Again(t), i+2))
	}
	const keys = 30
	var sent [keys]atomic.Int32
	together(len(envs)*3, func(w int) {
		for i := range keys {
			i := (i + w) % keys
			_, err := envs[w%len(envs)].Execute(context.Background(), call(fmt.Sprint("k", i), table.Keyed), func(context.Context, string) ledger.Reply {
				sent[i].Add(1)
				return ledger.Reply{Outcome: ledger.Done, Response: "1", HasResponse: true}
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for i := range sent {
		if n := sent[i].Load(); n != 1 {
			t.Errorf("key %d was sent %d times", i, n)
		}
	}
}

// raceSettle lets a worker's commit meet an operator's mark: one of them wins, the other is told.
func raceSettle(t *testing.T, b *bench) {
	for round := range 30 {
		key := fmt.Sprint("k", round)
		k := b.expect(t, call(key, table.Keyed), "send")
		seen := *b.row(t, key)
		var late, marked atomic.Bool
		together(2, func(i int) {
			if i == 0 {
				s, err := k.Commit(context.Background(), "1", true)
				if err != nil {
					t.Error(err)
				}
				late.Store(s.Late)
				return
			}
			r, err := b.op.MarkFailed(context.Background(), seen, "hung")
			if err != nil {
				t.Error(err)
			}
			marked.Store(r.Done)
		})
		if late.Load() != marked.Load() {
			t.Fatalf("late %v, marked %v", late.Load(), marked.Load())
		}
		if late.Load() {
			b.state(t, key, ledger.Failed, "")
		} else {
			b.state(t, key, ledger.Committed, "1")
		}
	}
}
