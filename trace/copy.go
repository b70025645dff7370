package trace

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ghost is what was read of a file that holds it no more: it was cut, replaced or removed.
type ghost struct {
	file  *File
	path  string
	label string
	print fingerprint
	off   int64
}

// maxGhosts is how many are remembered, the latest.
const maxGhosts = 1024

// settleTime is how long the copy of a file that is gone must not have grown to count as finished.
const settleTime = 2 * time.Second

func stemKey(path string) string {
	return filepath.Join(filepath.Dir(path), defaultRun(path))
}

func (r *Reader) addStem(t *tail) {
	key := stemKey(t.path)
	r.stems[key] = append(r.stems[key], t)
}

func (r *Reader) dropStem(t *tail) {
	key := stemKey(t.path)
	if list := slices.DeleteFunc(r.stems[key], func(o *tail) bool { return o == t }); len(list) > 0 {
		r.stems[key] = list
	} else {
		delete(r.stems, key)
	}
}

// remember makes a ghost of what was read of a tail.
func (r *Reader) remember(t *tail) {
	if !r.cfg.Follow || t.off == 0 || t.pipe != nil {
		return
	}
	g := ghost{
		file: t.file, path: t.path, label: t.label, off: t.off,
		print: fingerprint{slices.Clone(t.print.begin), slices.Clone(t.print.mark)},
	}
	if len(r.ghosts) == maxGhosts {
		r.ghosts = slices.Delete(r.ghosts, 0, 1)
	}
	r.ghosts = append(r.ghosts, g)
}

// renew begins a new File at the tail's path: what was read of the old one is there no more.
func (r *Reader) renew(ctx context.Context, t *tail, what What) {
	old, held := t.file, t.held
	r.remember(t)
	if t.win != nil {
		t.win.close()
		t.win = nil
	}
	t.off, t.seen, t.seq, t.held, t.counted, t.read = 0, 0, 0, 0, 0, 0
	t.long, t.document, t.pack, t.copyOf = false, false, unpacked, nil
	t.whole, t.anew = false, true // a copy of it may have been read before it was missed here
	t.print, t.asOf = fingerprint{}, time.Time{}
	t.file = r.newFile(old.Path, old.Label)
	r.count(t)
	r.tell(ctx, Notice{What: what, File: t.file, Of: old, Bytes: held})
	r.release(t)
	for _, o := range r.stems[stemKey(t.path)] {
		if o.copyOf != nil {
			r.enqueue(o)
		}
	}
}

// rewritten says whether a file that is as long as what was read of it holds something else by now. It is asked again only
// when the file was written to since.
func (t *tail) rewritten() bool {
	if t.off == 0 || t.mtime.Equal(t.asOf) {
		return false
	}
	t.asOf = t.mtime
	return !t.print.begins(t.fd, t.size) || !t.print.marks(t.fd, t.off)
}

// release queues the files that wait for the tail, and says whether there are any.
func (r *Reader) release(t *tail) (any bool) {
	if t.pipe != nil {
		return false
	}
	for _, o := range r.stems[stemKey(t.path)] {
		if o.waits == t {
			o.waits = nil
			r.enqueue(o)
			any = true
		}
	}
	return any
}

// copied finds out whether a file that was not read yet, or that was a copy so far, begins with what was read of
// others, and passes over the most of that. The outcome is idle while that cannot be told.
func (r *Reader) copied(ctx context.Context, t *tail) outcome {
	if t.whole || t.size == 0 {
		return again
	}
	var of *File
	var from int64
	best := func(f *File, n int64) {
		if of == nil || n > from {
			of, from = f, n
		}
	}
	for _, o := range slices.Clone(r.stems[stemKey(t.path)]) {
		if o == t || o.label != t.label || o.copyOf != nil && o.seq == 0 || o.off == 0 {
			continue
		}
		if !o.print.begins(t.fd, t.size) && packed(t.fd) == unpacked {
			continue
		}
		if !r.readOut(ctx, o) {
			t.waits = o // it is compared when all of that is read
			return idle
		}
		if o.off == 0 {
			continue // it was found to be cut: what it held is a ghost by now
		}
		if n, ok := t.overlap(o.print, o.off, o); ok {
			best(o.file, n)
		}
	}
	var part *File // of which it may be the beginning, as far as its own beginning says
	var upTo int64
	for i := len(r.ghosts) - 1; i >= 0; i-- {
		g := &r.ghosts[i]
		if g.label != t.label || filepath.Dir(g.path) != filepath.Dir(t.path) || g.file == t.file ||
			!strings.HasPrefix(filepath.Base(t.path), defaultRun(g.path)) || t.anew && g.path == t.path {
			continue
		}
		switch n, ok := t.overlap(g.print, g.off, nil); {
		case ok && n == g.off:
			best(g.file, n)
		case ok:
			part, upTo = g.file, n
		}
	}
	if part != nil && r.cfg.Now().Sub(t.mtime) < settleTime { // when more of it has come it can be told
		r.perhaps = append(r.perhaps, t)
		return idle
	}
	if of == nil {
		of, from = part, upTo
	}
	if of != nil {
		return r.passOver(ctx, t, of, from)
	}
	t.copyOf = nil
	t.whole = true
	return again
}

// readOut reads what there is of a file: all of it when following, so that nothing of it is left for later; otherwise it
// only says whether that was done.
func (r *Reader) readOut(ctx context.Context, t *tail) (done bool) {
	if !r.cfg.Follow {
		return t.ended
	}
	for r.advance(ctx, t) == again {
	}
	return true
}

// overlap gives the length of the start of t that is the start of the first off bytes of another file, known by its
// fingerprint and, when it still holds them, by itself. ok is false when t begins otherwise.
func (t *tail) overlap(print fingerprint, off int64, other *tail) (from int64, ok bool) {
	src, size, done := t.plain()
	defer done()
	if src == nil || size == 0 || !print.begins(src, size) {
		return 0, false
	}
	if size >= off {
		return off, off > 0 && print.marks(src, off)
	}
	if other == nil {
		return lineStart(src, size), true
	}
	f, err := os.Open(other.path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var buf [beginSize]byte
	n := min(size, beginSize)
	if k, _ := f.ReadAt(buf[:n], size-n); int64(k) != n || !sameAt(src, size-n, buf[:n]) {
		return 0, false
	}
	return lineStart(src, size), true
}

// plain gives what the file holds, decompressed, and its size. done is to be called in any case.
func (t *tail) plain() (src io.ReaderAt, size int64, done func()) {
	p := packed(t.fd)
	if p == unpacked {
		return t.fd, t.size, func() {}
	}
	size, err := unpackedSize(t.fd, p)
	if err != nil {
		return nil, 0, func() {}
	}
	again := &rereader{f: t.fd, p: p}
	return again, size, again.close
}

// lineStart gives the end of the last whole line in the first size bytes.
func lineStart(src io.ReaderAt, size int64) int64 {
	buf := make([]byte, min(size, headSize))
	n, _ := src.ReadAt(buf, size-int64(len(buf)))
	return size - int64(len(buf)) + int64(bytes.LastIndexByte(buf[:n], '\n')) + 1
}

// passOver leaves out the first bytes of a file, which were read of another one.
func (r *Reader) passOver(ctx context.Context, t *tail, of *File, from int64) outcome {
	src, _, done := t.plain()
	defer done()
	if src == nil {
		return again
	}
	if p := packed(t.fd); p != unpacked && t.win == nil {
		win, err := newWindow(t.fd, p)
		if err != nil {
			return again // reading it will say so
		}
		t.pack, t.win = p, win
	}
	t.file.FirstLine = countLines(src, from)
	t.print = fingerprint{}
	t.print.take(src, from)
	grown := from - t.off
	t.off, t.seen, t.copyOf = from, from, of
	r.count(t)
	if grown > 0 {
		r.tell(ctx, Notice{What: Copy, File: t.file, Of: of, Bytes: from})
	}
	return again
}

// take makes the fingerprint of the first off bytes of src.
func (p *fingerprint) take(src io.ReaderAt, off int64) {
	p.begin = make([]byte, min(off, beginSize))
	n, _ := src.ReadAt(p.begin, 0)
	p.begin = p.begin[:n]
	p.mark = make([]byte, min(off, markSize))
	n, _ = src.ReadAt(p.mark, off-int64(len(p.mark)))
	p.mark = p.mark[:n]
}

func countLines(src io.ReaderAt, end int64) int {
	buf := make([]byte, blockSize)
	lines := 0
	for at := int64(0); at < end; {
		n, err := src.ReadAt(buf[:min(blockSize, end-at)], at)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		if at += int64(n); err != nil && at < end {
			break
		}
	}
	return lines
}
