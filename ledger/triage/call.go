package triage

import (
	"encoding/binary"

	"drainboard/keys"
	"drainboard/trace"
)

type callFlags uint32

const (
	callNoKey callFlags = 1 << iota
	callOpaque
	callIgnored
	callAnswered // a result for it was seen, in the order of its file
	callCounted  // counted: not a copy, not left out
	callLinked   // judged before
	callLeftOut  // before --since
	callOpen     // counted as open in its tool
	callFailed   // counted as failed in its tool
	callShapes   // shares its shape with another call
	callWorks    // shares its tool and arguments with another call
	callHeld     // has findings of its own
	callAssumed  // its line names no run
	callChained  // stands in the chains of its key, run, ...
	callPlaced   // its place in time is not its own time
	callAlone    // alone with its tool and arguments, and therefore with its key, which stands in no list
	callShape    // has a shape: that of its arguments, unless it is blanked
	callShaped   // stands among those of its shape
	callBlanked  // its shape is another than that of its arguments, or it has leaves
	callQueued   // stands among the openers
	callAside    // more is the number of what it has aside, not of its marks
)

// call is one recorded call. There may be tens of millions: it is kept at 88 bytes. What calls have in common stands in their stem, what only some of
// them have in their tie, their blanks and aside. Texts are numbers in Book.names.
type call struct {
	key       keys.Digest
	args      [16]byte
	time      int64
	offset    uint32 // the lower half of it; see stem
	line      uint32
	run       uint32
	stem      uint32
	prevInRun uint32
	tie       uint32 // 0: none
	more      uint32 // its marks, or what it has aside; 0: neither
	flags     callFlags
}

// stem is what many calls of one file have in common.
type stem struct {
	file    FileID
	tool    uint32 // name
	high    uint32 // the upper half of the offset
	rule, n uint16
	reach   trace.Reach
}

// offset is the place in the file of a call or result with this stem and this lower half.
func (s *stem) offset(low uint32) int64 { return int64(uint64(s.high)<<32 | uint64(low)) }

// is says whether a call or result with this stem and this lower half of its offset stands at a position.
func (s *stem) is(p Pos, low uint32) bool {
	return s.offset(low) == p.Offset && s.file == p.FileID && int(s.n) == p.N
}

func (s *stem) hash() uint64 {
	return hashed(mix(uint64(s.file)<<32|uint64(s.tool), 0x9fb21c651e98df25) + mix(uint64(s.high)<<40|uint64(s.rule)<<24|uint64(s.n)<<8|uint64(s.reach), 0xd6e8feb86659fd93))
}

// stems numbers them.
type stems struct {
	list   chunks[stem]
	slots  slots
	recent [64]uint32 // numbers by hash: most calls have one of few
}

func (s *stems) put(x stem) uint32 {
	h := x.hash()
	recent := &s.recent[h%uint64(len(s.recent))]
	if *recent != 0 && *s.list.at(*recent) == x {
		return *recent
	}
	_, i := s.slots.find(h, func(i uint32) bool { return *s.list.at(i) == x })
	if i == 0 {
		i = s.list.add(x)
		s.slots.put(h, i)
	}
	*recent = i
	return i
}

func (b *Book) stem(c *call) *stem { return b.stems.list.at(c.stem) }

// setRule gives a call another rule.
func (b *Book) setRule(c *call, rule uint16) {
	s := *b.stem(c)
	if s.rule != rule {
		s.rule = rule
		c.stem = b.stems.put(s)
	}
}

// tie is what holds a call and others together, but for its run.
type tie struct {
	id                 uint32 // in ids
	span               uint32 // in spans
	scope, nextInScope uint32
	group              uint32
	result             uint32 // the paired one; further ones follow in result.next
}

// tie is for reading only: all zero for a call that has none.
func (b *Book) tie(c *call) *tie {
	if c.tie == 0 {
		return &b.nothing.tie
	}
	return b.ties.at(c.tie)
}

// setTie is for writing.
func (b *Book) setTie(c *call) *tie {
	if c.tie == 0 {
		c.tie, _ = b.ties.next()
	}
	return b.ties.at(c.tie)
}

// aside is what few calls have.
type aside struct {
	marks                    uint32 // as call.more
	recorded, nextInRec      uint32 // name of the recorded key
	copyOf                   uint32
	reason                   uint32 // name: why it has no key
	conn                     uint32 // name: within what its id reaches, if that is a connection
	nextInGroup, nextInShape uint32
	nextInWork               uint32
}

// aside is for reading only: all zero for a call that has nothing aside.
func (b *Book) aside(c *call) *aside {
	if c.flags&callAside == 0 {
		return &b.nothing.aside
	}
	return b.asides.at(c.more)
}

// setAside is for writing.
func (b *Book) setAside(c *call) *aside {
	if c.flags&callAside == 0 {
		i, a := b.asides.next()
		a.marks = c.more
		c.more = i
		c.flags |= callAside
	}
	return b.asides.at(c.more)
}

// placed is a call's place in time.
func (b *Book) placed(c *call) int64 {
	if c.flags&callPlaced != 0 {
		return int64(binary.LittleEndian.Uint64(b.marks.at(b.marked(c)).value[:]))
	}
	return c.time
}

// owner is within what the id of a call reaches; see scopeKey.
func (b *Book) owner(c *call) uint32 {
	switch b.stem(c).reach {
	case trace.ReachEverywhere:
		return 0
	case trace.ReachConn:
		return b.aside(c).conn
	}
	return c.run
}

// shape is the beginning of the digest of a shape: calls of one run and tool are compared by it.
type shape [8]byte

// mark is a part of the marks of a call, which stand one behind the other: its place in time, of callPlaced: the latest recorded time so far in its file;
// and, of callBlanked, its shape with the number of its leaves, and the volatile leaves of its arguments.
type mark struct {
	value [8]byte // the place, the shape, or the hash of what stands in the leaf
	n     uint32  // number of leaves, or where the leaf is and what it looks like: a number in Book.spots
}

// spot is where a volatile leaf is and what it looks like. Both are names.
type spot struct{ pointer, looks uint32 }

// spots numbers them.
type spots struct {
	list   []spot // from 1
	number map[spot]uint32
}

func (s *spots) put(x spot) uint32 {
	if n := len(s.list); n > 0 && s.list[n-1] == x {
		return uint32(n)
	}
	i, ok := s.number[x]
	if !ok {
		if s.number == nil {
			s.number = map[spot]uint32{}
		}
		s.list = append(s.list, x)
		i = uint32(len(s.list))
		s.number[x] = i
	}
	return i
}

func (s *spots) at(i uint32) spot { return s.list[i-1] }

// marked is where the marks of a call stand, 0 when it has none.
func (b *Book) marked(c *call) uint32 {
	if c.flags&callAside != 0 {
		return b.asides.at(c.more).marks
	}
	return c.more
}

// blanks is where the shape of callBlanked stands, and its leaves behind it.
func (b *Book) blanks(c *call) uint32 {
	if c.flags&callPlaced != 0 {
		return b.marked(c) + 1
	}
	return b.marked(c)
}

// leaves visits the volatile leaves of a call until visit says stop.
func (b *Book) leaves(c *call, visit func(at spot, value [8]byte) bool) {
	if c.flags&callBlanked == 0 {
		return
	}
	at := b.blanks(c)
	for i := at + 1; i <= at+b.marks.at(at).n; i++ {
		if l := b.marks.at(i); !visit(b.spots.at(l.n), l.value) {
			return
		}
	}
}

// shape is a call's shape, zero when it has none.
func (b *Book) shape(c *call) shape {
	switch {
	case c.flags&callShape == 0:
		return shape{}
	case c.flags&callBlanked != 0:
		return b.marks.at(b.blanks(c)).value
	}
	return shape(c.args[:8])
}

// setMarks gives a call its place in time, its shape and its leaves, of which there are n.
func (b *Book) setMarks(c *call, place int64, s shape, n int, leaf func(int) (at spot, value uint64)) {
	c.flags &^= callShape | callBlanked | callPlaced
	at := b.marks.last() + 1
	if place != c.time {
		c.flags |= callPlaced
		m := mark{}
		binary.LittleEndian.PutUint64(m.value[:], uint64(place))
		b.marks.add(m)
	}
	if s != (shape{}) {
		c.flags |= callShape
	}
	if n > 0 || s != (shape{}) && s != shape(c.args[:8]) {
		c.flags |= callBlanked
		b.marks.add(mark{s, uint32(n)})
		for i := range n {
			spot, value := leaf(i)
			l := mark{n: b.spots.put(spot)}
			binary.LittleEndian.PutUint64(l.value[:], value)
			b.marks.add(l)
		}
	}
	if b.marks.last() < at {
		at = 0
	}
	if c.flags&callAside != 0 {
		b.asides.at(c.more).marks = at
	} else {
		c.more = at
	}
}
