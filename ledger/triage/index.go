package triage

import (
	"cmp"
	"slices"

	"github.com/tidwall/btree"
)

// entity is what findings hang on: when it is evaluated again, its findings are replaced.
type entity struct {
	kind uint8
	i    uint32
}

// The entities with findings beside those of a queue.
const (
	entCall   = entities + iota // an open call
	entResult                   // an orphan
	entRow                      // a row of the ledger
	entFacts                    // drainboard's own facts
)

// index holds every finding and view in the order in which faces list them.
type index struct {
	held     map[entity]*Finding // the first one; the others of an entity by next
	findings *btree.BTreeG[*Finding]
	kinds    [kinds]*btree.BTreeG[*Finding]
	near     [kinds]struct{ all, own btree.PathHint } // where the last finding of a kind was put or taken away
	levels   [5]int
	blocking [kinds]int              // findings that block
	critical *btree.BTreeG[*Finding] // duplicate groups that block
	runs     *btree.BTreeG[*RunView]
	tools    *btree.BTreeG[*ToolView]
	rows     *btree.BTreeG[*RowView]
	states   map[string]int
	foreign  int
	unkeyed  map[uint32]struct{} // counted calls without a key
	runViews []uint32            // runs whose view is to be made again
}

func newTree[T any](less func(a, b T) bool) *btree.BTreeG[T] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

func (x *index) init() {
	x.held, x.states, x.unkeyed = map[entity]*Finding{}, map[string]int{}, map[uint32]struct{}{}
	x.findings, x.critical = newTree(worse), newTree(worse)
	for k := range x.kinds {
		x.kinds[k] = newTree(worse)
	}
	x.runs = newTree(func(a, b *RunView) bool {
		switch {
		case a.Over != b.Over:
			return a.Over
		case a.Calls != b.Calls:
			return a.Calls > b.Calls
		}
		return a.Run < b.Run
	})
	x.tools = newTree(func(a, b *ToolView) bool {
		switch {
		case (a.Unclassified > 0) != (b.Unclassified > 0):
			return a.Unclassified > 0
		case a.Calls != b.Calls:
			return a.Calls > b.Calls
		}
		return a.Tool < b.Tool
	})
	x.rows = newTree(func(a, b *RowView) bool {
		switch p, q := stateRank(a.State), stateRank(b.State); {
		case p != q:
			return p < q
		case a.Updated != b.Updated && p == 0:
			return a.Updated < b.Updated
		case a.Updated != b.Updated:
			return a.Updated > b.Updated
		}
		return a.Key < b.Key
	})
}

func stateRank(s string) int {
	switch s {
	case "inflight":
		return 0
	case "failed":
		return 2
	case "committed":
		return 3
	}
	return 1
}

// worse orders findings: severity, duplicates first among equals, first occurrence, key.
func worse(a, b *Finding) bool {
	switch {
	case a.Severity != b.Severity:
		return a.Severity > b.Severity
	case a.Kind != b.Kind:
		return a.Kind < b.Kind
	case a.before(b):
		return true
	case b.before(a):
		return false
	case a.Key != b.Key:
		return a.Key < b.Key
	}
	return a.ID < b.ID
}

// hold replaces the findings of an entity.
func (b *Book) hold(e entity, now []*Finding) {
	first := b.index.held[e]
	if first == nil && len(now) == 0 {
		return
	}
	equal, was := true, first
	for _, f := range now {
		if equal = was != nil && was.same(f); !equal {
			break
		}
		was = was.next
	}
	if equal && was == nil {
		return
	}
	for f := first; f != nil; f = f.next {
		b.drop(f)
	}
	for i, f := range now {
		if i > 0 {
			now[i-1].next = f
		}
		b.keep(f)
	}
	if len(now) == 0 {
		delete(b.index.held, e)
	} else {
		b.index.held[e] = now[0]
	}
}

func (b *Book) keep(f *Finding) {
	x := &b.index
	b.acknowledge(f)
	x.findings.SetHint(f, &x.near[f.Kind].all)
	x.kinds[f.Kind].SetHint(f, &x.near[f.Kind].own)
	x.levels[f.Severity]++
	if f.blocksAsGroup() {
		x.critical.Set(f)
	}
	if f.Blocks() != "" {
		x.blocking[f.Kind]++
	}
	b.weigh(f, 1)
}

func (b *Book) drop(f *Finding) {
	x := &b.index
	x.findings.DeleteHint(f, &x.near[f.Kind].all)
	x.kinds[f.Kind].DeleteHint(f, &x.near[f.Kind].own)
	x.critical.Delete(f)
	x.levels[f.Severity]--
	if f.Blocks() != "" {
		x.blocking[f.Kind]--
	}
	b.weigh(f, -1)
}

func (f *Finding) blocksAsGroup() bool {
	return f.Kind == Duplicate && f.Severity == Critical && !f.acked && (f.Extras == 0 || f.Undone < f.Extras)
}

// weigh counts a finding in the runs that it is about, and whether it makes them no honest runs.
func (b *Book) weigh(f *Finding, d int) {
	weigh := func(r uint32) {
		at := b.runs.at(r)
		at.findings += d
		if f.unfit() {
			at.unfit += d
		}
		b.index.runViews = append(b.index.runViews, r)
	}
	if f.run != 0 {
		weigh(f.run)
	}
	for _, r := range f.Details().about {
		weigh(r)
	}
}

// unfit says whether a finding makes its runs no honest ones (PRODUCT.md "budget").
func (f *Finding) unfit() bool {
	switch f.Kind {
	case Duplicate:
		return f.Severity >= Medium
	case Drift, TemporalKey, KeyConflict, Runaway, AfterEnd:
		return true
	}
	return false
}

// same says whether two findings say the same.
func (f *Finding) same(g *Finding) bool {
	d, e := f.Details(), g.Details()
	return f.ID == g.ID && f.Kind == g.Kind && f.Severity == g.Severity && f.Key == g.Key && f.Tool == g.Tool && f.Run == g.Run &&
		f.Class == g.Class && f.Calls == g.Calls && f.Results == g.Results && f.Cause == g.Cause && f.Outcome == g.Outcome &&
		f.Overlap == g.Overlap && f.Doubles == g.Doubles && f.Extras == g.Extras && f.Undone == g.Undone && d.image == e.image && f.First == g.First && f.Last == g.Last && f.Started == g.Started &&
		f.Why == g.Why && d.Owner == e.Owner && d.Timeout == e.Timeout && f.when == g.when && f.gen == g.gen && f.run == g.run && f.Side == g.Side &&
		slices.Equal(d.Pointers, e.Pointers) && slices.Equal(d.Looks, e.Looks) && slices.Equal(d.Keys, e.Keys) &&
		slices.Equal(d.Recorded, e.Recorded) && slices.Equal(d.Tools, e.Tools) && slices.Equal(d.Runs, e.Runs) && slices.Equal(d.about, e.about)
}

// setView replaces a view in its tree.
func setView[T any](tree *btree.BTreeG[*T], slot **T, now *T) {
	if *slot != nil {
		tree.Delete(*slot)
	}
	*slot = now
	if now != nil {
		tree.Set(now)
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
