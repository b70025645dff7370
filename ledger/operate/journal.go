package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"drainboard/ledger"
)

// LogReader reads the triage log without writing anything; the lookers of the stores are ones.
type LogReader interface {
	// Entries are those after a number, oldest first, at most limit.
	Entries(ctx context.Context, after int64, limit int) ([]ledger.Entry, error)
}

// Journal is what operators did, newest first. It remembers what it has read. It may be used by many goroutines.
type Journal struct {
	From LogReader

	mu   sync.Mutex
	last int64
	acts []ledger.Entry // oldest first
}

// mostActs bounds what is remembered: of older acts only the log itself knows.
const mostActs = 100_000

// Acts returns the entries from position from on, newest first, and how many there are.
func (j *Journal) Acts(ctx context.Context, from, limit int) (page []ledger.Entry, total int, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for more := true; more; {
		list, err := j.From.Entries(ctx, j.last, 1000)
		if err != nil {
			return nil, 0, err
		}
		for i := range list {
			j.last = list[i].ID
			if Operators(list[i].Action) {
				j.acts = append(j.acts, list[i])
			}
		}
		more = len(list) == 1000
	}
	if over := len(j.acts) - mostActs; over > 0 {
		j.acts = slices.Delete(j.acts, 0, over)
	}
	for i := len(j.acts) - 1 - from; i >= 0 && len(page) < limit; i-- {
		page = append(page, j.acts[i])
	}
	return page, len(j.acts), nil
}

// Operators says whether an act is an operator's: the others are the envelope's, a few for each call.
func Operators(a ledger.Act) bool {
	switch a {
	case ledger.ActClaim, ledger.ActCommit, ledger.ActFail, ledger.ActDoubt:
		return false
	}
	return true
}

// Output is what the log holds of a script's output: head and tail, as it came from the script.
func Output(e *ledger.Entry) string {
	if e.Action != ledger.ActEnd || e.Detail == "" {
		return ""
	}
	var d struct {
		Bytes      int64
		Head, Tail string
		ErrHead    string `json:"stderr_head"`
		ErrTail    string `json:"stderr_tail"`
	}
	if json.Unmarshal([]byte(e.Detail), &d) != nil {
		return ""
	}
	var b strings.Builder
	part := func(head, tail string) {
		if b.Len() > 0 && head != "" && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(head)
		if tail != "" {
			b.WriteString("\n[...]\n" + tail)
		}
	}
	part(d.Head, d.Tail)
	part(d.ErrHead, d.ErrTail)
	if shown := int64(len(d.Head) + len(d.Tail) + len(d.ErrHead) + len(d.ErrTail)); d.Bytes > shown {
		fmt.Fprintf(&b, "\n[%d bytes in all]", d.Bytes)
	}
	return b.String()
}
