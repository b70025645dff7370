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
		if r.NoKey {
			continue
		}
		rule, tool, again := b.rules[r.Rule], in.name(r.Tool), true
		if rule.Class != table.Pure && !rule.Forever {
			h := workHash(tool, r.Args)
			e := b.works.slots.peek(h)
			again = e>>32 == h>>32
			sum += e
		}
		if again || !b.impliesGroup(r.Rule) {
			sum += b.groupOf.peek(groupKey{id: b.cfg.Recipe.ID(r.Key)}.hash())
		}
		if rule.Class != table.Pure && r.Shape != ([16]byte{}) && (again || r.Shape != r.Args || !b.sole[r.Rule]) {
			sum += b.shapes.slots.peek(shapeHash(run, tool, shape(r.Shape[:8])))
		}
	}
	b.warmth = sum // so that the loads are not left out
}
