//go:build unix

package sqlite

import (
	"path/filepath"

	"drainboard/ledger"

	"golang.org/x/sys/unix"
)

// mayWrite asks the system whether this user may write the file and make its journal beside it. It opens nothing:
// closing a file drops the locks that this process holds on it.
func mayWrite(path string) error {
	for _, p := range []string{path, filepath.Dir(path)} {
		if err := unix.Access(p, unix.W_OK); err != nil {
			return &ledger.Problem{
				Kind: ledger.ReadOnly, Path: path, Err: err,
				Found: "expected leave to write " + p + ", found none", Do: "change its permissions, or only look",
			}
		}
	}
	return nil
}
