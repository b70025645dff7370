package run

import (
	"io"
	"sync"
)

// Output is what is kept of a stream.
type Output struct {
	Head  []byte
	Tail  []byte // empty when Head holds everything
	Bytes int64  // of the whole stream
}

// Whole returns the stream when all of it was kept.
func (o *Output) Whole() ([]byte, bool) {
	if int64(len(o.Head)+len(o.Tail)) != o.Bytes {
		return nil, false
	}
	if len(o.Tail) == 0 {
		return o.Head, true
	}
	return append(o.Head[:len(o.Head):len(o.Head)], o.Tail...), true
}

// keeper passes a stream on and keeps its head and tail.
type keeper struct {
	mu    sync.Mutex
	to    io.Writer
	err   error
	keep  int
	head  []byte
	ring  []byte // of the tail
	at    int    // next position in ring, when it is full
	bytes int64
}

func newKeeper(to io.Writer, keep int) *keeper { return &keeper{to: to, keep: keep} }

// Write never fails: a child is not to die of a reader that went away.
func (k *keeper) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(p)
	k.bytes += int64(n)
	if k.to != nil && k.err == nil {
		_, k.err = k.to.Write(p)
	}
	if room := k.keep - len(k.head); room > 0 {
		m := min(room, len(p))
		k.head = append(k.head, p[:m]...)
		p = p[m:]
	}
	if over := len(p) - k.keep; over > 0 {
		p = p[over:]
	}
	if room := k.keep - len(k.ring); room > 0 {
		m := min(room, len(p))
		k.ring = append(k.ring, p[:m]...)
		p = p[m:]
	}
	for len(p) > 0 {
		m := copy(k.ring[k.at:], p)
		p = p[m:]
		k.at = (k.at + m) % k.keep
	}
	return n, nil
}

func (k *keeper) output() Output {
	k.mu.Lock()
	defer k.mu.Unlock()
	o := Output{Head: append([]byte(nil), k.head...), Bytes: k.bytes}
	o.Tail = append(append([]byte(nil), k.ring[k.at:]...), k.ring[:k.at]...)
	return o
}

func (k *keeper) failed() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}
