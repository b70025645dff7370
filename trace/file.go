package trace

import (
	"path/filepath"
	"strings"
	"sync/atomic"
)

// File is one opened file, or one generation of it: a file that was truncated or replaced goes on as another File with
// the same path. The fields never change; the methods may be called by any goroutine.
type File struct {
	ID    int    // from 0, in the order in which a Reader found them
	Path  string // as given or found; "-" for standard input
	Label string // of its source
	Gen   int    // how many Files of this Reader had this path before
	// FirstLine is how many lines of the file stand before its first block: what a copy begins with and is not read again.
	// It is set when the first block is handed out.
	FirstLine int

	format atomic.Pointer[Format]
	now    atomic.Pointer[string] // where it lies by now, when it was renamed
	begin  atomic.Pointer[[]byte] // how it begins, to know it again
	pipe   *spool                 // what a stream is kept in
	dec    Decoder                // made when the format is known, before the first block is handed out
	lines  int                    // decoded so far, when the format is not Stateless: its blocks are decoded in their order
}

// Format gives the format of the file; nil until its first lines were seen.
func (f *File) Format() *Format { return f.format.Load() }

// Now gives the path at which the file lies by now: another one than Path after a rename inside what is watched.
func (f *File) Now() string {
	if p := f.now.Load(); p != nil {
		return *p
	}
	return f.Path
}

// DefaultRun names the run of lines that name none: the base name of the file without any of its extensions, "-" for
// standard input. A file whose name begins with its only dot is named whole.
func (f *File) DefaultRun() string { return defaultRun(f.Path) }

func defaultRun(path string) string {
	base := filepath.Base(path)
	if i := strings.IndexByte(base, '.'); i > 0 {
		return base[:i]
	}
	return base
}
