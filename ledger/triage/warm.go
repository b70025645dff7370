package triage

import (
	"hash/maphash"

	"drainboard/keys/table"
	"drainboard/trace"
)

// warmed is how many records are looked up ahead: what they need stays in the cache until they come.
const warmed = 128

// warm looks up, for records that are about to be folded, the table entries that they will need. In a large book nearly each of them is far from the
// processor; one after the other they would be waited for, here they come side by side.
func (b *Book) warm(recs []Rec, in *interned) {
	sum := uint64(0)
	for i := range recs {
		if id := recs[i].CallID; id != 0 && in.batch.ids[id] == 0 {
			sum += b.ids.slots.peek(hashed(maphash.Bytes(b.ids.seed, in.batch.Text(id))))
		}
	}
	for i := range recs {
		r := &recs[i]
		run := in.name(r.Run)
		if r.CallID != 0 {
			sum += b.scopeOf.peek(scopeKey{r.Reach, ownerOf(r, run, in), in.id(r.CallID)}.hash())
		}
		if r.Kind != trace.Call {
			continue
		}
		if at := b.runOf.at(run); at != 0 {
			if tail := b.runs.at(at).tail; tail != 0 {
				sum += uint64(b.calls.at(tail).nextInRun)
			}
		}
		if r.NoKey {
			continue
		}
		sum += b.groupOf.peek(groupKey{id: b.cfg.Recipe.ID(r.Key)}.hash())
		rule, tool := b.rules[r.Rule], in.name(r.Tool)
		if rule.Class == table.Pure {
			continue
		}
		if r.Shape != ([16]byte{}) {
			sum += b.shapes.slots.peek(shapeHash(run, tool, shape(r.Shape[:8])))
		}
		if !rule.Forever {
			sum += b.works.slots.peek(workHash(tool, r.Args))
		}
	}
	b.warmth = sum // so that the loads are not left out
}
