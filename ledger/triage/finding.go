package triage

import (
	"strconv"

	"drainboard/keys/table"
)

// Severity orders every list. Higher is worse.
type Severity uint8

// The severities (PRODUCT.md "severity").
const (
	Info Severity = iota
	Low
	Medium
	High
	Critical
)

var severityNames = [...]string{"info", "low", "medium", "high", "critical"}

func (s Severity) String() string { return severityNames[s] }

// ParseSeverity reads a severity's name.
func ParseSeverity(name string) (Severity, bool) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), true
		}
	}
	return 0, false
}

// Kind says what a finding is about.
type Kind uint8

// The findings of PRODUCT.md, in the order in which equals are listed.
const (
	Duplicate Kind = iota
	LateReply
	Overwritten
	Compensation // started and not ended, or ended with another code than 0
	Unmatched
	FailedButDone
	OtherResponse
	KeyConflict
	Runaway
	Hung
	InFlight
	SettledInTrace
	LostResult
	TemporalKey
	Drift
	CrossRun
	NewWhileDraining
	AfterEnd
	OpenCall
	OverBudget
	UnclassifiedTool
	OrphanResult
	kinds
)

var kindNames = [...]string{
	"duplicate", "late-reply", "overwritten", "compensation", "unmatched", "failed-but-done", "other-response", "conflict", "runaway", "hung", "in-flight",
	"settled", "lost", "temporal", "drift", "cross-run", "new-run", "after-end", "open", "budget", "unclassified", "orphan",
}

func (k Kind) String() string { return kindNames[k] }

// ParseKind reads the name of a kind, as `kind:` filters use it.
func ParseKind(name string) (Kind, bool) {
	for i, n := range kindNames {
		if n == name {
			return Kind(i), true
		}
	}
	return 0, false
}

// Cause says whether the repeat is in the model's output or in the handler.
type Cause string

// The causes.
const (
	CauseUnknown Cause = "unknown"
	CauseHandler Cause = "handler"
	CauseModel   Cause = "model"
	CauseMixed   Cause = "mixed"
)

// Outcome says what the world probably looks like after a repeat.
type Outcome string

// The outcomes.
const (
	OutcomeUnknown   Outcome = "unknown"
	OutcomeExtra     Outcome = "extra"
	OutcomeAmbiguous Outcome = "ambiguous"
	OutcomeReplayed  Outcome = "replayed"
	OutcomeSame      Outcome = "same"
	OutcomeOpen      Outcome = "open"
	OutcomeRetried   Outcome = "retried"
)

// Pos is where a call or result stands.
type Pos struct {
	File   string
	Line   int   // 1-based
	N      int   // number of the event in its value, from 1
	Offset int64 // of the value, in the (decompressed) file
	FileID FileID
	ref    uint32 // number of the call or result in its book, a short cut
}

// String is `file:line`, and `#n` behind it for a further event of one line.
func (p Pos) String() string {
	s := p.File + ":" + strconv.Itoa(p.Line)
	if p.N > 1 {
		s += "#" + strconv.Itoa(p.N)
	}
	return s
}

// Finding is one row of the findings list. It is immutable: a change makes another one with the same ID. There may be a million: it is kept at 320 bytes.
type Finding struct {
	ID       string // stable identity: kind and what it is about; cursors, marks and acknowledgements hold on to it
	Kind     Kind
	Severity Severity
	Class    table.Class
	Overlap  bool
	drains   bool   // in flight: it blocks the drain
	acked    bool   // Ack stands in a ledger: it blocks no longer
	run      uint32 // that it is about, 0: of none
	gen      int32  // of the file of First: FileInfo.Generation

	Key  string // full text of the key, or ""
	Tool string
	Run  string
	Rule *table.Rule // of its first call; nil when there is none

	Calls   int
	Results int
	Cause   Cause
	Outcome Outcome
	Doubles int // results beyond the first of one call
	Extras  int // effects beyond the one that is kept, of the outcomes extra and ambiguous
	Undone  int // of these, compensated

	First   Pos    // of its first call or result
	CallID  string // of that call or result
	Side    string
	Started int64 // time of the first call, nanoseconds, or trace.NoTime
	Last    int64 // latest recorded time in it, or trace.NoTime

	Why string // unmatched: "no ledger row", "no key", "only on this side"; runaway: "identical", "errors"; else free text
	Ack string // who acknowledged it and why, or ""

	More *Details // mostly nil; Details reads it
	next *Finding // of the same entity
	when int64    // the time of its place, which is that of First
}

// Details is what only findings of some kinds say.
type Details struct {
	Pointers []string // drift: those that differ
	Looks    []string // drift: what each looks like
	Keys     []string // drift, conflict: the keys
	Recorded []string // temporal: the recorded keys; conflict: the one
	Tools    []string // conflict
	Runs     []string // cross run
	Timeout  float64  // in flight: seconds
	Owner    string   // in flight
	image    string   // overwritten: fingerprint of what was found
	about    []uint32 // further runs that it is about, beside the first
}

var noDetails Details // for reading

// Details is for reading only; it is empty where a finding has none.
func (f *Finding) Details() *Details {
	if f.More == nil {
		return &noDetails
	}
	return f.More
}

// detail is for whoever makes the finding.
func (f *Finding) detail() *Details {
	if f.More == nil {
		f.More = new(Details)
	}
	return f.More
}

// before orders findings by place.
func (f *Finding) before(g *Finding) bool {
	return place{f.when, f.First.File, int(f.gen), f.First.Offset, uint16(f.First.N)}.before(place{g.when, g.First.File, int(g.gen), g.First.Offset, uint16(g.First.N)})
}

// CallView is one call as faces show it.
type CallView struct {
	Pos      Pos
	Time     int64 // nanoseconds, or trace.NoTime
	Run      string
	Tool     string
	CallID   string
	Key      string // "" when it has none
	NoKey    string // why
	Opaque   bool
	Ignored  bool // an ignore rule left something out of the key
	Assumed  bool // its line names no run: --run, or the file's name
	Recorded string
	Class    table.Class
	Rule     *table.Rule
	Side     string
	Copy     bool // restates a call that is counted already
	Repeat   int  // 1 for the first call of its key, 2 for the second, ...
	Results  []ResultView
}

// ResultView is one result as faces show it: the paired one first, then doubles.
type ResultView struct {
	Pos     Pos
	Time    int64
	Status  string // "ok", "replayed", "refused", "error", "ambiguous"
	Same    int    // results with one payload have one number, from 1 in order of appearance; 0: no payload
	Double  bool   // a further result with another payload for the same call
	Payload [16]byte
}
