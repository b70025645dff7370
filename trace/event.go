// Package trace turns the bytes of agents' trace files into events.
//
// Contract. A Reader finds the files and hands out blocks of whole lines; a Decoder, one per
// format and file, turns each JSON value of a line into events. Every value is accounted for:
// it is one or more calls, results or run marks, known to be neither (Other), or a bad line
// with a reason. Events lend their bytes: they are valid only until the handler returns.
// Order within a file is the file's; blocks of different files may arrive in any order.
//
// Ownership. Blocks lend memory until Release; a Scratch belongs to one worker; a decoder belongs to its file, and one
// that is not Stateless is used for one block at a time, in the order of the file, which DecodeBlock sees to.
//
// Loss. While following nothing is lost and nothing told twice when files are renamed, cut, copied and cut, replaced,
// removed or compressed, as long as that does not happen to one file again before it was looked at, within
// milliseconds. What a writer takes back before it was read (a cut without a copy) is gone, as is an unfinished line then.
package trace

import (
	"math"

	"drainboard/keys/pyjson"
)

// Kind says what an Event is.
type Kind uint8

// The kinds of events.
const (
	Other     Kind = iota // a readable value that is neither call nor result
	Call                  // one request to run a tool
	Result                // what came back
	RunStart              // a run begins; Parent may name the run that started it
	RunEnd                // a run ended
	RunResume             // a run goes on
	Link                  // says only that Run has the parent Parent (sub-agents, forks)
	Bad                   // unreadable text, a value that is no object, or lacks what its kind needs; Reason says which
)

// Status is what became of a call (PRODUCT.md "Status").
type Status uint8

// The statuses. Pending is no result at all: decoders never emit a Result with it.
const (
	Pending Status = iota
	OK
	Replayed  // answered from a store
	Refused   // nothing was sent
	Error     // a definite failure
	Ambiguous // failed, and the effect may have happened all the same
)

// NoTime is the Time of an event whose line records none.
const NoTime int64 = math.MinInt64

// Event is one thing that a trace says. Byte slices are lent: WTF-8 text (package pyjson), except
// where they are called raw, which is JSON as it stands in the trace (or as a decoder wrote it anew).
type Event struct {
	Kind Kind
	// Line is the 0-based physical line, counted from the start of the block, at which the value starts;
	// Offset the byte offset of that value in the block; N the 1-based number of this event among the
	// calls and results that this value holds (0 for the other kinds). Line and Offset are below zero
	// for an event that was held back (Scratch.Hold) and stands in an earlier block of the file.
	Line, N int
	Offset  int

	Time   int64 // nanoseconds since 1970 UTC, or NoTime
	Run    []byte
	RunRaw []byte // set when the run id is a JSON number: its JSON form
	Parent []byte // of RunStart and Link

	CallID   []byte       // empty: none
	Tool     []byte       // of a Result: empty when it names none
	Args     []byte       // of a Call, raw: a value, or a string that may hold JSON; nil when the line has none
	Value    pyjson.Value // Args or Payload, where the decoder has it parsed: lent like them; otherwise Missing
	NoArgs   bool         // of a Call: arguments are optional in this format and were not recorded: the call has no key
	Recorded []byte       // the key that the handler recorded, if any

	Conn []byte // scope of CallID when the format's Reach is ReachConn

	Status  Status
	Payload []byte // of a Result, raw, after the format's own wrapping was taken away; nil: none
	Cut     bool   // the format shortened the payload: it equals only itself

	// Span identifies a line or span that may be written twice (OTLP trace id + span id, transcript line uuid): an event
	// whose Span was seen before is a copy. Empty: none.
	Span []byte

	Reason string // of Bad
}

// Reach says how far a call id of a format identifies a call.
type Reach uint8

// The reaches (FORMATS.md §0a).
const (
	ReachRun        Reach = iota // within its run
	ReachEverywhere              // whatever run or file it stands in
	ReachConn                    // within its connection (Event.Conn)
)

// Format describes one trace format and makes its decoders.
type Format struct {
	Name     string // as `check --json` prints it: "plain", "claude-code", "codex", ...
	Title    string // for people
	Sign     string // what it is recognised by, for people: Markdown
	Reach    Reach
	Restates bool // a transcript: a second line with the same id, tool and arguments restates the call
	Results  Records
	// Sniff says whether a file that holds this line is of this format. The first lines of a file are shown to it, at
	// most 64 KiB of them; for each line the formats are asked in the registry's order (FORMATS.md §1.6), and the first
	// that says yes decodes the file.
	Sniff func(p *Probe) bool
	// Lines is how many lines must say so, 0 meaning one. A format that needs several is asked last of all.
	Lines int
	// New makes the decoder of one file; head is the file's start, up to 64 KiB, and path its name as given or found.
	// The decoder keeps neither.
	New func(head []byte, path string) Decoder
	// Stateless: a decoder is not changed by decoding, so that blocks of one file may be decoded at the same time and in
	// any order. A block of a file of another format is decoded after the one before.
	Stateless bool
	// Apart: what an event holds stands in several values, or shows only after those before it. To read such an event
	// again the file is read from its start.
	Apart bool
	Lacks []string // what this format cannot tell: "times", "results", "in flight", "call ids", "errors"
}

// Records says whether a format records results.
type Records uint8

// Whether results are recorded.
const (
	RecordsWhenSeen Records = iota // plain and generic lines: as soon as one result was seen in any source of that format
	RecordsAlways
	RecordsNever
)

// Probe is one value of a file's first lines, as a format's Sniff sees it.
type Probe struct {
	Line  []byte       // the physical line without its line end
	Value pyjson.Value // the value that starts on it, or an element of a top-level array; Missing when it is no JSON
	Path  string       // of the file, as given or found
}

// Decoder turns one JSON value of a file into events: it calls Emit for each. v is one whole object; w lends memory for
// texts and nested values until the value is done, and takes the events. A decoder that emits no call, result or bad
// value has its value counted as Other.
type Decoder interface {
	Decode(v pyjson.Value, w *Scratch)
}

// Flusher is a Decoder that holds events back until it knows more: a run's name, the rest of a stream. Flush is called when
// its file is closed, and lets go of them. A format whose decoder flushes is not Stateless.
type Flusher interface {
	Decoder
	Flush(w *Scratch)
}

// LineDecoder is a Decoder of a format whose lines hold more than JSON values: a log's prefix, an SSE field name.
// What stands before the value is in Scratch.Prefix while it is decoded.
type LineDecoder interface {
	Decoder
	// Start is shown every line that is not blank, without its line end. It gives the offset at which its value starts
	// and says whether what follows that value is to be left alone, too; an offset below zero says that the line holds
	// no value and is known to be neither call nor result.
	Start(line []byte) (off int, only bool)
}
