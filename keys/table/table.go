// Package table is the decision table: what each tool does to the world, and what follows from it.
//
// Contract. Parse reads a tools.yaml (PRODUCT.md "tools.yaml") strictly and reports every mistake
// with its file, line and column; a Table that Parse returned never changes again and may be used
// by any number of goroutines. Lookup answers for every tool name: a tool in no row gets rule 0,
// which is unclassified. The edits (SetClass, AddIgnore, AddCase) work on the file's text and leave
// every other byte of it alone. Nothing here runs a command, and only Replace writes a file.
package table

import (
	"strings"
	"time"

	"drainboard/keys"
)

// Name is the file name that Find looks for.
const Name = "tools.yaml"

// Class is what a tool does to the world.
type Class uint8

// The classes. A tool in no class is refused by everything that sends.
const (
	Unclassified Class = iota
	Pure               // changes nothing
	Keyed              // a key makes it safe to repeat
	Compensate         // only an undo helps
)

// String is the class's word in tools.yaml and in JSON.
func (c Class) String() string {
	switch c {
	case Pure:
		return "pure"
	case Keyed:
		return "keyed"
	case Compensate:
		return "compensate"
	default:
		return "unclassified"
	}
}

// ParseClass reads a word that tools.yaml may hold as a class; unclassified is not one of them.
func ParseClass(word string) (Class, bool) {
	switch word {
	case "pure":
		return Pure, true
	case "keyed":
		return Keyed, true
	case "compensate":
		return Compensate, true
	default:
		return Unclassified, false
	}
}

// Effect says what a keyed tool does: it makes an object, or it writes one that is already there.
type Effect uint8

// The effects; Create is what a row has that names none.
const (
	Create Effect = iota
	Write
)

// String is the effect's word in tools.yaml.
func (e Effect) String() string {
	if e == Write {
		return "write"
	}
	return "create"
}

// Rule is what the table says about a call. It is shared and must not be changed.
type Rule struct {
	ID   int    // index in Table.Rules, dense; 0 is the rule of every tool in no row
	Name string // the row's name in the file: a tool, or a glob over tools; empty for rule 0
	Glob bool   // Name is a glob
	Case int    // 1-based number of the case within its row; 0 is the row itself

	Class   Class
	Effect  Effect
	Polling bool // repeats by design: no runaway

	NaturalKey   []keys.Pointer // what names the object in the arguments
	Ignore       []keys.Pointer // left out of the key
	IgnoreResult []keys.Pointer // left out when payloads are compared
	Timeout      time.Duration  // above it a row in flight is hung; the table's default when the row has none
	Forever      bool           // scope: forever, the run id is empty in the key
	InDoubtExit  []int          // exit codes after which the outcome is in doubt
	Compensate   *Undo          // nil: no compensation is documented

	Line int // 1-based line of the row or case; 0 for rule 0
}

// Undo is a row's documented compensation.
type Undo struct {
	Run     []string      // argv, never a shell; Run[0] is relative to the table's folder
	Timeout time.Duration // the row's own, else the table's default
	Env     []string      // names of further environment variables that it gets
}

// Budget is the ceiling of calls a run.
type Budget struct {
	CallsPerRun int // 12 unless set
	Runs        []RunCeiling
}

// RunCeiling is the ceiling of the runs that Glob names.
type RunCeiling struct {
	Glob  string
	Calls int
}

// Runaway holds the lengths from which a streak is a runaway.
type Runaway struct {
	Identical int // calls with one key and one outcome in a row; 5 unless set
	Errors    int // failures of one tool in a row; 5 unless set
}

// Defaults are what rows have that say nothing else.
type Defaults struct {
	Timeout     time.Duration // 60s unless set
	RetryWindow time.Duration // 10m unless set; cuts drift (PRODUCT.md "Other findings")
}

// Table is one decision table.
type Table struct {
	Path     string // as given to Parse; empty for Default
	Recipe   string // the recipe in force; empty when the file sets none
	Budget   Budget
	Runaway  Runaway
	Defaults Defaults
	Formats  []Format
	Recipes  []Recipe

	rules []*Rule
	exact map[string]*Row
	globs []*Row // longest literal prefix first
	none  *Row
}

// Row is all that the table says about one tool: its own rule, and its cases.
type Row struct {
	own   *Rule
	cases []branch
}

// branch is one case of a row: its rule holds when the text at a pointer fits a glob.
type branch struct {
	at   keys.Pointer
	glob string
	rule *Rule
}

// Default is the table of somebody who has none: every tool is unclassified.
func Default() *Table {
	t := &Table{
		Budget:   Budget{CallsPerRun: 12},
		Runaway:  Runaway{Identical: 5, Errors: 5},
		Defaults: Defaults{Timeout: time.Minute, RetryWindow: 10 * time.Minute},
		exact:    map[string]*Row{},
	}
	t.none = &Row{own: &Rule{Timeout: t.Defaults.Timeout}}
	t.rules = []*Rule{t.none.own}
	return t
}

// Rules are all rules, each at the index that is its ID. The slice must not be changed.
func (t *Table) Rules() []*Rule { return t.rules }

// Rows counts the rows of the file, cases not counted.
func (t *Table) Rows() int { return len(t.exact) + len(t.globs) }

// Row finds the row of a tool: the exact name, else the glob with the longest literal prefix (among
// equals the longer glob, then the earlier row), else the row of rule 0. It is never nil and may be
// kept as long as the table.
func (t *Table) Row(tool string) *Row {
	if r, ok := t.exact[tool]; ok {
		return r
	}
	for _, r := range t.globs {
		if match(r.own.Name, tool) {
			return r
		}
	}
	return t.none
}

// Lookup is Row(tool).Rule(args).
func (t *Table) Lookup(tool string, args *keys.Args) *Rule { return t.Row(tool).Rule(args) }

// NeedsArgs says whether the rule of a tool depends on a call's arguments.
func (t *Table) NeedsArgs(tool string) bool { return t.Row(tool).NeedsArgs() }

// NeedsArgs says whether the row has cases.
func (r *Row) NeedsArgs() bool { return len(r.cases) > 0 }

// Own is the rule of a call that fits no case.
func (r *Row) Own() *Rule { return r.own }

// Ceiling is how many calls a run may make: that of the exact name, else of the glob with the longest
// literal prefix (among equals the longer glob, then the earlier one), else Budget.CallsPerRun.
func (t *Table) Ceiling(run string) int {
	best, calls := -1, t.Budget.CallsPerRun
	for _, r := range t.Budget.Runs {
		if r.Glob == run {
			return r.Calls
		}
		if w := weight(r.Glob); w > best && isGlob(r.Glob) && match(r.Glob, run) {
			best, calls = w, r.Calls
		}
	}
	return calls
}

// isGlob says whether a name holds a character with a meaning of its own.
func isGlob(name string) bool { return strings.ContainsAny(name, "*?") }

// prefix is the literal beginning of a glob.
func prefix(glob string) string {
	if i := strings.IndexAny(glob, "*?"); i >= 0 {
		return glob[:i]
	}
	return glob
}

// weight orders globs: by literal prefix, then by length. Names are shorter than 1<<20 (maxSource).
func weight(glob string) int { return len(prefix(glob))<<20 | len(glob) }
