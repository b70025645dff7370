package triage

import (
	"bytes"
	"hash/maphash"
	"unsafe"

	"drainboard/keys"
	"drainboard/trace"
)

// chunks is a growing array whose items never move. Index 0 is kept free: it means none.
type chunks[T any] struct {
	parts [][]T
	n     uint32
}

const chunkBits = 12

// add appends an item and returns its index, from 1.
func (c *chunks[T]) add(item T) uint32 {
	i, at := c.next()
	*at = item
	return i
}

// next appends an item to be filled in: zero, unless the array was cleared before.
func (c *chunks[T]) next() (uint32, *T) {
	if c.n == 0 {
		c.grow()
		c.n = 1
	}
	if c.n>>chunkBits == uint32(len(c.parts)) {
		c.grow()
	}
	i := c.n
	c.n++
	return i, c.at(i)
}

// grow adds a part while there are few, then half as many as there are, in one slab of at most slabBytes.
func (c *chunks[T]) grow() {
	const most = slabBytes >> chunkBits
	parts := max(1, min(len(c.parts)/2, int(most/unsafe.Sizeof(*new(T)))))
	slab := make([]T, parts<<chunkBits)
	huge(slab)
	for ; len(slab) > 0; slab = slab[1<<chunkBits:] {
		c.parts = append(c.parts, slab[:1<<chunkBits:1<<chunkBits])
	}
}

const slabBytes = 1 << 25

func (c *chunks[T]) at(i uint32) *T { return &c.parts[i>>chunkBits][i&(1<<chunkBits-1)] }

// each visits the items in order.
func (c *chunks[T]) each(visit func(T)) {
	for i := uint32(1); i < c.n; i++ {
		visit(*c.at(i))
	}
}

// clear empties the array and keeps its first part.
func (c *chunks[T]) clear() {
	if len(c.parts) > 1 {
		clear(c.parts[1:])
		c.parts = c.parts[:1]
	}
	c.n = min(c.n, 1)
}

// last is the highest index in use, 0 when there is none.
func (c *chunks[T]) last() uint32 {
	if c.n == 0 {
		return 0
	}
	return c.n - 1
}

// texts numbers strings, from 1; 0 is the empty one. Bytes lie in blocks without pointers between them.
type texts struct {
	seed   maphash.Seed
	slots  slots
	starts []uint64 // block << 32 | offset
	sizes  []uint32
	blocks [][]byte
}

const textBlock = 1 << 18

func (t *texts) init() {
	t.seed = maphash.MakeSeed()
	t.starts, t.sizes = []uint64{0}, []uint32{0}
}

func (t *texts) bytes(i uint32) []byte {
	if i == 0 {
		return nil
	}
	at := t.starts[i]
	block := t.blocks[at>>32]
	return block[uint32(at) : uint32(at)+t.sizes[i]]
}

// text returns the string with number i.
func (t *texts) text(i uint32) string {
	if i == 0 {
		return ""
	}
	return string(t.bytes(i))
}

// find returns the number of s, or 0.
func (t *texts) find(s string) uint32 {
	_, i := t.slots.find(hashed(maphash.String(t.seed, s)), func(i uint32) bool { return string(t.bytes(i)) == s })
	return i
}

// put returns the number of s, giving it one when it is new.
func (t *texts) put(s string) uint32 { return t.putBytes([]byte(s)) }

// putBytes is put for bytes, which it copies.
func (t *texts) putBytes(s []byte) uint32 {
	if len(s) == 0 {
		return 0
	}
	h := hashed(maphash.Bytes(t.seed, s))
	if _, i := t.slots.find(h, func(i uint32) bool { return bytes.Equal(t.bytes(i), s) }); i != 0 {
		return i
	}
	n := len(t.blocks)
	if n == 0 || len(t.blocks[n-1])+len(s) > cap(t.blocks[n-1]) {
		t.blocks = append(t.blocks, make([]byte, 0, max(textBlock, len(s))))
		n++
	}
	block := &t.blocks[n-1]
	t.starts = append(t.starts, uint64(n-1)<<32|uint64(len(*block)))
	t.sizes = append(t.sizes, uint32(len(s)))
	*block = append(*block, s...)
	i := uint32(len(t.starts) - 1)
	t.slots.put(h, i)
	return i
}

// numbers maps names to the numbers of what has that name; 0 is none.
type numbers struct{ parts [][]uint32 }

func (m *numbers) at(name uint32) uint32 {
	if p := int(name >> chunkBits); p < len(m.parts) {
		return m.parts[p][name&(1<<chunkBits-1)]
	}
	return 0
}

func (m *numbers) set(name, number uint32) {
	for int(name>>chunkBits) >= len(m.parts) {
		m.parts = append(m.parts, make([]uint32, 1<<chunkBits))
	}
	m.parts[name>>chunkBits][name&(1<<chunkBits-1)] = number
}

// each visits the names that have a number, in order.
func (m *numbers) each(visit func(name, number uint32)) {
	for p, part := range m.parts {
		for i, number := range part {
			if number != 0 {
				visit(uint32(p)<<chunkBits|uint32(i), number)
			}
		}
	}
}

type callFlags uint16

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
)

// call is one recorded call. Texts are numbers in Book.names, the id in Book.ids. There may be tens of millions: it is kept at 128 bytes, two lines of
// the processor's cache, and what few calls have stands aside.
type call struct {
	key    keys.Digest
	args   [16]byte
	shape  shape
	time   int64
	offset int64

	file               FileID
	line               uint32
	run, tool          uint32 // names
	id                 uint32 // in ids
	scope, nextInScope uint32
	group              uint32
	prevInRun          uint32
	leaves, result     uint32 // result: the paired one; further ones follow in result.next
	aside              uint32 // 0: none of that
	rule, n            uint16
	flags              callFlags
	reach              trace.Reach
	shaped             bool // stands among those of its shape
}

// shape is the beginning of the digest of a shape: calls of one run and tool are compared by it.
type shape [8]byte

// aside is what few calls have.
type aside struct {
	place                    int64  // latest recorded time so far in its file; of callPlaced, for all others it is their own time
	recorded, nextInRec      uint32 // name of the recorded key
	span                     uint32 // in ids
	copyOf                   uint32
	reason                   uint32 // name: why it has no key
	conn                     uint32 // name: within what its id reaches, if that is a connection
	nextInGroup, nextInShape uint32
	nextInWork               uint32
}

// aside is for reading only: all zero for a call that has nothing aside.
func (b *Book) aside(c *call) *aside {
	if c.aside == 0 {
		return &b.nothing
	}
	return b.asides.at(c.aside)
}

// setAside is for writing.
func (b *Book) setAside(c *call) *aside {
	if c.aside == 0 {
		c.aside, _ = b.asides.next()
	}
	return b.asides.at(c.aside)
}

// placed is a call's place in time.
func (b *Book) placed(c *call) int64 {
	if c.flags&callPlaced != 0 {
		return b.asides.at(c.aside).place
	}
	return c.time
}

// owner is within what the id of a call reaches; see scopeKey.
func (b *Book) owner(c *call) uint32 {
	switch c.reach {
	case trace.ReachEverywhere:
		return 0
	case trace.ReachConn:
		return b.aside(c).conn
	}
	return c.run
}

// leaf is a volatile leaf of a call's arguments. Those of one call stand one behind the other.
type leaf struct {
	pointer uint32
	looks   uint32 // name; moreLeaves: the next one is of the same call
	value   uint64
}

const moreLeaves = 1 << 31

type role uint8

const (
	roleOrphan role = iota
	rolePaired
	roleDouble
	roleEcho
	roleCopy
	roleLeftOut
)

// result is one recorded result.
type result struct {
	payload             [16]byte
	time, place, offset int64
	file                FileID
	line                uint32
	run, tool, id       uint32
	scope, nextInScope  uint32
	direct              uint32 // the call it was given to because it names none
	of, next            uint32 // the call it belongs to, and the next result of that call
	n                   uint16
	status              trace.Status
	role                role
	hasPayload, cut     bool
	counted             bool // stands among the orphans
	reach               trace.Reach
	payloads            uint32 // further digests, by rule: index in Book.payloads
	owner               uint32 // name: within what its id reaches
}

// place is a record's place in the order of everything (PRODUCT.md "Order").
type place struct {
	time   int64
	path   string
	gen    int
	offset int64
	n      uint16
}

func (p place) before(q place) bool {
	switch {
	case p.time != q.time:
		return p.time < q.time
	case p.path != q.path:
		return p.path < q.path
	case p.gen != q.gen:
		return p.gen < q.gen
	case p.offset != q.offset:
		return p.offset < q.offset
	}
	return p.n < q.n
}

func (b *Book) placeOf(c *call) place {
	f := &b.files[c.file]
	return place{b.placed(c), f.Path, f.Generation, c.offset, c.n}
}

func (b *Book) placeOfResult(r *result) place {
	f := &b.files[r.file]
	return place{r.place, f.Path, f.Generation, r.offset, r.n}
}

// callBefore orders two calls by place.
func (b *Book) callBefore(i, j uint32) bool {
	p, q := b.calls.at(i), b.calls.at(j)
	if s, t := b.placed(p), b.placed(q); s != t {
		return s < t
	}
	if p.file == q.file {
		if p.offset != q.offset {
			return p.offset < q.offset
		}
		return p.n < q.n
	}
	return b.placeOf(p).before(b.placeOf(q))
}

func (b *Book) pos(file FileID, line uint32, n uint16, offset int64, ref uint32) Pos {
	return Pos{File: b.files[file].Path, FileID: file, Line: int(line) + 1, N: int(n), Offset: offset, ref: ref}
}

func (b *Book) callPos(i uint32) Pos {
	c := b.calls.at(i)
	return b.pos(c.file, c.line, c.n, c.offset, i)
}

func (b *Book) resultPos(i uint32) Pos {
	r := b.results.at(i)
	return b.pos(r.file, r.line, r.n, r.offset, i)
}
