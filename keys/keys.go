// Package keys computes intent keys: what a call is about to do, as one digest.
//
// Contract. An Args holds the arguments of one call, read as CPython reads them (package pyjson), and
// writes them canonically: as json.dumps(sort_keys=True) in its default or its compact form, or as
// RFC 8785. A Recipe turns run, tool and arguments into a Digest; two recipes never give keys that may
// be compared. A recipe refuses (a *Refusal) what the program it stands for would refuse; such a call
// has no key, and nothing else is lost by it: its Digest and Shape are still defined.
//
// Ownership. An Args lends from the bytes given to Parse and reuses its own memory: one Args is for one
// goroutine, its results of type []byte and pyjson.Value last until its next Parse, and in the steady
// state nothing is allocated (but for a float of more than 32 digits). Recipes and Pointers never change
// and may be shared.
//
// Order. Members are written by code point of their names (RFC 8785: by UTF-16 unit), the last of
// several with one name counts, and differences and volatile leaves are listed in that order.
//
// Loss. None in a key: what may not be written exactly is refused. Ignore leaves out what its pointers
// say, and says how much that was.
package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
)

// NoTime stands for a call time that was not recorded.
const NoTime int64 = math.MinInt64

// Digest is a key: what a recipe's hash function gave, zero-padded when it gave less than 32 bytes.
type Digest [32]byte

// ID is the index form of a key, for joining keys with texts that name keys: see IDOf.
type ID [16]byte

// IDOf gives the index form of a key's text: of 64 lower-case hexadecimal digits their first 16 bytes;
// of 16 such digits those 8 bytes and zeros; of any other text the first 16 bytes of the SHA-256 of
// "drainboard key text", a zero byte and the text.
func IDOf(text string) ID {
	var id ID
	if len(text) == 64 || len(text) == 16 {
		if raw, ok := lowerHex(text); ok {
			copy(id[:], raw[:min(len(text)/2, len(id))])
			return id
		}
	}
	h := sha256.New()
	h.Write([]byte("drainboard key text\x00"))
	h.Write([]byte(text))
	copy(id[:], h.Sum(nil))
	return id
}

// lowerHex decodes up to 64 lower-case hexadecimal digits.
func lowerHex(text string) (raw [32]byte, ok bool) {
	for i := range len(text) {
		var v byte
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			v = c - '0'
		case c >= 'a' && c <= 'f':
			v = c - 'a' + 10
		default:
			return raw, false
		}
		raw[i/2] = raw[i/2]<<4 | v
	}
	return raw, true
}

// A Refusal says why a recipe has no key for a call.
type Refusal struct {
	Recipe string // name of the recipe, or "" when the arguments themselves are written
	Reason string // what was found and what is expected, lower-case
}

// Error gives the reason, and which recipe it is that refuses.
func (r *Refusal) Error() string {
	if r.Recipe == "" {
		return r.Reason
	}
	return "recipe " + r.Recipe + ": " + r.Reason
}

// text gives the first n hexadecimal digits of a digest.
func (d Digest) text(n int) string {
	var b [2 * len(d)]byte
	hex.Encode(b[:], d[:])
	return string(b[:n])
}
