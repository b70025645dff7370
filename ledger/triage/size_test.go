package triage

import (
	"testing"
	"unsafe"
)

// TestSizes holds a call to two lines of the processor's cache, and a finding to a size that memory is handed out in.
func TestSizes(t *testing.T) {
	if size := unsafe.Sizeof(call{}); size != 128 {
		t.Errorf("a call takes %d bytes, want 128", size)
	}
	if size := unsafe.Sizeof(Finding{}); size > 512 {
		t.Errorf("a finding takes %d bytes, want 512 at most", size)
	}
}
