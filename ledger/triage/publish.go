package triage

import (
	"math"
	"slices"
	"strings"

	"drainboard/keys/table"
	"drainboard/trace"
)

// large is the number of calls from which an entity is evaluated less often: one tick is put off for each so many calls.
const large = 4096

// What a Settle that is not final evaluates of one kind of entity, in calls: so much that a snapshot is there in milliseconds, and while loading so much
// that looking at what was read so far costs little beside reading the rest.
const (
	portionLive    = 1 << 14
	portionLoading = 1 << 20
)

// Link finds out which calls are copies and which results belong to which calls, which is all that lists of calls depend on; it evaluates nothing.
func (b *Book) Link() {
	for _, format := range b.flipped {
		b.judgeFormat(format)
	}
	b.flipped = b.flipped[:0]
	b.dirtyIDs.each(func(s uint32) {
		b.settleScope(b.root(s))
		b.scopes.at(s).dirty = false
	})
	b.dirtyIDs.clear()
}

// Settle evaluates what changed. Unless final, an entity with many calls is put off the longer the larger it is, of which Pending tells; and when more
// changed than is evaluated at once, what changed last is left for the next time, of which Behind tells.
func (b *Book) Settle(final bool) {
	b.tick++
	b.pending, b.behind = false, false
	b.Link()
	b.settleSingle()
	if b.forest && (final || b.tick >= b.replant) {
		b.growForest()
		b.replant = b.tick + uint32(len(b.links)/large)
	}
	b.pending = b.pending || b.forest
	b.startOfDrain()
	for kind, with := range [entities]judging{
		one(b.judgeGroup), one(b.judgeShape), one(b.judgeWork), one(b.judgeRecorded), b.judgeRuns, one(b.judgeTool),
	} {
		keep := func(i uint32, now []*Finding) { b.hold(entity{uint8(kind), i}, now) }
		switch kind {
		case entGroup:
			keep = b.keepGroup
		case entRun:
			keep = b.keepRun
		}
		list := b.dueOf(kind, final)
		later := func(i uint32, now []*Finding) {
			keep(i, now)
			if size := b.waitOf(kind, i).size; size >= large {
				b.later[entity{uint8(kind), i}] = b.tick + size/large
			}
		}
		switch {
		case kind == entRecorded, kind == entTool, kind == entGroup && (!b.lean() || b.await.on): // judging changes what is not the entity's own
			with(&b.memory, list, later)
		default:
			b.judge(list, with, later)
		}
	}
	rows := b.rowQueue
	b.rowQueue = nil
	for _, r := range rows {
		b.settleRow(r)
	}
	b.viewRuns()
}

// dueOf lists the entities of a kind that are to be judged now, and takes them out of the queue.
func (b *Book) dueOf(kind int, final bool) []uint32 {
	queue := b.queue[kind]
	b.queue[kind] = chunks[uint32]{}
	list := b.memory.list[:0]
	left := portionLive
	switch {
	case final:
		left = math.MaxInt
	case b.loading:
		left = portionLoading
	}
	queue.each(func(i uint32) {
		if left <= 0 {
			b.queue[kind].add(i)
			b.behind = true
			return
		}
		if next, ok := b.later[entity{uint8(kind), i}]; ok && !final && b.tick < next {
			b.queue[kind].add(i)
			b.pending = true
			return
		}
		left -= 1 + b.effort(kind, i)
		b.waitOf(kind, i).queued = false
		list = append(list, i)
	})
	b.memory.list = list
	if len(list) > crowd {
		b.memory.list = nil
	}
	return list
}

// settleSingle judges calls and results by themselves.
func (b *Book) settleSingle() {
	list := b.memory.list[:0]
	b.openers.each(func(i uint32) {
		b.calls.at(i).flags &^= callQueued
		list = append(list, i)
	})
	b.openers.clear()
	b.judge(list, one(b.judgeCall), b.keepCall)
	list = list[:0]
	b.orphans.each(func(i uint32) { list = append(list, i) })
	b.orphans.clear()
	b.judge(list, one(b.judgeOrphan), func(i uint32, now []*Finding) { b.hold(entity{entResult, i}, now) })
	if b.memory.list = list; len(list) > crowd {
		b.memory.list = nil
	}
}

// effort is about how many calls are looked at to evaluate an entity.
func (b *Book) effort(kind int, i uint32) int {
	switch kind {
	case entGroup:
		return int(b.groups.at(i).n)
	case entRun:
		return b.runs.at(i).n
	}
	return int(b.waitOf(kind, i).size)
}

// Pending says whether the last Settle put something large off for some time.
func (b *Book) Pending() bool { return b.pending }

// Behind says whether the last Settle left something for the next one, because more changed than it evaluates at once.
func (b *Book) Behind() bool { return b.behind }

// judgeFormat marks everything of a format in which results begin to be recorded.
func (b *Book) judgeFormat(format string) {
	for i := uint32(1); i <= b.calls.last(); i++ {
		if c := b.calls.at(i); c.flags&callChained != 0 && b.files[b.stem(c).file].Format == format {
			b.touch(i)
		}
	}
}

// startOfDrain finds when the drain began: --since, else the first call of another side. When it moves, the runs of the draining side are judged again.
func (b *Book) startOfDrain() {
	for side := range b.sideSums {
		if len(b.sides) > 1 && b.sideSums[side].stale {
			b.findEnds(uint16(side))
		}
	}
	if len(b.sides) < 3 {
		return
	}
	at := b.cfg.Since
	if at == trace.NoTime {
		draining := b.draining()
		for side := range b.sideSums {
			if t := b.sideSums[side].began; side != int(draining) && side != 0 && t != trace.NoTime && (at == trace.NoTime || t < at) {
				at = t
			}
		}
	}
	if at == b.drainAt {
		return
	}
	b.drainAt = at
	for r := uint32(1); r <= b.runs.last(); r++ {
		if b.runs.at(r).tail != 0 {
			b.mark(entRun, r)
		}
	}
}

// viewRuns makes the views of runs that changed, or whose findings or tree did.
func (b *Book) viewRuns() {
	list := b.index.runViews
	b.index.runViews = nil
	seen := map[uint32]bool{}
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		if seen[r] {
			continue
		}
		seen[r] = true
		at := b.runs.at(r)
		if at.parent != 0 {
			list = append(list, at.parent)
		}
		var now *RunView
		if at.view != nil {
			v := *at.view
			v.Tree, v.Findings = b.treeCalls(r), at.findings
			if at.parent != 0 {
				v.Parent = b.names.text(b.runs.at(at.parent).name)
			}
			now = &v
		}
		b.sum(b.sideOfRun(at.shown)).runs--
		b.sum(b.sideOfRun(now)).runs++
		b.honest(at)
		setView(b.index.runs, &at.shown, now)
	}
}

// sideOfRun is the side of a run's view, 0 of none.
func (b *Book) sideOfRun(v *RunView) uint16 {
	if v == nil {
		return 0
	}
	return b.sideOf[v.Side]
}

// honest keeps the calls of the largest honest run.
func (b *Book) honest(at *run) {
	was := at.honest
	if at.honest = at.n; at.unfit != 0 {
		at.honest = 0
	}
	switch {
	case at.honest >= b.most:
		b.most = at.honest
	case was == b.most:
		b.mostStale = true
	}
}

// sideSum is what one side did so far.
type sideSum struct {
	calls, mutators, inLedger int
	runs                      int   // as far as they were judged
	began, last               int64 // place in time of its first call; latest recorded time
	stale                     bool  // began and last are to be looked for again
}

// findEnds looks for the first and the last counted call of a side where one of them turned out to be a copy.
func (b *Book) findEnds(side uint16) {
	s := b.sum(side)
	s.began, s.last, s.stale = trace.NoTime, trace.NoTime, false
	for i := uint32(1); i <= b.calls.last(); i++ {
		c := b.calls.at(i)
		if b.files[b.stem(c).file].side != side || c.flags&callCounted == 0 {
			continue
		}
		s.last = max(s.last, c.time)
		if b.placed(c) != trace.NoTime && (s.began == trace.NoTime || b.placed(c) < s.began) {
			s.began = b.placed(c)
		}
	}
}

func (b *Book) sum(side uint16) *sideSum {
	for len(b.sideSums) <= int(side) {
		b.sideSums = append(b.sideSums, sideSum{began: trace.NoTime, last: trace.NoTime})
	}
	return &b.sideSums[side]
}

func (b *Book) sideTally(c *call, class table.Class, d int) {
	s := b.sum(b.files[b.stem(c).file].side)
	s.calls += d
	if mutates(class) {
		s.mutators += d
	}
	if d > 0 && b.placed(c) != trace.NoTime && (s.began == trace.NoTime || b.placed(c) < s.began) {
		s.began = b.placed(c)
	}
	s.stale = s.stale || d < 0 && (b.placed(c) == s.began || c.time == s.last)
	s.last = max(s.last, c.time)
}

// setInLedger counts a key's calls as standing in the ledger, or no longer.
func (b *Book) setInLedger(g uint32, calls []uint32, met bool) {
	if len(b.sides) < 2 {
		return
	}
	for side, n := range b.met[g] {
		b.sum(uint16(side)).inLedger -= int(n)
	}
	delete(b.met, g)
	if !met {
		return
	}
	now := make([]uint32, len(b.sides))
	for _, i := range calls {
		side := b.files[b.stem(b.calls.at(i)).file].side
		now[side]++
		b.sum(side).inLedger++
	}
	b.met[g] = now
}

// Snapshot settles what changed and returns what is known at this time (nanoseconds since 1970 UTC).
func (b *Book) Snapshot(now int64, final bool) *Snapshot {
	b.Settle(final)
	if b.Ages(now) {
		b.Settle(final)
	}
	b.gen++
	x := &b.index
	t := b.totals
	t.Copies = int(b.calls.last()) - t.Calls - b.leftOut
	s := &Snapshot{
		Generation: b.gen, Now: now, Totals: t, Recipe: b.cfg.Recipe.Name(), RecipeNote: b.note,
		Findings: List[*Finding]{x.findings.Copy()}, Levels: x.levels,
		Rows: List[*RowView]{x.rows.Copy()}, States: make(map[string]int, len(x.states)), Foreign: x.foreign,
		Runs: List[*RunView]{x.runs.Copy()}, Tools: List[*ToolView]{x.tools.Copy()},
		Ceiling: b.cfg.Table.Budget.CallsPerRun, Suggest: b.suggest(), Unkeyed: len(x.unkeyed),
		Acted: b.acted, Sides: b.sideViews(), Sources: b.sources(), Bad: slices.Clone(b.bad[:min(len(b.bad), 1000)]),
	}
	for state, n := range x.states {
		if n > 0 {
			s.States[state] = n
		}
	}
	for k := range x.kinds {
		s.Kinds[k] = x.kinds[k].Len()
	}
	if len(b.sides) > 2 {
		s.Draining = b.sides[b.draining()]
	}
	s.Verdict = b.verdict()
	return s
}

// suggest is twice the calls of the largest honest run.
func (b *Book) suggest() int {
	if b.mostStale {
		b.most, b.mostStale = 0, false
		for r := uint32(1); r <= b.runs.last(); r++ {
			b.most = max(b.most, b.runs.at(r).honest)
		}
	}
	return 2 * b.most
}

// sources lists the files, by path.
func (b *Book) sources() []SourceView {
	if len(b.byPath) < len(b.files) {
		for i := len(b.byPath); i < len(b.files); i++ {
			b.byPath = append(b.byPath, FileID(i))
		}
		slices.SortStableFunc(b.byPath, func(p, q FileID) int { return strings.Compare(b.files[p].Path, b.files[q].Path) })
	}
	out := make([]SourceView, len(b.files))
	for i, id := range b.byPath {
		f := &b.files[id]
		out[i] = SourceView{File: f.Path, Side: f.Side, Format: f.Format, Lines: f.lines, Calls: f.calls, Bad: f.bad, Last: f.latest, Note: f.note}
	}
	return out
}

func (b *Book) sideViews() []SideView {
	if len(b.sides) < 2 {
		return nil
	}
	var out []SideView
	only := b.onlyOn()
	for side := 1; side < len(b.sides); side++ {
		s := b.sum(uint16(side))
		v := SideView{
			Label: b.sides[side], Runs: s.runs, Calls: s.calls, Mutators: s.mutators, InLedger: s.inLedger, Last: s.last,
			Draining: len(b.sides) > 2 && uint16(side) == b.draining(), OnlyKeys: only[side],
		}
		for t := uint32(1); t <= b.tools.last(); t++ {
			if at := b.tools.at(t); at.calls > 0 && at.sides == 1<<min(side, 15) && len(b.sides) > 2 {
				v.OnlyTools = append(v.OnlyTools, b.names.text(at.name))
			}
		}
		slices.Sort(v.OnlyTools)
		out = append(out, v)
	}
	return out
}

// verdict counts what blocks, as rows of the board (PRODUCT.md "verdict").
func (b *Book) verdict() Verdict {
	v := Verdict{TracesOnly: !b.cfg.Ledger}
	add := func(kind string, count int, ids []string) {
		if count > 0 {
			v.Blockers = append(v.Blockers, Blocker{kind, count, ids})
			v.Rows += count
		}
	}
	x := &b.index
	gather := func(from ...Kind) (n int, ids []string) {
		for _, k := range from {
			named := 0
			x.kinds[k].Scan(func(f *Finding) bool {
				if named == x.blocking[k] || len(ids) == maxIDs {
					return false
				}
				if f.Blocks() != "" {
					named++
					ids = append(ids, f.ID)
				}
				return true
			})
			n += x.blocking[k]
		}
		return n, ids
	}
	n, ids := gather(Hung, InFlight)
	add("inflight", n, ids)
	n, ids = gather(UnclassifiedTool)
	add("unclassified", n, ids)
	n, ids = gather(Unmatched)
	add("unmatched", n, ids)
	ids = nil
	x.critical.Scan(func(f *Finding) bool {
		ids = append(ids, f.ID)
		return len(ids) < maxIDs
	})
	add("critical", x.critical.Len(), ids)
	n, ids = gather(Overwritten, LateReply)
	add("overwritten", n, ids)
	n, ids = gather(Compensation)
	add("compensation", n, ids)
	unread := len(b.unread)
	ids = nil
	for _, u := range b.unread {
		ids = append(ids, "unread "+u.File)
	}
	if b.loading {
		unread++
	}
	add("unread", unread, ids)
	v.Go = len(v.Blockers) == 0
	return v
}

// maxIDs bounds the rows that a blocker names; its count is exact.
const maxIDs = 100
