//go:build unix

package command

import (
	"fmt"
	"os"
	"syscall"
)

// inodeOf names a file whatever its path is by now: its device and inode.
func inodeOf(info os.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}
