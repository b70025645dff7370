package triage

import (
	"encoding/binary"
	"runtime"
	"strconv"
	"testing"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// benchBatches makes n calls in runs of 50, each answered, 2 % of them repeats, in batches of 1,000 records.
func benchBatches(n int) []*Batch {
	var out []*Batch
	var b *Batch
	for i := range n {
		if i%500 == 0 {
			b = &Batch{}
			b.Add([]byte("open_pr"))
			out = append(out, b)
		}
		run := b.Add([]byte("run-" + strconv.Itoa(i/50)))
		b.Add([]byte("call_" + strconv.Itoa(i)))
		k := i
		if i%50 == 49 {
			k = i - 1
		}
		r := Rec{Kind: trace.Call, N: 1, Line: uint32(2 * (i % 500)), Offset: int64(i) * 400, Time: int64(i) * 1e6, Run: run, Tool: 1, CallID: run + 1, Rule: 0}
		binary.LittleEndian.PutUint64(r.Key[:], uint64(k)*0x9e3779b97f4a7c15)
		binary.LittleEndian.PutUint64(r.Args[:], uint64(k)+1)
		binary.LittleEndian.PutUint64(r.Shape[:], uint64(k)+1)
		res := Rec{Kind: trace.Result, Status: trace.OK, N: 1, Line: r.Line + 1, Offset: r.Offset + 200, Time: r.Time + 1000, Run: run, CallID: run + 1, HasPayload: true}
		binary.LittleEndian.PutUint64(res.Payload[:], uint64(i))
		b.Recs = append(b.Recs, r, res)
		b.Lines += 2
	}
	return out
}

// BenchmarkFold folds a million calls with their results and judges them once at the end; B/call is what the book then holds.
func BenchmarkFold(b *testing.B) {
	const calls = 1_000_000
	batches := benchBatches(calls)
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		book := NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
		id := book.AddFile(FileInfo{Path: "f", Format: "plain"})
		for _, batch := range batches {
			batch.File = id
			book.Fold(batch)
		}
		s := book.Snapshot(0, true)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/calls, "B/call")
		if s.Totals.Calls != calls || s.Kinds[Duplicate] != calls/50 {
			b.Fatalf("%d calls, %d duplicates", s.Totals.Calls, s.Kinds[Duplicate])
		}
		runtime.KeepAlive(book)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
}

// BenchmarkSnapshot adds one batch of ten calls to a book of a million and makes a snapshot.
func BenchmarkSnapshot(b *testing.B) {
	const calls = 1_000_000
	book := NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
	id := book.AddFile(FileInfo{Path: "f", Format: "plain"})
	for _, batch := range benchBatches(calls) {
		batch.File = id
		book.Fold(batch)
	}
	book.Snapshot(0, true)
	n := 0
	for b.Loop() {
		batch := &Batch{File: id}
		batch.Add([]byte("open_pr"))
		batch.Add([]byte("live-" + strconv.Itoa(n)))
		for i := range 10 {
			r := Rec{Kind: trace.Call, N: 1, Offset: int64(n)*1000 + int64(i) + 1<<40, Time: 2e15 + int64(n), Run: 2, Tool: 1}
			binary.LittleEndian.PutUint64(r.Key[:], uint64(n)<<32+uint64(i))
			binary.LittleEndian.PutUint64(r.Args[:], uint64(n)<<32+uint64(i)+1)
			r.Shape = r.Args
			batch.Recs = append(batch.Recs, r)
		}
		n++
		book.Fold(batch)
		book.Snapshot(0, false)
	}
}

// BenchmarkCrowd adds 250 calls, as they come in a twentieth of a second at 5,000 a second, to a book of a million groups of two, and makes a snapshot; B/group is
// what the book then holds.
func BenchmarkCrowd(b *testing.B) {
	const groups = 1_000_000
	book := NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
	id := book.AddFile(FileInfo{Path: "f", Format: "plain"})
	call := func(batch *Batch, run Str, i, key int) {
		r := Rec{Kind: trace.Call, N: 1, Line: uint32(i), Offset: int64(i) * 400, Time: 1e18 + int64(i)*1e6, Run: run, Tool: 1}
		binary.LittleEndian.PutUint64(r.Key[:], uint64(key)*0x9e3779b97f4a7c15+1)
		binary.LittleEndian.PutUint64(r.Args[:], uint64(key)*0x9e3779b97f4a7c15+2)
		r.Shape = r.Args
		batch.Recs = append(batch.Recs, r)
	}
	for i := 0; i < 2*groups; i += 500 {
		batch := &Batch{File: id}
		batch.Add([]byte("open_pr"))
		for k := range 500 {
			if k%20 == 0 {
				batch.Add([]byte("run-" + strconv.Itoa((i+k)/20)))
			}
			call(batch, Str(2+k/20), i+k, (i+k)/2)
		}
		book.Fold(batch)
	}
	s := book.Snapshot(0, true)
	if s.Kinds[Duplicate] != groups {
		b.Fatalf("%d groups", s.Kinds[Duplicate])
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	n := 2 * groups
	for b.Loop() {
		batch := &Batch{File: id}
		batch.Add([]byte("open_pr"))
		for k := range 250 {
			if k%20 == 0 {
				batch.Add([]byte("run-" + strconv.Itoa(n/50)))
			}
			call(batch, Str(2+k/20), n, n/2)
			n++
		}
		book.Fold(batch)
		book.Snapshot(0, false)
	}
	b.ReportMetric(float64(m.HeapAlloc)/groups, "B/group")
	runtime.KeepAlive(book)
}
