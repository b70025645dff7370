package pyjson

import (
	"bytes"
	"strings"
	"testing"
)

// strByByte is Doc.str a byte at a time.
func strByByte(d *Doc, i int) (int, uint8, string) {
	flags, reason := uint8(flagPython), ""
	for i < len(d.src) {
		switch c := d.src[i]; {
		case c == '"':
			return i + 1, flags, ""
		case c >= ' ' && c < 0x7F && c != '\\':
			i++
		default:
			if i, flags, reason = d.odd(i, flags); reason != "" {
				return i, flags, reason
			}
		}
	}
	return len(d.src), flags, reasonEnd
}

func compareStr(t *testing.T, src []byte) {
	t.Helper()
	for _, text := range []bool{false, true} {
		d := Doc{src: src, text: text}
		end, flags, reason := d.str(0)
		wantEnd, wantFlags, wantReason := strByByte(&d, 0)
		if end != wantEnd || reason != wantReason || reason == "" && flags != wantFlags {
			t.Fatalf("%q: %d, %b, %s; a byte at a time %d, %b, %s", src, end, flags, reason, wantEnd, wantFlags, wantReason)
		}
	}
}

// TestStringPlaces puts everything that ends or interrupts a string at every place of a block and across its ends.
func TestStringPlaces(t *testing.T) {
	odd := []string{
		"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
		"\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x9f\x98",
		`"`, `\n`, `\\`, `\"`, `\/`, `\u00e9`, `\ud83d\ude00`, `\x`, `\u12g4`, `\`, "\x7f", "\x00", "\x1f", "é", "中", "😀", "\xed\xa0\xbd", "\xff", "\xe4\xb8",
		`\\"`, `\\\"`, "é\\n", "\\n\\n\\n\\n\\n\\n\\n\\n",
	}
	for _, first := range odd {
		for _, second := range odd {
			for at := range 2*block + 4 {
				src := strings.Repeat("a", at) + first + second + strings.Repeat("b", 3*block) + `"`
				compareStr(t, []byte(src[:len(src)-at]))
			}
		}
	}
}

// TestOdd tries every byte at every place among eight, beside every byte.
func TestOdd(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			src := bytes.Repeat([]byte{byte(b)}, block+1)
			at := (a*7 + b) % block
			src[at] = byte(a)
			places := oddPlaces(src)
			for i := range block {
				if is := skipPlain(src[i:i+1], 0) == 0; is != (places>>i&1 != 0) {
					t.Fatalf("%#x among %#x: place %d of %064b", a, b, i, places)
				}
			}
		}
	}
}

// FuzzString holds str against a reading of each byte.
func FuzzString(f *testing.F) {
	f.Add([]byte(strings.Repeat(`\n\t\"é`, 20) + `"`))
	f.Add([]byte(strings.Repeat("plain text without end ", 9)))
	f.Add([]byte(strings.Repeat("中文", 40) + "\xff\""))
	f.Fuzz(func(t *testing.T, src []byte) { compareStr(t, src) })
}
