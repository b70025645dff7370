package pyjson

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestStringOfPieces puts together what scanText treats in ways of its own, with and without an end, and compares what str says with a reading of
// each byte.
func TestStringOfPieces(t *testing.T) {
	if !vectors() {
		t.Log("this processor lacks what scanText needs: only the way without it is tested")
	}
	pieces := []string{
		"plain", "w", " ", "~", "\x7f", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u00e9`, `\\\\\\\\`, "é", "日本", "😀", "\u0800", "\uffff",
		`\u12`, `\x`, `\`, `\2`, `\R`, "\x00", "\x1f", "\n", "\xed\xa0\xbd", "\xc3(", "\xe2\x82", "\xf4\x90\x80\x80", "\xff", `"`, "\"\xff", "\"\x01",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		var s []byte
		kinds := 1 + r.IntN(len(pieces)) // few of them are faults often enough
		for range 1 + r.IntN(60) {
			if r.IntN(3) > 0 {
				s = append(s, pieces[r.IntN(kinds)]...)
			} else {
				s = append(s, bytes.Repeat([]byte("w"), r.IntN(70))...)
			}
		}
		if r.IntN(2) > 0 {
			s = append(s, '"')
			s = append(s, bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(130))...)
		}
		compareStr(t, s[r.IntN(len(s)):len(s):len(s)])
	}
}

// TestLetters tries every byte behind a backslash, and alone, at every place of a block.
func TestLetters(t *testing.T) {
	for c := range 256 {
		for at := range block {
			s := bytes.Repeat([]byte("x"), 3*block)
			s[at], s[2*block] = byte(c), '"'
			compareStr(t, s)
			if at > 0 {
				s[at-1] = '\\'
				compareStr(t, s)
			}
		}
	}
}

// TestUnescapeOfPieces decodes such texts in pieces of every length and compares them with a decoding of each byte.
func TestUnescapeOfPieces(t *testing.T) {
	pieces := []string{"plain", "w", " ", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, "é", `\\\\\\`, `\u00e9`, `\ud83d\ude00`, `\ud83d`}
	r := rand.New(rand.NewPCG(3, 4))
	var dst []byte
	for range 20_000 {
		var s []byte
		kinds := 1 + r.IntN(len(pieces))
		for range 1 + r.IntN(50) {
			if r.IntN(3) > 0 {
				s = append(s, pieces[r.IntN(kinds)]...)
			} else {
				s = append(s, bytes.Repeat([]byte("w"), r.IntN(70))...)
			}
		}
		s = s[:len(s):len(s)]
		want := []byte("before")
		for i := 0; i < len(s); {
			if s[i] != '\\' {
				want, i = append(want, s[i]), i+1
				continue
			}
			c, n := Unescape(s[i:])
			want, i = AppendRune(want, c), i+n
		}
		dst = appendUnescaped(append(dst[:0], "before"...), s)
		if !bytes.Equal(dst, want) {
			t.Fatalf("%q: got %q, want %q", s, dst, want)
		}
	}
}

// TestQuoteOfPieces writes texts of all that json.dumps treats in ways of its own, and compares them with a writing of each character.
func TestQuoteOfPieces(t *testing.T) {
	pieces := []string{"plain", "w", " ", "/", "~", "\n", "\t", `"`, `\`, "\r", "\b", "\f", "\x00", "\x1f", "\x7f", "é", "日本", "😀", "\xed\xa0\xbd", "\xff"}
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		var s []byte
		kinds := 1 + r.IntN(len(pieces))
		for range 1 + r.IntN(50) {
			if r.IntN(3) > 0 {
				s = append(s, pieces[r.IntN(kinds)]...)
			} else {
				s = append(s, bytes.Repeat([]byte("w"), r.IntN(70))...)
			}
		}
		s = s[:len(s):len(s)]
		want := []byte(`before"`)
		for i := 0; i < len(s); {
			c, n := DecodeRune(s[i:])
			want, i = AppendEscape(want, c), i+n
		}
		want = append(want, '"')
		dst := make([]byte, 0, r.IntN(2*len(s)+10))
		if got := AppendQuote(append(dst, "before"...), s); !bytes.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", s, got, want)
		}
	}
}
