package triage

import "github.com/tidwall/btree"

// Snapshot is what the book knew at one moment. It is immutable and may be read by any goroutine; its lists are
// windows into copy-on-write trees, so making one costs nothing that grows with the trace.
type Snapshot struct {
	Generation uint64
	Now        int64 // the clock it was judged by, nanoseconds
	Totals     Totals
	Verdict    Verdict
	Recipe     string
	RecipeNote string // said when the recipe in force reproduces fewer rows than another

	Findings List[*Finding] // every finding: severity, kind, first occurrence, key
	Kinds    [kinds]int     // findings by kind
	Levels   [5]int         // findings by severity
	Rows     List[*RowView] // ledger rows: in flight first, then by time, newest first
	States   map[string]int // ledger rows by state
	Foreign  int            // rows that neither reproduce nor meet a call
	Runs     List[*RunView] // over budget first, then by calls
	Tools    List[*ToolView]
	Sides    []SideView
	Draining string // label of the draining side, or ""
	Sources  []SourceView
	Ceiling  int
	Suggest  int // suggested ceiling: twice the calls of the largest honest run
	Unkeyed  int
	Window   *WindowView // nil: no drain window was chosen
	Acted    int64       // when an operator last settled what blocked, beside rows: acknowledgements, compensations; trace.NoTime: never
	Bad      []BadView   // unreadable stretches, at most the first 1,000; Totals.Bad counts all
}

// Totals count what was read.
type Totals struct {
	Bytes                                                          int64
	Lines, Bad, Tails, Calls, Copies, Results, Others, Runs, Tools int
}

// Verdict is GO, or NO-GO with what blocks.
type Verdict struct {
	Go         bool
	TracesOnly bool // no ledger was given
	Waiting    bool // nothing blocks, but the window is not through: NO-GO without blockers
	Rows       int  // blockers counted as rows of the board
	Blockers   []Blocker
}

// Word is the verdict as `check` and the header print it.
func (v Verdict) Word() string {
	if v.Go {
		return "GO"
	}
	return "NO-GO"
}

// Blocker is one kind of thing that blocks. Its rows are the findings of Kinds that match (Findings filtered), or sources.
type Blocker struct {
	Kind  string // "inflight", "unclassified", "unmatched", "critical", "overwritten", "compensation", "unread"
	Count int
	IDs   []string // Finding IDs of its rows, at most 100, worst first
}

// RowView is a ledger row as faces show it.
type RowView struct {
	Key, Tool, State, Run, Owner string // Run: of the first call that meets it
	Created, Updated             float64
	Timeout                      float64
	Hung                         bool
	Met                          int  // calls that meet it
	Foreign                      bool // neither reproduces nor meets
	HasResponse                  bool
	Drains                       bool   // the draining side or no side called it: it blocks while it is in flight
	FindingID                    string // of its in-flight finding, or ""
}

// RunView is a run against its ceiling.
type RunView struct {
	Run, Side, Parent string
	Calls, Tree       int
	Ceiling           int
	Over              bool
	Findings          int
	Started, Last     int64
	Ended             bool
	Spark             [24]uint16 // calls over its time, in 24 equal parts
	First             Pos
	place             place
}

// ToolView is a tool of the inventory.
type ToolView struct {
	Tool         string
	Class        string // "pure", "keyed", "compensate", "unclassified"; "cases" when its calls fall in several
	Rule         int    // ID of the rule of its first call
	Calls        int
	Unclassified int // calls in no class
	Repeats      int // calls beyond the first of their key
	Errors       int
	Open         int
	Last         int64
	Sides        []string
	First        Pos
	place        place
}

// SideView is what one side did.
type SideView struct {
	Label                           string
	Calls, Mutators, InLedger, Runs int
	OnlyTools                       []string // tools that no other side called
	OnlyKeys                        int
	Last                            int64 // newest recorded time, or trace.NoTime
	Draining                        bool
}

// SourceView is one file that was read.
type SourceView struct {
	File, Side, Format string
	Lines, Calls, Bad  int
	Last               int64
	Note               string // "writing", "removed", "rotated", ... or ""
}

// BadView is one unreadable stretch.
type BadView struct {
	File   string
	Line   int
	Reason string
}

// List is a sorted, immutable list with access by position and by item.
type List[T any] struct {
	tree *btree.BTreeG[T]
}

// Len is the number of items.
func (l List[T]) Len() int {
	if l.tree == nil {
		return 0
	}
	return l.tree.Len()
}

// At returns the item at position i; ok is false outside the list.
func (l List[T]) At(i int) (item T, ok bool) {
	if l.tree == nil || i < 0 {
		return item, false
	}
	return l.tree.GetAt(i)
}

// All visits the items in order from position i until yield says stop.
func (l List[T]) All(yield func(int, T) bool) {
	if l.tree == nil {
		return
	}
	i := 0
	l.tree.Scan(func(item T) bool {
		i++
		return yield(i-1, item)
	})
}
