package triage

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// TestCrowd has a book with thousands of repeats, drifts, intents across runs, open calls, orphans and runs judged by one goroutine and by several: both
// answer alike, when everything is judged at once and when more comes later.
func TestCrowd(t *testing.T) {
	const n = 3 * crowd
	part := func(from int) *Batch {
		b := &Batch{}
		tool, pointer, looks := b.Add([]byte("open_pr")), b.Add([]byte("/at")), b.Add([]byte("a time"))
		digest := func(to []byte, of ...int) {
			for i, x := range of {
				binary.LittleEndian.PutUint32(to[4*i:], uint32(x+1))
			}
		}
		for i := from; i < from+n; i++ {
			run, other := b.Add([]byte("run-"+strconv.Itoa(i/2))), b.Add([]byte("other-"+strconv.Itoa(i/3)))
			call := func(run Str, key, args, shape int) {
				r := Rec{Kind: trace.Call, N: 1, Line: uint32(len(b.Recs)), Offset: int64(len(b.Recs)), Time: int64(i) * 1e9, Run: run, Tool: tool}
				r.CallID = b.Add([]byte("id-" + strconv.Itoa(from) + "-" + strconv.Itoa(len(b.Recs))))
				digest(r.Key[:], key, int(run))
				digest(r.Args[:], args, 1)
				digest(r.Shape[:], shape, 2)
				r.Leaves.From = uint32(len(b.Leaves))
				b.Leaves = append(b.Leaves, Leaf{pointer, looks, uint64(args)})
				r.Leaves.To = uint32(len(b.Leaves))
				b.Recs = append(b.Recs, r)
			}
			call(run, i, i, i)
			call(run, i, i, i)      // a repeat
			call(run, i+n, i+n, i)  // drift
			call(other, i, i, -i-1) // across runs
			b.Recs = append(b.Recs, Rec{Kind: trace.Result, Status: trace.OK, N: 1, Line: uint32(len(b.Recs)), Offset: int64(len(b.Recs)), Time: int64(i) * 1e9, Run: run, CallID: b.Add([]byte("none-" + strconv.Itoa(i)))})
		}
		b.Lines = len(b.Recs)
		return b
	}
	answers := func(procs int) (out [][]byte) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		b := NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
		for k, from := range []int{0, n / 2} {
			batch := part(from)
			batch.File = b.AddFile(FileInfo{Path: "f" + strconv.Itoa(k), Format: "plain", Results: trace.RecordsWhenSeen})
			b.Fold(batch)
			r := b.Report(1e9)
			for name, found := range map[string]int{
				"duplicates": len(r.Duplicates), "drift": len(r.Drift), "cross run": len(r.CrossRun), "open": len(r.OpenCalls), "orphans": len(r.OrphanResults), "runs": len(r.Budget.Runs),
			} {
				if found < crowd {
					t.Errorf("%d %s are too few for several goroutines", found, name)
				}
			}
			report, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, report)
		}
		return out
	}
	one, several := answers(1), answers(4)
	for k := range one {
		if !bytes.Equal(one[k], several[k]) {
			t.Errorf("answer %d: several goroutines say something else than one", k)
		}
	}
}

// TestFault holds that what fails in a goroutine fails where the book is owned.
func TestFault(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "broken") {
			t.Errorf("recovered %v, want what broke", r)
		}
	}()
	done := 0
	inPortions(10*portion, func(_ *memory, k, _, _ int) {
		if k == 5 {
			panic("broken")
		}
	}, func(k int) {
		if k != done || k >= 5 {
			t.Errorf("portion %d is done after %d others", k, done)
		}
		done++
	})
}
