package triage

import (
	"math/rand/v2"
	"testing"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// TestLoneKeys counts and lists the keys that one side has alone, and compares both with a look at every call, on random books.
func TestLoneKeys(t *testing.T) {
	tab, err := table.Parse([]byte(orderTable), "t")
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for seed := range uint64(200) {
		for _, match := range []Match{MatchNone, MatchRun} {
			w := randomWorld(rand.New(rand.NewPCG(seed, 11)), tab)
			b := NewBook(Config{Table: tab, Recipe: keys.Intent, Since: trace.NoTime, Match: match})
			b.AddSide("paid")
			b.AddSide("dest")
			for f, info := range w.infos {
				id := b.AddFile(info)
				for _, batch := range w.batches[f] {
					batch.File = id
					b.Fold(batch)
				}
			}
			s := b.Snapshot(0, true)
			sides := map[string]map[string]bool{}
			calls, _ := b.View(Question{})
			for _, c := range calls {
				if c.Key != "" {
					if sides[c.Key] == nil {
						sides[c.Key] = map[string]bool{}
					}
					sides[c.Key][c.Side] = true
				}
			}
			want := map[string]int{}
			for _, on := range sides {
				if len(on) == 1 {
					for side := range on {
						want[side]++
					}
				}
			}
			listed := map[string]int{}
			for _, k := range b.LoneKeys(1000) {
				if !sides[k.Key][k.Side] || len(sides[k.Key]) != 1 {
					t.Errorf("seed %d, match %d: %+v stands on %v", seed, match, k, sides[k.Key])
				}
				listed[k.Side]++
			}
			for _, v := range s.Sides {
				if v.OnlyKeys != want[v.Label] || listed[v.Label] != want[v.Label] {
					t.Errorf("seed %d, match %d, %s: %d counted, %d listed, want %d", seed, match, v.Label, v.OnlyKeys, listed[v.Label], want[v.Label])
				}
				some += v.OnlyKeys
			}
		}
	}
	if some < 100 {
		t.Errorf("only %d lone keys: this tries little", some)
	}
}
