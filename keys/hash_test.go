package keys

import (
	"bytes"
	"math/bits"
	"testing"
)

// TestSumTellsApart changes each bit of texts of each length, their length and their sort: no two sums are equal, and about half of the bits
// change with each.
func TestSumTellsApart(t *testing.T) {
	seen := map[[16]byte]int{}
	put := func(s [16]byte, n int) {
		if was, ok := seen[s]; ok {
			t.Fatalf("a text of %d bytes and one of %d have one sum", was, n)
		}
		seen[s] = n
	}
	changed, tries := 0, 0
	lengths := []int{127, 128, 129, 130, 192, 193, 194, 256, 257, 321, 333} // where lanes begin and end
	for n := range 100 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for _, fill := range []byte{0, 'a'} {
			text := bytes.Repeat([]byte{fill}, n)
			whole := sum(' ', text)
			if n > 0 || fill == 0 {
				put(whole, n)
				put(sum('!', text), n)
			}
			for i := range 8 * n {
				text[i/8] ^= 1 << (i % 8)
				s := sum(' ', text)
				text[i/8] ^= 1 << (i % 8)
				put(s, n)
				for k := range s {
					changed += bits.OnesCount8(s[k] ^ whole[k])
				}
				tries++
			}
		}
	}
	if mean := float64(changed) / float64(tries); mean < 63 || mean > 65 {
		t.Errorf("one bit of a text changes %.2f bits of 128, want 64", mean)
	}
}

func BenchmarkSum(b *testing.B) {
	for _, n := range []int{16, 300, 16 << 10} {
		b.Run("", func(b *testing.B) {
			text := bytes.Repeat([]byte("x"), n)
			b.SetBytes(int64(n))
			for b.Loop() {
				sum(' ', text)
			}
		})
	}
}
