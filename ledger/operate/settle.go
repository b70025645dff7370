package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"drainboard/keys"
	"drainboard/keys/pyjson"
	"drainboard/ledger"
	"drainboard/ledger/triage"
)

// Response gives the text that a row is committed with; has is false for none at all.
type Response func(ctx context.Context, row *ledger.Row) (text string, has bool, err error)

// Given is the response that the operator gave: one JSON value, as the agents' helpers read it.
func Given(text string) (Response, error) {
	if !pyjson.Whole([]byte(text)) {
		return nil, fmt.Errorf("expected a response that is one JSON value, found %s; a text is quoted: %s", clip(text), quote(text))
	}
	return func(context.Context, *ledger.Row) (string, bool, error) { return text, true, nil }, nil
}

func quote(text string) string {
	b, err := json.Marshal(clip(text))
	if err != nil {
		return `""`
	}
	return string(b)
}

func clip(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// FromTrace is the ok payload that the traces hold for a row: the one, or nobody knows which.
func (d *Desk) FromTrace(ctx context.Context, row *ledger.Row) (text string, has bool, err error) {
	if d.Book == nil {
		return "", false, errors.New("no response was given and no trace is read: give --response, or --from PATH so that the payload in the trace is taken")
	}
	calls, _, err := d.Book.Calls(ctx, triage.Question{Key: row.Key})
	if err != nil {
		return "", false, err
	}
	seen := map[int]bool{}
	at := triage.Pos{}
	for i := range calls {
		for _, r := range calls[i].Results {
			if r.Status == "ok" && !seen[r.Same] {
				if len(seen) == 0 {
					at = r.Pos
				}
				seen[r.Same] = true
			}
		}
	}
	switch len(seen) {
	case 0:
		return "", false, errors.New("the traces hold no ok result for it: give the response yourself")
	case 1:
	default:
		return "", false, fmt.Errorf("the traces hold %d different ok results for it: give the response that is to stay", len(seen))
	}
	raw, err := d.Book.Payload(ctx, at)
	if err != nil {
		return "", false, fmt.Errorf("read the payload at %s again: %w", at, err)
	}
	if raw == nil {
		return "null", true, nil
	}
	return string(raw), true, nil
}

// MarkFailed settles rows in flight as failed.
func (d *Desk) MarkFailed(ctx context.Context, rows []ledger.Row, reason string) ([]Outcome, error) {
	return d.mark(rows, func(r *ledger.Row) (ledger.Result, error) { return d.Op.MarkFailed(ctx, *r, reason) })
}

// MarkCommitted settles rows as committed.
func (d *Desk) MarkCommitted(ctx context.Context, rows []ledger.Row, response Response, reason string) ([]Outcome, error) {
	return d.mark(rows, func(r *ledger.Row) (ledger.Result, error) {
		text, has, err := response(ctx, r)
		if err != nil {
			return ledger.Result{Why: err.Error(), Row: *r}, nil
		}
		return d.Op.MarkCommitted(ctx, *r, text, has, reason)
	})
}

// mark settles rows one after another: each in a transaction of its own, so that one that moved holds none of the others up.
// An error of the ledger ends it.
func (d *Desk) mark(rows []ledger.Row, f func(*ledger.Row) (ledger.Result, error)) ([]Outcome, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	var out []Outcome
	for i := range rows {
		r, err := f(&rows[i])
		if err != nil {
			return out, fmt.Errorf("after %d of %d rows: %w", len(out), len(rows), err)
		}
		out = append(out, outcome(rows[i].Key, rows[i].Tool, r, nil))
	}
	return out, nil
}

// HumanKey allows one more send of a compensate intent.
func (d *Desk) HumanKey(ctx context.Context, row ledger.Row, word, reason string) (Outcome, error) {
	if err := d.writable(); err != nil {
		return Outcome{}, err
	}
	var args keys.Args
	if args.Parse([]byte(row.Request)) != nil {
		args = keys.Args{}
	}
	class := d.Table().Lookup(row.Tool, &args).Class
	made := ledger.HumanRowKey(d.Recipe(), row.Key, word)
	r, err := d.Op.GiveHumanKey(ctx, row, class, word, made, reason)
	return outcome(row.Key, row.Tool, r, nil), err
}

// UndoLast takes back the last mark or acknowledgement of each key that was not taken back yet.
func (d *Desk) UndoLast(ctx context.Context, ids []string, reason string) ([]Outcome, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	last, err := d.lastActs(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []Outcome
	for _, key := range ids {
		e, ok := last[key]
		if !ok {
			out = append(out, Outcome{Key: key, Why: "the log holds no mark or acknowledgement of it that stands"})
			continue
		}
		r, err := d.Op.Undo(ctx, e.ID, reason)
		if err != nil {
			return out, err
		}
		out = append(out, outcome(key, e.Tool, r, nil))
	}
	return out, nil
}

// UndoEntry takes back one entry of the log.
func (d *Desk) UndoEntry(ctx context.Context, id int64, reason string) (Outcome, error) {
	if err := d.writable(); err != nil {
		return Outcome{}, err
	}
	r, err := d.Op.Undo(ctx, id, reason)
	return outcome(r.Row.Key, r.Row.Tool, r, nil), err
}

// lastActs finds the newest act of each key that can be undone.
func (d *Desk) lastActs(ctx context.Context, ids []string) (map[string]ledger.Entry, error) {
	acts := map[string][]ledger.Entry{}
	for _, key := range ids {
		acts[key] = nil
	}
	undone := map[int64]bool{}
	err := eachEntry(ctx, d.Op.Store, func(e *ledger.Entry) {
		if _, ok := acts[e.Key]; !ok {
			return
		}
		switch e.Action {
		case ledger.ActFailed, ledger.ActCommitted, ledger.ActAck:
			acts[e.Key] = append(acts[e.Key], *e)
		case ledger.ActUndo:
			var what struct {
				Undoes int64 `json:"undoes"`
			}
			if json.Unmarshal([]byte(e.Detail), &what) == nil {
				undone[what.Undoes] = true
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out := map[string]ledger.Entry{}
	for key, list := range acts {
		for _, e := range list {
			if !undone[e.ID] {
				out[key] = e
			}
		}
	}
	return out, nil
}

// eachEntry visits the log, oldest first, in pages.
func eachEntry(ctx context.Context, s ledger.Store, f func(*ledger.Entry)) error {
	const page = 1000
	for after := int64(0); ; {
		list, err := ledger.Log(ctx, s, after, page)
		if err != nil {
			return err
		}
		for i := range list {
			f(&list[i])
			after = list[i].ID
		}
		if len(list) < page {
			return nil
		}
	}
}
