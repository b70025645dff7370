package triage

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// slots is a hash table of numbers: what they stand for is kept elsewhere and compared by the caller. An entry is the upper half of its hash and the number,
// so that a search looks elsewhere only when that half is equal. The table is one part while it is small, and then many, each of which grows by a third
// when it is full, in segments of which the old ones stay: growing leaves nothing behind.
type slots struct {
	parts  []part
	n      int
	slab   []uint64 // where segments are cut from
	size   int      // of all slabs so far
	copied []uint64 // memory for the entries of the part that grows
}

// part is a table of its own: entries are looked for from a place on that follows from the hash, and in the order of those places.
type part struct {
	segments [][]uint64
	size     uint32 // entries that there is room for
	n        uint32
}

const (
	partBits    = 8 // of the number of parts when there are several
	segmentBits = 10
	onePart     = 1 << 16 // entries that a part has room for when it becomes several
)

func (p *part) at(i uint32) *uint64 { return &p.segments[i>>segmentBits][i&(1<<segmentBits-1)] }

// from is where in the part a search begins.
func (p *part) from(hash uint64) uint32 {
	return uint32(uint64(uint32(hash)>>partBits) * uint64(p.size) >> (32 - partBits))
}

// part is the part of a hash.
func (s *slots) part(hash uint64) int { return int(hash) & (len(s.parts) - 1) }

// find returns the position of the entry of that hash for which is holds, and its number; number 0: there is none.
func (s *slots) find(hash uint64, is func(uint32) bool) (at int, number uint32) {
	if len(s.parts) == 0 {
		return 0, 0
	}
	k := s.part(hash)
	p := &s.parts[k]
	for i := p.from(hash); ; {
		segment := p.segments[i>>segmentBits]
		for _, e := range segment[i&(1<<segmentBits-1):] {
			if e == 0 {
				return 0, 0
			}
			if e>>32 == hash>>32 && is(uint32(e)) {
				return int(i)<<partBits | k, uint32(e)
			}
			i++
		}
		if i == p.size {
			i = 0
		}
	}
}

// begin is where a search begins, nil in an empty table.
func (s *slots) begin(hash uint64) *uint64 {
	if len(s.parts) == 0 {
		return nil
	}
	p := &s.parts[s.part(hash)]
	return p.at(p.from(hash))
}

// peek is the number where a search begins if the entry has that hash, else 0.
func (s *slots) peek(hash uint64) uint32 {
	if at := s.begin(hash); at != nil && *at>>32 == hash>>32 {
		return uint32(*at)
	}
	return 0
}

// put adds a number (not 0) under a hash.
func (s *slots) put(hash uint64, number uint32) {
	if len(s.parts) == 0 {
		s.parts = make([]part, 1)
	}
	p := &s.parts[s.part(hash)]
	if p.n >= p.size/5*4 {
		s.grow(p)
		p = &s.parts[s.part(hash)]
	}
	s.n++
	p.n++
	p.place(hash, number)
}

func (p *part) place(hash uint64, number uint32) {
	i := p.from(hash)
	at := p.at(i)
	for ; *at != 0; at = p.at(i) {
		if i++; i == p.size {
			i = 0
		}
	}
	*at = hash>>32<<32 | uint64(number)
}

// grow makes a part larger, or makes several of the only one.
func (s *slots) grow(p *part) {
	s.copied = slices.Grow(s.copied[:0], int(p.size))
	for _, segment := range p.segments {
		s.copied = append(s.copied, segment...)
		clear(segment)
	}
	if len(s.parts) > 1 || p.size < onePart {
		more := len(p.segments) / 3
		if len(s.parts) == 1 {
			more = len(p.segments)
		}
		s.extend(p, max(1, more))
	} else {
		old := p.segments
		s.parts = make([]part, 1<<partBits)
		for i := range s.parts {
			if len(old) > 0 {
				s.parts[i].segments, s.parts[i].size = append(s.parts[i].segments, old[0]), 1<<segmentBits
				old = old[1:]
			} else {
				s.extend(&s.parts[i], 1)
			}
		}
	}
	for _, e := range s.copied { // where an entry goes follows from the upper half of its hash
		if e != 0 {
			hash := e>>32<<32 | spread(e>>32)
			to := p
			if len(s.parts) > 1 && p != &s.parts[s.part(hash)] {
				to = &s.parts[s.part(hash)]
				to.n++
			}
			to.place(hash, uint32(e))
		}
	}
}

// extend adds segments to a part.
func (s *slots) extend(p *part, n int) {
	for range n {
		if len(s.slab) == 0 {
			room := max(1<<segmentBits, min(s.size/4>>segmentBits<<segmentBits, slabBytes/8))
			s.slab = make([]uint64, room)
			huge(s.slab)
			s.size += room
		}
		p.segments = append(p.segments, s.slab[:1<<segmentBits:1<<segmentBits])
		s.slab = s.slab[1<<segmentBits:]
	}
	p.size += uint32(n) << segmentBits
}

// set replaces the number at a position that find returned.
func (s *slots) set(at int, number uint32) {
	e := s.parts[at&(1<<partBits-1)].at(uint32(at >> partBits))
	*e = *e>>32<<32 | uint64(number)
}

// hashed makes of a hash what slots take: its lower half follows from its upper half, so that a table can grow without the hashes.
func hashed(h uint64) uint64 {
	h = mix(h, 0x9e3779b97f4a7c15) >> 32
	return h<<32 | spread(h)&0xffffffff
}

// spread is the place of an entry by the upper half of its hash.
func spread(upper uint64) uint64 { return mix(upper+1, 0xd6e8feb86659fd93) & 0xffffffff }

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x2d358dccaa6c78a5, b)
	return hi ^ lo
}

func first64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// shelf finds calls by something that most calls share with no other: one call alone is its own entry, several have a bucket.
type shelf struct {
	slots   slots
	buckets chunks[bucket]
}

// shared marks the number of a bucket among the numbers of calls.
const shared = 1 << 31

// lookUp returns the bucket, or the call that is alone, under a hash.
func (b *Book) lookUp(s *shelf, hash uint64, same func(*call) bool) (bucket, alone uint32) {
	_, n := s.slots.find(hash, func(n uint32) bool { return same(b.calls.at(s.head(n))) })
	if n&shared != 0 {
		return n &^ shared, 0
	}
	return 0, n
}

func (s *shelf) head(n uint32) uint32 {
	if n&shared != 0 {
		return s.buckets.at(n &^ shared).head
	}
	return n
}

// enter puts a call on the shelf, and says whether it is alone there, or else which one was until now. next is the link of the chain; differ says whether
// two calls there make the bucket worth a look. flag marks those that are no longer alone.
func (b *Book) enter(s *shelf, hash uint64, i uint32, same func(*call) bool, next func(*Book, *call) *uint32, flag callFlags, differ func(*call) bool) (was uint32, alone bool) {
	at, n := s.slots.find(hash, func(n uint32) bool { return same(b.calls.at(s.head(n))) })
	switch {
	case n == 0:
		s.slots.put(hash, i)
		return 0, true
	case n&shared == 0:
		was = n
		k := s.buckets.add(bucket{head: n, tail: n})
		b.calls.at(n).flags |= flag
		s.slots.set(at, k|shared)
		n = k | shared
	}
	b.calls.at(i).flags |= flag
	k := s.buckets.at(n &^ shared)
	*next(b, b.calls.at(k.tail)) = i
	k.several = k.several || differ(b.calls.at(k.head))
	k.tail = i
	return was, false
}
