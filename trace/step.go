package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// outcome is what a step of reading a file came to.
type outcome uint8

const (
	again outcome = iota // there may be more
	idle                 // nothing for now
)

// slice is how many blocks of one file are read before others have their turn.
const slice = 8

func (r *Reader) enqueue(t *tail) {
	if !t.queued && !t.ended {
		t.queued = true
		r.queue = append(r.queue, t)
	}
}

// pass gives every file that has news its turn.
func (r *Reader) pass(ctx context.Context) (more bool) {
	turn := r.queue
	r.queue = nil
	for _, t := range turn {
		t.queued = false
		if r.advance(ctx, t) == idle {
			more = r.release(t) || more
			continue
		}
		r.enqueue(t)
		more = true
	}
	return more || len(r.queue) > 0
}

func (r *Reader) advance(ctx context.Context, t *tail) outcome {
	for range slice {
		if ctx.Err() != nil {
			return idle
		}
		if o := r.step(ctx, t); o != again {
			return o
		}
	}
	return again
}

// step reads and hands out one block of a file, if there is one.
func (r *Reader) step(ctx context.Context, t *tail) outcome {
	if t.ended {
		return idle
	}
	closed := t.closed(r.cfg.Follow) // asked before reading: what is there then is all
	if o := r.ready(ctx, t); o != again {
		return o
	}
	f := t.file.Format()
	if t.long {
		return r.passLong(ctx, t, closed)
	}
	if r.cfg.Follow && t.pack == unpacked && t.size == t.off && !closed {
		if t.rewritten() {
			r.renew(ctx, t, Rewritten)
			return again
		}
		return idle
	}
	t.asOf = t.mtime
	c := t.load(&r.pool, r.cfg.MaxLine, closed)
	if packed, err := t.unpack(c.data(), closed); packed || err != nil {
		r.pool.put(c.buf)
		if err != nil {
			r.lost(ctx, t, err)
		}
		if err != nil || t.pack == unpacked {
			return idle
		}
		return again
	}
	if r.cfg.Follow && t.pack == unpacked {
		switch {
		case c.cut():
			r.pool.put(c.buf)
			r.renew(ctx, t, Truncated)
			return again
		case c.err != nil:
			r.pool.put(c.buf)
			r.lost(ctx, t, c.err)
			return idle
		case !bytes.HasSuffix(c.buf[:min(c.at, c.have)], t.print.mark):
			r.pool.put(c.buf)
			r.renew(ctx, t, Rewritten)
			return again
		}
	}
	if t.pack != unpacked && c.end && errors.Is(c.err, io.ErrUnexpectedEOF) && r.cfg.Follow && !t.closing {
		closed = false // it is being written, perhaps
		t.close()
	}
	if f == nil {
		if o := r.decide(ctx, t, &c, closed); o != again || t.file.Format() == nil {
			r.pool.put(c.buf)
			return o
		}
	}
	return r.deliver(ctx, t, &c, closed)
}

// deliver hands out what is whole of a chunk.
func (r *Reader) deliver(ctx context.Context, t *tail, c *chunk, closed bool) outcome {
	data := c.data()
	last := closed && c.end
	n := len(data)
	if !last {
		if t.document {
			n = wholeValues(data)
		} else {
			n = lineEnd(data)
		}
	}
	if n == 0 && !last {
		r.pool.put(c.buf)
		t.seen = max(t.seen, t.off+int64(len(data)))
		if !c.end {
			t.long = true
			return again
		}
		r.hold(ctx, t, t.seen-t.off)
		return idle
	}
	rest := len(data) - n
	b := &Block{Data: data[:n:n], buf: c.buf, Last: last}
	if !r.hand(ctx, t, b, int64(n)) {
		return idle
	}
	if c.err != nil && last {
		r.tell(ctx, Notice{What: Unreadable, File: t.file, Err: fmt.Errorf("cut off after %d bytes: %w", t.off, c.err)})
	}
	switch {
	case last:
		r.end(ctx, t)
		return idle
	case c.end:
		t.seen = t.off + int64(rest)
		r.hold(ctx, t, int64(rest))
		if !closed {
			return idle
		}
	}
	return again
}

// lineEnd gives the offset behind the last line end, 0 when there is none. It looks at pieces from the last one back,
// forward in each: bytes.LastIndexByte looks at one byte at a time.
func lineEnd(data []byte) int {
	const piece = 4 << 10
	for to := len(data); to > 0; to -= piece {
		from := max(0, to-piece)
		if bytes.IndexByte(data[from:to], '\n') >= 0 {
			return from + bytes.LastIndexByte(data[from:to], '\n') + 1
		}
	}
	return 0
}

// hand sends a block of size bytes of the file on its way.
func (r *Reader) hand(ctx context.Context, t *tail, b *Block, size int64) bool {
	b.File, b.Seq, b.Off, b.Document, b.home = t.file, t.seq, t.off, t.document, r
	if !t.file.Format().Stateless { // its blocks are decoded in this order
		b.before, b.done = t.before, make(chan struct{})
		t.before = b.done
	}
	t.print.extend(t.off, b.Data)
	if t.seq == 0 {
		begin := t.print.begin // what is appended to it later is behind its end
		t.file.begin.Store(&begin)
		t.file.lines = t.file.FirstLine
	}
	t.seq++
	t.off += size
	t.seen = t.off
	r.count(t)
	return r.send(ctx, Item{Block: b})
}

// count brings the Reader's progress up to date with the tail's.
func (r *Reader) count(t *tail) {
	at, size := t.off, t.size
	switch {
	case t.pack != unpacked && !t.ended:
		at = 0 // it is not known how much that was on disk
	case t.pack == unpacked && at > size:
		size = at
	case t.ended:
		at = size
	}
	r.total.Add(size - t.counted)
	r.read.Add(at - t.read)
	t.counted, t.read = size, at
}

// end is called when all of a file was handed out and nothing will come. A stream that broke off says why.
func (r *Reader) end(ctx context.Context, t *tail) {
	if t.pipe != nil && t.pipe.done.Load() && t.pipe.err != nil {
		r.tell(ctx, Notice{What: Unreadable, File: t.file, Err: t.pipe.err})
	}
	t.ended = true
	t.held = 0
	t.close()
	r.count(t)
}

// hold tells of an unfinished end, when it has changed.
func (r *Reader) hold(ctx context.Context, t *tail, n int64) {
	if n != t.held {
		t.held = n
		r.tell(ctx, Notice{What: Writing, File: t.file, Bytes: n})
	}
}

// passLong goes to the end of a line that is longer than MaxLine.
func (r *Reader) passLong(ctx context.Context, t *tail, closed bool) outcome {
	if t.file.Format() == nil {
		if !r.promising(ctx, t) {
			return idle
		}
		r.settle(t, unknownFormat(), nil)
	}
	end, err := t.scan(&r.pool, 0)
	last := end < 0
	if last {
		if !closed && err == nil {
			r.hold(ctx, t, t.seen-t.off)
			return idle
		}
		end = t.seen
	}
	t.long = false
	r.hand(ctx, t, &Block{Skipped: end - t.off, Last: last}, end-t.off)
	t.print.mark = t.print.mark[:0]
	if last {
		r.end(ctx, t)
		return idle
	}
	return again
}
