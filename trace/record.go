package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Record is a trace that events are appended to. Several processes may append to one file: each line is written in one piece,
// under the file's lock.
type Record struct {
	f    *os.File
	path string
	buf  []byte
}

// OpenRecord opens a trace for appending and makes it (mode 0600) when it is not there.
func OpenRecord(path string) (*Record, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the trace for recording: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("expected a regular file, found %s", info.Mode().Type())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("record into %s: %w", path, err), f.Close())
	}
	return &Record{f: f, path: path}, nil
}

// Append writes one line, which holds no line feed, and its end; it ends a line before it that was left unfinished. It returns the
// bytes that were written. When the disk is full nothing of the line is left, unless somebody who
// takes no lock wrote behind it.
func (r *Record) Append(line []byte) (n int, err error) {
	if err := lock(r.f); err != nil {
		return 0, fmt.Errorf("lock %s: %w", r.path, err)
	}
	defer func() { err = errors.Join(err, unlock(r.f)) }()
	size, err := r.f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("find the end of %s: %w", r.path, err)
	}
	r.buf = r.buf[:0]
	if size > 0 {
		var last [1]byte
		if _, err := r.f.ReadAt(last[:], size-1); err != nil {
			return 0, fmt.Errorf("read the end of %s: %w", r.path, err)
		}
		if last[0] != '\n' {
			r.buf = append(r.buf, '\n')
		}
	}
	r.buf = append(append(r.buf, line...), '\n')
	n, err = r.f.Write(r.buf)
	if err != nil {
		if info, serr := r.f.Stat(); n > 0 && serr == nil && info.Size() == size+int64(n) && r.f.Truncate(size) == nil {
			n = 0
		}
		if p := (*os.PathError)(nil); errors.As(err, &p) {
			err = p.Err // the path is named once
		}
		return n, fmt.Errorf("write %s: %w", r.path, err)
	}
	return n, nil
}

// Close brings what was written to the disk.
func (r *Record) Close() error {
	if err := errors.Join(r.f.Sync(), r.f.Close()); err != nil {
		return fmt.Errorf("keep %s: %w", r.path, err)
	}
	return nil
}
