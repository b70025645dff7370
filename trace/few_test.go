package trace

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestFew holds a few against a map, small and large.
func TestFew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kinds := range []int{3, manyKeys, 200} {
		var f few[string, int]
		want := map[string]int{}
		for n := range 5000 {
			k := strconv.Itoa(r.IntN(kinds))
			switch r.IntN(3) {
			case 0:
				f.set(k, n)
				want[k] = n
			case 1:
				if got := f.take(k); got != want[k] {
					t.Fatalf("%d kinds: take(%s) = %d, want %d", kinds, k, got, want[k])
				}
				delete(want, k)
			default:
				if got := f.get(k); got != want[k] {
					t.Fatalf("%d kinds: get(%s) = %d, want %d", kinds, k, got, want[k])
				}
			}
			if len(f.list) != len(want) {
				t.Fatalf("%d kinds: %d values, want %d", kinds, len(f.list), len(want))
			}
		}
	}
}
