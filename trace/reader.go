package trace

import (
	"context"
	"errors"
	"io"
	"time"
)

// Config says what a Reader reads, and how.
type Config struct {
	Sources []Source
	Follow  bool // go on reading what grows; otherwise what is there is read once and Next ends with io.EOF
	// MaxLine bounds the memory that one line may take, in bytes; 0 means DefaultMaxLine. A longer line is one bad line,
	// passed over in bounded memory. A Reader holds at most MaxLine bytes for one line that it assembles, and each
	// worker that decodes such a line holds as much again.
	MaxLine  int
	Stdin    io.Reader     // read when a source's path is Stdin
	SpoolDir string        // where standard input is kept, in a private file that is gone at exit; "" the system's
	Formats  []*Format     // in the order of asking; nil: Formats()
	Poll     time.Duration // how often to look where the system reports no changes; 0 means one second
	Now      func() time.Time
}

// DefaultMaxLine is the longest line that is read unless Config says otherwise, in bytes.
const DefaultMaxLine = 100 << 20

// Item is one thing that a Reader has to say: a Block or a Notice, never both.
type Item struct {
	Block  *Block
	Notice *Notice
}

// What says what a Notice tells.
type What uint8

// What may be told.
const (
	Found      What = iota // a file was found and will be read
	Unreadable             // a source, file or directory cannot be read; Err says why
	NoTraces               // a source holds no traces (it is there, and readable)
	NotTrace               // a file found in a directory holds nothing that looks like a trace and is left out
	Copy                   // a file begins with what was read of Of already: that is not read again
	Same                   // a path names the file Of, which another source gave already
	Truncated              // File was cut; what it holds now is read as a new file, File being the new one and Of the old
	Rewritten              // File was written anew in place or replaced; File is the new one and Of the old
	Renamed                // File lies at Path by now
	Removed                // File is gone
	Returned               // a path that was gone is there again
	Writing                // File ends in an unfinished line of Bytes bytes, which is held back; 0: no longer
	CaughtUp               // everything that was there at the start has been read
	Polling                // changes are not reported for Path, which is looked at now and then; Err says why
)

// Notice is news of a source or a file.
type Notice struct {
	What  What
	Path  string
	Label string // of the source
	File  *File  // nil when it is about no file
	Of    *File
	Err   error
	Bytes int64
}

// Progress says how far reading is.
type Progress struct {
	Files int   // files found
	Total int64 // bytes of them, as they lie on disk
	Read  int64 // bytes read of these
}

// Reader finds files and reads them in blocks. Next may be called by several goroutines.
type Reader struct{}

// Open starts reading.
func Open(ctx context.Context, c Config) (*Reader, error) { return nil, errors.ErrUnsupported }

// Next gives the next block or notice; io.EOF when everything was read and the Reader does not follow.
func (r *Reader) Next(ctx context.Context) (Item, error) { return Item{}, io.EOF }

// Progress says how far reading is.
func (r *Reader) Progress() Progress { return Progress{} }

// ReadValue reads the JSON value at off in the (decompressed) file again.
func (r *Reader) ReadValue(f *File, off int64) ([]byte, error) { return nil, errors.ErrUnsupported }

// Close ends reading and gives everything back.
func (r *Reader) Close() error { return nil }
