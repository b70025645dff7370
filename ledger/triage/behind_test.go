package triage

import (
	"encoding/binary"
	"encoding/json"
	"strconv"
	"testing"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// longRuns makes a call in each of so many runs, n times, the runs in turn.
func longRuns(runs, n, from int) *Batch {
	b := &Batch{}
	tool := b.Add([]byte("open_pr"))
	var names []Str
	for r := range runs {
		names = append(names, b.Add([]byte("run-"+strconv.Itoa(r))))
	}
	for i := range runs * n {
		at := from*runs + i
		rec := Rec{Kind: trace.Call, N: 1, Line: uint32(i), Offset: int64(at) * 100, Time: int64(at) * 1e6, Run: names[i%runs], Tool: tool}
		binary.LittleEndian.PutUint64(rec.Key[:], uint64(at)*0x9e3779b97f4a7c15+1)
		binary.LittleEndian.PutUint64(rec.Args[:], uint64(at)*0x9e3779b97f4a7c15+2)
		rec.Shape = rec.Args
		b.Recs = append(b.Recs, rec)
	}
	b.Lines = len(b.Recs)
	return b
}

// TestBehind has a call come to each of many long runs at once: a snapshot looks at a part of them, says so, and the next ones look at the rest, until what is
// known is what one that looks at everything knows.
func TestBehind(t *testing.T) {
	const runs, calls = 64, 1024 // four portions
	var books [2]*Book
	for k := range books {
		books[k] = NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
		id := books[k].AddFile(FileInfo{Path: "f", Format: "plain"})
		for from := range calls {
			batch := longRuns(runs, 1, from)
			batch.File = id
			books[k].Fold(batch)
		}
		books[k].Snapshot(0, true)
		batch := longRuns(runs, 1, calls)
		batch.File = id
		books[k].Fold(batch)
	}
	b := books[0]
	views := func(s *Snapshot) (new int) {
		for _, v := range s.Runs.All {
			if v.Calls == calls+1 {
				new++
			}
		}
		return new
	}
	s := b.Snapshot(0, false)
	if n := views(s); s.Totals.Calls != runs*(calls+1) || !b.Behind() || n == 0 || n > runs/2 {
		t.Fatalf("the first snapshot after %d new calls knows %d calls and %d of %d runs; behind: %v", runs, s.Totals.Calls, n, runs, b.Behind())
	}
	for steps := 1; b.Behind(); steps++ {
		was := views(s)
		if s = b.Snapshot(0, false); views(s) <= was || steps > runs {
			t.Fatalf("snapshot %d knows %d of %d runs, the one before it %d", steps+1, views(s), runs, was)
		}
	}
	got, err := json.Marshal(b.Report(0))
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(books[1].Report(0))
	if err != nil {
		t.Fatal(err)
	}
	if views(s) != runs || string(got) != string(want) {
		t.Errorf("in the end it knows %d of %d runs, and says\n%s\nnot\n%s", views(s), runs, got, want)
	}
}

// BenchmarkLongRuns adds 1,250 calls, as they come in a fortieth of a second at 50,000 a second, to as many runs of 400 calls, and makes a snapshot.
func BenchmarkLongRuns(b *testing.B) {
	const runs, calls = 1250, 400
	book := NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
	id := book.AddFile(FileInfo{Path: "f", Format: "plain"})
	fold := func(from int) {
		batch := longRuns(runs, 1, from)
		batch.File = id
		book.Fold(batch)
	}
	for from := range calls {
		fold(from)
	}
	book.Snapshot(0, true)
	n := calls
	for b.Loop() {
		fold(n)
		n++
		book.Snapshot(0, false)
	}
}

// BenchmarkWide makes a snapshot after one call came, of a book with a hundred thousand runs in ten thousand files.
func BenchmarkWide(b *testing.B) {
	const files, runs = 10_000, 10
	book := NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
	one := func(f, k, line int) *Batch {
		batch := &Batch{Lines: 1}
		rec := Rec{Kind: trace.Call, N: 1, Offset: int64(line) * 100, Time: int64(f*runs+k) * 1e6, Run: batch.Add([]byte("run-" + strconv.Itoa(f*runs+k))), Tool: batch.Add([]byte("open_pr"))}
		binary.LittleEndian.PutUint64(rec.Key[:], uint64(f*runs+k+1)*0x9e3779b97f4a7c15+uint64(line))
		binary.LittleEndian.PutUint64(rec.Args[:], uint64(f*runs+k+1)*0x9e3779b97f4a7c15+uint64(line)+1)
		rec.Shape = rec.Args
		batch.Recs = append(batch.Recs, rec)
		return batch
	}
	for f := range files {
		id := book.AddFile(FileInfo{Path: "f" + strconv.Itoa(f), Format: "plain"})
		for k := range runs {
			batch := one(f, k, k)
			batch.File = id
			book.Fold(batch)
		}
	}
	book.Snapshot(0, true)
	n := 0
	for b.Loop() {
		batch := one(n%files, 0, runs+n)
		batch.File = FileID(n % files)
		book.Fold(batch)
		n++
		book.Snapshot(0, false)
	}
}

// TestAcrossManyRuns has one intent done twice in each of hundreds of runs: the finding counts once in each of them.
func TestAcrossManyRuns(t *testing.T) {
	const runs = 300
	b := NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
	batch := longRuns(runs, 2, 0)
	for i := range batch.Recs {
		r := &batch.Recs[i]
		binary.LittleEndian.PutUint64(r.Args[:], 7)
		r.Shape = r.Args
		binary.LittleEndian.PutUint64(r.Key[:], uint64(r.Run))
	}
	batch.File = b.AddFile(FileInfo{Path: "f", Format: "plain"})
	b.Fold(batch)
	s := b.Snapshot(0, true)
	for _, v := range s.Runs.All {
		if v.Findings != 2 { // and that it was done twice in it
			t.Errorf("%s has %d findings", v.Run, v.Findings)
		}
	}
	if s.Runs.Len() != runs || s.Kinds[CrossRun] != 1 || s.Kinds[Duplicate] != runs {
		t.Errorf("%d runs, %d intents across runs, %d repeats", s.Runs.Len(), s.Kinds[CrossRun], s.Kinds[Duplicate])
	}
}

// TestLink has a call, its result and a line that only restates the call: once they are paired, and before anything is judged, a list of calls is right.
func TestLink(t *testing.T) {
	b := NewBook(Config{Table: table.Default(), Recipe: keys.Intent, Since: trace.NoTime})
	batch := &Batch{Lines: 3}
	run, id := batch.Add([]byte("r")), batch.Add([]byte("call_1"))
	call := Rec{Kind: trace.Call, N: 1, Time: 1, Run: run, Tool: batch.Add([]byte("open_pr")), CallID: id, Reach: trace.ReachEverywhere}
	call.Key[0], call.Args[0] = 1, 1
	again := call
	again.Line, again.Offset = 1, 100
	result := Rec{Kind: trace.Result, Status: trace.OK, N: 1, Line: 2, Offset: 200, Time: 2, Run: run, CallID: id, Reach: trace.ReachEverywhere}
	batch.Recs = append(batch.Recs, call, again, result)
	batch.File = b.AddFile(FileInfo{Path: "f", Format: "claude-code", Restates: true, Results: trace.RecordsAlways})
	b.Fold(batch)
	b.Link()
	page, total := b.View(Question{Run: "r"})
	if total != 1 || len(page) != 1 || len(page[0].Results) != 1 || page[0].Results[0].Status != "ok" {
		t.Errorf("%d calls, the first of %+v", total, page)
	}
	if s := b.index.findings.Len(); s != 0 {
		t.Errorf("%d findings were made", s)
	}
}
