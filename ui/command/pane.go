package command

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"drainboard/ledger"
	"drainboard/ledger/operate"
	"drainboard/ui/board"
)

// Entries implements board.Journal: what operators did, and what a script that runs prints.
func (x *actor) Entries(ctx context.Context, from, limit int) ([]board.Entry, int, error) {
	if x.journal == nil {
		return nil, 0, nil
	}
	page, total, err := x.journal.Acts(ctx, from, limit)
	if err != nil {
		return nil, 0, err
	}
	x.mu.Lock()
	live := x.running
	x.mu.Unlock()
	out := make([]board.Entry, len(page))
	for i := range page {
		e := &page[i]
		out[i] = board.Entry{
			ID: strconv.FormatInt(e.ID, 10), Time: int64(e.At*1e6) * 1000, Actor: e.Actor, Action: string(e.Action), Key: e.Key, Tool: e.Tool,
			Reason: e.Reason, Output: operate.Output(e), From: stateOf(e.From), To: stateOf(e.To),
		}
		if live != nil && e.Action == ledger.ActStart && e.Key == live.key {
			out[i].Action, out[i].Output = "compensating", live.text()
			live = nil // the newest start of the key is the one that runs
		}
	}
	return out, total, nil
}

// pane keeps the beginning and the end of what a script prints while it runs.
type pane struct {
	what, key string
	limit     time.Duration

	mu    sync.Mutex
	head  []byte
	tail  []byte
	bytes int64
}

// paneSize bounds each of head and tail.
const paneSize = 8 << 10

func (p *pane) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(b)
	p.bytes += int64(n)
	if room := paneSize - len(p.head); room > 0 {
		m := min(room, len(b))
		p.head = append(p.head, b[:m]...)
		b = b[m:]
	}
	if len(b) > paneSize {
		b = b[len(b)-paneSize:]
	}
	p.tail = append(p.tail, b...)
	if len(p.tail) > 2*paneSize {
		p.tail = append(p.tail[:0], p.tail[len(p.tail)-paneSize:]...)
	}
	return n, nil
}

func (p *pane) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tail) == 0 {
		return string(p.head)
	}
	return fmt.Sprintf("%s\n[... %d bytes so far ...]\n%s", p.head, p.bytes, p.tail[max(0, len(p.tail)-paneSize):])
}
