//go:build !unix

package board

import (
	"io"
	"os"
)

// stopper does nothing where processes are not stopped.
type stopper struct{ came chan os.Signal }

func newStopper() *stopper { return &stopper{} }

func (*stopper) end() {}

func (*stopper) meant() bool { return false }

func (*stopper) now() {}

// Run does nothing.
func (*stopper) Run() error { return nil }

// SetStdin is not needed.
func (*stopper) SetStdin(io.Reader) {}

// SetStdout is not needed.
func (*stopper) SetStdout(io.Writer) {}

// SetStderr is not needed.
func (*stopper) SetStderr(io.Writer) {}
