//go:build !unix

package command

import "os"

// inodeOf is not known here: a file is known by its path.
func inodeOf(os.FileInfo) string { return "" }
