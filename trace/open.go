package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// ready opens the file and looks whether it is still the one that was read.
func (r *Reader) ready(ctx context.Context, t *tail) outcome {
	if t.pipe != nil {
		t.size = t.pipe.size.Load()
		return again
	}
	if err := r.openTail(t); err != nil {
		r.lost(ctx, t, err)
		return idle
	}
	r.steps++
	t.used = r.steps
	if t.seq == 0 && !t.whole && !t.named {
		if o := r.copied(ctx, t); o != again {
			return o
		}
	}
	if r.cfg.Follow && t.pack == unpacked && t.size < max(t.off, t.seen) {
		r.renew(ctx, t, Truncated)
		return r.ready(ctx, t)
	}
	return again
}

var errOther = errors.New("another file lies there by now")

// openTail opens the file, unless another one lies at its path by now, or looks anew at one that is open.
func (r *Reader) openTail(t *tail) error {
	fd := t.fd
	if fd == nil {
		var err error
		if fd, err = os.Open(t.path); err != nil {
			return err
		}
	}
	info, err := fd.Stat()
	if err == nil && t.fd == nil && identityOf(info) != t.id {
		err = fmt.Errorf("open %s: %w", t.path, errOther)
	}
	if err != nil {
		if t.fd == nil {
			_ = fd.Close()
		}
		return err
	}
	if t.fd == nil && r.cfg.Follow {
		r.limitOpen()
	}
	t.fd, t.size, t.mtime = fd, info.Size(), info.ModTime()
	if t.pack != unpacked && t.win == nil {
		t.win, err = newWindow(t.fd, t.pack)
	}
	return err
}

// maxOpen is about how many descriptors are held, so that a file that is removed or renamed away can be read to its end.
const maxOpen = 512

// limitOpen closes, when there are too many, the descriptors that were not used for longest: half of them, so that the
// search for them pays.
func (r *Reader) limitOpen() {
	if r.opened++; r.opened <= maxOpen {
		return
	}
	var open []*tail
	for t := range r.tails {
		if t.fd != nil {
			open = append(open, t)
		}
	}
	slices.SortFunc(open, func(a, b *tail) int { return cmp.Compare(a.used, b.used) })
	old := len(open) - maxOpen/2
	for _, t := range open[:max(old, 0)] {
		if t.gone.IsZero() && !t.closing && t.win == nil {
			t.close()
		}
	}
	r.opened = maxOpen / 2
}

// unpack finds out by a file's first bytes whether it is compressed, and opens what it holds. A stream must have ended.
func (t *tail) unpack(start []byte, closed bool) (found bool, err error) {
	if t.off > 0 || t.pack != unpacked {
		return false, nil
	}
	p := packingOf(start)
	if p == unpacked || t.pipe != nil && !closed {
		return p != unpacked, nil
	}
	t.pack = p
	t.win, err = newWindow(t.stored(), p)
	return true, err
}

// lost is called when a file cannot be opened or read. While following it is tried again when it changes.
func (r *Reader) lost(ctx context.Context, t *tail, err error) {
	if r.cfg.Follow && !t.closing {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errOther):
			r.touch(t.path)
			return
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			t.close()
			return
		}
	}
	if !t.ended {
		r.tell(ctx, Notice{What: Unreadable, File: t.file, Err: err})
	}
	r.end(ctx, t)
}
