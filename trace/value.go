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
	if f.pipe != nil {
		return r.valueAt(f.pipe.file, f, off)
	}
	path := f.Now()
	fd, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read %s again: %w", path, err)
	}
	defer fd.Close()
	p := packed(fd)
	if p == unpacked {
		return r.valueAt(fd, f, off)
	}
	again := &rereader{f: fd, p: p}
	defer again.close()
	return r.valueAt(again, f, off)
}

func (r *Reader) valueAt(src io.ReaderAt, f *File, off int64) ([]byte, error) {
	if begin := f.begin.Load(); begin != nil && !sameAt(src, 0, *begin) {
		return nil, fmt.Errorf("read %s again: %w: it begins otherwise", f.Now(), ErrChanged)
	}
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
