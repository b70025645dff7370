package board

import (
	"context"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
)

// Action names what an operator can do (LEDGER.md "Operator actions").
type Action string

// The actions.
const (
	ActFail       Action = "mark failed"
	ActCommit     Action = "mark committed"
	ActHumanKey   Action = "human key"
	ActCompensate Action = "compensate"
	ActKept       Action = "compensate kept" // the effect that the ledger stored
	ActAck        Action = "acknowledge"
	ActUndo       Action = "undo"
	ActClassify   Action = "classify"
	ActIgnore     Action = "ignore rule"
)

// Intent is what an operator confirmed. Rows and findings in it are frozen as they were on screen, so that whoever carries it out
// can refuse what has moved meanwhile.
type Intent interface{ Action() Action }

// MarkFailed settles rows in flight as failed.
type MarkFailed struct {
	Rows   []ledger.Row
	Reason string
}

// MarkCommitted settles rows in flight or failed as committed. A nil Response means the ok payload that the trace holds for each key.
type MarkCommitted struct {
	Rows     []ledger.Row
	Response []byte // JSON
	Reason   string
}

// GiveHumanKey allows one more send of one compensate intent.
type GiveHumanKey struct {
	Row          ledger.Row
	Word, Reason string
}

// RunCompensation undoes the effects of a plan, and no others.
type RunCompensation struct {
	Keys   []string
	Plan   *Plan // nil: what the keys' extra effects are by then
	Reason string
}

// Target names the calls of a key; Side matters only where groups are made within sides. Kept: not its extra effects are meant, but the one
// that the ledger stored.
type Target struct {
	Key, Side string
	Kept      bool
}

// Plan is what a compensation would do, frozen when it was asked about.
type Plan struct {
	Effects int
	Lines   []string // one for each effect: key, payload, command
	Env     string   // names of the environment that the scripts get
	Again   bool     // all of these ran before, and nobody knows that they ended well: a question of its own
	Left    string   // what is left out, and why; "" when nothing is
	Frozen  any      // for whoever made the plan
}

// Planner is an Actor that says what a compensation would do before it is confirmed.
type Planner interface {
	// Plan reads and runs nothing. Its error says in a sentence why nothing can be undone.
	Plan(ctx context.Context, targets []Target) (*Plan, error)
}

// Acknowledge takes findings out of the blockers until calls or results are added to them.
type Acknowledge struct {
	Findings []string // IDs
	Keys     []string // their keys, "" where a finding has none
	Seen     []string // what each looked like (triage.Finding.Acknowledgement)
	Reason   string
	For      time.Duration // 0: no expiry
}

// UndoLast takes back the last mark or acknowledgement of a key.
type UndoLast struct {
	Keys   []string
	Reason string
}

// Classify gives tools a class in the decision table.
type Classify struct {
	Tools  []string
	Class  table.Class
	Effect table.Effect
	// NaturalKey names the object of a keyed tool whose row names none; nil: nothing is written.
	NaturalKey []keys.Pointer
}

// EditCases changes the cases of one tool in the decision table.
type EditCases struct {
	Tool string
	Put  []table.Case // that get this class, or are new
	Gone []table.Case // that are taken out
}

// AddIgnore leaves an argument out of the keys of a tool.
type AddIgnore struct {
	Tool      string
	Pointer   string
	Different bool // also when calls that were answered differently come under one key
}

// Action says which action the intent is.
func (MarkFailed) Action() Action      { return ActFail }
func (MarkCommitted) Action() Action   { return ActCommit }
func (GiveHumanKey) Action() Action    { return ActHumanKey }
func (RunCompensation) Action() Action { return ActCompensate }
func (Acknowledge) Action() Action     { return ActAck }
func (UndoLast) Action() Action        { return ActUndo }
func (Classify) Action() Action        { return ActClassify }
func (EditCases) Action() Action       { return ActClassify }
func (AddIgnore) Action() Action       { return ActIgnore }

// Actor carries intents out.
type Actor interface {
	// Can says in a few words why an action cannot work here at all, "" when it can.
	Can(a Action) string
	// Do carries an intent out and says in one sentence what became of it. It is called in a goroutine of its own, one intent at a
	// time, and may take as long as it needs.
	Do(ctx context.Context, in Intent) (said string, err error)
}
