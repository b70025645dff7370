package intake

import (
	"context"
	"slices"

	"drainboard/ledger"
	"drainboard/ledger/triage"
)

// Effects lists what the calls of a key did to the world; ok is false when no call has it. side matters only with Config.Match.
func (e *Engine) Effects(ctx context.Context, key, side string) (out triage.Effects, ok bool, err error) {
	err = e.ask(ctx, func(o *owner) {
		o.book.Settle(true)
		out, ok = o.book.Effects(key, side)
	})
	return out, ok, err
}

// foldFacts gives the book the facts of the ledger as they are now: a compensation whose process is not known to live has an
// unknown outcome.
func (o *owner) foldFacts() {
	f := *o.facts
	f.Compensations = slices.Clone(f.Compensations)
	o.running = o.running[:0]
	for i := range f.Compensations {
		c := &f.Compensations[i]
		if c.State == ledger.CompensationStarted {
			if c.State = c.Standing(o.e.cfg.Alive); c.State == ledger.CompensationStarted {
				o.running = append(o.running, c.Owner)
			}
		}
	}
	o.book.Facts(&f)
}

// compensating looks whether a process that ran a compensation is gone, and says whether one is.
func (o *owner) compensating() bool {
	for _, p := range o.running {
		if o.e.cfg.Alive(p) != ledger.Alive {
			o.foldFacts()
			return true
		}
	}
	return false
}
