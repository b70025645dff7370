package triage

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// TestAlone holds a book that makes no group for a key that came once, and no entries for the key and the shape of a call that is alone with its tool and
// arguments, against one that makes all of them (it knows a side, on which nothing stands), and one that hears of that side when it has read a file: all
// answer alike, on random books that are looked at in between.
func TestAlone(t *testing.T) {
	tab, err := table.Parse([]byte(orderTable), "t")
	if err != nil {
		t.Fatal(err)
	}
	fewer := false
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 12))
		w := randomWorld(r, tab)
		var books [3]*Book
		for k := range books {
			books[k] = NewBook(Config{Table: tab, Recipe: keys.Intent, Since: trace.NoTime})
			if k == 0 {
				books[k].AddSide("elsewhere")
				clear(books[k].sole)
			}
			looks := rand.New(rand.NewPCG(seed, 13))
			for f, info := range w.infos {
				info.Side = ""
				id := books[k].AddFile(info)
				for _, batch := range w.batches[f] {
					batch.File = id
					books[k].Fold(batch)
					if looks.IntN(3) == 0 {
						books[k].Snapshot(0, false)
					}
				}
				if k == 2 {
					books[k].AddSide("elsewhere")
				}
			}
		}
		for _, q := range []struct {
			name string
			ask  func(*Book) any
		}{
			{"report", func(b *Book) any { return b.Report(1e9) }},
			{"keys", func(b *Book) any { return b.Keys("", 1000) }},
			{"calls", func(b *Book) any { page, _ := b.View(Question{}); return page }},
			{"doings", func(b *Book) any { page, _ := b.Doings(0, 1000); return page }},
			{"effects", func(b *Book) any { return allEffects(b) }},
		} {
			full, err := json.Marshal(q.ask(books[0]))
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range books[1:] {
				lean, err := json.Marshal(q.ask(b))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(lean, full) {
					t.Fatalf("seed %d, %s, sides %q\nwithout groups %s\nwith all       %s", seed, q.name, b.sides, lean, full)
				}
			}
			fewer = fewer || books[1].groups.last() < books[0].groups.last()
		}
	}
	if !fewer {
		t.Error("no book was without a group that the other one has")
	}
}

// allEffects are the effects of every key.
func allEffects(b *Book) (out []Effects) {
	for _, key := range b.Keys("", 1000) {
		if e, ok := b.Effects(key, ""); ok {
			out = append(out, e)
		}
	}
	return out
}
