package triage

import (
	"sort"
	"strconv"

	"drainboard/keys/table"
	"drainboard/trace"
)

// gathered are runs that are about to be judged. Their calls lie far apart: the chains are walked side by side.
type gathered struct {
	next    [abreast]uint32
	calls   [abreast][]uint32 // memory for their calls
	nothing uint64            // so that the loads are not left out
}

const abreast = 16

// judgeRuns judges runs.
func (b *Book) judgeRuns(m *memory, list []uint32, say saying) {
	g := &m.gathered
	for len(list) > 0 {
		runs := list[:min(abreast, len(list))]
		list = list[len(runs):]
		b.gather(g, runs)
		for k, r := range runs {
			b.sortCalls(g.calls[k])
			say(r, b.judgeRun(r, g.calls[k]))
			if cap(g.calls[k]) > large {
				g.calls[k] = nil
			}
		}
	}
}

// gather lists the counted calls of runs, latest first.
func (b *Book) gather(g *gathered, runs []uint32) {
	for k, r := range runs {
		g.next[k], g.calls[k] = b.runs.at(r).tail, g.calls[k][:0]
	}
	for walking := true; walking; {
		walking = false
		for k := range runs {
			i := g.next[k]
			if i == 0 {
				continue
			}
			c := b.calls.at(i)
			g.nothing += first64(c.key[:]) + uint64(c.time) // wanted next
			if c.flags&callCounted != 0 {
				g.calls[k] = append(g.calls[k], i)
			}
			g.next[k] = c.prevInRun
			walking = true
		}
	}
}

// keepRun keeps the findings of a run.
func (b *Book) keepRun(r uint32, now []*Finding) {
	b.index.runViews = append(b.index.runViews, r)
	b.hold(entity{entRun, r}, now)
}

// judgeRun judges the calls of one run in order: streaks, calls after its end, its budget. It keeps nothing of calls.
func (b *Book) judgeRun(r uint32, calls []uint32) []*Finding {
	at := b.runs.at(r)
	at.size = uint32(len(calls))
	if len(calls) == 0 {
		at.view = nil
		return nil
	}
	now := b.streaks(calls)
	if at.ended {
		for _, i := range calls {
			if c := b.calls.at(i); at.end.before(b.placeOf(c)) {
				f := b.begin(AfterEnd, Medium, []uint32{i})
				f.ID = "after-end " + f.First.String()
				now = append(now, f)
			}
		}
	}
	if ceiling := b.cfg.Table.Ceiling(at.text); len(calls) > ceiling {
		f := b.begin(OverBudget, Medium, calls)
		f.ID, f.Key, f.Tool, f.Class, f.Rule = "budget "+at.text, "", "", table.Unclassified, nil
		f.Why = strconv.Itoa(len(calls)) + " calls, ceiling " + strconv.Itoa(ceiling)
		now = append(now, f)
	}
	if f := b.newWhileDraining(calls); f != nil {
		now = append(now, f)
	}
	at.view = b.runBase(at, calls)
	return now
}

// newWhileDraining is a run that began on the draining side after the drain did.
func (b *Book) newWhileDraining(calls []uint32) *Finding {
	first := b.calls.at(calls[0])
	side := b.files[b.stem(first).file].side
	if len(b.sides) < 3 || side != b.draining() || b.drainAt == trace.NoTime || b.placed(first) < b.drainAt {
		return nil
	}
	f := b.begin(NewWhileDraining, Medium, calls[:1])
	f.Calls, f.Results, f.Key = len(calls), 0, ""
	f.ID = "new-run " + f.Run
	return f
}

// draining is the number of the draining side, 0 when there are no sides.
func (b *Book) draining() uint16 {
	if b.cfg.Draining != "" {
		return b.sideOf[b.cfg.Draining]
	}
	if len(b.sides) > 1 {
		return 1
	}
	return 0
}

// streaks finds the runaways of a run. Calls of polling tools are left out.
func (b *Book) streaks(calls []uint32) []*Finding {
	list := make([]uint32, 0, len(calls))
	for _, i := range calls {
		if !b.rule(b.calls.at(i)).Polling {
			list = append(list, i)
		}
	}
	type stretch struct{ from, to int }
	var alike []stretch
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && b.alike(list[j-1], list[j]) {
			j++
		}
		if j-i >= b.cfg.Table.Runaway.Identical && b.streaky(list[i]) {
			alike = append(alike, stretch{i, j})
		}
		i = j
	}
	var now []*Finding
	add := func(s stretch, kind string) {
		f := b.begin(Runaway, High, list[s.from:s.to])
		f.Why, f.ID = kind, "runaway "+kind+" "+f.First.String()
		if kind == "errors" {
			f.Key = ""
		}
		now = append(now, f)
	}
	for _, s := range alike {
		add(s, "identical")
	}
	for i := 0; i < len(list); {
		if !b.failed(list[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(list) && b.failed(list[j]) && b.stem(b.calls.at(list[j])).tool == b.stem(b.calls.at(list[i])).tool {
			j++
		}
		k := sort.Search(len(alike), func(k int) bool { return alike[k].from >= i })
		if inside := k < len(alike) && alike[k].to <= j; j-i >= b.cfg.Table.Runaway.Errors && !inside {
			add(stretch{i, j}, "errors")
		}
		i = j
	}
	return now
}

// streaky says whether a call can stand in an identical streak: it has a key, and an answer where answers are recorded.
func (b *Book) streaky(i uint32) bool {
	c := b.calls.at(i)
	return c.flags&callNoKey == 0 && (b.tie(c).result != 0 || !b.records(b.stem(c).file))
}

// alike says whether two neighbours have one key and one answer.
func (b *Book) alike(i, j uint32) bool {
	p, q := b.calls.at(i), b.calls.at(j)
	if p.key != q.key || b.stem(p).tool != b.stem(q).tool || !b.streaky(i) || !b.streaky(j) {
		return false
	}
	x, y := b.tie(p).result, b.tie(q).result
	if x == 0 || y == 0 {
		return x == y
	}
	return b.results.at(x).status == b.results.at(y).status && b.payloadOf(x) == b.payloadOf(y)
}

// failed says whether a call was answered with an error or a refusal.
func (b *Book) failed(i uint32) bool {
	c := b.calls.at(i)
	if b.tie(c).result == 0 {
		return false
	}
	switch b.results.at(b.tie(c).result).status {
	case trace.Error, trace.Ambiguous, trace.Refused:
		return true
	}
	return false
}

// runBase is the part of a run's view that its calls decide.
func (b *Book) runBase(at *run, calls []uint32) *RunView {
	first := b.calls.at(calls[0])
	v := &RunView{
		Run: at.text, Side: b.files[b.stem(first).file].Side, Calls: len(calls), Ceiling: b.cfg.Table.Ceiling(at.text),
		Started: first.time, Last: trace.NoTime, Ended: at.ended, First: b.callPos(calls[0]), place: b.placeOf(first),
	}
	v.Over = v.Calls > v.Ceiling
	from, to := int64(trace.NoTime), int64(trace.NoTime)
	for _, i := range calls {
		if t := b.calls.at(i).time; t != trace.NoTime {
			if from == trace.NoTime || t < from {
				from = t
			}
			to = max(to, t)
		}
	}
	v.Started, v.Last = from, to
	n := int64(len(v.Spark))
	for k, i := range calls {
		slot := int64(k) * n / int64(len(calls))
		if t := b.calls.at(i).time; from != trace.NoTime && to > from {
			if t == trace.NoTime {
				continue
			}
			slot = min(n-1, int64(float64(t-from)/float64(to-from)*float64(n)))
		}
		if v.Spark[slot] < 1<<16-1 {
			v.Spark[slot]++
		}
	}
	return v
}

// growForest makes the run tree anew: links in order of place, one parent a run, none that closes a circle.
func (b *Book) growForest() {
	b.forest = false
	sort.SliceStable(b.links, func(i, j int) bool { return b.links[i].at.before(b.links[j].at) })
	was := map[uint32]uint32{}
	for _, l := range b.links {
		if _, ok := was[l.child]; !ok {
			was[l.child] = b.runs.at(l.child).parent
		}
		b.runs.at(l.child).parent = 0
		b.runs.at(l.parent).children = nil
	}
	for _, l := range b.links {
		child := b.runs.at(l.child)
		if child.parent != 0 || b.treeOf(l.parent) == l.child {
			continue
		}
		child.parent = l.parent
		parent := b.runs.at(l.parent)
		parent.children = append(parent.children, l.child)
	}
	for _, l := range b.links {
		b.index.runViews = append(b.index.runViews, l.child, l.parent)
		if was[l.child] != b.runs.at(l.child).parent {
			b.markTree(l.child)
		}
	}
}

// markTree marks the intents of a run and all below it: which tree they stand in has changed.
func (b *Book) markTree(r uint32) {
	at := b.runs.at(r)
	b.index.runViews = append(b.index.runViews, r)
	for i := at.tail; i != 0; i = b.calls.at(i).prevInRun {
		c := b.calls.at(i)
		if c.flags&callNoKey != 0 || b.rule(c).Class == table.Pure || b.rule(c).Forever {
			continue
		}
		if k := b.work(c); k != 0 && b.works.buckets.at(k).several {
			b.mark(entWork, k)
		}
	}
	for _, child := range at.children {
		b.markTree(child)
	}
}

// treeOf is the root of a run's tree.
func (b *Book) treeOf(r uint32) uint32 {
	for b.runs.at(r).parent != 0 {
		r = b.runs.at(r).parent
	}
	return r
}

// treeCalls counts the calls of a run and of all runs below it.
func (b *Book) treeCalls(r uint32) int {
	at := b.runs.at(r)
	n := at.n
	for _, child := range at.children {
		n += b.treeCalls(child)
	}
	return n
}

// judgeTool makes a tool's view, and its finding while it has calls in no class.
func (b *Book) judgeTool(_ *memory, t uint32) []*Finding {
	at := b.tools.at(t)
	if at.calls == 0 {
		setView(b.index.tools, &at.view, nil)
		return nil
	}
	if at.stale {
		b.findToolEnds(t)
	}
	first := b.calls.at(at.first)
	name := b.names.text(at.name)
	v := &ToolView{
		Tool: name, Class: toolClass(at.classes), Rule: int(b.stem(first).rule), Calls: at.calls, Unclassified: at.unclassified,
		Repeats: at.repeats, Errors: at.failed, Open: at.open, Last: at.last, First: b.callPos(at.first), place: b.placeOf(first),
	}
	if !b.records(b.stem(first).file) {
		v.Open = 0
	}
	for side := 1; side < len(b.sides); side++ {
		if at.sides&(1<<min(side, 15)) != 0 {
			v.Sides = append(v.Sides, b.sides[side])
		}
	}
	setView(b.index.tools, &at.view, v)
	var now []*Finding
	if at.unclassified > 0 {
		f := b.begin(UnclassifiedTool, Medium, []uint32{at.first})
		f.Key, f.CallID, f.Results, f.Calls, f.Last = "", "", 0, at.unclassified, at.last
		f.run = 0
		f.Class, f.Run = table.Unclassified, ""
		f.ID = "unclassified " + name
		now = append(now, f)
	}
	return now
}

func toolClass(n [4]int) string {
	word := ""
	for c, calls := range n {
		if calls == 0 {
			continue
		}
		if word != "" {
			return "cases"
		}
		word = table.Class(c).String()
	}
	return word
}

// findToolEnds looks for the first and the last counted call of a tool where one of them turned out to be a copy.
func (b *Book) findToolEnds(t uint32) {
	at := b.tools.at(t)
	at.first, at.last, at.stale, at.sides = 0, trace.NoTime, false, 0
	for i := uint32(1); i <= b.calls.last(); i++ {
		c := b.calls.at(i)
		if b.stem(c).tool != at.name || c.flags&callCounted == 0 {
			continue
		}
		at.sides |= b.sideBit(c)
		at.last = max(at.last, c.time)
		if at.first == 0 || b.callBefore(i, at.first) {
			at.first = i
		}
	}
}
