package pyjson

import "golang.org/x/sys/cpu"

// scanText passes over the inside of a string, 64 bytes at a time. It stops behind the last whole block of n bytes, before a block that holds a
// fault, DEL, or an escape other than of one letter, or at the quote that closes the string. at is where, seen what stands before it: seenEscaped,
// seenOdd, and seenClosed when it is that quote. All before at is checked, but that it may end within an escape or character.
//
// It needs AVX2. It leaves the upper halves of the vector registers clear: SHA-256 is slow otherwise.
//
//go:noescape
func scanText(s *byte, n int) (at int, seen uint8)

// unescapeText writes the text of n bytes of a checked string's inside, 32 at a time: until fewer than 34 are left, or up to an escape other than of one
// letter. It gives what it has read and written; what is behind that in dst, as far as n reaches, may be written over.
//
// It needs what scanText needs, and leaves as little.
//
//go:noescape
func unescapeText(dst, src *byte, n int) (read, written int)

// quoteText writes n bytes of text as json.dumps does, 32 at a time: until fewer are left, of the text or of the room for it, or up to what takes more
// than a backslash and a letter. It gives what it has read and written; what is behind that in dst, as far as room reaches, may be written over.
//
// It needs what scanText needs, and leaves as little.
//
//go:noescape
func quoteText(dst, src *byte, n, room int) (read, written int)

// vectors says whether this processor has what scanText needs.
func vectors() bool { return cpu.X86.HasAVX2 }
