package triage

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// texts numbers strings; 0 is the empty one. Bytes lie in blocks without pointers between them. A text's number says where it lies, so that no list of places
// is kept: first a note that its user keeps of it, then its length, then its bytes.
type texts struct {
	seed   maphash.Seed
	slots  slots
	blocks [][]byte
	slab   []byte // where blocks are cut from
	size   int    // of all slabs so far
}

// A number is that of a block, and a place in it in units of textUnit bytes. A text that is larger than a block has one for itself.
const (
	textUnit  = 4
	textBits  = 16 // of the place
	textBlock = textUnit << textBits
	textNote  = 4 // bytes of the note
)

func (t *texts) init() { t.seed = maphash.MakeSeed() }

// entry is where a text lies with all that is said of it.
func (t *texts) entry(i uint32) []byte { return t.blocks[i>>textBits][i&(1<<textBits-1)*textUnit:] }

// bytes is the text with number i.
func (t *texts) bytes(i uint32) []byte {
	if i == 0 {
		return nil
	}
	at := t.entry(i)[textNote:]
	if n := at[0]; n < 0x80 { // as nearly always
		return at[1 : 1+n]
	}
	n, size := binary.Uvarint(at)
	return at[size : size+int(n)]
}

// text is bytes as a string.
func (t *texts) text(i uint32) string { return string(t.bytes(i)) }

// note is what the user of the texts keeps of one, 0 at first.
func (t *texts) note(i uint32) uint32 {
	if i == 0 {
		return 0
	}
	return binary.LittleEndian.Uint32(t.entry(i))
}

func (t *texts) setNote(i, note uint32) {
	if i != 0 {
		binary.LittleEndian.PutUint32(t.entry(i), note)
	}
}

// clearNotes makes every note 0.
func (t *texts) clearNotes() {
	for k, block := range t.blocks {
		at := 0
		if k == 0 {
			at = textUnit
		}
		for at < len(block) {
			clear(block[at : at+textNote])
			n, size := binary.Uvarint(block[at+textNote:])
			at = (at + textNote + size + int(n) + textUnit - 1) / textUnit * textUnit
		}
	}
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
	return t.putHashed(s, t.hash(s))
}

func (t *texts) hash(s []byte) uint64 { return hashed(maphash.Bytes(t.seed, s)) }

// putHashed is putBytes for a text, not empty, whose hash is known.
func (t *texts) putHashed(s []byte, h uint64) uint32 {
	if _, i := t.slots.find(h, func(i uint32) bool { return bytes.Equal(t.bytes(i), s) }); i != 0 {
		return i
	}
	i := t.append(s)
	t.slots.put(h, i)
	return i
}

// append writes a text behind the others.
func (t *texts) append(s []byte) uint32 {
	size := textNote + binary.MaxVarintLen64 + len(s) + 2*textUnit
	n := len(t.blocks)
	if n == 0 || cap(t.blocks[n-1]) > textBlock || cap(t.blocks[n-1])-len(t.blocks[n-1]) < size {
		t.blocks = append(t.blocks, t.block(size))
		n++
	}
	if n > 1<<(32-textBits) {
		panic("triage: the names and ids of the traces do not fit into 16 GB")
	}
	block := t.blocks[n-1]
	if len(block) == 0 && n == 1 {
		block = append(block, make([]byte, textUnit)...) // number 0 is the empty text
	}
	i := uint32(n-1)<<textBits | uint32(len(block)/textUnit)
	block = append(block, 0, 0, 0, 0)
	block = binary.AppendUvarint(block, uint64(len(s)))
	block = append(block, s...)
	t.blocks[n-1] = block[:(len(block)+textUnit-1)/textUnit*textUnit]
	return i
}

// block makes room for texts: in a slab with other blocks once there are many.
func (t *texts) block(size int) []byte {
	if size > textBlock {
		return make([]byte, 0, size)
	}
	if len(t.slab) == 0 {
		room := max(1, min(t.size/4/textBlock, slabBytes/textBlock)) * textBlock
		t.slab = make([]byte, room)
		huge(t.slab)
		t.size += room
	}
	block := t.slab[:0:textBlock]
	t.slab = t.slab[textBlock:]
	return block
}
