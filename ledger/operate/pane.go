package operate

import (
	"bytes"
	"sync"
)

// Lines cuts what is written to it into lines and hands each out, at most 4 KiB of it: a longer one comes in pieces. Nothing is
// kept but the line that is not ended yet. It may be used by many goroutines.
type Lines struct {
	To func(line string)

	mu   sync.Mutex
	rest []byte
}

// maxPiece bounds what is kept of a line that does not end.
const maxPiece = 4 << 10

// Write never fails.
func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		piece := p
		if end >= 0 {
			piece = p[:end]
		}
		if room := maxPiece - len(l.rest); len(piece) > room {
			l.rest = append(l.rest, piece[:room]...)
			p = p[room:]
			l.flush()
			continue
		}
		l.rest = append(l.rest, piece...)
		if end < 0 {
			break
		}
		l.flush()
		p = p[end+1:]
	}
	return n, nil
}

// End hands out a last line that has no end.
func (l *Lines) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		l.flush()
	}
}

func (l *Lines) flush() {
	l.To(string(l.rest))
	l.rest = l.rest[:0]
}
