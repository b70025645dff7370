package trace

import "sync"

const (
	pageSize = 4096
	// blockSize is how much is read at once; lines longer than that make a larger block.
	blockSize = 1 << 19
	// keepBuffers and keepSize bound what lies idle between blocks.
	keepBuffers = 16
	keepSize    = 16 << 20
)

// pool keeps the buffers of released blocks. Buffers of this size start at a page, as reads should (the kernel copies
// several times slower otherwise).
type pool struct {
	mu   sync.Mutex
	free [][]byte
	size int
}

// get lends a buffer of at least n bytes, the smallest that lies there or a new one.
func (p *pool) get(n int) []byte {
	p.mu.Lock()
	best := -1
	for i, b := range p.free {
		if cap(b) >= n && (best < 0 || cap(b) < cap(p.free[best])) {
			best = i
		}
	}
	if best >= 0 {
		b := p.free[best]
		last := len(p.free) - 1
		p.free[best], p.free[last] = p.free[last], nil
		p.free = p.free[:last]
		p.size -= cap(b)
		p.mu.Unlock()
		return b[:cap(b)]
	}
	p.mu.Unlock()
	return make([]byte, (n+pageSize-1)&^(pageSize-1))
}

func (p *pool) put(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < keepBuffers && (cap(b) <= blockSize+2*pageSize || p.size+cap(b) <= keepSize) {
		p.free = append(p.free, b)
		p.size += cap(b)
	}
}
