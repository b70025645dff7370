package leftovers

import (
	"context"
	"fmt"
	"slices"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
)

// plan says which object of a group is kept, and what is done about the others. Groups come the strongest first: what one keeps no later one undoes.
func (h *hunt) plan(ctx context.Context, g *Group) error {
	kept := h.keeps(g.Objects)
	for i := range g.Objects {
		o := &g.Objects[i]
		switch {
		case i == kept:
			o.Action, o.Why = Keep, keptWhy(o)
		case h.kept[o.object]:
			o.Action, o.Why = Keep, "kept for what it has in common with others"
		default:
			if err := h.undo(ctx, o, &g.Objects[kept]); err != nil {
				return err
			}
		}
	}
	h.kept[g.Objects[kept].object] = true
	return nil
}

// keeps picks the object that is kept already, else the one that the ledger stored, else the first that is sure, else the first.
func (h *hunt) keeps(list []Object) int {
	for _, is := range []func(o Object) bool{
		func(o Object) bool { return h.kept[o.object] },
		func(o Object) bool { return o.Stored },
		func(o Object) bool { return o.Sure },
	} {
		if at := slices.IndexFunc(list, is); at >= 0 {
			return at
		}
	}
	return 0
}

func keptWhy(o *Object) string {
	switch {
	case o.Stored:
		return "the ledger stored it"
	case o.Sure:
		return "the ledger stored none; it was the first"
	default:
		return "the first that may exist"
	}
}

// undo says what is done about an object that is not kept.
func (h *hunt) undo(ctx context.Context, o, kept *Object) error {
	rule := o.doing.Rule
	switch {
	case !o.Sure:
		o.Action, o.Why = Look, "nobody saw its answer: look whether it exists before anything is undone"
		return nil
	case rule.Class == table.Unclassified:
		o.Action, o.Why = ByHand, "classify the tool first: drainboard tools set "+o.Tool+" keyed|compensate"
		return nil
	case o.Key == "":
		o.Action, o.Why = ByHand, "it has no key, so nothing can undo it once and only once; "+table.Advice(rule, table.OnExtra)
		return nil
	case rule.Compensate == nil:
		o.Action, o.Why = ByHand, table.Advice(rule, table.OnExtra)+": the table names no compensation for "+o.Tool
		return nil
	}
	e, ok, err := h.book.Effects(ctx, o.Key, o.Side)
	if err != nil {
		return err
	}
	is := func(x triage.Effect) bool { return x.Result == o.doing.Result }
	switch at := slices.IndexFunc(e.Extras, is); {
	case ok && at >= 0:
		o.Why = "an extra effect of its key"
		if len(e.Extras) > 1 {
			o.Why = fmt.Sprintf("one of %d extra effects of its key; the command undoes all of them", len(e.Extras))
		}
		o.Action, o.Command, o.extra = Compensate, h.command(o, kept), at
	case o.Stored:
		o.Action, o.Why, o.Command, o.kept = Compensate, "the ledger stored it under a key of its own", h.command(o, kept, "--kept"), true
	default:
		o.Action, o.Why = ByHand, "the ledger stores no response for its key, so nothing can undo it once and only once; "+table.Advice(rule, table.OnExtra)
	}
	return nil
}

// command is what undoes an object.
func (h *hunt) command(o, kept *Object, more ...string) []string {
	out := append(slices.Clone(h.opt.Undo), o.Key)
	out = append(append(out, more...), h.opt.With...)
	return append(out, "--reason", "leftover, kept is "+name(kept))
}

func name(o *Object) string {
	if o.Name != "" {
		return o.Name
	}
	return fmt.Sprintf("%s %s at %s:%d", o.Tool, o.Key[:min(12, len(o.Key))], o.File, o.Line)
}
