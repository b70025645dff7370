// Package operate is what an operator does, whatever face it is done from: settle rows, give human keys, acknowledge, undo,
// and run compensations (LEDGER.md "Operator actions", "Compensation", "Trust").
//
// Contract. A Desk carries out what was confirmed. Everything is compared with what the operator saw: a row, an effect or a
// finding that moved meanwhile is left as it is, and the Outcome says what it became. Nothing that was found beside a trace is
// run or written; NoWrite and NoRun say so in words. A compensation is recorded as started before its script runs and as ended
// after it, each with its log entry; whoever asks a second time is refused by the ledger, not by this package.
//
// Ownership. A Desk may be used by many goroutines. The context of Run ends the script (TERM, then KILL, to its whole group);
// its end is recorded all the same.
package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
)

// Book is what a desk asks about the traces; intake.Engine is one.
type Book interface {
	Snapshot() *triage.Snapshot
	Calls(ctx context.Context, q triage.Question) (calls []triage.CallView, total int, err error)
	Args(ctx context.Context, at triage.Pos) ([]byte, error)
	Payload(ctx context.Context, at triage.Pos) ([]byte, error)
	Effects(ctx context.Context, key, side string) (e triage.Effects, ok bool, err error)
	Row(ctx context.Context, key string) (ledger.Row, bool, error)
}

// Desk carries out actions.
type Desk struct {
	Op    *ledger.Operator // nil: no ledger may be written, NoWrite says why
	Book  Book             // nil: no traces are read
	Table func() *table.Table
	// Recipe is the recipe in force.
	Recipe func() *keys.Recipe

	Folder  string   // of the table, which paths of scripts are relative to
	NoWrite string   // why the ledger is not written; "" when it may be
	NoRun   string   // why nothing of the table is run; "" when it may be
	Environ []string // of this process; scripts get what is allowed of it
}

// Outcome is what became of an action on one row, effect or finding.
type Outcome struct {
	Key   string       `json:"key"`
	Tool  string       `json:"tool"`
	Done  bool         `json:"done"`
	Why   string       `json:"why"`   // it was not done
	State ledger.State `json:"state"` // of the row, as it is now
	Log   int64        `json:"log"`   // number of the log entry
}

// writable says why nothing can be written.
func (d *Desk) writable() error {
	switch {
	case d.NoWrite != "":
		return errors.New(d.NoWrite)
	case d.Op == nil:
		return errors.New("no ledger was given: name one with --ledger")
	}
	return nil
}

func outcome(key, tool string, r ledger.Result, err error) Outcome {
	o := Outcome{Key: key, Tool: tool, Done: r.Done, Why: r.Why, State: r.Row.State, Log: r.Log}
	if err != nil {
		o.Why = err.Error()
	}
	return o
}

// Sentence says in one sentence what became of an action on several: how many were done, and the first that was not.
func Sentence(done string, all []Outcome) string {
	var first *Outcome
	n := 0
	for i := range all {
		if all[i].Done {
			n++
		} else if first == nil {
			first = &all[i]
		}
	}
	var b strings.Builder
	switch {
	case len(all) == 1 && n == 1:
		fmt.Fprintf(&b, "%s %s", name(all[0].Tool, all[0].Key), done)
	case n > 0 || first == nil:
		fmt.Fprintf(&b, "%d of %d %s", n, len(all), done)
	}
	if first != nil {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s was left as it is: %s", name(first.Tool, first.Key), first.Why)
		if more := len(all) - n - 1; more > 0 {
			fmt.Fprintf(&b, " (and %d more)", more)
		}
	}
	return b.String()
}

func name(tool, key string) string { return strings.TrimSpace(tool + " " + short(key)) }

func short(key string) string { return key[:min(len(key), 12)] }
