package triage

import (
	"encoding/binary"
	"math/bits"
)

// slots is a hash table of numbers: what they stand for is kept elsewhere and compared by the caller. An entry is the upper half of its hash and the number,
// so that a search looks elsewhere only when that half is equal. The table is one part while it is small, and then twice as many parts each time, of
// which each gives half its entries to a new one: growing leaves nothing behind.
type slots struct {
	parts [][]uint64
	n     int
}

// partBits is the size of a part when there are several.
const partBits = 16

// part is the part of a hash, and where in it a search begins.
func (s *slots) part(hash uint64) (part int, from uint32) {
	part = int(uint32(hash)>>partBits) & (len(s.parts) - 1)
	return part, uint32(hash) & uint32(len(s.parts[part])-1)
}

// find returns the position of the entry of that hash for which is holds, and its number; number 0: there is none.
func (s *slots) find(hash uint64, is func(uint32) bool) (at int, number uint32) {
	if len(s.parts) == 0 {
		return 0, 0
	}
	part, i := s.part(hash)
	for table := s.parts[part]; ; i = (i + 1) & uint32(len(table)-1) {
		e := table[i]
		if e == 0 {
			return 0, 0
		}
		if e>>32 == hash>>32 && is(uint32(e)) {
			return part<<partBits | int(i), uint32(e)
		}
	}
}

// peek is what stands where a search begins.
func (s *slots) peek(hash uint64) uint64 {
	if len(s.parts) == 0 {
		return 0
	}
	part, i := s.part(hash)
	return s.parts[part][i]
}

// put adds a number (not 0) under a hash.
func (s *slots) put(hash uint64, number uint32) {
	if s.n == s.room() {
		s.grow()
	}
	s.n++
	s.place(hash, number)
}

// room is how many entries the table holds before it grows.
func (s *slots) room() int {
	if len(s.parts) == 0 {
		return 0
	}
	return len(s.parts) * len(s.parts[0]) / 4 * 3
}

func (s *slots) place(hash uint64, number uint32) {
	part, i := s.part(hash)
	table := s.parts[part]
	for table[i] != 0 {
		i = (i + 1) & uint32(len(table)-1)
	}
	table[i] = hash>>32<<32 | uint64(number)
}

// grow makes the table larger. Where an entry goes follows from the upper half of its hash.
func (s *slots) grow() {
	const least, most = 1 << 10, 1 << partBits
	n := len(s.parts)
	if n == 0 {
		s.parts = [][]uint64{make([]uint64, least)}
		return
	}
	was := s.parts[0]
	if n == 1 && len(was) < most {
		s.parts[0] = make([]uint64, 4*len(was))
		s.again(was)
		return
	}
	slab := make([]uint64, n<<partBits)
	huge(slab)
	for ; len(slab) > 0; slab = slab[most:] {
		s.parts = append(s.parts, slab[:most:most])
	}
	copied := make([]uint64, most)
	for part := range n {
		copy(copied, s.parts[part])
		clear(s.parts[part])
		s.again(copied)
	}
}

// again places the entries of a part anew.
func (s *slots) again(was []uint64) {
	for _, e := range was {
		if e != 0 {
			s.place(e>>32<<32|spread(e>>32), uint32(e))
		}
	}
}

// set replaces the number at a position that find returned.
func (s *slots) set(at int, number uint32) {
	e := &s.parts[at>>partBits][at&(1<<partBits-1)]
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
