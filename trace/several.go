package trace

import (
	"errors"
	"fmt"
	"io"

	"drainboard/keys/pyjson"
)

// At names one call or result of a file: the N-th, from 1, of the value at Off of the (decompressed) file.
type At struct {
	Off int64
	N   int
}

// ErrApart says that events of a format cannot be read again one by one, because other lines say what they are.
var ErrApart = errors.New("its events are told by several lines")

// ReadEvents reads calls and results of one file again, in one pass, and hands each to handle with its number in at, which must be in
// ascending order. The event is lent until handle returns. It may lack what other lines of its file say; where a format says what an
// event is in several lines (Format.Apart) the error is ErrApart. Any error of handle ends it.
func (r *Reader) ReadEvents(f *File, at []At, handle func(i int, e *Event) error) error {
	format := f.Format()
	switch {
	case format == nil:
		return fmt.Errorf("%s: its format is not known yet", f.Path)
	case format.Apart:
		return fmt.Errorf("read %s again: %w", f.Path, ErrApart)
	case len(at) == 0:
		return nil
	}
	src, done, err := reopen(f)
	if err != nil {
		return err
	}
	defer done()
	var w Scratch
	var st Stats
	w.stats = &st
	d := blockDecoder{Block: &Block{File: &File{Path: f.Path}}, format: format, w: &w, st: &st}
	win := reach{src: src, path: f.Now(), most: r.cfg.MaxLine + blockSize}
	for i := 0; i < len(at); {
		to := i + 1
		for to < len(at) && at[to].Off == at[i].Off {
			to++
		}
		v, from, err := win.value(&w.doc, at[i].Off)
		if err != nil {
			return err
		}
		left := to - i
		var wrong error
		w.handle = func(e *Event) {
			if e.Kind != Call && e.Kind != Result {
				return
			}
			for k := i; k < to && wrong == nil; k++ {
				if at[k].N == e.N {
					left--
					wrong = handle(k, e)
				}
			}
		}
		if d.dec == nil || !format.Stateless {
			d.dec = format.New(v.Raw(), f.Path)
		}
		d.value(v, from, 0)
		if fl, ok := d.dec.(Flusher); ok {
			w.reset()
			fl.Flush(&w)
		}
		if wrong == nil && left > 0 {
			wrong = fmt.Errorf("%s at byte %d: expected %d calls or results of a value, found others: %w", f.Path, at[i].Off, to-i, ErrChanged)
		}
		if wrong != nil {
			return wrong
		}
		i = to
	}
	return nil
}

// reach is a window into a file that goes forward.
type reach struct {
	src  io.ReaderAt
	path string
	most int // bytes that a value may have
	buf  []byte
	base int64 // of buf in the file
	end  bool  // buf reaches the file's end
}

// value parses the value at an offset, not before the last one's. It stands at from in what doc holds.
func (r *reach) value(doc *pyjson.Doc, off int64) (v pyjson.Value, from int, err error) {
	for {
		if off >= r.base && off < r.base+int64(len(r.buf)) {
			from = int(off - r.base)
			_, err := doc.Parse(r.buf, from)
			var syntax *pyjson.SyntaxError
			switch {
			case err == nil:
				return doc.Root(), from, nil
			case !errors.As(err, &syntax) || !syntax.Unfinished:
				return v, 0, fmt.Errorf("read %s again at byte %d: %w: %w", r.path, off, ErrChanged, err)
			}
		} else if r.end {
			r.buf = r.buf[:0]
		}
		if err := r.move(off); err != nil {
			return v, 0, err
		}
	}
}

// move has the window begin at off, or makes it larger when it does already.
func (r *reach) move(off int64) error {
	size := cap(r.buf)
	switch {
	case off == r.base && len(r.buf) > 0 && r.end:
		return fmt.Errorf("read %s again at byte %d: %w: it ends before", r.path, off, ErrChanged)
	case off == r.base && len(r.buf) > 0:
		if size *= 2; size > 2*r.most {
			return fmt.Errorf("read %s again at byte %d: expected a value of at most %d bytes, found a longer one", r.path, off, r.most)
		}
	}
	if size = max(size, blockSize); size > cap(r.buf) {
		r.buf = make([]byte, size)
	}
	r.buf, r.base = r.buf[:cap(r.buf)], off
	n, err := r.src.ReadAt(r.buf, off)
	r.buf = r.buf[:n]
	r.end = err != nil
	if err != nil && err != io.EOF {
		return fmt.Errorf("read %s again at byte %d: %w", r.path, off, err)
	}
	if n == 0 {
		return fmt.Errorf("read %s again at byte %d: %w: it ends before", r.path, off, ErrChanged)
	}
	return nil
}
