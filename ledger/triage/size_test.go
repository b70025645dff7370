package triage

import (
	"testing"
	"unsafe"
)

// TestCallSize holds a call to two lines of the processor's cache.
func TestCallSize(t *testing.T) {
	if size := unsafe.Sizeof(call{}); size != 128 {
		t.Errorf("a call takes %d bytes, want 128", size)
	}
}
