package triage

import (
	"math/rand/v2"
	"testing"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// TestWindow looks at a window of 30 seconds, in seconds: what is seen, and how it stands then.
func TestWindow(t *testing.T) {
	const none = -1
	type look struct {
		at      int64
		blocked bool
		broke   int64 // as the ledger tells, none: nothing
		since   int64 // none: blocked
		through bool
	}
	for _, c := range []struct {
		name  string
		looks []look
	}{
		{"through at the end and not before", []look{{100, false, none, 100, false}, {129, false, none, 100, false}, {130, false, none, 100, true}}},
		{"a blocker at the last second begins it anew", []look{
			{100, false, none, 100, false}, {129, true, none, none, false}, {130, false, none, 130, false}, {159, false, none, 130, false}, {160, false, none, 130, true},
		}},
		{"it falls back after it was through", []look{{100, false, none, 100, false}, {131, false, none, 100, true}, {132, true, none, none, false}, {133, false, none, 133, false}}},
		{"a row that came and went between two looks", []look{{100, false, none, 100, false}, {120, false, 115, 115, false}, {130, false, 115, 115, false}, {145, false, 115, 115, true}}},
		{"what broke before it began is no break", []look{{100, false, 90, 100, false}, {130, false, 90, 100, true}}},
		{"a time to come counts as now", []look{{100, false, none, 100, false}, {120, false, 500, 120, false}}},
		{"a clock that was put back", []look{{100, false, none, 100, false}, {50, false, none, 50, false}, {79, false, none, 50, false}, {80, false, none, 50, true}}},
		{"nobody looked for a long time", []look{{100, false, none, 100, false}, {500, false, none, 100, true}}},
		{"nobody looked, and the ledger knows of a break", []look{{100, false, none, 100, false}, {500, false, 480, 480, false}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := Window{Need: 30 * time.Second, State: Unwatched()}
			ns := func(s int64) int64 {
				if s == none {
					return trace.NoTime
				}
				return s * 1e9
			}
			for _, l := range c.looks {
				w.Observe(ns(l.at), l.blocked, ns(l.broke))
				v := w.View(ns(l.at))
				if v.Since != ns(l.since) || v.Through != l.through {
					t.Errorf("at %d: since %d through %v, want %d %v", l.at, v.Since/1e9, v.Through, l.since, l.through)
				}
				if left := v.Left(ns(l.at)); l.through != (left == 0) {
					t.Errorf("at %d: %s left, through %v", l.at, left, l.through)
				}
			}
		})
	}
}

// TestWindowMerge: of two watchers of one window the break that either saw counts, whoever writes last.
func TestWindowMerge(t *testing.T) {
	blocked := WindowState{Since: trace.NoTime, Broke: 50, Seen: 50}
	unaware := WindowState{Since: 10, Broke: 5, Seen: 52}
	after := WindowState{Since: 60, Broke: 50, Seen: 61}
	for _, c := range []struct {
		name  string
		a, b  WindowState
		since int64
	}{
		{"the break that one did not see", blocked, unaware, trace.NoTime},
		{"since the break", after, unaware, 60},
		{"nothing was seen", Unwatched(), unaware, 10},
		{"neither saw anything", Unwatched(), Unwatched(), trace.NoTime},
	} {
		if got, other := c.a.Merge(c.b), c.b.Merge(c.a); got.Since != c.since || got != other {
			t.Errorf("%s: %+v and %+v, want since %d", c.name, got, other, c.since)
		}
	}
}

// TestLastBlocked compares the walk over the newest rows with a look at all of them, on random books.
func TestLastBlocked(t *testing.T) {
	tab, err := table.Parse([]byte(orderTable), "t")
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := randomWorld(r, tab)
		b := NewBook(Config{Table: tab, Recipe: keys.Intent, Ledger: true, Since: trace.NoTime})
		for f, info := range w.infos {
			id := b.AddFile(info)
			for _, batch := range w.batches[f] {
				batch.File = id
				b.Fold(batch)
			}
		}
		b.Ledger(w.rows, nil, true)
		s := b.Snapshot(0, true)
		floor := int64(r.IntN(40)) * 1e9
		want := trace.NoTime
		for _, row := range s.Rows.All {
			if at := nanos(row.Updated); row.State != "inflight" && row.Drains && at >= floor {
				want = max(want, at)
			}
		}
		if got := s.LastBlocked(floor); got != want {
			t.Errorf("seed %d, floor %d: %d, want %d", seed, floor, got, want)
		}
		if want != trace.NoTime {
			some++
		}
	}
	if some < 30 {
		t.Errorf("only %d of the books had such a row: this tries little", some)
	}
}
