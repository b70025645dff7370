package operate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"drainboard/keys"
	"drainboard/keys/pyjson"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/run"
	"drainboard/ledger/triage"
)

// Undoing is one effect and what would be run to undo it.
type Undoing struct {
	ledger.Compensation        // as it stands: State is empty when it was never started
	Side                string // of its group, with --match
	Run                 string // of the calls
	Kept                bool   // it is the stored effect itself

	Argv  []string // Argv[0] in full
	Dir   string
	Names []string // further names of the environment that the script gets
	Limit time.Duration

	args, keep, extra []byte // JSON values, as the script gets them
}

// Plan lists the extra effects of a key, those that were compensated already too. kept: the stored effect itself instead.
// Nothing is run or written. The error is a sentence that says why nothing can be undone.
func (d *Desk) Plan(ctx context.Context, key, side string, kept bool) ([]Undoing, error) {
	if d.NoRun != "" {
		return nil, errors.New("nothing of the table is run: " + d.NoRun)
	}
	e, called, err := d.effects(ctx, key, side)
	switch {
	case err != nil:
		return nil, err
	case kept:
		u, err := d.planKept(ctx, key, e, called)
		return u, err
	case !called:
		return nil, fmt.Errorf("%s: no call of the traces has this key: name them with --from PATH", short(key))
	case len(e.Extras) == 0 && e.Outcome == "":
		return nil, fmt.Errorf("%s: it was called once, there is no extra effect", name(e.Tool, e.Key))
	case len(e.Extras) == 0:
		return nil, fmt.Errorf("%s: there is no extra effect, its outcome is %s", name(e.Tool, e.Key), e.Outcome)
	}
	proto, err := d.proto(e.Tool, e.Rule)
	if err != nil {
		return nil, err
	}
	proto.Key, proto.Tool, proto.Run, proto.Side = e.Key, e.Tool, e.Run, side
	if proto.args, err = d.arguments(ctx, e.Call); err != nil {
		return nil, err
	}
	if proto.keep, err = d.keeps(ctx, &e); err != nil {
		return nil, err
	}
	var out []Undoing
	for _, x := range e.Extras {
		u := proto
		u.Number, u.Extra, u.extra = x.Number, ledger.NoPayload, []byte("null")
		if x.Result.Line > 0 {
			raw, err := d.Book.Payload(ctx, x.Result)
			if err != nil {
				return nil, fmt.Errorf("%s: read the extra result at %s again: %w", name(e.Tool, e.Key), x.Result, err)
			}
			u.Extra, u.extra = canonical(raw, e.Rule), value(raw)
		}
		u.ID = ledger.CompensationID(u.Key, u.Extra, u.Number)
		out = append(out, u)
	}
	return out, d.standing(ctx, out)
}

// What names the effect in a few words, for a question: the text is a trace's.
func (u *Undoing) What() string {
	switch {
	case u.Kept:
		return "the stored effect " + clip(string(u.extra))
	case u.Extra == ledger.NoPayload:
		return "an effect that left no result"
	}
	return "extra " + clip(string(u.extra))
}

func (d *Desk) effects(ctx context.Context, key, side string) (triage.Effects, bool, error) {
	if d.Book == nil {
		return triage.Effects{}, false, nil
	}
	return d.Book.Effects(ctx, key, side)
}

// planKept plans the undoing of what the ledger stored.
func (d *Desk) planKept(ctx context.Context, key string, e triage.Effects, called bool) ([]Undoing, error) {
	if called && e.Stored != "" {
		key = e.Stored
	}
	row, err := d.read(ctx, key)
	if err != nil {
		return nil, err
	}
	if row.State != ledger.Committed || !row.HasResponse {
		return nil, fmt.Errorf("%s: the row is %s: only a committed row stores an effect", name(row.Tool, key), row.State)
	}
	var args keys.Args
	if args.Parse([]byte(row.Request)) != nil {
		args = keys.Args{}
	}
	rule := d.Table().Lookup(row.Tool, &args)
	u, err := d.proto(row.Tool, rule)
	if err != nil {
		return nil, err
	}
	u.Key, u.Tool, u.Run, u.Kept = row.Key, row.Tool, e.Run, true
	if called {
		u.Key = e.Key
	} else if row.Claim != nil {
		u.Run = row.Claim.Run
	}
	u.args, u.keep = value([]byte(row.Request)), []byte("null")
	u.Extra, u.extra = canonical([]byte(row.Response), rule), value([]byte(row.Response))
	u.ID = ledger.CompensationID(u.Key, u.Extra, 0)
	out := []Undoing{u}
	return out, d.standing(ctx, out)
}

// proto is what all compensations of a rule have in common. The script is checked.
func (d *Desk) proto(tool string, rule *table.Rule) (Undoing, error) {
	if rule == nil || rule.Compensate == nil || len(rule.Compensate.Run) == 0 {
		return Undoing{}, fmt.Errorf("the table documents no compensation for %s: add compensate: {run: [./script]} to its row", tool)
	}
	path, err := run.Script(d.Folder, rule.Compensate.Run[0])
	if err != nil {
		return Undoing{}, fmt.Errorf("%w; put it there, or correct compensate: of %s in the table", err, tool)
	}
	argv := append([]string{path}, rule.Compensate.Run[1:]...)
	return Undoing{Argv: argv, Dir: d.Folder, Names: rule.Compensate.Env, Limit: rule.Compensate.Timeout}, nil
}

// arguments are those of a call: an object that was given as a text is that object.
func (d *Desk) arguments(ctx context.Context, at triage.Pos) ([]byte, error) {
	raw, err := d.Book.Args(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("read the arguments at %s again: %w", at, err)
	}
	if len(raw) == 0 {
		return []byte("{}"), nil
	}
	return value(raw), nil
}

// keeps is the payload of the effect that stays.
func (d *Desk) keeps(ctx context.Context, e *triage.Effects) ([]byte, error) {
	switch {
	case e.Stored != "":
		row, err := d.read(ctx, e.Stored)
		if err != nil {
			return nil, err
		}
		if row.State != ledger.Committed || !row.HasResponse {
			return nil, fmt.Errorf("%s: the row moved, it is %s now: look again", name(row.Tool, row.Key), row.State)
		}
		return value([]byte(row.Response)), nil
	case e.Kept.Line > 0:
		raw, err := d.Book.Payload(ctx, e.Kept)
		if err != nil {
			return nil, fmt.Errorf("read the result that is kept at %s again: %w", e.Kept, err)
		}
		return value(raw), nil
	}
	return []byte("null"), nil
}

// read reads a row that must be there.
func (d *Desk) read(ctx context.Context, key string) (ledger.Row, error) {
	var row *ledger.Row
	var err error
	if d.Op != nil {
		err = d.Op.Store.View(ctx, func(tx ledger.Tx) (err error) { row, err = tx.Row(key); return err })
	} else if d.Book != nil {
		r, ok, rerr := d.Book.Row(ctx, key)
		if err = rerr; ok {
			row = &r
		}
	}
	if err == nil && row == nil {
		err = fmt.Errorf("%s: the ledger has no row of this key", short(key))
	}
	if err != nil {
		return ledger.Row{}, err
	}
	return *row, nil
}

// standing puts in what the ledger knows of each compensation.
func (d *Desk) standing(ctx context.Context, list []Undoing) error {
	if d.Op == nil {
		return nil
	}
	return d.Op.Store.View(ctx, func(tx ledger.Tx) error {
		for i := range list {
			c, err := tx.Compensation(list[i].ID)
			if err != nil {
				return err
			}
			if c != nil {
				list[i].Compensation = *c
				list[i].State = c.Standing(d.Op.Alive)
			}
		}
		return nil
	})
}

// canonical is a payload as its compensation is keyed.
func canonical(raw []byte, rule *table.Rule) string {
	if raw == nil {
		return ledger.NoPayload
	}
	var s keys.Scratch
	return string(keys.AppendValue(nil, &s, raw, rule.IgnoreResult))
}

// value is a JSON value for a script: a text that holds a whole object or array is that, what is no JSON is a text.
func value(raw []byte) []byte {
	var d, inner pyjson.Doc
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return []byte("null")
	case d.ParseWhole(raw) != nil:
		return pyjson.AppendQuote(nil, bytes.ToValidUTF8(raw, []byte("\uFFFD")))
	}
	if d.Root().Kind() == pyjson.String {
		text := bytes.TrimSpace(d.Root().AppendText(nil))
		if len(text) > 0 && (text[0] == '{' || text[0] == '[') && inner.ParseWholeText(text) == nil {
			return text
		}
	}
	return raw
}
