package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/operate"
	"drainboard/ledger/triage"
	"drainboard/ui/board"
)

// acknowledge takes findings as they were on screen.
func (x *actor) acknowledge(ctx context.Context, in board.Acknowledge) (string, error) {
	var all []operate.Seen
	var done []operate.Outcome
	found := map[string]*triage.Finding{}
	for _, id := range in.Findings {
		found[id] = nil
	}
	for _, f := range x.s.Snapshot().Findings.All {
		if _, ok := found[f.ID]; ok {
			found[f.ID] = f
		}
	}
	for i, id := range in.Findings {
		f := found[id]
		o := operate.Outcome{Key: in.Keys[i]}
		if f == nil {
			o.Why = "it is no finding any more"
			done = append(done, o)
			continue
		}
		o.Tool = f.Tool
		s, err := operate.SeenNow(f)
		switch {
		case err != nil:
			o.Why = err.Error()
		case i < len(in.Seen) && in.Seen[i] != s.Seen:
			o.Why = "it has grown since you were asked: look again"
		default:
			all = append(all, s)
			continue
		}
		done = append(done, o)
	}
	if len(all) > 0 {
		some, err := x.keepAcks(ctx, all, in.Reason, in.For)
		if err != nil {
			return "", err
		}
		done = append(some, done...)
	}
	return said("acknowledged", done, nil)
}

func (x *actor) keepAcks(ctx context.Context, all []operate.Seen, reason string, last time.Duration) ([]operate.Outcome, error) {
	if x.acks == nil {
		d, err := x.open(ctx)
		if err != nil {
			return nil, err
		}
		return d.Acknowledge(ctx, all, reason, last)
	}
	now := ledger.Seconds(x.a.clock())
	var done []operate.Outcome
	var list []ledger.Ack
	for _, s := range all {
		k := ledger.Ack{Kind: s.Kind, Key: s.Key, Seen: s.Seen, Reason: reason, Actor: x.a.actor(), At: now}
		if last > 0 {
			k.Expires = now + last.Seconds()
		}
		list = append(list, k)
		done = append(done, operate.Outcome{Key: s.Key, Tool: s.Tool, Done: true})
	}
	kept, err := x.acks.add(list)
	if err != nil {
		return nil, err
	}
	return done, x.s.Acknowledge(ctx, kept)
}

// classify changes the decision table in place, and judges by it from now on.
func (x *actor) classify(ctx context.Context, in board.Classify) (string, error) {
	words := in.Class.String()
	if in.Class == table.Keyed {
		words += " " + in.Effect.String()
	}
	err := x.change(ctx, func(src []byte) ([]byte, error) {
		for _, tool := range in.Tools {
			var err error
			if src, err = table.SetClass(src, tool, in.Class); err != nil {
				return nil, err
			}
			if in.Class == table.Keyed {
				if src, err = table.SetEffect(src, tool, in.Effect); err != nil {
					return nil, err
				}
				if src, err = table.SetNaturalKey(src, tool, in.NaturalKey); err != nil {
					return nil, err
				}
			}
		}
		return src, nil
	}, ledger.ActClassify, in.Tools, words)
	return strings.Join(in.Tools, ", ") + ": " + words, err
}

// Preview implements board.Previewer.
func (x *actor) Preview(ctx context.Context, tool, pointer string) (out board.Preview, err error) {
	p, err := keys.ParsePointer(pointer)
	if err != nil {
		return out, err
	}
	list, unread, err := x.s.Merges(ctx, tool, []keys.Pointer{p})
	if err != nil {
		return out, err
	}
	out.Sets, out.Unread = len(list), unread
	for i := range list {
		m := &list[i]
		out.Differs = out.Differs || m.Differs
		if len(out.Lines) < 4 {
			out.Lines = append(out.Lines, mergeWords(m))
		}
	}
	if more := len(list) - len(out.Lines); more > 0 {
		out.Lines = append(out.Lines, fmt.Sprintf("and %d more; drainboard keys ignore %s %s shows all", more, tool, pointer))
	}
	return out, nil
}

// mergeWords says which keys would become one, and whether their results speak for it.
func mergeWords(m *triage.Merge) string {
	word := "equal results"
	switch {
	case m.Differs:
		word = "results DIFFER"
	case m.Unknown:
		word = "too few answers"
	}
	if m.Run != "" {
		word += "  " + m.Run
	}
	return fmt.Sprintf("%s: %s, %d keys, first at %s and %s", word, plural(m.Calls, "call", "calls"), len(m.Keys), where(m.Keys[0].First), where(m.Keys[1].First))
}

// ignore leaves an argument out of the keys of a tool, unless that would merge calls that were answered differently and nobody said that
// it may.
func (x *actor) ignore(ctx context.Context, in board.AddIgnore) (string, error) {
	p, err := keys.ParsePointer(in.Pointer)
	if err != nil {
		return "", err
	}
	list, unread, err := x.s.Merges(ctx, in.Tool, []keys.Pointer{p})
	if err != nil {
		return "", err
	}
	for i := range list {
		if m := &list[i]; m.Differs && !in.Different {
			return "", fmt.Errorf("dangerous, so not written: %d keys of run %s would become one, and their results differ (%s, %s); drainboard keys ignore %s %s shows all and can write it",
				len(m.Keys), m.Run, where(m.Keys[0].First), where(m.Keys[1].First), in.Tool, in.Pointer)
		}
	}
	if unread > 0 {
		return "", fmt.Errorf("not written: %s of %s cannot be read again, so nobody knows what it would merge", plural(unread, "call", "calls"), in.Tool)
	}
	err = x.change(ctx, func(src []byte) ([]byte, error) { return table.AddIgnore(src, in.Tool, p) }, ledger.ActIgnore, []string{in.Tool}, in.Pointer)
	return fmt.Sprintf("%s ignores %s: %s of keys became one each", in.Tool, in.Pointer, plural(len(list), "set", "sets")), err
}

// change edits the table if it still is what is read, logs that when a ledger may be written, and reads the traces by it.
func (x *actor) change(ctx context.Context, edit func([]byte) ([]byte, error), act ledger.Act, tools []string, what string) error {
	at := x.s.tableAt
	old, err := readTable(at)
	if err != nil {
		return err
	}
	next, err := edit(old)
	if err != nil {
		return fmt.Errorf("%s: %w", at.path, err)
	}
	t, err := table.Parse(next, at.path)
	if err != nil {
		return err
	}
	if err := table.Replace(at.path, old, next); err != nil {
		return err
	}
	x.s.tableSrc.Store(&next) // so that who watches the file need not read the traces by it once more
	if x.a.noWrite(x.s.ledger) == "" {
		d, err := x.open(ctx)
		if err != nil {
			return fmt.Errorf("%s is changed, but that is not in the log: %w", at.path, err)
		}
		for _, tool := range tools {
			if err := d.Op.Note(ctx, act, tool, what, ""); err != nil {
				return fmt.Errorf("%s is changed, but that is not in the log: %w", at.path, err)
			}
		}
	}
	return x.s.Reload(ctx, t)
}
