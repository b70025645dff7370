package intake

import (
	"context"

	"drainboard/ledger/triage"
)

// LoneKeys lists keys that only one side called, at most limit a side; a side's SideView.OnlyKeys counts them all.
func (e *Engine) LoneKeys(ctx context.Context, limit int) (found []triage.LoneKey, err error) {
	err = e.ask(ctx, func(o *owner) {
		o.book.Link()
		found = o.book.LoneKeys(limit)
	})
	return found, err
}

// Doings lists what calls of tools that are not pure did, a page of at most limit calls at a time: see triage.Book.Doings.
func (e *Engine) Doings(ctx context.Context, from uint32, limit int) (page []triage.Doing, next uint32, err error) {
	err = e.ask(ctx, func(o *owner) {
		o.book.Settle(from == 0)
		page, next = o.book.Doings(from, limit)
	})
	return page, next, err
}
