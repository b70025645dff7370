package ledger

import (
	"context"
	"encoding/json"
	"fmt"
)

// Store is a ledger that may be written. Its rules stand in this package (Tx functions); a store brings
// transactions that are isolated from each other as if they ran one after another, and durable when they return.
// It may be used by many goroutines.
type Store interface {
	// Claim runs the first two steps of the envelope (LEDGER.md) in one transaction.
	Claim(ctx context.Context, q ClaimRequest) (ClaimResult, error)
	// Settle is SettleTx in one transaction.
	Settle(ctx context.Context, q Settlement) (Settled, error)
	// Update runs f in one transaction and commits it when f returns nil. f may run more than once and must have
	// no effect but on tx and its own variables, which it sets anew each time. When Update returns an error,
	// nothing was written, except that a *CommitUnknown may have been.
	Update(ctx context.Context, f func(tx Tx) error) error
	// View runs f on a state of the ledger; f must not write.
	View(ctx context.Context, f func(tx Tx) error) error
	// Close waits for what is under way and ends the store.
	Close() error
}

// CommitUnknown is the error of a transaction whose commit was cut off: it is there or it is not.
type CommitUnknown struct{ Err error }

// Error says what is not known.
func (c *CommitUnknown) Error() string {
	return "the ledger was cut off while it committed, so the change is there or it is not; look before you repeat it: " + c.Err.Error()
}

// Unwrap returns the cause.
func (c *CommitUnknown) Unwrap() error { return c.Err }

// Tx is one transaction. All of it is for one goroutine and not beyond the function that was given it. Times are
// seconds since 1970 UTC.
type Tx interface {
	// Row reads a row with its claim; nil when there is none. Where writers do not wait for each other by
	// themselves, it takes the row for this transaction.
	Row(key string) (*Row, error)
	// Insert makes a row that is not there; Change writes state, request, response and times of one that is;
	// Delete takes it away with its claim. None looks at what was there before: the caller has read it.
	Insert(r *Row) error
	Change(r *Row) error
	Delete(key string) error

	// Attempts is how often a key was claimed. SetClaim writes who holds it; an empty token takes the claim away.
	Attempts(key string) (int, error)
	SetClaim(key string, c *Claim) error

	// Raise adds one to the calls of a run and returns them.
	Raise(run string) (int, error)

	// HumanKeys are those of an intent in the order in which they were given.
	HumanKeys(key string) ([]HumanKey, error)
	PutHumanKey(h *HumanKey) error

	AddLate(l *Late) error

	// Log appends an entry and returns its number. Entry reads one, nil when there is none. Last is the last entry
	// of a key that holds an image of its row. Entries are those after a number, oldest first, at most limit.
	Log(e *Entry) (int64, error)
	Entry(id int64) (*Entry, error)
	Last(key string) (*Entry, error)
	Entries(after int64, limit int) ([]Entry, error)

	PutAck(a *Ack) error
	DropAck(id int64) error
	Acks(key string) ([]Ack, error)

	// Compensation is the last attempt of an id, nil when there is none.
	Compensation(id string) (*Compensation, error)
	PutCompensation(c *Compensation) error

	// Facts reads what stands beside tool_calls.
	Facts() (*Facts, error)
	// RowsOfRun are the rows that were claimed for a run.
	RowsOfRun(run string) ([]Row, error)
}

// Entry is one line of the triage log, which is only ever appended to.
type Entry struct {
	ID     int64
	At     float64
	Actor  string // user@host
	Action Act
	Key    string
	Tool   string
	Reason string
	Detail string // JSON object, or empty
	From   *Image // the row before; nil when there was none, or when it does not matter
	To     *Image // the row after; nil when it was not changed, with an empty state when it was taken away
}

// Act says what a log entry did.
type Act string

// What stands in the log. The first five are the envelope's, the others an operator's.
const (
	ActClaim     Act = "claim"
	ActCommit    Act = "commit"
	ActFail      Act = "fail"
	ActDoubt     Act = "in doubt"
	ActBudget    Act = "over budget"
	ActFailed    Act = "mark failed"
	ActCommitted Act = "mark committed"
	ActUndo      Act = "undo"
	ActAck       Act = "acknowledge"
	ActHumanKey  Act = "human key"
	ActStart     Act = "compensate"
	ActEnd       Act = "compensated"
	ActPrune     Act = "prune"
	ActFence     Act = "fence"
	ActUnfence   Act = "unfence"
	ActRecover   Act = "recover"
	ActClassify  Act = "classify"
	ActIgnore    Act = "ignore rule"
)

// forward is a time that is not before now and after old, so that every change of a row moves updated_at.
func forward(now, old float64) float64 {
	if t := old + 1e-6; t > now {
		return t
	}
	return now
}

// detail is a JSON object of names and values, for the log.
func detail(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "" // texts and numbers always marshal
	}
	return string(b)
}
