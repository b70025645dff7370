package trace

import (
	"errors"
	"fmt"
	"io"
	"os"

	"drainboard/keys/pyjson"
)

// ErrChanged says that a file no longer holds what was read of it.
var ErrChanged = errors.New("the file no longer holds what was read")

// ReadValue reads the JSON value at off in a file again; compressed files are read again from their start. A file that
// is gone or begins otherwise than it did gives an error. Whether the value is still the one that stood there is for the
// caller to check. It may be called by any goroutine, until Close.
func (r *Reader) ReadValue(f *File, off int64) ([]byte, error) {
	src, done, err := reopen(f)
	if err != nil {
		return nil, err
	}
	defer done()
	return r.valueAt(src, f, off)
}

// reopen gives what a file holds, decompressed, and how to be done with that. A file that begins otherwise than it did is an error.
func reopen(f *File) (src io.ReaderAt, done func(), err error) {
	var fd *os.File
	if f.pipe != nil {
		fd, done = f.pipe.file, func() {}
	} else {
		if fd, err = os.Open(f.Now()); err != nil {
			return nil, nil, fmt.Errorf("read %s again: %w", f.Now(), err)
		}
		done = func() { _ = fd.Close() }
	}
	src = fd
	if p := packed(fd); p != unpacked {
		again, closeFile := &rereader{f: fd, p: p}, done
		src, done = again, func() { again.close(); closeFile() }
	}
	if begin := f.begin.Load(); begin != nil && !sameAt(src, 0, *begin) {
		done()
		return nil, nil, fmt.Errorf("read %s again: %w: it begins otherwise", f.Now(), ErrChanged)
	}
	return src, done, nil
}

func (r *Reader) valueAt(src io.ReaderAt, f *File, off int64) ([]byte, error) {
	var doc pyjson.Doc
	buf := make([]byte, 16<<10)
	have := 0
	for {
		n, err := src.ReadAt(buf[have:], off+int64(have))
		have += n
		end, perr := doc.Parse(buf[:have], 0)
		if perr == nil {
			return doc.Root().Raw()[:end-doc.Root().Offset()], nil
		}
		var syntax *pyjson.SyntaxError
		if !errors.As(perr, &syntax) || !syntax.Unfinished {
			return nil, fmt.Errorf("read %s again at byte %d: %w: %w", f.Now(), off, ErrChanged, perr)
		}
		if err != nil {
			if err != io.EOF {
				return nil, fmt.Errorf("read %s again at byte %d: %w", f.Now(), off, err)
			}
			return nil, fmt.Errorf("read %s again at byte %d: %w: it ends before", f.Now(), off, ErrChanged)
		}
		if have > r.cfg.MaxLine+blockSize {
			return nil, fmt.Errorf("read %s again at byte %d: expected a value of at most %d bytes, found a longer one", f.Now(), off, r.cfg.MaxLine)
		}
		buf = append(buf, make([]byte, len(buf))...)
	}
}
