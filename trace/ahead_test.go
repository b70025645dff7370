package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// several are the lines of a trace of more than one block, in a format whose blocks have an order: good ones, broken ones, blank ones, lines with
// several values, each with a value long enough to make blocks of a few hundred lines.
func several(blocks int) string {
	var b strings.Builder
	b.WriteString("\ufeff")
	for n := 0; b.Len() < blocks*blockSize; n++ {
		s := strings.TrimSuffix(tool(fmt.Sprintf("t%d", n/3), fmt.Sprintf("s%d", n), fmt.Sprintf("s%d", n-1), "do", n%50,
			"gen_ai.tool.call.id", fmt.Sprintf("c%d", n), "filler", strings.Repeat("x", n%4000)), "\n")
		switch n % 7 {
		case 3:
			b.WriteString("\n  \t\n")
		case 4:
			b.WriteString(s[:40] + "\n")
		case 5:
			b.WriteString(s + " " + s + ` {"a":01}` + "\n")
		default:
			b.WriteString(s + "\n")
		}
	}
	return b.String()
}

func TestBlocksInTheirOrder(t *testing.T) {
	data := several(5)
	path := write(t, filepath.Join(t.TempDir(), "spans.jsonl"), data)
	say := func(off int64, e *Event) string {
		return fmt.Sprintf("%d.%d %d %s %s %q", off+int64(e.Offset), e.N, e.Kind, e.CallID, e.Run, e.Reason)
	}
	var want []string
	all := DecodeBytes(otlpFormat(), []byte(data), path, func(e *Event) { want = append(want, say(0, e)) })
	if all.Bad == 0 || all.Calls < 1000 {
		t.Fatalf("a poor trace: %+v", all)
	}

	r, err := Open(t.Context(), Config{Sources: sources(path)})
	must(t, err)
	defer r.Close()
	const workers = 4
	var (
		taking sync.Mutex
		group  sync.WaitGroup
		got    [workers]map[int][]string
		stats  [workers]Stats
		ahead  [workers]int
	)
	first := make(chan struct{}) // closed when a block was parsed ahead, so that some surely are
	var once sync.Once
	for i := range workers {
		got[i] = map[int][]string{}
		group.Go(func() {
			var w Scratch
			for {
				taking.Lock()
				it, err := r.Next(t.Context())
				taking.Unlock()
				if errors.Is(err, io.EOF) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				b := it.Block
				if b == nil {
					continue
				}
				if b.Seq == 0 {
					select {
					case <-first:
					case <-time.After(time.Minute):
						t.Error("nobody took the second block while the first was out")
					}
				} else {
					once.Do(func() { close(first) })
				}
				stats[i].Add(DecodeBlock(b, &w, func(e *Event) { got[i][b.Seq] = append(got[i][b.Seq], say(b.Off, e)) }))
				ahead[i] += len(w.ahead.docs)
				b.Release()
			}
		})
	}
	group.Wait()

	var in []string
	var sum Stats
	n := 0
	for seq := range 100 {
		for i := range workers {
			in = append(in, got[i][seq]...)
		}
	}
	for i := range workers {
		sum.Add(stats[i])
		n += ahead[i]
	}
	if !slices.Equal(in, want) {
		t.Errorf("%d events by several workers, %d by one, or others", len(in), len(want))
	}
	if sum != all {
		t.Errorf("several workers: %+v\none: %+v", sum, all)
	}
	if n == 0 {
		t.Error("nothing was parsed ahead")
	}
}

// Whoever waits for a block that will not be released goes on when reading ends.
func TestWaitingEnds(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "spans.jsonl"), several(2))
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Open(ctx, Config{Sources: sources(path)})
	must(t, err)
	defer r.Close()
	var w Scratch
	for {
		it, err := r.Next(ctx)
		must(t, err)
		if it.Block == nil || it.Block.Seq == 0 {
			continue // kept
		}
		time.AfterFunc(time.Millisecond, cancel)
		if st := DecodeBlock(it.Block, &w, func(*Event) { t.Error("an event of a block whose turn never came") }); st != (Stats{}) {
			t.Errorf("%+v", st)
		}
		return
	}
}
