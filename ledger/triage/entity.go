package triage

import (
	"math/bits"
	"slices"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// groupKey names a key; with Match the side too, because then groups are made within a side.
type groupKey struct {
	id   keys.ID
	side uint16
}

// group is the calls of one key.
type group struct {
	id         keys.ID
	head, tail uint32
	n          uint32 // counted calls
	side       uint16
	sides      uint16   // one bit a side that called it
	met        []uint32 // calls by side that were counted as standing in the ledger
	held       bool     // may have findings
	wait
}

// wait says whether an entity is queued, and how many calls it had at its last evaluation.
type wait struct {
	queued bool
	size   uint32
}

// bucket is a chain of calls that share something: a shape, an intent without its run, a recorded key.
type bucket struct {
	head, tail uint32
	several    bool // calls of several keys (shape) or runs (intent)
	wait
}

type run struct {
	name       uint32
	head, tail uint32
	n          int
	end        place
	ended      bool
	parent     uint32 // run, after circles were dropped
	children   []uint32
	unfit      int // findings that make it no honest run
	findings   int
	view       *RunView // what its calls decide
	shown      *RunView // with its tree and findings, as it stands in the list
	wait
}

type tool struct {
	name                              uint32
	calls, unclassified, failed, open int
	repeats                           int
	first                             uint32 // call
	stale                             bool   // first is to be looked for again
	classes                           [4]int
	last                              int64
	sides                             uint16
	view                              *ToolView
	wait
}

// link says that a run was started by another.
type link struct {
	child, parent uint32 // runs
	at            place
}

func (b *Book) runFor(name uint32) uint32 {
	r := b.runOf.at(name)
	if r == 0 {
		r = b.runs.add(run{name: name})
		b.runOf.set(name, r)
	}
	return r
}

func (b *Book) addLink(f *file, r *Rec, in *interned) {
	parent, child := in.name(r.Parent), in.name(r.Run)
	if parent == 0 || parent == child {
		return
	}
	b.links = append(b.links, link{b.runFor(child), b.runFor(parent), place{f.latest, f.Path, f.Generation, r.Offset, r.N}})
	b.forest = true
}

func (b *Book) addEnd(f *file, r *Rec, in *interned) {
	i := b.runFor(in.name(r.Run))
	at := b.runs.at(i)
	if p := (place{f.latest, f.Path, f.Generation, r.Offset, r.N}); !at.ended || p.before(at.end) {
		at.ended, at.end = true, p
		b.mark(entRun, i)
	}
}

// waitOf is the waiting state of an entity.
func (b *Book) waitOf(kind int, i uint32) *wait {
	switch kind {
	case entGroup:
		return &b.groups.at(i).wait
	case entShape:
		return &b.shapes.buckets.at(i).wait
	case entWork:
		return &b.works.buckets.at(i).wait
	case entRecorded:
		return &b.recorded.at(i).wait
	case entRun:
		return &b.runs.at(i).wait
	}
	return &b.tools.at(i).wait
}

// mark queues an entity for evaluation.
func (b *Book) mark(kind int, i uint32) {
	if w := b.waitOf(kind, i); !w.queued {
		w.queued = true
		b.queue[kind].add(i)
	}
}

// count makes a call count, or stop counting, and marks everything that it stands in.
func (b *Book) count(i uint32, counted bool) {
	c := b.calls.at(i)
	c.flags |= callLinked
	if c.flags&callChained == 0 {
		if !counted {
			return
		}
		b.chain(i)
	}
	was := c.flags&callCounted != 0
	if counted != was {
		b.tally(i, counted)
	}
	b.state(i)
	b.touch(i)
}

// chain enters a call into the chains of its run, key, shape, intent and recorded key.
func (b *Book) chain(i uint32) {
	c := b.calls.at(i)
	c.flags |= callChained
	r := b.runs.at(b.runFor(c.run))
	if r.tail == 0 {
		r.head = i
	} else {
		b.calls.at(r.tail).nextInRun = i
	}
	r.tail = i
	if c.recorded != 0 {
		b.chainRecorded(c, i)
	}
	if c.flags&callNoKey != 0 {
		return
	}
	b.chainGroup(c, i)
	if b.rule(c).Class == table.Pure {
		return
	}
	if c.shape != ([16]byte{}) {
		b.enter(&b.shapes, shapeHash(c), i, sameShape(c), shapeLink, callShapes, func(o *call) bool { return o.key != c.key })
	}
	if !b.rule(c).Forever {
		b.enter(&b.works, workHash(c.tool, c.args), i, sameWork(c.tool, c.args), workLink, callWorks, func(o *call) bool { return o.run != c.run })
	}
}

func shapeLink(c *call) *uint32 { return &c.nextInShape }
func workLink(c *call) *uint32  { return &c.nextInWork }

func shapeHash(c *call) uint64 {
	return hashed(first64(c.shape[:]) ^ mix(uint64(c.run)<<32|uint64(c.tool), 0xa0761d6478bd642f))
}

func sameShape(c *call) func(*call) bool {
	return func(o *call) bool { return o.shape == c.shape && o.run == c.run && o.tool == c.tool }
}

func workHash(tool uint32, args [16]byte) uint64 {
	return hashed(first64(args[:]) ^ mix(uint64(tool), 0xe7037ed1a0b428db))
}

func sameWork(tool uint32, args [16]byte) func(*call) bool {
	return func(o *call) bool { return o.args == args && o.tool == tool }
}

// shape is the bucket of the calls that share a call's shape, 0 when it is alone.
func (b *Book) shape(c *call) uint32 {
	if c.flags&callShapes == 0 {
		return 0
	}
	k, _ := b.lookUp(&b.shapes, shapeHash(c), sameShape(c))
	return k
}

// work is the bucket of the calls that share a call's tool and arguments, 0 when it is alone.
func (b *Book) work(c *call) uint32 {
	if c.flags&callWorks == 0 {
		return 0
	}
	k, _ := b.lookUp(&b.works, workHash(c.tool, c.args), sameWork(c.tool, c.args))
	return k
}

// sameIntent lists the counted calls with the tool and arguments of one, whatever their run, in order.
func (b *Book) sameIntent(i uint32) []uint32 {
	if k := b.work(b.calls.at(i)); k != 0 {
		return b.members(b.works.buckets.at(k).head, inWork)
	}
	return []uint32{i}
}

func (b *Book) chainRecorded(c *call, i uint32) {
	r := b.recOf.at(c.recorded)
	if r == 0 {
		r = b.recorded.add(bucket{})
		b.recOf.set(c.recorded, r)
	}
	at := b.recorded.at(r)
	if at.tail == 0 {
		at.head = i
	} else {
		b.calls.at(at.tail).nextInRec = i
		at.several = true
	}
	at.tail = i
}

func (b *Book) chainGroup(c *call, i uint32) {
	k := groupKey{id: b.cfg.Recipe.ID(c.key)}
	if b.cfg.Match != MatchNone {
		k.side = b.files[c.file].side
	}
	g := b.groupFor(k)
	if g == 0 {
		g = b.groups.add(group{id: k.id, side: k.side})
		b.groupOf.put(k.hash(), g)
	}
	at := b.groups.at(g)
	if at.tail == 0 {
		at.head = i
	} else {
		b.calls.at(at.tail).nextInGroup = i
	}
	at.tail = i
	c.group = g
}

func (k groupKey) hash() uint64 { return hashed(first64(k.id[:]) + uint64(k.side)) }

// groupFor is the group of a key, 0 when no call has it.
func (b *Book) groupFor(k groupKey) uint32 {
	_, g := b.groupOf.find(k.hash(), func(g uint32) bool {
		at := b.groups.at(g)
		return at.id == k.id && at.side == k.side
	})
	return g
}

// groupsOf visits the groups of a key: one, or with --match one a side.
func (b *Book) groupsOf(id keys.ID, visit func(side uint16, g uint32)) {
	if b.cfg.Match == MatchNone {
		if g := b.groupFor(groupKey{id: id}); g != 0 {
			visit(0, g)
		}
		return
	}
	for side := range b.sides {
		if g := b.groupFor(groupKey{id, uint16(side)}); g != 0 {
			visit(uint16(side), g)
		}
	}
}

// tally adds a call to the counts, or takes it away.
func (b *Book) tally(i uint32, counted bool) {
	c := b.calls.at(i)
	d := 1
	if counted {
		c.flags |= callCounted
	} else {
		c.flags &^= callCounted
		d = -1
	}
	b.totals.Calls += d
	r := b.runs.at(b.runFor(c.run))
	if r.n += d; r.n == 0 || r.n == 1 && d == 1 {
		b.totals.Runs += d
	}
	t := b.toolFor(c.tool)
	at := b.tools.at(t)
	if at.calls += d; at.calls == 0 || at.calls == 1 && d == 1 {
		b.totals.Tools += d
	}
	class := b.rule(c).Class
	at.classes[class] += d
	if class == table.Unclassified {
		at.unclassified += d
	}
	switch {
	case d < 0 && (at.first == i || len(b.sides) > 2):
		at.stale = true
	case d > 0 && (at.first == 0 || b.callBefore(i, at.first)):
		at.first = i
	}
	at.sides |= b.sideBit(c)
	at.last = max(at.last, c.time)
	b.sideTally(c, class, d)
	if c.group != 0 {
		g := b.groups.at(c.group)
		if g.n = uint32(int(g.n) + d); d > 0 && g.n > 1 || d < 0 && g.n > 0 {
			at.repeats += d
		}
		if d > 0 {
			b.setSides(g, g.sides|b.sideBit(c))
		} else {
			sides := uint16(0)
			for _, j := range b.members(g.head, inGroup) {
				sides |= b.sideBit(b.calls.at(j))
			}
			b.setSides(g, sides)
		}
	}
}

// sideBit is the bit of a call's side in a mask; sides beyond the fifteenth share one.
func (b *Book) sideBit(c *call) uint16 { return 1 << min(b.files[c.file].side, 15) }

// setSides keeps the number of keys that only one side called.
func (b *Book) setSides(g *group, sides uint16) {
	if g.sides == sides || len(b.sides) < 2 {
		return
	}
	others := b.otherSides(g)
	if was := g.sides | others; was != 0 && was&(was-1) == 0 {
		b.lone[bits.TrailingZeros16(was)]--
	}
	g.sides = sides
	if is := sides | others; is != 0 && is&(is-1) == 0 {
		b.lone[bits.TrailingZeros16(is)]++
	}
}

// otherSides are the sides of the other groups of a group's key: with --match a key has a group a side.
func (b *Book) otherSides(g *group) (sides uint16) {
	if b.cfg.Match == MatchNone {
		return 0
	}
	b.groupsOf(g.id, func(_ uint16, i uint32) {
		if other := b.groups.at(i); other != g {
			sides |= other.sides
		}
	})
	return sides
}

// onlyOn counts, by side, the keys that no other side called.
func (b *Book) onlyOn() []int {
	out := make([]int, len(b.sides))
	for side := 1; side < len(b.sides) && side < len(b.lone) && len(b.sides) > 2; side++ {
		out[side] = b.lone[side]
	}
	return out
}

func (b *Book) toolFor(name uint32) uint32 {
	t := b.toolOf.at(name)
	if t == 0 {
		t = b.tools.add(tool{name: name, last: trace.NoTime})
		b.toolOf.set(name, t)
	}
	return t
}

// state keeps a tool's counts of open and failed calls.
func (b *Book) state(i uint32) {
	c := b.calls.at(i)
	at := b.tools.at(b.toolFor(c.tool))
	counted := c.flags&callCounted != 0
	open := counted && c.result == 0
	failed := false
	if counted && c.result != 0 {
		s := b.results.at(c.result).status
		failed = s == trace.Error || s == trace.Ambiguous
	}
	flip := func(flag callFlags, on bool, n *int) {
		if (c.flags&flag != 0) == on {
			return
		}
		c.flags ^= flag
		if on {
			*n++
		} else {
			*n--
		}
	}
	flip(callOpen, open, &at.open)
	flip(callFailed, failed, &at.failed)
}

// touch marks everything that a call's state decides about.
func (b *Book) touch(i uint32) {
	c := b.calls.at(i)
	b.openers.add(i)
	b.mark(entRun, b.runFor(c.run))
	b.mark(entTool, b.toolFor(c.tool))
	if c.recorded != 0 {
		b.mark(entRecorded, b.recOf.at(c.recorded))
		b.markRow(keys.IDOf(b.names.text(c.recorded)))
	}
	if c.group == 0 {
		return
	}
	b.mark(entGroup, c.group)
	b.markRow(b.groups.at(c.group).id)
	if b.rule(c).Class == table.Pure {
		return
	}
	if k := b.shape(c); k != 0 && b.shapes.buckets.at(k).several {
		b.mark(entShape, k)
	}
	if !b.rule(c).Forever {
		if k := b.work(c); k != 0 && b.works.buckets.at(k).several {
			b.mark(entWork, k)
		}
	}
	b.markMatched(c)
}

// markMatched marks the groups of other sides that the same key or work stands in: whether one is alone, or first, depends on them.
func (b *Book) markMatched(c *call) {
	if b.cfg.Match == MatchNone {
		return
	}
	b.groupsOf(b.groups.at(c.group).id, func(_ uint16, g uint32) { b.mark(entGroup, g) })
	if k := b.work(c); k != 0 && b.cfg.Match == MatchIntent && !b.rule(c).Forever {
		for i := b.works.buckets.at(k).head; i != 0; i = b.calls.at(i).nextInWork {
			b.mark(entGroup, b.calls.at(i).group)
		}
	}
}

// markRow marks the row of a key, if the ledger has one.
func (b *Book) markRow(id keys.ID) {
	if r, ok := b.rows[id]; ok && !r.queued {
		r.queued = true
		b.rowQueue = append(b.rowQueue, r)
	}
}

// members collects the counted calls of a chain in order of place.
func (b *Book) members(head uint32, next func(*call) uint32) []uint32 {
	var out []uint32
	sorted := true
	for i := head; i != 0; {
		c := b.calls.at(i)
		if c.flags&callCounted != 0 {
			if n := len(out); sorted && n > 0 && b.callBefore(i, out[n-1]) {
				sorted = false
			}
			out = append(out, i)
		}
		i = next(c)
	}
	if !sorted {
		slices.SortFunc(out, func(i, j uint32) int { return order(b.callBefore(i, j)) })
	}
	return out
}

func inGroup(c *call) uint32    { return c.nextInGroup }
func inRun(c *call) uint32      { return c.nextInRun }
func inShape(c *call) uint32    { return c.nextInShape }
func inWork(c *call) uint32     { return c.nextInWork }
func inRecorded(c *call) uint32 { return c.nextInRec }
