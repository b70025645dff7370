package triage

import "testing"

// TestSlots finds every number again while a table grows from one part to several, and after its numbers were replaced.
func TestSlots(t *testing.T) {
	const most = 5 << 16
	hash := func(number uint32) uint64 { return hashed(uint64(number&^shared/2) * 0x9e3779b97f4a7c15) } // two numbers share each hash
	is := func(number uint32) func(uint32) bool {
		return func(found uint32) bool { return found == number }
	}
	var s slots
	find := func(number uint32) int {
		at, found := s.find(hash(number), is(number))
		if found != number {
			t.Fatalf("of %d numbers, %d is found as %d", s.n, number, found)
		}
		return at
	}
	if _, found := s.find(hash(1), is(1)); found != 0 {
		t.Fatalf("an empty table holds %d", found)
	}
	for i := uint32(1); i <= most; i++ {
		s.put(hash(i), i)
		find(i)
		find(i/2 + 1)
		if i&(i-1) == 0 {
			for k := uint32(1); k <= i; k++ {
				find(k)
			}
			if _, found := s.find(hash(i+1), is(i+1)); found != 0 {
				t.Fatalf("%d is found before it was put", i+1)
			}
		}
	}
	if s.n != most || len(s.parts) != 1<<partBits {
		t.Fatalf("%d numbers in %d parts", s.n, len(s.parts))
	}
	for i := uint32(1); i <= most; i++ {
		s.set(find(i), i|shared)
	}
	for i := uint32(1); i <= most; i++ {
		find(i | shared)
	}
}
