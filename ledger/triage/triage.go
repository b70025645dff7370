// Package triage is the book: it takes keyed calls and results, the rows of a ledger and a decision table, and answers which calls
// repeat, what hangs, what blocks a drain, and why.
//
// Contract. A Book is pure and deterministic: no clock, no file; the same records give the same answer whatever the order in
// which batches of different files arrive (batches of one file come in the order of the file). Everything is evaluated by entity (an id, a
// key, a run, ...): a record marks what it touches, and only that is evaluated again when somebody asks. Cost of an answer follows what
// changed, not what is there; an entity with many calls is evaluated less often the larger it is, until Settle is told to be final.
//
// Ownership. One goroutine owns a Book. Where thousands of entities are to be judged, Settle and Report have goroutines of their own do it, which only read
// the book; they are done when it has answered. What it hands out (Snapshot, Finding, CallView, Report) is immutable or a copy and belongs to
// whoever asked. A Book keeps no bytes of a trace but names: tools, runs, call ids, recorded keys.
package triage

import (
	"slices"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// file is what the book knows of one file.
type file struct {
	FileInfo
	side    uint16
	latest  int64 // latest recorded time so far, or trace.NoTime
	lines   int
	calls   int // call records, copies too
	bad     int
	bytes   int64
	tail    bool
	note    string
	tracked bool  // what is open in it is kept: a result came that names no call
	turns   turns // until then, its calls and results in order
}

// Book holds everything that was read. Make one with NewBook.
type Book struct {
	cfg   Config
	rules []*table.Rule
	sole  []bool // of each rule: see soleRules

	spelling uint32 // name: what a leaf looks like that is a number

	files   []file
	sides   []string // labels in order of appearance; sides[0] is "" for no side
	sideOf  map[string]uint16
	seen    map[string]bool // plain and generic formats in which a result was seen
	flipped []string        // formats in which results were seen since the last settling

	names    texts // runs, tools, recorded keys, pointers; noted: the number among named
	ids      texts // call ids; noted: the first scope
	spans    texts // noted: the first call
	named    chunks[named]
	nameless named // of the empty name
	calls    chunks[call]
	results  chunks[result]
	more     chunks[resultMore]
	asides   chunks[aside]
	ties     chunks[tie]
	stems    stems
	marks    chunks[mark]
	spots    spots
	nothing  struct { // for reading
		tie   tie
		aside aside
	}
	payloads chunks[[]RulePayload]

	scopes    chunks[scope]
	scopeOf   slots
	several   map[uint32]bool
	same      map[sameKey]uint32   // rule (1) of copies, for ids that stand in several scopes
	open      map[openKey][]uint32 // of files in which results name no call
	openTools map[fileRun][]uint32
	due       map[fileID]due
	dirtyIDs  chunks[uint32]

	groups    chunks[group]
	groupOf   slots               // groups, or the calls that are alone with their keys
	listed    bool                // the keys of calls that are alone with them stand there too
	met       map[uint32][]uint32 // of a group: its calls by side that were counted as standing in the ledger
	shapes    shelf               // by run, tool and shape
	works     shelf               // by tool and arguments
	recorded  chunks[bucket]
	runs      chunks[run]
	tools     chunks[tool]
	links     []link
	forest    bool // links changed
	rows      map[keys.ID]*row
	queue     [entities]chunks[uint32]
	openers   chunks[uint32] // calls whose being open is to be judged again
	orphans   chunks[uint32] // results whose being orphans is
	rowQueue  []*row
	rowCount  uint32
	sideSums  []sideSum
	byPath    []FileID // the files, by path
	most      int      // calls of the largest honest run
	mostStale bool     // that is to be looked for again
	lone      [16]int  // keys that only one side called, by side
	leftOut   int      // calls before --since
	tick      uint32
	later     map[entity]uint32 // tick before which a large entity is not evaluated again
	pending   bool              // something large was put off
	behind    bool              // more changed than was evaluated
	replant   uint32            // tick before which the forest is not grown again

	index index

	totals  Totals
	bad     []BadView
	unread  []BadView
	loading bool
	note    string
	acks    acks
	now     int64 // the latest clock that was judged by
	gen     uint64

	undone   map[keys.ID]map[undo]bool // by intent: effects that were compensated
	approved map[keys.ID][]keys.ID     // by intent: the rows that human keys made
	intents  map[keys.ID]keys.ID       // the other way round
	drainAt  int64                     // when the drain began, or trace.NoTime
	acted    int64                     // Snapshot.Acted
	memory   memory
	warmth   warmth
	await    await
}

// The entities that are evaluated by a queue.
const (
	entGroup = iota
	entShape
	entWork
	entRecorded
	entRun
	entTool
	entities
)

// NewBook returns an empty book that judges by cfg.
func NewBook(cfg Config) *Book {
	b := &Book{
		cfg: cfg, rules: cfg.Table.Rules(),
		sideOf: map[string]uint16{"": 0}, sides: []string{""}, seen: map[string]bool{},
		several: map[uint32]bool{}, same: map[sameKey]uint32{},
		open: map[openKey][]uint32{}, openTools: map[fileRun][]uint32{}, due: map[fileID]due{},
		rows: map[keys.ID]*row{}, met: map[uint32][]uint32{}, later: map[entity]uint32{},
		drainAt: trace.NoTime, acted: trace.NoTime,
	}
	b.sole = soleRules(b.rules)
	b.names.init()
	b.ids.init()
	b.spans.init()
	b.index.init()
	b.spelling = b.names.put("number spelling")
	return b
}

// AddFile makes a file known and returns its number. Files are numbered in the order in which they are added.
func (b *Book) AddFile(info FileInfo) FileID {
	side := b.AddSide(info.Side)
	b.files = append(b.files, file{FileInfo: info, side: side, latest: trace.NoTime})
	return FileID(len(b.files) - 1)
}

// AddSide makes a side known, so that sides stand in the order in which they were named. "" is no side.
func (b *Book) AddSide(label string) uint16 {
	side, ok := b.sideOf[label]
	if !ok {
		if b.lean() && !b.listed {
			b.listKeys() // by now somebody else may have something to say of them
		}
		side = uint16(len(b.sides))
		b.sides = append(b.sides, label)
		b.sideOf[label] = side
	}
	return side
}

// Describe corrects what is known of a file: its format and its first line are known with its first batch only.
func (b *Book) Describe(id FileID, info FileInfo) {
	f := &b.files[id]
	f.Format, f.Restates, f.Results, f.FirstLine = info.Format, info.Restates, info.Results, info.FirstLine
}

// Note says what became of a file ("removed", "rotated", "writing"); it is shown with its source. An empty text takes it back.
func (b *Book) Note(id FileID, text string) { b.files[id].note = text }

// Unread records a source, or the ledger, that was named and could not be read: it blocks. An empty reason takes it back.
func (b *Book) Unread(file, reason string) {
	for i, u := range b.unread {
		if u.File == file {
			b.unread = append(b.unread[:i], b.unread[i+1:]...)
			break
		}
	}
	if reason != "" {
		b.unread = append(b.unread, BadView{File: file, Reason: reason})
	}
}

// Loading says whether what was there at the start is still being read: that blocks too.
func (b *Book) Loading(on bool) { b.loading = on }

// RecipeNote is shown beside the recipe in force.
func (b *Book) RecipeNote(text string) { b.note = text }

// Fold takes in one batch. Batches of a file must come in its order.
func (b *Book) Fold(batch *Batch) {
	f := &b.files[batch.File]
	in := interned{b: b, batch: batch}
	in.clear()
	for _, bad := range batch.Bad {
		if len(b.bad) < maxBadViews {
			b.bad = append(b.bad, BadView{File: f.Path, Line: f.FirstLine + f.lines + int(int32(bad.Line)) + 1, Reason: bad.Reason})
		}
	}
	f.bad += len(batch.Bad)
	b.totals.Bad += len(batch.Bad)
	for i := range batch.Recs {
		if i%warmed == 0 {
			b.warm(batch.Recs[i:min(i+warmed, len(batch.Recs))], &in)
		}
		r := &batch.Recs[i]
		if r.Time != trace.NoTime {
			if r.Time > f.latest {
				f.latest = r.Time
			}
		}
		switch r.Kind {
		case trace.Call:
			b.addCall(batch.File, f, r, &in)
		case trace.Result:
			b.addResult(batch.File, f, r, &in)
		case trace.RunStart, trace.Link:
			b.addLink(f, r, &in)
		case trace.RunEnd:
			b.addEnd(f, r, &in)
		}
	}
	f.lines += batch.Lines
	f.bytes += batch.Bytes
	b.totals.Lines += batch.Lines
	b.totals.Bytes += batch.Bytes
	b.totals.Others += batch.Others
	if f.tail != batch.Tail {
		f.tail = batch.Tail
		if batch.Tail {
			b.totals.Tails++
		} else {
			b.totals.Tails--
		}
	}
}

// maxBadViews bounds the unreadable stretches that are kept with their reasons; all of them are counted.
const maxBadViews = 100_000

// interned maps the texts of one batch to the book's, each at most once.
type interned struct {
	b     *Book
	batch *Batch
}

func (in *interned) clear() {
	n := len(in.batch.ends) + 1
	for _, m := range [...]*[]uint32{&in.batch.names, &in.batch.ids, &in.batch.spans} {
		*m = slices.Grow((*m)[:0], n)[:n]
		clear(*m)
	}
}

func (in *interned) name(s Str) uint32 {
	if s == 0 {
		return 0
	}
	m := &in.batch.names[s]
	if *m == 0 {
		*m = in.b.names.putBytes(in.batch.Text(s))
	}
	return *m
}

func (in *interned) id(s Str) uint32 {
	if s == 0 {
		return 0
	}
	m := &in.batch.ids[s]
	if *m == 0 {
		*m = in.b.ids.putBytes(in.batch.Text(s))
	}
	return *m
}

func (in *interned) span(s Str) uint32 {
	if s == 0 {
		return 0
	}
	m := &in.batch.spans[s]
	if *m == 0 {
		*m = in.b.spans.putBytes(in.batch.Text(s))
	}
	return *m
}

// records says whether the file is a source that records results.
func (b *Book) records(id FileID) bool {
	f := &b.files[id]
	switch f.Results {
	case trace.RecordsAlways:
		return true
	case trace.RecordsNever:
		return false
	}
	return b.seen[f.Format]
}
