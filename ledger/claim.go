package ledger

import (
	"fmt"

	"drainboard/keys/table"
)

// ClaimRequest is what a caller asks of the store before it sends.
type ClaimRequest struct {
	Key     string
	Run     string
	Tool    string
	Request string // JSON text of the arguments, stored as it is
	Class   table.Class
	// Same says whether a stored tool and request are this call's (after ignore rules); nil: equal texts.
	Same    func(tool, request string) bool
	Ceiling int   // calls a run may make; below 1: no ceiling
	Claim   Claim // token, owner and run of the caller; the store sets Attempt
	Actor   string
	Now     float64
}

// Verdict is what became of a claim.
type Verdict uint8

// A claim sends, replays what is stored, or is refused.
const (
	Refused Verdict = iota
	Claimed
	Replayed
)

// Refusal says why a call was refused. It is a word of the output contract (`replay --json`, `exec`).
type Refusal string

// The reasons of the envelope.
const (
	RefusedUnclassified Refusal = "unclassified tool"
	RefusedBudget       Refusal = "over budget"
	RefusedInFlight     Refusal = "in flight"
	RefusedReuse        Refusal = "key reuse"
	RefusedHumanKey     Refusal = "needs a human key"
	RefusedOverwritten  Refusal = "overwritten"
	RefusedState        Refusal = "unknown state"
	RefusedNoKey        Refusal = "no key"
)

// ClaimResult is the answer to a claim.
type ClaimResult struct {
	Verdict Verdict
	Reason  Refusal // of a refusal
	Calls   int     // of the run, this one included
	// Row is the row that was claimed or is replayed, or the one that stands in the way; zero when there is none.
	// Its key differs from the request's when a human key made it.
	Row  Row
	Word string // the human key that was used up
}

// ClaimTx raises the run's counter and claims (LEDGER.md "The envelope", steps 1 and 2). A refusal is a result,
// not an error: its counter stays raised.
func ClaimTx(tx Tx, q *ClaimRequest) (ClaimResult, error) {
	var res ClaimResult
	calls, err := tx.Raise(q.Run)
	if err != nil {
		return res, err
	}
	res.Calls = calls
	if q.Ceiling > 0 && calls > q.Ceiling {
		res.Reason = RefusedBudget
		return res, OverBudgetTx(tx, q, calls)
	}
	return ClaimRowTx(tx, q, calls)
}

// OverBudgetTx logs a call that was refused because its run has made too many: a run that stops is to be found.
func OverBudgetTx(tx Tx, q *ClaimRequest, calls int) error {
	_, err := tx.Log(&Entry{
		At: q.Now, Actor: q.Actor, Action: ActBudget, Key: q.Key, Tool: q.Tool,
		Reason: fmt.Sprintf("call %d of run %q, its ceiling is %d", calls, q.Run, q.Ceiling),
		Detail: detail("run", q.Run, "calls", calls, "ceiling", q.Ceiling),
	})
	return err
}

// ClaimRowTx is the second step alone, for a store that raised the run's counter before.
func ClaimRowTx(tx Tx, q *ClaimRequest, calls int) (ClaimResult, error) {
	res := ClaimResult{Calls: calls}
	row, err := tx.Row(q.Key)
	if err != nil {
		return res, err
	}
	if row == nil {
		return take(tx, q, res, nil, q.Key)
	}
	res.Row = *row
	if !q.same(row) {
		res.Reason = RefusedReuse
		return res, nil
	}
	if row.State == InFlight {
		if row.Claim != nil && row.Claim.Token == q.Claim.Token {
			res.Verdict = Claimed // its commit was cut off and had worked
			return res, nil
		}
		res.Reason = RefusedInFlight
		return res, nil
	}
	if q.Class == table.Compensate {
		done, err := humanTx(tx, q, &res)
		if done || err != nil {
			return res, err
		}
	}
	return settledTx(tx, q, res, row)
}

// settledTx answers for a row that is not in flight when no human key decides.
func settledTx(tx Tx, q *ClaimRequest, res ClaimResult, row *Row) (ClaimResult, error) {
	switch {
	case row.State == Committed:
		res.Verdict = Replayed
		return res, nil
	case row.State != Failed:
		res.Reason = RefusedState
		return res, nil
	case q.Class == table.Compensate:
		res.Reason = RefusedHumanKey
		return res, nil
	}
	over, err := overwrittenTx(tx, row, q.Now)
	if err != nil {
		return res, err
	}
	if over {
		res.Reason = RefusedOverwritten
		return res, nil
	}
	return take(tx, q, res, row, q.Key)
}

// humanTx lets human keys and the rows that they made decide, before the state of the intent's own row does.
func humanTx(tx Tx, q *ClaimRequest, res *ClaimResult) (done bool, err error) {
	words, err := tx.HumanKeys(q.Key)
	if err != nil {
		return false, err
	}
	var stored *Row
	var fresh *HumanKey
	for i := range words {
		h := &words[i]
		if !h.Used {
			if fresh == nil {
				fresh = h
			}
			continue
		}
		r, err := tx.Row(h.RowKey)
		if err != nil {
			return false, err
		}
		if r == nil {
			continue
		}
		if r.State == InFlight {
			res.Row, res.Word = *r, h.Word
			if r.Claim != nil && r.Claim.Token == q.Claim.Token {
				res.Verdict = Claimed
			} else {
				res.Reason = RefusedInFlight
			}
			return true, nil
		}
		if r.State == Committed {
			stored = r
		}
	}
	if fresh != nil {
		fresh.Used, fresh.UsedAt, fresh.UsedFor = true, q.Now, q.Claim.Token
		if err := tx.PutHumanKey(fresh); err != nil {
			return false, err
		}
		res.Word = fresh.Word
		r, err := tx.Row(fresh.RowKey)
		if err != nil {
			return false, err
		}
		if r != nil {
			res.Row, res.Reason = *r, RefusedReuse
			return true, nil
		}
		*res, err = take(tx, q, *res, nil, fresh.RowKey)
		return true, err
	}
	if res.Row.State == Failed && stored != nil {
		res.Verdict, res.Row = Replayed, *stored
		return true, nil
	}
	return false, nil
}

// take writes the row in flight, its claim and its image. old is the row that it writes over, which was read in
// this transaction.
func take(tx Tx, q *ClaimRequest, res ClaimResult, old *Row, key string) (ClaimResult, error) {
	r := Row{Key: key, Tool: q.Tool, Request: q.Request, State: InFlight, Created: q.Now, Updated: q.Now}
	e := Entry{At: q.Now, Actor: q.Actor, Action: ActClaim, Key: key, Tool: q.Tool}
	c := q.Claim
	c.Attempt = 1
	var err error
	if old == nil {
		err = tx.Insert(&r)
	} else {
		r.Updated = forward(q.Now, old.Updated)
		r.Created = r.Updated
		e.From = image(old)
		n := 0
		if n, err = tx.Attempts(key); err == nil {
			c.Attempt = n + 1
			err = tx.Change(&r)
		}
	}
	if err != nil {
		return res, err
	}
	if err := tx.SetClaim(key, &c); err != nil {
		return res, err
	}
	e.To = image(&r)
	if _, err := tx.Log(&e); err != nil {
		return res, err
	}
	r.Claim = &c
	res.Verdict, res.Row, res.Reason = Claimed, r, ""
	return res, nil
}

func image(r *Row) *Image {
	im := r.Image()
	return &im
}

func (q *ClaimRequest) same(r *Row) bool {
	if q.Same == nil {
		return r.Tool == q.Tool && r.Request == q.Request
	}
	return q.Same(r.Tool, r.Request)
}

// overwrittenTx says whether a failed row became so behind drainboard's back, and nobody has acknowledged that: what
// such a writer calls failed may have been done, so it is not sent again on its word alone.
func overwrittenTx(tx Tx, row *Row, now float64) (bool, error) {
	last, err := tx.Last(row.Key)
	if err != nil || last == nil || !Differs(*last.To, row.Image()) {
		return false, err
	}
	acks, err := tx.Acks(row.Key)
	if err != nil {
		return false, err
	}
	seen := row.Image().Fingerprint()
	for _, a := range acks {
		if a.Kind == AckOverwritten && a.Seen == seen && (a.Expires == 0 || a.Expires > now) {
			return false, nil
		}
	}
	return true, nil
}
