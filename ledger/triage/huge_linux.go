package triage

import (
	"syscall"
	"unsafe"
)

// huge asks the kernel to back a large array that was just made with huge pages: where it listens (transparent_hugepage/enabled is madvise or
// always), first touches and look-ups cost a fraction. It is a hint; nothing depends on it.
func huge[T any](a []T) {
	const page = 1 << 21
	from := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
	size := uintptr(len(a)) * unsafe.Sizeof(*new(T))
	skip := -from & (1<<16 - 1) // to a multiple of any page size
	if size < page+skip {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a))), size)
	_ = syscall.Madvise(bytes[skip:size-(from+size)&(1<<16-1)], syscall.MADV_HUGEPAGE)
}
