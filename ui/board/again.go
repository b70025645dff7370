package board

import (
	"context"
	"sync"

	"drainboard/ledger/triage"
)

// argReader reads arguments again for filters that look at them. Those of a trace are kept, as each letter of a filter asks for them
// anew: a line of a file never changes. It may be used by any goroutine.
type argReader struct {
	eng Engine

	mu    sync.Mutex
	known map[triage.Pos][]byte
	bytes int
}

// mostKept bounds the bytes of arguments that are kept: beyond it they are forgotten, and read again.
const mostKept = 32 << 20

// call gives the arguments of a call; nil, which matches nothing, when they cannot be read again.
func (r *argReader) call(ctx context.Context, at triage.Pos) []byte {
	r.mu.Lock()
	raw, ok := r.known[at]
	r.mu.Unlock()
	if ok {
		return raw
	}
	raw, err := r.eng.Args(ctx, at)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || r.bytes > mostKept {
		r.known, r.bytes = map[triage.Pos][]byte{}, 0
	}
	r.known[at] = raw
	r.bytes += len(raw) + 128
	return raw
}

// request gives the arguments that a row of the ledger was written with.
func (r *argReader) request(ctx context.Context, key string) []byte {
	if key == "" {
		return nil
	}
	row, ok, err := r.eng.Row(ctx, key)
	if err != nil || !ok {
		return nil
	}
	return unseen(r.eng, row.Request)
}
