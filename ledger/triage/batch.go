package triage

import (
	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// FileID numbers the files of a book, from 0.
type FileID uint32

// FileInfo says what the book must know of a file before its first batch.
type FileInfo struct {
	Path     string // as given or found; "-" for standard input; decides ties of time
	Side     string // label of its source, or ""
	Format   string // name of its format
	Restates bool   // trace.Format.Restates
	Results  trace.Records
	// Generation is how many files had this path before: one that was truncated or replaced goes on as another.
	Generation int
	FirstLine  int // lines of the file before its first batch: the beginning of a copy is not read again
}

// Str is the number of a text of a batch; 0 is the empty text.
type Str uint32

// Rec is one event of a batch, keyed. Which fields mean something depends on Kind.
type Rec struct {
	Kind   trace.Kind
	Status trace.Status
	N      uint16 // number of the event among those of its value, from 1
	Line   uint32 // 0-based, from the start of the batch
	Offset int64  // of the value, in the file

	Time                                   int64 // nanoseconds, or trace.NoTime
	Run, Parent, Tool, CallID, Scope, Span Str
	Reach                                  trace.Reach
	Assumed                                bool // the line names no run: Run is --run or named after the file

	// Of a call.
	Recorded Str
	Reason   Str // why there is no key
	NoKey    bool
	Opaque   bool
	Ignored  bool // an ignore rule left something out
	Rule     uint16
	Key      keys.Digest
	Args     [16]byte // of the arguments after ignore, whatever the recipe
	Shape    [16]byte // of the arguments with volatile leaves blanked; zero: not an object
	Leaves   Span     // those leaves, in Batch.Leaves

	// Of a result.
	Payload    [16]byte
	Payloads   Span // what it is under the rules that leave something out of results, in Batch.Payloads
	HasPayload bool
	Cut        bool
}

// RulePayload is the digest of a payload as the calls of one rule compare it.
type RulePayload struct {
	Rule    uint16
	Payload [16]byte
}

// Leaf is a volatile leaf of a call's arguments.
type Leaf struct {
	Pointer, Looks Str
	Value          uint64 // hash of what stands there
}

// BadLine is one entry of `unreadable`. Line is 0-based from the start of the batch.
type BadLine struct {
	Line   uint32
	Reason string
}

// Span is a part of one of a batch's lists.
type Span struct{ From, To uint32 }

// Batch is what a worker made of one block. Batches of one file are folded in the order of the file. The book keeps nothing of a batch: when Fold
// has returned, Reset makes it ready for another block.
type Batch struct {
	File     FileID
	Recs     []Rec
	Leaves   []Leaf
	Payloads []RulePayload
	Bad      []BadLine

	text []byte   // all texts, one behind the other
	ends []uint32 // where each ends, from Str 1

	Lines  int   // physical lines of the block
	Bytes  int64 // of the block
	Others int   // values that are neither call nor result
	Tail   bool  // the file ended in an unfinished value: a partial tail

	names, ids, spans []uint32 // what the book has for each text; memory that Fold works in
}

// Reset empties a batch and keeps its memory, unless that is out of the ordinary.
func (b *Batch) Reset() {
	if cap(b.text) > 4<<20 || cap(b.Recs) > 1<<16 {
		*b = Batch{}
		return
	}
	*b = Batch{
		Recs: b.Recs[:0], Leaves: b.Leaves[:0], Payloads: b.Payloads[:0], Bad: b.Bad[:0], text: b.text[:0], ends: b.ends[:0],
		names: b.names[:0], ids: b.ids[:0], spans: b.spans[:0],
	}
}

// Add gives a text a number; the same text added twice has two.
func (b *Batch) Add(text []byte) Str {
	if len(text) == 0 {
		return 0
	}
	b.text = append(b.text, text...)
	b.ends = append(b.ends, uint32(len(b.text)))
	return Str(len(b.ends))
}

// Text is the text of a number. It is lent until the batch is changed.
func (b *Batch) Text(s Str) []byte {
	if s == 0 {
		return nil
	}
	from := uint32(0)
	if s > 1 {
		from = b.ends[s-2]
	}
	return b.text[from:b.ends[s-1]]
}

// Config is what a book judges by. It is fixed for the life of a book: another table or recipe makes another book.
type Config struct {
	Table    *table.Table
	Recipe   *keys.Recipe
	Ledger   bool   // a ledger was given
	Draining string // the side to be switched off; "" is the first side
	Since    int64  // the drain began, nanoseconds; trace.NoTime: the first call of another side
	Match    Match
}

// Match says that both sides were given the same work.
type Match uint8

// What is matched between sides.
const (
	MatchNone Match = iota
	MatchRun
	MatchIntent
)

// LedgerRow is a row of the ledger as the book joins it with calls.
type LedgerRow struct {
	Key         string
	Tool        string
	State       string
	Created     float64 // seconds since 1970 UTC
	Updated     float64
	Request     [16]byte // digest of the request as arguments, after the tool's ignore rules
	Response    [16]byte // keys.ValueDigest of the response, after ignore_result
	HasResponse bool
	Reproduced  bool // the recipe in force makes this key from the stored request and a run that was seen
	Owner       string
	Timeout     float64 // seconds, of the tool
}
