package pyjson

import (
	"encoding/binary"
	"slices"
)

// Name is a member of an object, ready to be ordered by its name.
type Name struct {
	Prefix uint64 // the first eight bytes of the name's text, zeros behind a shorter one, so that they compare as the names do
	Node   int32  // Index of the name; that of the value is one more
}

// AppendNames appends the members of an object in source order, duplicates included; nothing for all else.
func (v Value) AppendNames(to []Name) []Name {
	if v.Kind() != Object {
		return to
	}
	nodes, src := v.d.nodes, v.d.src
	for i, end := v.i+1, nodes[v.i].next; i < end; i = nodes[i+1].next {
		at := &nodes[i]
		to = append(to, Name{})
		name := &to[len(to)-1]
		name.Node = int32(i)
		from, n := int(at.start)+1, int(at.end-at.start)-2
		if at.flags&flagEscaped != 0 || from+8 > len(src) {
			name.Prefix = prefix(src[from : from+n])
			continue
		}
		name.Prefix = binary.BigEndian.Uint64(src[from:])
		if n < 8 {
			name.Prefix &= ^(^uint64(0) >> (8 * uint(n)))
		}
	}
	return to
}

// prefix gives the first eight bytes of the text of a checked string's inside as a number.
func prefix(s []byte) uint64 {
	var b [12]byte
	n := 0
	for i := 0; i < len(s) && n < 8; {
		if s[i] != '\\' {
			b[n] = s[i]
			i, n = i+1, n+1
			continue
		}
		r, size := Unescape(s[i:])
		i, n = i+size, len(AppendRune(b[:n], r))
	}
	return binary.BigEndian.Uint64(b[:8])
}

// AppendPython appends a String as json.dumps writes it; nothing for all else. A short one is copied as 32 bytes, the rest of
// which is written over by what comes next.
func (v Value) AppendPython(dst []byte) []byte {
	if v.Kind() != String {
		return dst
	}
	at, src := v.node(), v.d.src
	from, to := int(at.start), int(at.end)
	if at.flags&flagPython == 0 {
		return AppendRequoted(dst, src[from:to])
	}
	n := len(dst)
	if to-from <= 32 && from+32 <= len(src) {
		dst = slices.Grow(dst, 32)
		*(*[32]byte)(dst[n : n+32]) = [32]byte(src[from : from+32])
		return dst[:n+to-from]
	}
	return append(dst, src[from:to]...)
}
