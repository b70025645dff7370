package trace

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestTraceIndex holds the index against a map while traces come and go, with hashes that are all different and with hashes that often meet.
func TestTraceIndex(t *testing.T) {
	for _, mask := range []uint32{1<<32 - 1, 0x3f, 0xFFFFFF03} {
		r := rand.New(rand.NewPCG(1, uint64(mask)))
		var x traceIndex
		hash := func(id string) uint32 { return x.hash([]byte(id))&mask | 1 }
		want := map[string]*spanTrace{}
		for n := range 20_000 {
			id := strconv.Itoa(r.IntN(400))
			got := x.get(hash(id), []byte(id))
			if got != want[id] {
				t.Fatalf("mask %x, step %d: get(%s) = %v, want %v", mask, n, id, got, want[id])
			}
			if got == nil {
				want[id] = &spanTrace{id: id, hash: hash(id)}
				x.add(want[id])
			} else if r.IntN(2) == 0 {
				x.remove(got)
				delete(want, id)
			}
			if x.count != len(want) {
				t.Fatalf("mask %x, step %d: %d traces, want %d", mask, n, x.count, len(want))
			}
		}
	}
}
