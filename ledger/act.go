package ledger

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
)

// Operator changes rows on a person's word (LEDGER.md "Operator actions"). Every change is compared with the row
// that the person saw, and stands in one transaction with its log entry.
type Operator struct {
	Store Store
	Now   func() time.Time
	Actor string // user@host
	Owner Owner  // this process: who runs compensations
	// Alive says what is known of a process that runs a compensation; nil: nothing is known.
	Alive func(Owner) Liveness
}

// Liveness is what is known of a process.
type Liveness uint8

// A process on another host, or one that cannot be looked at, is unknown.
const (
	Unknown Liveness = iota
	Alive
	Gone
)

// Result is what became of one action on one row.
type Result struct {
	Done bool
	Why  string // it was not done, for the operator to read
	Row  Row    // as it is now; zero when it is gone
	Log  int64  // number of the log entry, when done
}

// errRefused ends a transaction whose action cannot be done; the result says why.
var errRefused = errors.New("refused")

// do runs one action in one transaction. f returns a result that is not done to leave everything as it is.
func (o *Operator) do(ctx context.Context, what string, f func(tx Tx, now float64) (Result, error)) (Result, error) {
	var res Result
	err := o.Store.Update(ctx, func(tx Tx) (err error) {
		res, err = f(tx, Seconds(o.Now()))
		if err == nil && !res.Done {
			return errRefused
		}
		return err
	})
	switch {
	case errors.Is(err, errRefused):
		return res, nil
	case err != nil:
		return Result{}, fmt.Errorf("%s: %w", what, err)
	}
	return res, nil
}

// unmoved reads a row again and says what it became when it is not what the operator saw.
func unmoved(tx Tx, seen *Row) (*Row, Result, error) {
	now, err := tx.Row(seen.Key)
	switch {
	case err != nil:
		return nil, Result{}, err
	case now == nil:
		return nil, Result{Why: "the row is gone"}, nil
	case now.Image() != seen.Image() || token(now) != token(seen):
		return nil, Result{Why: "the row moved: it was " + describe(seen) + ", it is " + describe(now), Row: *now}, nil
	}
	return now, Result{}, nil
}

func token(r *Row) string {
	if r.State != InFlight || r.Claim == nil {
		return ""
	}
	return r.Claim.Token
}

func describe(r *Row) string {
	return fmt.Sprintf("%s, updated %s", r.State, time.UnixMicro(int64(r.Updated*1e6)).UTC().Format("2006-01-02 15:04:05.000000"))
}

// MarkFailed settles a row in flight as failed: nothing happened, the next call may send.
func (o *Operator) MarkFailed(ctx context.Context, seen Row, reason string) (Result, error) {
	return o.mark(ctx, &seen, Row{State: Failed}, ActFailed, reason)
}

// MarkCommitted settles a row in flight or failed as committed: it happened, and this is its response.
func (o *Operator) MarkCommitted(ctx context.Context, seen Row, response string, has bool, reason string) (Result, error) {
	return o.mark(ctx, &seen, Row{State: Committed, Response: response, HasResponse: has}, ActCommitted, reason)
}

func (o *Operator) mark(ctx context.Context, seen *Row, to Row, act Act, reason string) (Result, error) {
	return o.do(ctx, string(act), func(tx Tx, now float64) (Result, error) {
		if strings.TrimSpace(reason) == "" {
			return Result{Why: "it needs a reason"}, nil
		}
		if seen.State != InFlight && (to.State != Committed || seen.State != Failed) {
			return Result{Why: fmt.Sprintf("a row that is %s cannot be marked %s", seen.State, to.State), Row: *seen}, nil
		}
		row, res, err := unmoved(tx, seen)
		if row == nil || err != nil {
			return res, err
		}
		from := image(row)
		row.State, row.Response, row.HasResponse = to.State, to.Response, to.HasResponse
		return o.rewrite(tx, row, Entry{At: now, Action: act, Reason: reason, From: from})
	})
}

// rewrite changes a row that was read in this transaction, takes its claim away (its worker is late from now on) and
// logs it.
func (o *Operator) rewrite(tx Tx, row *Row, e Entry) (Result, error) {
	row.Updated = forward(e.At, row.Updated)
	row.Claim = nil
	if err := tx.Change(row); err != nil {
		return Result{}, err
	}
	if err := tx.SetClaim(row.Key, &Claim{}); err != nil {
		return Result{}, err
	}
	e.Actor, e.Key, e.Tool, e.To = o.Actor, row.Key, row.Tool, image(row)
	id, err := tx.Log(&e)
	return Result{Done: true, Row: *row, Log: id}, err
}

// GiveHumanKey allows ONE more send of a compensate intent whose row is not in flight. rowKey is HumanRowKey of the
// recipe in force.
func (o *Operator) GiveHumanKey(ctx context.Context, seen Row, class table.Class, word, rowKey, reason string) (Result, error) {
	return o.do(ctx, string(ActHumanKey), func(tx Tx, now float64) (Result, error) {
		switch {
		case class != table.Compensate:
			return Result{Why: "a human key is for tools of the class compensate, this one is " + class.String()}, nil
		case strings.TrimSpace(word) == "":
			return Result{Why: "it needs a word"}, nil
		case strings.TrimSpace(reason) == "":
			return Result{Why: "it needs a reason"}, nil
		}
		row, res, err := unmoved(tx, &seen)
		if row == nil || err != nil {
			return res, err
		}
		if why, err := humanFree(tx, row, word); why != "" || err != nil {
			return Result{Why: why, Row: *row}, err
		}
		h := HumanKey{Key: row.Key, Word: word, RowKey: rowKey, Reason: reason, Actor: o.Actor, At: now}
		if err := tx.PutHumanKey(&h); err != nil {
			return Result{}, err
		}
		id, err := tx.Log(&Entry{
			At: now, Actor: o.Actor, Action: ActHumanKey, Key: row.Key, Tool: row.Tool, Reason: reason,
			Detail: detail("row", rowKey),
		})
		return Result{Done: true, Row: *row, Log: id}, err
	})
}

// humanFree says why a word cannot be given; it is empty when it can.
func humanFree(tx Tx, row *Row, word string) (string, error) {
	if row.State == InFlight {
		return "the row is in flight: settle it first", nil
	}
	words, err := tx.HumanKeys(row.Key)
	if err != nil {
		return "", err
	}
	for _, h := range words {
		switch {
		case !h.Used:
			return fmt.Sprintf("the word %q was given already and waits for the next call", h.Word), nil
		case h.Word == word:
			return fmt.Sprintf("the word %q was used already: give another one", word), nil
		}
		r, err := tx.Row(h.RowKey)
		if err != nil {
			return "", err
		}
		if r != nil && r.State == InFlight {
			return fmt.Sprintf("the send that the word %q allowed is in flight: settle %s first", h.Word, short(h.RowKey)), nil
		}
	}
	return "", nil
}

// HumanRowKey is the key of the row that a human key makes: the recipe's digest of KEY|WORD.
func HumanRowKey(r *keys.Recipe, key, word string) string {
	return r.Text(keys.Digest(sha256.Sum256([]byte(key + "|" + word))))
}

// Acknowledge takes a finding out of the verdict until it expires or its fingerprint changes.
func (o *Operator) Acknowledge(ctx context.Context, a Ack, tool string) (Result, error) {
	return o.do(ctx, string(ActAck), func(tx Tx, now float64) (Result, error) {
		if strings.TrimSpace(a.Reason) == "" {
			return Result{Why: "it needs a reason"}, nil
		}
		id, err := tx.Log(&Entry{
			At: now, Actor: o.Actor, Action: ActAck, Key: a.Key, Tool: tool, Reason: a.Reason,
			Detail: detail("kind", a.Kind, "seen", a.Seen),
		})
		if err != nil {
			return Result{}, err
		}
		a.ID, a.Actor, a.At = id, o.Actor, now
		return Result{Done: true, Log: id}, tx.PutAck(&a)
	})
}

// Undo takes back a mark, while the row is still what the mark made of it, or an acknowledgement. It never gives a
// claim back: that worker is late.
func (o *Operator) Undo(ctx context.Context, id int64, reason string) (Result, error) {
	return o.do(ctx, string(ActUndo), func(tx Tx, now float64) (Result, error) {
		e, err := tx.Entry(id)
		if err != nil {
			return Result{}, err
		}
		if e == nil {
			return Result{Why: fmt.Sprintf("there is no log entry %d", id)}, nil
		}
		undo := Entry{At: now, Action: ActUndo, Reason: reason, Detail: detail("undoes", id)}
		switch e.Action {
		case ActAck:
			return o.undoAck(tx, e, undo)
		case ActFailed, ActCommitted:
			return o.undoMark(tx, e, undo)
		}
		return Result{Why: "only a mark or an acknowledgement can be undone, this is: " + string(e.Action)}, nil
	})
}

func (o *Operator) undoAck(tx Tx, e *Entry, undo Entry) (Result, error) {
	acks, err := tx.Acks(e.Key)
	if err != nil {
		return Result{}, err
	}
	for _, a := range acks {
		if a.ID != e.ID {
			continue
		}
		if err := tx.DropAck(a.ID); err != nil {
			return Result{}, err
		}
		undo.Actor, undo.Key, undo.Tool = o.Actor, e.Key, e.Tool
		id, err := tx.Log(&undo)
		return Result{Done: true, Log: id}, err
	}
	return Result{Why: "it was undone before"}, nil
}

func (o *Operator) undoMark(tx Tx, e *Entry, undo Entry) (Result, error) {
	row, err := tx.Row(e.Key)
	switch {
	case err != nil:
		return Result{}, err
	case row == nil:
		return Result{Why: "the row is gone"}, nil
	case row.Image() != *e.To:
		return Result{Why: "the row is no longer what the mark made of it: it is " + describe(row), Row: *row}, nil
	}
	undo.From = image(row)
	row.State, row.Response, row.HasResponse = e.From.State, e.From.Response, e.From.HasResponse
	return o.rewrite(tx, row, undo)
}

// Note logs what was done elsewhere: a change of the decision table, a fence.
func (o *Operator) Note(ctx context.Context, act Act, tool, reason, detail string) error {
	_, err := o.do(ctx, string(act), func(tx Tx, now float64) (Result, error) {
		id, err := tx.Log(&Entry{At: now, Actor: o.Actor, Action: act, Tool: tool, Reason: reason, Detail: detail})
		return Result{Done: true, Log: id}, err
	})
	return err
}

// Prune takes away rows that are settled and still what the caller saw, and logs each.
func (o *Operator) Prune(ctx context.Context, seen Row, reason string) (Result, error) {
	return o.do(ctx, string(ActPrune), func(tx Tx, now float64) (Result, error) {
		if seen.State != Committed && seen.State != Failed {
			return Result{Why: "only a settled row is pruned, this one is " + string(seen.State), Row: seen}, nil
		}
		row, res, err := unmoved(tx, &seen)
		if row == nil || err != nil {
			return res, err
		}
		if err := tx.Delete(row.Key); err != nil {
			return Result{}, err
		}
		id, err := tx.Log(&Entry{
			At: now, Actor: o.Actor, Action: ActPrune, Key: row.Key, Tool: row.Tool, Reason: reason,
			From: image(row), To: &Image{},
		})
		return Result{Done: true, Row: *row, Log: id}, err
	})
}

// Log reads the triage log after an entry number, oldest first, at most limit entries.
func Log(ctx context.Context, s Store, after int64, limit int) ([]Entry, error) {
	var out []Entry
	err := s.View(ctx, func(tx Tx) (err error) {
		out, err = tx.Entries(after, limit)
		return err
	})
	return out, err
}
