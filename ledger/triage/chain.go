package triage

import (
	"slices"

	"drainboard/keys"
	"drainboard/keys/table"
)

// groupKey names a key; with Match the side too, because then groups are made within a side.
type groupKey struct {
	id   keys.ID
	side uint16
}

// group is the calls of one key. A call that is alone with its key has none where that says nothing (Book.lean) until somebody asks for it.
type group struct {
	id         keys.ID
	head, tail uint32
	n          uint32 // counted calls
	side       uint16
	sides      uint16 // one bit a side that called it
	held       bool   // may have findings
	wait
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
	if b.aside(c).recorded != 0 {
		b.chainRecorded(c, i)
	}
	if c.flags&callNoKey != 0 {
		return
	}
	b.chainGroup(c, i)
	if b.rule(c).Class == table.Pure {
		return
	}
	if c.shape != (shape{}) {
		b.enter(&b.shapes, shapeHash(c.run, c.tool, c.shape), i, sameShape(c), shapeLink, callShapes, func(o *call) bool { return o.key != c.key })
	}
	if !b.rule(c).Forever {
		b.enter(&b.works, workHash(c.tool, c.args), i, sameWork(c.tool, c.args), workLink, callWorks, func(o *call) bool { return o.run != c.run })
	}
}

func shapeLink(b *Book, c *call) *uint32 { return &b.setAside(c).nextInShape }
func workLink(b *Book, c *call) *uint32  { return &b.setAside(c).nextInWork }

func shapeHash(run, tool uint32, of shape) uint64 {
	return hashed(first64(of[:]) ^ mix(uint64(run)<<32|uint64(tool), 0xa0761d6478bd642f))
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
	k, _ := b.lookUp(&b.shapes, shapeHash(c.run, c.tool, c.shape), sameShape(c))
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
	r := b.recOf.at(b.aside(c).recorded)
	if r == 0 {
		r = b.recorded.add(bucket{})
		b.recOf.set(b.aside(c).recorded, r)
	}
	at := b.recorded.at(r)
	if at.tail == 0 {
		at.head = i
	} else {
		b.setAside(b.calls.at(at.tail)).nextInRec = i
		at.several = true
	}
	at.tail = i
}

func (b *Book) chainGroup(c *call, i uint32) {
	k := b.groupKey(c)
	at, n := b.findGroup(k)
	switch {
	case n == 0:
		b.groupOf.put(k.hash(), i)
		if !b.lean() {
			b.group(i)
		}
		return
	case n&shared == 0:
		n = b.makeGroup(k, at, n) | shared
	}
	g := b.groups.at(n &^ shared)
	b.setAside(b.calls.at(g.tail)).nextInGroup = i
	g.tail = i
	c.group = n &^ shared
}

func (b *Book) groupKey(c *call) groupKey {
	k := groupKey{id: b.cfg.Recipe.ID(c.key)}
	if b.cfg.Match != MatchNone {
		k.side = b.files[c.file].side
	}
	return k
}

func (k groupKey) hash() uint64 { return hashed(first64(k.id[:]) + uint64(k.side)) }

// lean says whether a call that is alone with its key needs no group: neither a ledger nor other sides have anything to say of it.
func (b *Book) lean() bool { return !b.cfg.Ledger && b.cfg.Match == MatchNone && len(b.sides) < 2 }

// findGroup finds a key's entry: a group, marked as shared, or the call that is alone with it.
func (b *Book) findGroup(k groupKey) (at int, n uint32) {
	return b.groupOf.find(k.hash(), func(n uint32) bool {
		if n&shared == 0 {
			return b.groupKey(b.calls.at(n)) == k
		}
		g := b.groups.at(n &^ shared)
		return g.id == k.id && g.side == k.side
	})
}

// makeGroup makes a group of the call that is alone with a key, whose entry stands at a position.
func (b *Book) makeGroup(k groupKey, at int, i uint32) uint32 {
	g := b.groups.add(group{id: k.id, side: k.side, head: i, tail: i})
	b.groupOf.set(at, g|shared)
	c := b.calls.at(i)
	c.group = g
	if c.flags&callCounted != 0 {
		made := b.groups.at(g)
		made.n = 1
		b.setSides(made, b.sideBit(c))
	}
	return g
}

// group is the group of a call, made where it had none; 0 for a call that has no key or never counted.
func (b *Book) group(i uint32) uint32 {
	c := b.calls.at(i)
	if c.group != 0 || c.flags&callNoKey != 0 || c.flags&callChained == 0 {
		return c.group
	}
	return b.groupFor(b.groupKey(c))
}

// groupFor is the group of a key, 0 when no call has it.
func (b *Book) groupFor(k groupKey) uint32 {
	at, n := b.findGroup(k)
	if n != 0 && n&shared == 0 {
		return b.makeGroup(k, at, n)
	}
	return n &^ shared
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

// members collects the counted calls of a chain in order of place.
func (b *Book) members(head uint32, next func(*Book, *call) uint32) []uint32 {
	var out []uint32
	for i := head; i != 0; {
		c := b.calls.at(i)
		if c.flags&callCounted != 0 {
			out = append(out, i)
		}
		i = next(b, c)
	}
	b.sortCalls(out)
	return out
}

// sortCalls brings calls, of which none comes twice, into order of place. Mostly they are.
func (b *Book) sortCalls(calls []uint32) {
	for n := 1; n < len(calls); n++ {
		if b.callBefore(calls[n], calls[n-1]) {
			slices.SortFunc(calls, func(i, j uint32) int { return order(b.callBefore(i, j)) })
			return
		}
	}
}

func inGroup(b *Book, c *call) uint32    { return b.aside(c).nextInGroup }
func inRun(_ *Book, c *call) uint32      { return c.nextInRun }
func inShape(b *Book, c *call) uint32    { return b.aside(c).nextInShape }
func inWork(b *Book, c *call) uint32     { return b.aside(c).nextInWork }
func inRecorded(b *Book, c *call) uint32 { return b.aside(c).nextInRec }
