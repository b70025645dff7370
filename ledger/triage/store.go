package triage

import (
	"unsafe"
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
	s := b.stem(c)
	f := &b.files[s.file]
	return place{b.placed(c), f.Path, f.Generation, s.offset(c.offset), s.n}
}

func (b *Book) placeOfResult(r *result) place {
	s := b.stemOf(r)
	f := &b.files[s.file]
	at := r.time
	if r.more != 0 {
		at = b.more.at(r.more).place
	}
	return place{at, f.Path, f.Generation, s.offset(r.offset), s.n}
}

// callBefore orders two calls by place.
func (b *Book) callBefore(i, j uint32) bool {
	p, q := b.calls.at(i), b.calls.at(j)
	if s, t := b.placed(p), b.placed(q); s != t {
		return s < t
	}
	if s, t := b.stem(p), b.stem(q); s.file == t.file {
		if p, q := s.offset(p.offset), t.offset(q.offset); p != q {
			return p < q
		}
		return s.n < t.n
	}
	return b.placeOf(p).before(b.placeOf(q))
}

func (b *Book) pos(file FileID, line uint32, n uint16, offset int64, ref uint32) Pos {
	return Pos{File: b.files[file].Path, FileID: file, Line: int(line) + 1, N: int(n), Offset: offset, ref: ref}
}

func (b *Book) callPos(i uint32) Pos {
	c := b.calls.at(i)
	s := b.stem(c)
	return b.pos(s.file, c.line, s.n, s.offset(c.offset), i)
}

func (b *Book) resultPos(i uint32) Pos {
	r := b.results.at(i)
	s := b.stemOf(r)
	return b.pos(s.file, r.line, s.n, s.offset(r.offset), i)
}
