package command

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"drainboard/keys"
	"drainboard/keys/pyjson"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ui/board"
)

// ran gathers the commands that the calls of a tool ran, or what else its cases look at.
type ran struct {
	at   []keys.Pointer
	seen map[string]*board.Ran
	more int // calls that are not in seen
}

// Limits of what is kept of commands.
const (
	mostRan    = 4096
	longestRan = 8 << 10 // bytes of one
)

func (r *ran) add(args *keys.Args) {
	texts := make([]string, len(r.at))
	long, found := false, false
	for i, p := range r.at {
		switch v := args.Lookup(p); v.Kind() {
		case pyjson.Missing:
			continue
		case pyjson.String:
			texts[i] = v.Text()
		default:
			texts[i] = string(v.Raw())
		}
		found, long = true, long || len(texts[i]) > longestRan
	}
	key := strings.Join(texts, "\x00")
	one := r.seen[key]
	switch {
	case !found:
		return
	case one == nil && (long || len(r.seen) >= mostRan):
		r.more++
		return
	case one == nil:
		one = &board.Ran{Texts: texts}
		r.seen[key] = one
	}
	one.Calls++
}

// Evidence implements board.Evidencer.
func (x *actor) Evidence(ctx context.Context, tool string) (*board.Evidence, error) {
	r := ran{seen: map[string]*board.Ran{}}
	looked := map[string]bool{}
	note := func(p keys.Pointer) {
		if !looked[p.String()] {
			looked[p.String()] = true
			r.at = append(r.at, p)
		}
	}
	for _, c := range x.s.Table().Row(tool).Cases() {
		note(c.At)
	}
	for _, p := range table.CommandPointers() {
		note(p)
	}
	for _, v := range x.s.Snapshot().Tools.All {
		if v.Tool != tool {
			continue
		}
		o, unread, err := x.s.observe(ctx, tool, r.add)
		if err != nil {
			return nil, err
		}
		said := x.s.speaks(v, x.s.annotations(ctx), o)
		e := &board.Evidence{Why: said.Why, NaturalKey: said.NaturalKey, Unread: unread, At: r.at, Beyond: r.more}
		e.Class, _ = table.ParseClass(said.Class)
		if said.Effect == table.Write.String() {
			e.Effect = table.Write
		}
		for _, c := range o.Commands() {
			got := c.Suggest()
			at, err := keys.ParsePointer(c.At)
			if err == nil {
				e.Cases = append(e.Cases, board.SeenCase{Case: table.Case{At: at, Glob: c.Begin + "*", Class: got.Class, Effect: got.Effect}, Why: got.Why})
			}
		}
		e.Ran = slices.SortedFunc(maps.Values(r.seen), func(a, b *board.Ran) int {
			return cmp.Or(cmp.Compare(b.Calls, a.Calls), slices.Compare(a.Texts, b.Texts))
		})
		return e, nil
	}
	return nil, errors.New("no call of " + tool + " was seen")
}

// editCases changes the cases of a tool in the decision table, all or none, and judges by them from now on.
func (x *actor) editCases(ctx context.Context, in board.EditCases) (string, error) {
	words := plural(len(in.Put)+len(in.Gone), "case", "cases") + " changed"
	err := x.change(ctx, func(src []byte) ([]byte, error) {
		var err error
		for _, c := range in.Gone {
			if src, err = table.RemoveCase(src, in.Tool, c); err != nil {
				return nil, err
			}
		}
		for _, c := range in.Put {
			if src, err = table.PutCase(src, in.Tool, c); err != nil {
				return nil, err
			}
		}
		return src, nil
	}, ledger.ActClassify, []string{in.Tool}, words)
	return in.Tool + ": " + words, err
}
