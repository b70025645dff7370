package leftovers

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"drainboard/keys"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// Book is what Traces asks; intake.Engine is one.
type Book interface {
	Doings(ctx context.Context, from uint32, limit int) (page []triage.Doing, next uint32, err error)
	Effects(ctx context.Context, key, side string) (triage.Effects, bool, error)
	Args(ctx context.Context, at triage.Pos) ([]byte, error)
	Payload(ctx context.Context, at triage.Pos) ([]byte, error)
}

// Options of a hunt in traces.
type Options struct {
	RetryWindow time.Duration // comments that lie further apart are no pair
	Undo        []string      // the command that undoes an effect, up to the key: drainboard compensate
	With        []string      // further arguments of it, behind the key: --from PATH
}

// pageSize is how many calls are asked for at a time.
const pageSize = 4096

// hunt is one hunt in traces.
type hunt struct {
	book    Book
	opt     Options
	marker  *marker
	args    keys.Args // of payloads
	effects []effect
	groups  map[string]*bunch // by hash of the natural key
	order   []*bunch
	names   map[string][]int // effects by the name of their object, where something names it
	unread  int
	kept    map[string]bool // objects that a group keeps: none undoes them
	stored  map[string]bool // what the ledger stored goes by: names of objects, hashes in them, heads and branches
}

// effect is one thing that was done, and what it is known by.
type effect struct {
	triage.Doing
	id     identity
	object string // equal for one object
}

// bunch is the effects of one natural key.
type bunch struct {
	mark
	members []int
}

// Traces hunts for leftovers of the calls that a book holds. The second result says what names of objects the ledger stored, for Git.
func Traces(ctx context.Context, book Book, opt Options) (Found, map[string]bool, error) {
	h := &hunt{book: book, opt: opt, marker: newMarker(), groups: map[string]*bunch{}, names: map[string][]int{}, kept: map[string]bool{}, stored: map[string]bool{}}
	looked := 0
	for from := uint32(0); ; {
		page, next, err := book.Doings(ctx, from, pageSize)
		if err != nil {
			return Found{}, nil, err
		}
		for i := range page {
			if err := ctx.Err(); err != nil {
				return Found{}, nil, err
			}
			looked++
			h.take(ctx, &page[i])
		}
		if from = next; from == 0 {
			break
		}
	}
	f := Found{Looked: looked, Unread: h.unread}
	var err error
	if f.Groups, err = h.leftovers(ctx); err != nil {
		return Found{}, nil, err
	}
	f.Shared = h.shared()
	return f, h.stored, nil
}

// take reads one effect again and finds what it is known by.
func (h *hunt) take(ctx context.Context, d *triage.Doing) {
	if d.Undone {
		return
	}
	raw, err := h.book.Args(ctx, d.Call)
	if err != nil {
		h.unread++
		return
	}
	e := effect{Doing: *d}
	if d.Sure && d.Result.Line > 0 {
		payload, err := h.book.Payload(ctx, d.Result)
		if err != nil {
			h.unread++
			return
		}
		if payload != nil {
			e.id = identify(&h.args, payload, wordsOf(d.Tool))
		}
	}
	marks, places := h.marker.marks(d.Tool, d.Rule, raw, e.id.parent)
	e.object = objectOf(&e, places)
	n := len(h.effects)
	h.effects = append(h.effects, e)
	for _, m := range marks {
		b := h.groups[m.hash]
		if b == nil {
			b = &bunch{mark: m}
			h.groups[m.hash] = b
			h.order = append(h.order, b)
		}
		b.members = append(b.members, n)
	}
	if e.id.name != "" {
		h.names[e.object] = append(h.names[e.object], n)
	}
	if e.Stored {
		h.remember(&e, marks)
	}
}

// objectOf is a text that is equal for two effects when they are one object: its url, its id at its place, else the payload of one intent. What
// nobody saw an answer of stands for itself.
func objectOf(e *effect, places string) string {
	switch {
	case !e.Sure:
		return "call " + e.Call.String()
	case e.id.isURL:
		return "url " + e.id.name
	case e.id.name != "":
		return "id " + e.Tool + " " + e.id.name + " " + places
	case e.Key != "":
		return "payload " + e.Key + " " + string(e.Payload[:])
	default:
		return "call " + e.Call.String()
	}
}

// remember notes what a stored object goes by, so that a commit or a branch can be known again.
func (h *hunt) remember(e *effect, marks []mark) {
	h.stored[e.id.name] = true
	for _, part := range strings.FieldsFunc(e.id.name, func(r rune) bool { return r == '/' || r == ' ' || r == '#' }) {
		if isHash(part) {
			h.stored[part] = true
		}
	}
	for _, m := range marks {
		for _, f := range m.fields {
			if f.At == "/head" || f.At == "/branch" {
				h.stored[f.Value] = true
			}
		}
	}
}

// isHash says whether a text may be the hash of a commit, or the beginning of one.
func isHash(text string) bool {
	if len(text) < 7 || len(text) > 64 {
		return false
	}
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// leftovers makes the groups with more than one object. What a stronger natural key says already is not said again by a weaker one.
func (h *hunt) leftovers(ctx context.Context) ([]Group, error) {
	bunches := slices.Clone(h.order)
	slices.SortStableFunc(bunches, func(a, b *bunch) int { return cmp.Compare(slices.Index(bases, a.basis), slices.Index(bases, b.basis)) })
	told := map[string][]int{} // by object, the groups that it stands in
	var out []Group
	for _, b := range bunches {
		for _, piece := range h.pieces(b) {
			list := h.things(piece)
			if len(list) < 2 || toldBefore(told, list) {
				continue
			}
			for _, t := range list {
				told[t.object] = append(told[t.object], len(out))
			}
			g := Group{Where: "traces", Basis: b.basis, Guess: b.guess, Kind: b.kind, Fields: b.fields, Hash: b.hash}
			for _, t := range list {
				g.Objects = append(g.Objects, h.describe(t))
			}
			g.Guess = g.Guess || slices.ContainsFunc(g.Objects, func(o Object) bool { return !o.Sure })
			if err := h.plan(ctx, &g); err != nil {
				return nil, err
			}
			out = append(out, g)
		}
	}
	sortGroups(out)
	return out, nil
}

// pieces are the effects of a natural key, in order of time; those of comments cut where neighbours lie further apart than the retry window.
func (h *hunt) pieces(b *bunch) [][]int {
	if len(b.members) < 2 {
		return nil
	}
	list := slices.Clone(b.members)
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(h.effects[i].Time, h.effects[j].Time) })
	if b.basis != ByComment {
		return [][]int{list}
	}
	list = slices.DeleteFunc(list, func(i int) bool { return h.effects[i].Time == trace.NoTime })
	var out [][]int
	for i, n := range list {
		if i == 0 || h.effects[n].Time-h.effects[list[i-1]].Time > int64(h.opt.RetryWindow) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], n)
	}
	return out
}

// thing is one object: what it is known by, and the effects that were answered with it, by time.
type thing struct {
	object  string
	effects []int
}

// things parts effects by object.
func (h *hunt) things(list []int) []thing {
	var out []thing
	at := map[string]int{}
	for _, n := range list {
		object := h.effects[n].object
		i, ok := at[object]
		if !ok {
			i = len(out)
			at[object] = i
			out = append(out, thing{object: object})
		}
		out[i].effects = append(out[i].effects, n)
	}
	return out
}

// toldBefore says whether one group holds all of these objects already.
func toldBefore(told map[string][]int, list []thing) bool {
	return slices.ContainsFunc(told[list[0].object], func(g int) bool {
		return !slices.ContainsFunc(list[1:], func(t thing) bool { return !slices.Contains(told[t.object], g) })
	})
}

// describe makes the object of a thing: of the effect that the ledger stored, else of the first.
func (h *hunt) describe(t thing) Object {
	n := t.effects[0]
	if at := slices.IndexFunc(t.effects, func(n int) bool { return h.effects[n].Stored }); at >= 0 {
		n = t.effects[at]
	}
	e := &h.effects[n]
	return Object{
		Name: e.id.name, Side: e.Side, Run: e.Run, Tool: e.Tool, Key: e.Key, File: e.Call.File, Line: e.Call.Line, Time: stamp(e.Time),
		Sure: e.Sure, Stored: e.Stored, Calls: len(t.effects), Command: []string{}, at: e.Time, object: t.object, doing: &e.Doing,
	}
}

// shared lists the objects that several intents were answered with.
func (h *hunt) shared() []Group {
	var out []Group
	for n := range h.effects {
		e := &h.effects[n]
		list := h.names[e.object]
		if len(list) < 2 || list[0] != n {
			continue
		}
		byKey := map[string]bool{}
		g := Group{Where: "traces", Basis: ByResult, Kind: kindOf(e.id.parent, e.Tool), Fields: []Field{{"result", show(e.id.name)}}, Hash: digest("result", e.object)}
		for _, i := range list {
			if o := h.describe(thing{e.object, []int{i}}); !byKey[o.Key] {
				byKey[o.Key] = true
				o.Action, o.Why = Keep, "one object, answered to several intents"
				g.Objects = append(g.Objects, o)
			}
		}
		if len(byKey) > 1 {
			out = append(out, g)
		}
	}
	sortGroups(out)
	return out
}
