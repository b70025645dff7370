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
	c.prevInRun, r.tail = r.tail, i
	if b.aside(c).recorded != 0 {
		b.chainRecorded(c, i)
	}
	if c.flags&callNoKey != 0 {
		return
	}
	rule := b.rule(c)
	if rule.Class == table.Pure || rule.Forever {
		b.chainGroup(c, i)
		b.chainShape(c, i)
		return
	}
	first, alone := b.enter(&b.works, workHash(b.stem(c).tool, c.args), i, b.sameWork(b.stem(c).tool, c.args), workLink, callWorks, func(o *call) bool { return o.run != c.run })
	if first != 0 {
		b.noLongerAlone(first)
	}
	if !alone || !b.impliesGroup(b.stem(c).rule) {
		b.chainGroup(c, i)
	} else {
		c.flags |= callAlone
	}
	if !alone || !b.impliesShape(c) {
		b.chainShape(c, i)
	}
}

// impliesShape says whether whoever shares a call's shape shares its tool and arguments too: nothing of them was blanked. Then the call needs no entry for
// its shape while it is alone with those. But a number can be blanked to the spelling that another call has: respelled calls and those are brought together.
func (b *Book) impliesShape(c *call) bool {
	if !b.sole[b.stem(c).rule] || b.blanked(c) {
		return false
	}
	if !b.tools.at(b.toolFor(b.stem(c).tool)).respelled {
		return true
	}
	_, n := b.shapes.slots.find(b.shapeHash(c), func(n uint32) bool { return b.sameShape(c, b.calls.at(b.shapes.head(n))) })
	return n == 0
}

// blanked says whether a call's shape is another than its arguments.
func (b *Book) blanked(c *call) bool { return b.shape(c) != shape(c.args[:8]) }

// respelled says whether nothing but numbers is blanked in a call's shape.
func (b *Book) respelled(c *call) bool {
	numbers := true
	b.leaves(c, func(at spot, _ [8]byte) bool {
		numbers = at.looks == b.spelling
		return numbers
	})
	return numbers && b.blanked(c)
}

// meetSpelling enters for its shape the call whose arguments are as a call's are when their numbers are spelled otherwise.
func (b *Book) meetSpelling(c *call) {
	b.tools.at(b.toolFor(b.stem(c).tool)).respelled = true
	tool, as := b.stem(c).tool, b.shape(c)
	_, n := b.works.slots.find(workHash(tool, [16]byte(append(as[:], as[:]...))), func(n uint32) bool {
		o := b.calls.at(b.works.head(n))
		return b.stem(o).tool == tool && shape(o.args[:8]) == as
	})
	if n != 0 && n&shared == 0 && b.calls.at(n).run == c.run {
		b.chainShape(b.calls.at(n), n)
	}
}

// impliesGroup says whether whoever shares the key of a call of that rule shares its tool and arguments too, so that a call that is alone with those needs
// no entry of its own for its key.
func (b *Book) impliesGroup(rule uint16) bool {
	return b.sole[rule] && b.cfg.Recipe == keys.Intent && b.lean() && !b.listed
}

// soleRules says of each rule whether all calls of its tools are judged by it, neither pure nor across runs: then equal tool and arguments mean equal rules.
func soleRules(rules []*table.Rule) []bool {
	cases := map[string]bool{}
	for _, r := range rules {
		if r.Case > 0 {
			cases[r.Name] = true
		}
	}
	sole := make([]bool, len(rules))
	for i, r := range rules {
		sole[i] = !cases[r.Name] && r.Class != table.Pure && !r.Forever
	}
	return sole
}

// noLongerAlone enters a call whose tool and arguments came a second time where it was left out so far.
func (b *Book) noLongerAlone(i uint32) {
	c := b.calls.at(i)
	if c.flags&callAlone != 0 {
		c.flags &^= callAlone
		b.chainGroup(c, i)
	}
	b.chainShape(c, i)
}

// listKeys enters every key that stands in no list because its call is alone with it: somebody looks for a key that was not found.
func (b *Book) listKeys() {
	b.listed = true
	for i := uint32(1); i <= b.calls.last(); i++ {
		if c := b.calls.at(i); c.flags&callAlone != 0 {
			c.flags &^= callAlone
			b.chainGroup(c, i)
		}
	}
}

func (b *Book) chainShape(c *call, i uint32) {
	if c.flags&(callShape|callShaped) == callShape && b.rule(c).Class != table.Pure {
		c.flags |= callShaped
		if b.sole[b.stem(c).rule] && b.respelled(c) {
			b.meetSpelling(c)
		}
		b.enter(&b.shapes, b.shapeHash(c), i, func(o *call) bool { return b.sameShape(c, o) }, shapeLink, callShapes, func(o *call) bool { return o.key != c.key })
	}
}

func shapeLink(b *Book, c *call) *uint32 { return &b.setAside(c).nextInShape }
func workLink(b *Book, c *call) *uint32  { return &b.setAside(c).nextInWork }

func shapeHash(run, tool uint32, of shape) uint64 {
	return hashed(first64(of[:]) ^ mix(uint64(run)<<32|uint64(tool), 0xa0761d6478bd642f))
}

func (b *Book) shapeHash(c *call) uint64 { return shapeHash(c.run, b.stem(c).tool, b.shape(c)) }

func (b *Book) sameShape(c, o *call) bool {
	return o.run == c.run && b.stem(o).tool == b.stem(c).tool && b.shape(o) == b.shape(c)
}

func workHash(tool uint32, args [16]byte) uint64 {
	return hashed(first64(args[:]) ^ mix(uint64(tool), 0xe7037ed1a0b428db))
}

func (b *Book) sameWork(tool uint32, args [16]byte) func(*call) bool {
	return func(o *call) bool { return o.args == args && b.stem(o).tool == tool }
}

// shapeBucket is the bucket of the calls that share a call's shape, 0 when it is alone.
func (b *Book) shapeBucket(c *call) uint32 {
	if c.flags&callShapes == 0 {
		return 0
	}
	k, _ := b.lookUp(&b.shapes, b.shapeHash(c), func(o *call) bool { return b.sameShape(c, o) })
	return k
}

// work is the bucket of the calls that share a call's tool and arguments, 0 when it is alone.
func (b *Book) work(c *call) uint32 {
	if c.flags&callWorks == 0 {
		return 0
	}
	k, _ := b.lookUp(&b.works, workHash(b.stem(c).tool, c.args), b.sameWork(b.stem(c).tool, c.args))
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
	name := b.setNamed(b.aside(c).recorded)
	if name.recorded == 0 {
		name.recorded = b.recorded.add(bucket{})
	}
	at := b.recorded.at(name.recorded)
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
	b.setTie(c).group = n &^ shared
}

func (b *Book) groupKey(c *call) groupKey {
	k := groupKey{id: b.cfg.Recipe.ID(c.key)}
	if b.cfg.Match != MatchNone {
		k.side = b.files[b.stem(c).file].side
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
	b.setTie(c).group = g
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
	if b.tie(c).group != 0 || c.flags&callNoKey != 0 || c.flags&callChained == 0 {
		return b.tie(c).group
	}
	if c.flags&callAlone != 0 {
		c.flags &^= callAlone
		b.chainGroup(c, i)
	}
	return b.groupFor(b.groupKey(c))
}

// groupFor is the group of a key, 0 when no call has it.
func (b *Book) groupFor(k groupKey) uint32 {
	at, n := b.findGroup(k)
	if n == 0 && !b.listed && b.lean() {
		b.listKeys()
		at, n = b.findGroup(k)
	}
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

// members collects the counted calls of a chain, whichever way it leads, in order of place.
func (b *Book) members(head uint32, next func(*Book, *call) uint32) []uint32 {
	return b.membersInto(nil, head, next)
}

func (b *Book) membersInto(out []uint32, head uint32, next func(*Book, *call) uint32) []uint32 {
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

// sortCalls brings calls, of which none comes twice, into order of place. Mostly they are, or in the reverse of it.
func (b *Book) sortCalls(calls []uint32) {
	if n := len(calls); n > 1 && calls[0] > calls[n-1] {
		slices.Reverse(calls)
	}
	for n := 1; n < len(calls); n++ {
		if b.callBefore(calls[n], calls[n-1]) {
			slices.SortFunc(calls, func(i, j uint32) int { return order(b.callBefore(i, j)) })
			return
		}
	}
}

func inGroup(b *Book, c *call) uint32    { return b.aside(c).nextInGroup }
func inRun(_ *Book, c *call) uint32      { return c.prevInRun }
func inShape(b *Book, c *call) uint32    { return b.aside(c).nextInShape }
func inWork(b *Book, c *call) uint32     { return b.aside(c).nextInWork }
func inRecorded(b *Book, c *call) uint32 { return b.aside(c).nextInRec }
