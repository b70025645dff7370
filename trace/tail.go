package trace

import (
	"bytes"
	"io"
	"os"
	"time"
)

// tail is one path that is read, as the reader's goroutine sees it. Nobody else touches it.
type tail struct {
	file  *File
	path  string // cleaned; where it lies by now
	label string
	root  *root
	named bool // given by name, not found in a directory
	id    identity
	size  int64 // at the last look
	mtime time.Time
	asOf  time.Time // mtime when what was read of the file was seen to stand in it
	round int       // of the last look that saw it

	fd   *os.File
	used int // when fd was used last, counted in steps of the reader
	pack packing
	win  *window
	pipe *spool

	off      int64 // of the first byte that was not handed out
	seen     int64 // no line end lies between off and here
	long     bool  // the line at off is longer than MaxLine: only its end is looked for
	seq      int
	document bool
	print    fingerprint
	held     int64 // unfinished bytes, as last told
	counted  int64 // bytes of it in the reader's total
	read     int64 // bytes of it in the reader's count of what was read

	queued  bool
	ended   bool // nothing more comes: closed and read to its end, or left out
	closing bool // nobody will write to it any more
	gone    time.Time
	waits   *tail         // a copy of it, perhaps: looked at again when that is read
	copyOf  *File         // all of it so far is a copy of that
	whole   bool          // it is no copy, or no longer
	anew    bool          // it was cut or written anew in place: what lies there by now is no copy of what did
	before  chan struct{} // closed when the block handed out last is decoded, where blocks have an order
}

// fingerprint tells a file by what was read of it: how it begins, and what stands before where reading stopped.
type fingerprint struct {
	begin []byte // at most beginSize
	mark  []byte // at most markSize
}

const (
	beginSize = 512
	markSize  = 128
)

// extend takes in data that was handed out, which starts at off.
func (p *fingerprint) extend(off int64, data []byte) {
	if n := int64(len(p.begin)); n < beginSize && off == n {
		p.begin = append(p.begin, data[:min(len(data), beginSize-len(p.begin))]...)
	}
	if len(data) >= markSize {
		p.mark = append(p.mark[:0], data[len(data)-markSize:]...)
		return
	}
	p.mark = append(p.mark, data...)
	if extra := len(p.mark) - markSize; extra > 0 {
		p.mark = append(p.mark[:0], p.mark[extra:]...)
	}
}

// begins says whether src, of size bytes, begins as the fingerprint says; what is shorter must agree as far as it goes.
func (p *fingerprint) begins(src io.ReaderAt, size int64) bool {
	return sameAt(src, 0, p.begin[:min(int64(len(p.begin)), size)])
}

// marks says whether src holds the mark before off.
func (p *fingerprint) marks(src io.ReaderAt, off int64) bool {
	return sameAt(src, off-int64(len(p.mark)), p.mark)
}

func sameAt(src io.ReaderAt, off int64, want []byte) bool {
	var buf [beginSize]byte
	n, _ := src.ReadAt(buf[:len(want)], off)
	return n == len(want) && bytes.Equal(buf[:n], want)
}

// source gives what the tail is read from.
func (t *tail) source() io.ReaderAt {
	if t.win != nil {
		return t.win
	}
	return t.stored()
}

// stored is the file as it lies on disk.
func (t *tail) stored() *os.File {
	if t.pipe != nil {
		return t.pipe.file
	}
	return t.fd
}

// closed says whether nothing will be added to what is there.
func (t *tail) closed(follow bool) bool {
	if t.pipe != nil {
		return t.pipe.done.Load()
	}
	return !follow || t.closing || t.pack != unpacked
}

func (t *tail) close() {
	if t.win != nil {
		t.win.close()
		t.win = nil
	}
	if t.fd != nil {
		_ = t.fd.Close()
		t.fd = nil
	}
}

// chunk is what was read at once: the bytes of the file from off on, and whether its end was reached.
type chunk struct {
	buf  []byte
	at   int // of off in buf
	have int
	end  bool
	err  error // other than the end
}

func (c *chunk) data() []byte { return c.buf[c.at:max(c.at, c.have)] }

// cut says whether the file ended before the chunk begins: it was cut after it was asked how long it is.
func (c *chunk) cut() bool { return c.have < c.at }

// load reads from t.off: up to blockSize, or on until at least one line (in a document: one value) is whole; to the
// limit. closed says that an unfinished end is wanted, too.
func (t *tail) load(p *pool, limit int, closed bool) chunk {
	start := t.off &^ (pageSize - 1)
	if start > 0 && t.off-start < markSize {
		start -= pageSize // so that the mark is read, too
	}
	c := chunk{at: int(t.off - start)}
	scanned := c.at
	want := blockSize
	if t.win == nil && t.pack == unpacked && t.pipe == nil && t.size > start {
		want = int(min(blockSize, t.size-start+pageSize)) // a small file needs a small buffer, and there are more of them at a time
	}
	if t.seen > t.off {
		scanned = int(t.seen - start)
		want = max(want, min(scanned, blockSize)+pageSize)
	}
	c.buf = p.get(want)
	for {
		c.read(t, start, want)
		if c.end || t.document && wholeValues(c.data()) > 0 ||
			!t.document && scanned < c.have && bytes.IndexByte(c.buf[scanned:c.have], '\n') >= 0 {
			return c
		}
		if want-c.at > limit {
			return c
		}
		scanned = max(scanned, c.have)
		if t.document || t.win != nil {
			want = min(2*want, c.at+limit+pageSize)
		} else {
			// A long line: its end is looked for before there is room made for it.
			t.seen = max(t.seen, start+int64(c.have))
			end, err := t.scan(p, t.off+int64(limit))
			if end < 0 && closed && t.seen-t.off <= int64(limit) {
				end = t.seen
			}
			if end < 0 {
				c.end, c.err = t.seen-t.off <= int64(limit), err
				return c
			}
			want = int(end - start)
			scanned = c.at
		}
		old := c.buf
		c.buf = p.get(want)
		copy(c.buf, old[:c.have])
		p.put(old)
	}
}

// read fills the chunk's buffer up to want from the file, of which start is the buffer's offset.
func (c *chunk) read(t *tail, start int64, want int) {
	if t.win == nil { // what is there was asked just now, which spares asking for more
		if left := t.size - start; int64(want) >= left {
			want = int(max(left, int64(c.have)))
			c.end = true
		}
	}
	n, err := t.source().ReadAt(c.buf[c.have:want], start+int64(c.have))
	c.have += n
	if c.have < want {
		c.end = true
		if err != io.EOF {
			c.err = err
		}
	}
	if c.end && c.cut() && c.err == nil {
		c.err = io.ErrUnexpectedEOF
	}
}

// scan looks for the end of what is not kept, from t.seen on: of a line, or of all in a document; no further than to the
// limit, if that is not 0. It gives the offset behind it, or below zero when it is not there.
func (t *tail) scan(p *pool, limit int64) (int64, error) {
	buf := p.get(blockSize)
	defer p.put(buf)
	for limit == 0 || t.seen <= limit {
		start := t.seen &^ (pageSize - 1)
		n, err := t.source().ReadAt(buf[:blockSize], start)
		if skip := int(t.seen - start); skip < n {
			if i := bytes.IndexByte(buf[skip:n], '\n'); i >= 0 && !t.document {
				return t.seen + int64(i) + 1, nil
			}
			t.seen = start + int64(n)
		}
		if n < blockSize {
			if err == io.EOF {
				err = nil
			}
			return -1, err
		}
	}
	return -1, nil
}
