package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// Args reads the arguments of a call again, from its file: raw JSON as recorded, nil when the line has none. It is an error when the bytes are no longer
// those that were indexed.
func (e *Engine) Args(ctx context.Context, at triage.Pos) ([]byte, error) {
	ev, err := e.event(ctx, at)
	if err != nil {
		return nil, err
	}
	if ev.Kind != trace.Call {
		return nil, fmt.Errorf("%s: expected a call, found a result: the file has changed", at)
	}
	return ev.Args, nil
}

// Payload reads the payload of a result again, after its format's wrapping: raw JSON, nil when it has none.
func (e *Engine) Payload(ctx context.Context, at triage.Pos) ([]byte, error) {
	ev, err := e.event(ctx, at)
	if err != nil {
		return nil, err
	}
	if ev.Kind != trace.Result {
		return nil, fmt.Errorf("%s: expected a result, found a call: the file has changed", at)
	}
	return ev.Payload, nil
}

// event reads a call or result again and checks it against what the book knows of it.
func (e *Engine) event(ctx context.Context, at triage.Pos) (trace.Event, error) {
	var f *trace.File
	var known triage.Record
	var ok bool
	var by *table.Table
	if err := e.ask(ctx, func(o *owner) {
		by = o.book.Table()
		if int(at.FileID) < len(o.byID) {
			f = o.byID[at.FileID]
		}
		known, ok = o.book.Record(at)
	}); err != nil {
		return trace.Event{}, err
	}
	if f == nil || !ok {
		return trace.Event{}, fmt.Errorf("%s: nothing is known at this position", at)
	}
	ev, err := e.reading.Load().reader.ReadEvent(f, at.Offset, at.N)
	if err != nil {
		return trace.Event{}, err
	}
	return ev, check(&ev, &known, by, at)
}

var errChanged = errors.New("the bytes there are not those that were indexed: the file has changed")

// check says whether an event that was read again is the one that was indexed.
func check(ev *trace.Event, known *triage.Record, t *table.Table, at triage.Pos) error {
	changed := fmt.Errorf("%s: %w", at, errChanged)
	if ev.Kind == trace.Result {
		var s keys.Scratch
		if !known.Result || ev.Payload != nil && keys.ValueDigest(&s, ev.Payload, nil) != known.Digest {
			return changed
		}
		return nil
	}
	if known.Result || !bytes.Equal(ev.Tool, []byte(known.Tool)) {
		return changed
	}
	var a keys.Args
	if ev.NoArgs || a.Parse(ev.Args) != nil {
		return nil
	}
	a.Ignore(t.Lookup(known.Tool, &a).Ignore)
	if a.Digest() != known.Digest {
		return changed
	}
	return nil
}
