package triage

import (
	"drainboard/keys/table"
	"drainboard/trace"
)

// warmed is how many records are looked up ahead: what they need stays in the cache until they come.
const warmed = 128

// warmth is memory for looking up ahead.
type warmth struct {
	slots   [4 * warmed]*uint64
	words   [2 * warmed]*uint32
	bytes   [warmed]*byte
	n       [3]int            // of each list
	hashes  [2][warmed]uint64 // of the ids and spans of records
	nothing uint64            // so that the loads are not left out
}

func (w *warmth) slot(s *slots, hash uint64) {
	if at := s.begin(hash); at != nil {
		w.slots[w.n[0]] = at
		w.n[0]++
	}
}

func (w *warmth) word(at *uint32) {
	w.words[w.n[1]] = at
	w.n[1]++
}

func (w *warmth) byte(at *byte) {
	w.bytes[w.n[2]] = at
	w.n[2]++
}

// load reads what was asked for. Nothing else is done between the loads, so that many are waited for at once.
func (w *warmth) load() {
	sum := uint64(0)
	for _, at := range w.slots[:w.n[0]] {
		sum += *at
	}
	for _, at := range w.words[:w.n[1]] {
		sum += uint64(*at)
	}
	for _, at := range w.bytes[:w.n[2]] {
		sum += uint64(*at)
	}
	w.n = [3]int{}
	w.nothing += sum
}

// warm looks up, for records that are about to be folded, the table entries that they will need, and puts their ids and spans among the texts. In a large
// book nearly each of them is far from the processor; one after the other they would be waited for, here they come side by side.
func (b *Book) warm(recs []Rec, in *interned) {
	w := &b.warmth
	b.warmTexts(w, recs, in)
	for i := range recs {
		if r := &recs[i]; b.hasWork(r) {
			w.slot(&b.works.slots, workHash(in.name(r.Tool), r.Args))
		}
	}
	w.load()
	for i := range recs {
		r := &recs[i]
		if r.CallID != 0 {
			w.slot(&b.scopeOf, scopeKey{r.Reach, ownerOf(r, in.name(r.Run), in), in.id(r.CallID)}.hash())
		}
		if r.Kind != trace.Call || r.NoKey {
			continue
		}
		again := !b.hasWork(r) || b.works.slots.peek(workHash(in.name(r.Tool), r.Args)) != 0
		if again || !b.impliesGroup(r.Rule) {
			w.slot(&b.groupOf, groupKey{id: b.cfg.Recipe.ID(r.Key)}.hash())
		}
		if b.rules[r.Rule].Class != table.Pure && r.Shape != ([16]byte{}) && (again || r.Shape != r.Args || !b.sole[r.Rule]) {
			w.slot(&b.shapes.slots, shapeHash(in.name(r.Run), in.name(r.Tool), shape(r.Shape[:8])))
		}
	}
	w.load()
	for i := range recs {
		if r := &recs[i]; r.CallID != 0 {
			if s := b.scopeOf.peek(scopeKey{r.Reach, ownerOf(r, in.name(r.Run), in), in.id(r.CallID)}.hash()); s != 0 {
				w.word(&b.scopes.at(s).parent)
			}
		}
	}
	w.load()
}

// hasWork says whether a record stands among those of its tool and arguments.
func (b *Book) hasWork(r *Rec) bool {
	return r.Kind == trace.Call && !r.NoKey && b.rules[r.Rule].Class != table.Pure && !b.rules[r.Rule].Forever
}

// warmTexts puts the ids and spans of records among the texts. Most are new, or come a second time.
func (b *Book) warmTexts(w *warmth, recs []Rec, in *interned) {
	lists := [...]struct {
		texts *texts
		of    func(*Rec) Str
		have  []uint32
	}{
		{&b.ids, func(r *Rec) Str { return r.CallID }, in.batch.ids},
		{&b.spans, func(r *Rec) Str { return r.Span }, in.batch.spans},
	}
	for k := range lists {
		l := &lists[k]
		for i := range recs {
			if s := l.of(&recs[i]); s != 0 && l.have[s] == 0 {
				h := l.texts.hash(in.batch.Text(s))
				w.hashes[k][i] = h
				w.slot(&l.texts.slots, h)
			}
		}
	}
	w.load()
	for k := range lists {
		l := &lists[k]
		for i := range recs {
			if s := l.of(&recs[i]); s != 0 && l.have[s] == 0 {
				if n := l.texts.slots.peek(w.hashes[k][i]); n != 0 {
					w.byte(&l.texts.entry(n)[0])
				}
			}
		}
		w.load()
	}
	for k := range lists {
		l := &lists[k]
		for i := range recs {
			if s := l.of(&recs[i]); s != 0 && l.have[s] == 0 {
				l.have[s] = l.texts.putHashed(in.batch.Text(s), w.hashes[k][i])
			}
		}
	}
}
