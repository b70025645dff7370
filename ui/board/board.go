// Package board is the terminal board: a Bubble Tea program over an engine's snapshots.
//
// Contract. Run owns the terminal from its call to its return and leaves it as it was, whatever ends it: q, a signal, a fault in
// the program. It reads snapshots (latest wins, at most 20 a second) and asks the engine for the calls of the row that is looked
// at; it never writes to a trace, a table or a ledger itself: actions are Intents, which the Actor in Options carries out.
//
// Ownership. The model belongs to Bubble Tea's loop. One goroutine, the pump, sends news into it; everything that can wait runs in
// commands and comes back as a message with a generation, and what is stale then is dropped. Answers of actions are never dropped.
// A frame costs what is on screen, not what is in the lists: rows are fetched by position from immutable lists, and filtering and
// sorting of long lists happen in commands.
//
// All text of a trace, a table or a ledger reaches the terminal through ui/safe only.
package board

import (
	"context"
	"io"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	_ "drainboard/ui/board/probe" // before Bubble Tea asks the terminal
)

// Engine is what the board asks; intake.Engine is one. Every method may be called from any goroutine.
type Engine interface {
	// Updates receives when a newer snapshot, or other progress, is there. Its capacity is 1.
	Updates() <-chan struct{}
	// Snapshot is the latest snapshot, never nil.
	Snapshot() *triage.Snapshot
	Progress() intake.Progress
	// Calls returns the calls that q names and how many there are in all.
	Calls(ctx context.Context, q intake.Query) (calls []triage.CallView, total int, err error)
	// Args returns the raw JSON arguments of the call at a place, read from its file again; nil when its line has none.
	Args(ctx context.Context, at triage.Pos) ([]byte, error)
	// Payload returns the raw JSON payload of the result at a place, read from its file again.
	Payload(ctx context.Context, at triage.Pos) ([]byte, error)
	// Row reads a row of the ledger as it is now.
	Row(ctx context.Context, key string) (ledger.Row, bool, error)
	// Table is the decision table in force, never nil.
	Table() *table.Table
}

// Options say how the board looks and what it may do.
type Options struct {
	Ledger      string // path or address of the ledger, without secrets; "" when there is none
	LedgerFixed string // why the ledger may not be written, such as "found beside the trace"; "" when it may
	Table       string // path of the decision table; "" when there is none
	TableFixed  string // why nothing of the table is run, such as "found beside the trace"; "" when it may
	ReadOnly    bool   // --read-only: no action works
	Redact      bool   // --redact: secrets of arguments, payloads, rows and the log are masked wherever they are shown or exported

	Now   func() time.Time // the clock; nil: time.Now
	Zone  *time.Location   // of absolute times; nil: UTC
	Theme string           // auto, light, dark or mono; "" is auto, and mono when Env holds NO_COLOR
	Plain bool             // in lines: RunPlain is to be called
	ASCII bool             // no sign beyond ASCII
	Env   []string         // the environment, as os.Environ gives it

	Settings Settings    // the user's
	State    State       // what was remembered for the directory
	Remember func(State) // keeps it, when the board has ended; nil: nothing is remembered

	Actor   Actor   // carries actions out; nil: none works
	Journal Journal // the triage log; nil: there is none

	In     io.Reader // nil: the terminal
	Out    io.Writer // nil: standard output
	Faults string    // folder for the traces of faults; "": the system's folder for temporary files
}

// Journal reads the triage log.
type Journal interface {
	// Entries returns the entries from position from on, newest first, and how many there are.
	Entries(ctx context.Context, from, limit int) ([]Entry, int, error)
}

// Entry is one line of the triage log.
type Entry struct {
	ID                                         string
	Time                                       int64 // nanoseconds
	Actor, Action, Key, Tool, From, To, Reason string
	Output                                     string // of a compensation: head and tail of what it printed
}
