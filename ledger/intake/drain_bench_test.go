//go:build unix

package intake

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// BenchmarkSides reads a million keys a side, of which each side has a thousand for itself: without sides, compared side with side, and with
// --match, under which what one side lacks is a finding. What comparing costs is what the later ones take longer than the first.
func BenchmarkSides(b *testing.B) {
	const keys, lone = 1_000_000, 1_000
	dir := b.TempDir()
	for side, first := range map[string]int{"paid": 0, "dest": lone} {
		f, err := os.Create(filepath.Join(dir, side+".jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		w := bufio.NewWriter(f)
		for i := first; i < first+keys; i++ {
			fmt.Fprintf(w, `{"type":"tool_call","ts":"2026-03-02T09:%02d:%02d.%03dZ","run_id":"run-%d","call_id":"%s%d","tool":"open_pr","args":{"repo":"shop","head":"feat/%d"}}`+"\n", i/60000%60, i/1000%60, i%1000, i/50, side, i, i)
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	tab, err := table.Parse([]byte("tools:\n  open_pr: {class: keyed}\n"), "tools.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		sides     bool
		match     triage.Match
		unmatched int
	}{{"read", false, triage.MatchNone, 0}, {"compare", true, triage.MatchNone, 0}, {"match-run", true, triage.MatchRun, 2 * lone}, {"match-intent", true, triage.MatchIntent, 2 * lone}} {
		b.Run(c.name, func(b *testing.B) {
			before := processor(b)
			for b.Loop() {
				conf := Config{Table: tab, Since: trace.NoTime, Match: c.match}
				for _, side := range []string{"paid", "dest"} {
					s := trace.Source{Path: filepath.Join(dir, side+".jsonl")}
					if c.sides {
						s.Label = side
					}
					conf.Sources = append(conf.Sources, s)
				}
				e, err := Start(b.Context(), conf)
				if err != nil {
					b.Fatal(err)
				}
				if err := e.Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
				s := e.Snapshot()
				if s.Totals.Calls != 2*keys || s.Kinds[triage.Unmatched] != c.unmatched {
					b.Fatalf("%d calls, %d unmatched", s.Totals.Calls, s.Kinds[triage.Unmatched])
				}
				if c.sides {
					found, err := e.LoneKeys(b.Context(), 100)
					if err != nil || len(found) != 200 || s.Sides[0].OnlyKeys != lone || s.Sides[1].OnlyKeys != lone {
						b.Fatalf("%d keys, %v, %+v", len(found), err, s.Sides)
					}
				}
				if err := e.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((processor(b)-before).Seconds()/float64(b.N)*1e9/(2*keys), "cpu-ns/call")
		})
	}
}

// processor is the time that this process has had of its processors: what a busy machine does not lengthen.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
