package ledger

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
)

// Envelope executes calls at most once a key (LEDGER.md "The envelope"). It may be used by many goroutines.
type Envelope struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // of claim tokens; read by many goroutines at once, as crypto/rand.Reader allows
	Owner  Owner     // this process
	Actor  string    // user@host, for the log
	// Tell, when set, is told of every decision, from the goroutine that asked for it.
	Tell func(Line)
}

// Line is what is told of a decision.
type Line struct {
	Time     time.Time
	Tool     string
	Key      string
	Run      string
	Decision Decision
	Reason   Refusal
	Attempt  int
	Row      *Row // that stands in the way, is replayed, or was claimed
}

// Decision says what happens with a call. It is a word of the output contract (`replay --json`).
type Decision string

// A call is sent under a claim, passed on without one (pure), answered from the store, or refused.
const (
	Send   Decision = "send"
	Pass   Decision = "pass"
	Replay Decision = "replay"
	Refuse Decision = "refuse"
)

// Call is one call that came to the envelope.
type Call struct {
	Key     string // intent key, printed as its recipe prints it
	Run     string
	Tool    string
	Request string // JSON text of the arguments
	Class   table.Class
	Ignore  []keys.Pointer // of the tool's row: two requests that differ only there are one
	Ceiling int            // calls the run may make; below 1: no ceiling
}

// Ticket is the answer to a call, and the claim when the answer is Send. It is for one goroutine.
type Ticket struct {
	Decision Decision
	Reason   Refusal
	Attempt  int    // of the key, from 1; 0 when nothing is sent under a claim
	Calls    int    // the run's calls, this one included
	Row      Row    // see ClaimResult.Row
	Word     string // the human key that was used up
	held     Held
	env      *Envelope
}

// Begin decides about a call. A ticket that says Send must be settled with Commit, Fail or Doubt; one that is not
// stays in flight.
func (e *Envelope) Begin(ctx context.Context, c Call) (*Ticket, error) {
	t := &Ticket{env: e}
	var err error
	switch c.Class {
	case table.Pure, table.Unclassified:
		err = e.count(ctx, &c, t)
	default:
		err = e.claim(ctx, &c, t)
	}
	if err != nil {
		return nil, err
	}
	e.tell(&c, t)
	return t, nil
}

func (e *Envelope) tell(c *Call, t *Ticket) {
	if e.Tell == nil {
		return
	}
	l := Line{Time: e.Now(), Tool: c.Tool, Key: c.Key, Run: c.Run, Decision: t.Decision, Reason: t.Reason, Attempt: t.Attempt}
	if t.Row.Key != "" {
		l.Row = &t.Row
	}
	e.Tell(l)
}

// count is for calls that make no row.
func (e *Envelope) count(ctx context.Context, c *Call, t *Ticket) error {
	q := ClaimRequest{Key: c.Key, Run: c.Run, Tool: c.Tool, Ceiling: c.Ceiling, Actor: e.Actor, Now: Seconds(e.Now())}
	over := false
	err := e.Store.Update(ctx, func(tx Tx) (err error) {
		t.Calls, err = tx.Raise(c.Run)
		over = c.Class != table.Unclassified && c.Ceiling > 0 && t.Calls > c.Ceiling
		if over && err == nil {
			err = OverBudgetTx(tx, &q, t.Calls)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("count a call of run %q: %w", c.Run, err)
	}
	t.Decision = Pass
	switch {
	case c.Class == table.Unclassified:
		t.Decision, t.Reason = Refuse, RefusedUnclassified
	case over:
		t.Decision, t.Reason = Refuse, RefusedBudget
	}
	return nil
}

func (e *Envelope) claim(ctx context.Context, c *Call, t *Ticket) error {
	if c.Key == "" {
		if err := e.count(ctx, c, t); err != nil {
			return err
		}
		if t.Decision == Pass {
			t.Decision, t.Reason = Refuse, RefusedNoKey
		}
		return nil
	}
	var raw [16]byte
	if _, err := io.ReadFull(e.Random, raw[:]); err != nil {
		return fmt.Errorf("make a claim token: %w", err)
	}
	q := ClaimRequest{
		Key: c.Key, Run: c.Run, Tool: c.Tool, Request: c.Request, Class: c.Class, Ceiling: c.Ceiling,
		Same: c.same, Actor: e.Actor, Now: Seconds(e.Now()),
		Claim: Claim{
			Token: hex.EncodeToString(raw[:]), Run: c.Run, Host: e.Owner.Host, BootID: e.Owner.BootID,
			PID: e.Owner.PID, PIDStart: e.Owner.PIDStart,
		},
	}
	res, err := e.Store.Claim(ctx, q)
	if err != nil {
		return fmt.Errorf("claim %s for %s: %w", short(c.Key), c.Tool, err)
	}
	t.Reason, t.Calls, t.Row, t.Word = res.Reason, res.Calls, res.Row, res.Word
	switch res.Verdict {
	case Claimed:
		t.Decision, t.Attempt = Send, 1
		if res.Row.Claim != nil {
			t.Attempt = res.Row.Claim.Attempt
		}
		t.held = Held{Key: res.Row.Key, Tool: c.Tool, Token: q.Claim.Token, Updated: res.Row.Updated}
	case Replayed:
		t.Decision = Replay
	default:
		t.Decision = Refuse
	}
	return nil
}

// same compares a stored request with the call's as the recipe's key does: after the ignore rules.
func (c *Call) same(tool, request string) bool {
	if tool != c.Tool {
		return false
	}
	if request == c.Request {
		return true
	}
	var a, b keys.Args
	if a.Parse([]byte(request)) != nil || b.Parse([]byte(c.Request)) != nil {
		return false
	}
	a.Ignore(c.Ignore)
	b.Ignore(c.Ignore)
	return a.Digest() == b.Digest()
}

// Key is the key that the claim holds: what the sender hands to a remote that takes an idempotency header.
func (t *Ticket) Key() string { return t.held.Key }

// Commit stores the response of a send that worked. It is not given up when ctx ends: what was sent was sent.
func (t *Ticket) Commit(ctx context.Context, response string, has bool) (Settled, error) {
	return t.settle(ctx, &Settlement{State: Committed, Response: response, HasResponse: has})
}

// Fail settles a send of which the tool itself said that it failed.
func (t *Ticket) Fail(ctx context.Context, reason string) (Settled, error) {
	return t.settle(ctx, &Settlement{State: Failed, Reason: reason})
}

// Doubt leaves the row in flight, and why in the log: whether the effect happened is not known.
func (t *Ticket) Doubt(ctx context.Context, why string) error {
	if t.Decision != Send {
		return errors.New("leave a call in doubt: expected a ticket that sends, found one that says " + string(t.Decision))
	}
	err := t.env.Store.Update(context.WithoutCancel(ctx), func(tx Tx) error {
		_, err := tx.Log(&Entry{
			At: Seconds(t.env.Now()), Actor: t.env.Actor, Action: ActDoubt, Key: t.held.Key, Tool: t.held.Tool,
			Reason: why, Detail: tokenDetail(t.held.Token),
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("log that %s is in doubt: %w", short(t.held.Key), err)
	}
	return nil
}

func (t *Ticket) settle(ctx context.Context, s *Settlement) (Settled, error) {
	if t.Decision != Send {
		return Settled{}, errors.New("settle a call: expected a ticket that sends, found one that says " + string(t.Decision))
	}
	s.Held, s.Actor, s.Now = t.held, t.env.Actor, Seconds(t.env.Now())
	ctx = context.WithoutCancel(ctx)
	out, err := t.env.Store.Settle(ctx, *s)
	if unknown := (*CommitUnknown)(nil); errors.As(err, &unknown) {
		out, err = t.env.Store.Settle(ctx, *s) // it finds its own work, or does it
	}
	if err != nil {
		return out, fmt.Errorf("settle %s as %s (it stays in flight): %w", short(t.held.Key), s.State, err)
	}
	return out, nil
}

// Seconds is a time as the ledger stores it.
func Seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func short(key string) string { return key[:min(len(key), 12)] }
