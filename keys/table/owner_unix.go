//go:build unix

package table

import (
	"io/fs"
	"syscall"
)

// ownerOf is the user and the group that a file belongs to.
func ownerOf(info fs.FileInfo) (user, group int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}
