package ledger

import (
	"context"
	"fmt"
)

// Reply is what a sender says of one send.
type Reply struct {
	Outcome     Outcome
	Response    string // JSON text, when Done
	HasResponse bool
	Why         string // of a failure or a doubt, for the log
}

// Outcome is how a send ended.
type Outcome uint8

// A send is in doubt unless it is known to have worked or to have failed: a timeout or a lost connection is neither.
const (
	InDoubt Outcome = iota
	Done
	DidFail
)

// Answer is what Execute has for the caller.
type Answer struct {
	Ticket  *Ticket
	Reply   Reply   // of the send; zero when nothing was sent
	Settled Settled // of a send under a claim that was not left in doubt
}

// Execute decides about a call, sends it when that is the decision, and settles it. send is handed the key that is
// held, empty for a pure call. When send panics the row stays in flight.
func (e *Envelope) Execute(ctx context.Context, c Call, send func(ctx context.Context, key string) Reply) (Answer, error) {
	t, err := e.Begin(ctx, c)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Ticket: t}
	switch t.Decision {
	case Pass:
		a.Reply = send(ctx, "")
		return a, nil
	case Send:
	default:
		return a, nil
	}
	a.Reply = send(ctx, t.Key())
	switch a.Reply.Outcome {
	case Done:
		a.Settled, err = t.Commit(ctx, a.Reply.Response, a.Reply.HasResponse)
	case DidFail:
		a.Settled, err = t.Fail(ctx, a.Reply.Why)
	case InDoubt:
		err = t.Doubt(ctx, a.Reply.Why)
	default:
		err = fmt.Errorf("settle %s: expected an outcome, found %d", short(t.Key()), a.Reply.Outcome)
	}
	return a, err
}
