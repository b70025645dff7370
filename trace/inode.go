//go:build unix

package trace

import (
	"os"
	"syscall"
)

// identity is what stays the same when a file is renamed: its device and inode.
type identity struct{ dev, ino uint64 }

func identityOf(info os.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(st.Dev), st.Ino} //nolint:unconvert // Dev is signed on some systems
}
