//go:build !unix

package table

import "io/fs"

// ownerOf knows no owner here, so that nothing of a found table is run.
func ownerOf(fs.FileInfo) (user, group int, known bool) { return 0, 0, false }
