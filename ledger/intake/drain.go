package intake

import (
	"context"

	"drainboard/ledger/triage"
)

// LoneKeys lists keys that only one side called, at most limit a side; a side's SideView.OnlyKeys counts them all.
func (e *Engine) LoneKeys(ctx context.Context, limit int) (found []triage.LoneKey, err error) {
	err = e.ask(ctx, func(o *owner) {
		o.book.Settle(false)
		found = o.book.LoneKeys(limit)
	})
	return found, err
}
