package intake

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"drainboard/keys"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// pageOfCalls is how many calls are asked for at once.
const pageOfCalls = 50_000

// Arguments reads the arguments of a tool's counted calls again and hands each to visit, after the ignore rules of its row, until visit
// says stop; what it hands out is lent. Calls come in the order of files and of places in them, many thousands at a time. It says how
// many could not be read again as they were.
func (e *Engine) Arguments(ctx context.Context, tool string, visit func(v *triage.CallView, args *keys.Args) bool) (unread int, err error) {
	for from := 0; ; {
		page, total, err := e.Calls(ctx, Query{Tool: tool, From: from, Limit: pageOfCalls})
		if err != nil {
			return unread, err
		}
		from += len(page)
		slices.SortStableFunc(page, func(a, b triage.CallView) int {
			return cmp.Or(cmp.Compare(a.Pos.FileID, b.Pos.FileID), cmp.Compare(a.Pos.Offset, b.Pos.Offset), cmp.Compare(a.Pos.N, b.Pos.N))
		})
		for len(page) > 0 {
			n := slices.IndexFunc(page, func(v triage.CallView) bool { return v.Pos.FileID != page[0].Pos.FileID })
			if n < 0 {
				n = len(page)
			}
			missed, more, err := e.argumentsOf(ctx, page[:n], visit)
			if unread += missed; err != nil || !more {
				return unread, err
			}
			page = page[n:]
		}
		if from >= total {
			return unread, nil
		}
	}
}

var errStop = errors.New("stop")

// argumentsOf is Arguments for calls of one file.
func (e *Engine) argumentsOf(ctx context.Context, calls []triage.CallView, visit func(*triage.CallView, *keys.Args) bool) (unread int, more bool, err error) {
	var f *trace.File
	if err := e.ask(ctx, func(o *owner) { f = o.byID[calls[0].Pos.FileID] }); err != nil {
		return 0, false, err
	}
	var args keys.Args
	hand := func(v *triage.CallView, ev *trace.Event) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case ev.Kind != trace.Call || string(ev.Tool) != v.Tool || args.Parse(ev.Args) != nil:
			unread++
			return nil
		case v.Rule != nil:
			args.Ignore(v.Rule.Ignore)
		}
		if !visit(v, &args) {
			return errStop
		}
		return nil
	}
	at := make([]trace.At, len(calls))
	for i := range calls {
		at[i] = trace.At{Off: calls[i].Pos.Offset, N: calls[i].Pos.N}
	}
	done := 0
	reader := e.reading.Load().reader
	err = reader.ReadEvents(f, at, func(i int, ev *trace.Event) error {
		done = i + 1
		return hand(&calls[i], ev)
	})
	for i := done; err != nil && !errors.Is(err, errStop) && ctx.Err() == nil && i < len(calls); i++ { // one by one, where it must be
		var ev trace.Event
		if ev, err = reader.ReadEvent(f, at[i].Off, at[i].N); err != nil {
			unread++
			continue
		}
		if err = hand(&calls[i], &ev); err == nil {
			err = errOneByOne
		}
	}
	switch {
	case errors.Is(err, errStop):
		return unread, false, nil
	case ctx.Err() != nil:
		return unread, false, ctx.Err()
	}
	return unread, true, nil
}

// errOneByOne keeps a loop going that a failed reading in one pass began.
var errOneByOne = errors.New("one by one")

// Merges lists what would come under one key if a rule left these pointers out of a tool's arguments, beside what is left out already,
// and how many calls could not be read again and are missing in it.
func (e *Engine) Merges(ctx context.Context, tool string, pointers []keys.Pointer) (out []triage.Merge, unread int, err error) {
	var all []triage.Blurred
	unread, err = e.Arguments(ctx, tool, func(v *triage.CallView, args *keys.Args) bool {
		if v.Key != "" {
			args.Ignore(pointers)
			all = append(all, triage.Blurred{Pos: v.Pos, Digest: args.Digest()})
		}
		return true
	})
	if err != nil {
		return nil, unread, err
	}
	err = e.ask(ctx, func(o *owner) {
		o.book.Link()
		out = o.book.Merges(all)
	})
	return out, unread, err
}

// Basis reads again what a call's key is made of: its run as recorded, and its arguments, less what its rule ignores, into args.
func (e *Engine) Basis(ctx context.Context, v *triage.CallView, args *keys.Args) (run keys.RunID, err error) {
	ev, err := e.event(ctx, v.Pos)
	if err != nil {
		return run, err
	}
	if err := args.Parse(ev.Args); err != nil {
		return run, err
	}
	run = keys.RunID{Text: ev.Run, Raw: ev.RunRaw}
	if len(ev.Run) == 0 {
		run.Text = []byte(v.Run)
	}
	if v.Rule != nil {
		args.Ignore(v.Rule.Ignore)
		if v.Rule.Forever {
			run = keys.RunID{}
		}
	}
	return run, nil
}
