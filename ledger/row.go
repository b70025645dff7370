// Package ledger says what a replay ledger is: rows, states, what looking at one gives, and (later rooms)
// the execute-once envelope and the operator's actions. It has no driver and starts no process.
package ledger

import "context"

// State is the state of a row, as its text stands in the ledger.
type State string

// The states of the seeds' schema. Any other text is kept as it is and counted under its own name.
const (
	InFlight  State = "inflight"
	Committed State = "committed"
	Failed    State = "failed"
)

// Row is one row of tool_calls.
type Row struct {
	Key         string
	Tool        string
	Request     string // JSON text as stored
	Response    string // JSON text as stored; meaningful only when HasResponse
	HasResponse bool   // response_json is not NULL
	State       State
	Created     float64 // seconds since 1970 UTC
	Updated     float64
	Claim       *Claim // nil when no drainboard claim stands behind the row
}

// Claim says who holds a row in flight (drainboard_claims).
type Claim struct {
	Token, Run, Host, BootID string
	PID                      int
	PIDStart                 int64 // clock ticks since boot, as /proc/PID/stat field 22 has it; 0 unknown
	Attempt                  int
}

// Changes is what one look found since the look before.
type Changes struct {
	All  bool     // Rows is the whole ledger: what is not in it is gone
	Rows []Row    // new or changed
	Gone []string // keys that no longer exist
	// Facts are drainboard's own facts when they may have changed since the look before, else nil.
	Facts *Facts
}

// Looker reads a ledger without changing a byte of it (LEDGER.md "Looking").
type Looker interface {
	// Look returns what changed since the last Look; the first one returns everything. An unchanged ledger gives
	// a zero Changes and costs one pragma. It never blocks a writer: a read is a page that is finished at once.
	Look(ctx context.Context) (Changes, error)
	// Row reads one row as it is now.
	Row(ctx context.Context, key string) (Row, bool, error)
	Close() error
}
