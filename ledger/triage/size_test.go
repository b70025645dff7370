package triage

import (
	"testing"
	"unsafe"
)

// TestSizes holds what there are millions of to its size, and a finding to a size that memory is handed out in.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		size uintptr
		most uintptr
	}{
		{"a call", unsafe.Sizeof(call{}), 88},
		{"a result", unsafe.Sizeof(result{}), 72},
		{"a tie", unsafe.Sizeof(tie{}), 24},
		{"a mark", unsafe.Sizeof(mark{}), 12},
		{"a finding", unsafe.Sizeof(Finding{}), 320},
	} {
		if c.size > c.most {
			t.Errorf("%s takes %d bytes, want %d at most", c.name, c.size, c.most)
		}
	}
}
