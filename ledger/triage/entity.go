package triage

import (
	"math/bits"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

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
	text     string // the name: there is one, however many findings say it
	name     uint32
	tail     uint32 // its latest call; the others by prevInRun
	n        int
	end      place
	ended    bool
	parent   uint32 // run, after circles were dropped
	children []uint32
	unfit    int // findings that make it no honest run
	findings int
	honest   int      // its calls when its view was made, 0 when findings made it no honest run
	view     *RunView // what its calls decide
	shown    *RunView // with its tree and findings, as it stands in the list
	wait
}

type tool struct {
	text                              string // as of a run
	name                              uint32
	calls, unclassified, failed, open int
	repeats                           int
	first                             uint32 // call
	stale                             bool   // first is to be looked for again
	respelled                         bool   // in some call's shape nothing but numbers is blanked
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

// named are the numbers of what has a name: a run, a tool, a recorded key. 0: there is none.
type named struct{ run, tool, recorded uint32 }

// namedAs is what has a name.
func (b *Book) namedAs(name uint32) named {
	if name == 0 {
		return b.nameless
	}
	n := b.names.note(name)
	if n == 0 {
		return named{}
	}
	return *b.named.at(n)
}

// setNamed is for writing.
func (b *Book) setNamed(name uint32) *named {
	if name == 0 {
		return &b.nameless
	}
	n := b.names.note(name)
	if n == 0 {
		n = b.named.add(named{})
		b.names.setNote(name, n)
	}
	return b.named.at(n)
}

func (b *Book) runFor(name uint32) uint32 {
	if r := b.namedAs(name).run; r != 0 {
		return r
	}
	r := b.runs.add(run{name: name, text: b.names.text(name)})
	b.setNamed(name).run = r
	return r
}

// runText is the name of a run that was seen.
func (b *Book) runText(name uint32) string { return b.runs.at(b.runFor(name)).text }

// runName is the name of a run that may be known by a result alone.
func (b *Book) runName(name uint32) string {
	if b.namedAs(name).run != 0 {
		return b.runText(name)
	}
	return b.names.text(name)
}

// toolText is the name of a tool that was seen.
func (b *Book) toolText(name uint32) string { return b.tools.at(b.toolFor(name)).text }

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
	t := b.toolFor(b.stem(c).tool)
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
	case d < 0 && (at.first == i || c.time == at.last || len(b.sides) > 2):
		at.stale = true
	case d > 0 && (at.first == 0 || b.callBefore(i, at.first)):
		at.first = i
	}
	at.sides |= b.sideBit(c)
	at.last = max(at.last, c.time)
	b.sideTally(c, class, d)
	if b.tie(c).group != 0 {
		g := b.groups.at(b.tie(c).group)
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
func (b *Book) sideBit(c *call) uint16 { return 1 << min(b.files[b.stem(c).file].side, 15) }

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
	if t := b.namedAs(name).tool; t != 0 {
		return t
	}
	t := b.tools.add(tool{name: name, text: b.names.text(name), last: trace.NoTime})
	b.setNamed(name).tool = t
	return t
}

// state keeps a tool's counts of open and failed calls.
func (b *Book) state(i uint32) {
	c := b.calls.at(i)
	at := b.tools.at(b.toolFor(b.stem(c).tool))
	counted := c.flags&callCounted != 0
	open := counted && b.tie(c).result == 0
	failed := false
	if counted && b.tie(c).result != 0 {
		s := b.results.at(b.tie(c).result).status
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
	if c.flags&(callNoKey|callHeld) != 0 || b.tie(c).result == 0 && b.records(b.stem(c).file) {
		if c.flags&callQueued == 0 {
			c.flags |= callQueued
			b.openers.add(i)
		}
	}
	b.mark(entRun, b.runFor(c.run))
	b.mark(entTool, b.toolFor(b.stem(c).tool))
	if b.aside(c).recorded != 0 {
		b.mark(entRecorded, b.namedAs(b.aside(c).recorded).recorded)
		b.markRow(keys.IDOf(b.names.text(b.aside(c).recorded)))
	}
	if c.flags&callNoKey != 0 {
		return
	}
	if g := b.tie(c).group; g != 0 {
		b.mark(entGroup, g)
	} else if b.tie(c).result != 0 && b.results.at(b.tie(c).result).next != 0 {
		b.mark(entGroup, b.group(i))
	}
	if len(b.rows) > 0 {
		b.markRow(b.cfg.Recipe.ID(c.key))
	}
	if b.rule(c).Class == table.Pure {
		return
	}
	if k := b.shapeBucket(c); k != 0 && b.shapes.buckets.at(k).several {
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
	b.groupsOf(b.cfg.Recipe.ID(c.key), func(_ uint16, g uint32) { b.mark(entGroup, g) })
	if k := b.work(c); k != 0 && b.cfg.Match == MatchIntent && !b.rule(c).Forever {
		for i := b.works.buckets.at(k).head; i != 0; i = inWork(b, b.calls.at(i)) {
			b.mark(entGroup, b.tie(b.calls.at(i)).group)
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
