package triage

import (
	"slices"
	"sort"

	"drainboard/keys/table"
	"drainboard/trace"
)

// when is a call's recorded time, or its place in time where it has none.
func (b *Book) when(c *call) int64 {
	if c.time != trace.NoTime {
		return c.time
	}
	return b.placed(c)
}

// judgeShape judges calls of one run and tool that are equal but for volatile leaves: drift.
func (b *Book) judgeShape(_ *memory, s uint32) []*Finding {
	at := b.shapes.buckets.at(s)
	calls := b.members(at.head, inShape)
	at.size = uint32(len(calls))
	if !at.several || len(calls) < 2 {
		return nil
	}
	sort.SliceStable(calls, func(i, j int) bool { return b.when(b.calls.at(calls[i])) < b.when(b.calls.at(calls[j])) })
	window := int64(b.cfg.Table.Defaults.RetryWindow)
	var now []*Finding
	from := 0
	for i := 1; i <= len(calls); i++ {
		if i < len(calls) {
			p, q := b.calls.at(calls[i-1]).time, b.calls.at(calls[i]).time
			if p == trace.NoTime || q == trace.NoTime || q-p <= window {
				continue
			}
		}
		if f := b.drift(calls[from:i]); f != nil {
			now = append(now, f)
		}
		from = i
	}
	return now
}

// drift is a piece of such calls with two or more keys.
func (b *Book) drift(piece []uint32) *Finding {
	var distinct []uint32 // first call of each key, in order
	seen := map[[32]byte]bool{}
	for _, i := range piece {
		if k := b.calls.at(i).key; !seen[k] {
			seen[k] = true
			distinct = append(distinct, i)
		}
	}
	if len(distinct) < 2 {
		return nil
	}
	ordered := slices.Clone(piece)
	slices.SortFunc(ordered, func(i, j uint32) int { return order(b.callBefore(i, j)) })
	f := b.begin(Drift, Medium, ordered)
	f.Key = ""
	d := f.detail()
	d.Pointers, d.Looks = b.driftPointers(distinct)
	for _, i := range distinct {
		d.Keys = append(d.Keys, b.keyText(b.calls.at(i)))
	}
	f.ID = "drift " + d.Keys[0]
	return f
}

// driftPointers lists the pointers at which calls differ: a leaf that is not there, or stands there with another value.
func (b *Book) driftPointers(calls []uint32) (pointers, looks []string) {
	type leafAt struct {
		looks  uint32
		value  [8]byte
		in     int
		differ bool
	}
	at := map[uint32]*leafAt{}
	for _, i := range calls {
		b.leaves(b.calls.at(i), func(l spot, value [8]byte) bool {
			if p, ok := at[l.pointer]; ok {
				p.differ = p.differ || p.value != value
				p.in++
			} else {
				at[l.pointer] = &leafAt{looks: l.looks, value: value, in: 1}
			}
			return true
		})
	}
	type entry struct{ pointer, looks string }
	var list []entry
	for p, l := range at {
		if l.differ || l.in < len(calls) {
			list = append(list, entry{b.names.text(p), b.names.text(l.looks)})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].pointer < list[j].pointer })
	for _, l := range list {
		pointers, looks = append(pointers, l.pointer), append(looks, l.looks)
	}
	return pointers, looks
}

// judgeWork judges one intent, its run left out: the same in runs that do not belong together.
func (b *Book) judgeWork(_ *memory, w uint32) []*Finding {
	at := b.works.buckets.at(w)
	if !at.several {
		return nil
	}
	calls := b.members(at.head, inWork)
	at.size = uint32(len(calls))
	var runs []string
	seen, trees := map[uint32]bool{}, map[uint32]bool{}
	for _, i := range calls {
		r := b.runFor(b.calls.at(i).run)
		if !seen[r] {
			seen[r] = true
			trees[b.treeOf(r)] = true
			runs = append(runs, b.runText(b.calls.at(i).run))
		}
	}
	if len(trees) < 2 {
		return nil
	}
	f := b.begin(CrossRun, Medium, calls)
	f.ID = "cross-run " + f.Key
	f.Key = ""
	f.detail().Runs = runs
	return []*Finding{f}
}

// intent is what a key stands for: tool and arguments.
type intent struct {
	tool uint32
	args [16]byte
}

// judgeRecorded judges the calls under one recorded key: several intents are a conflict. Where the ledger has a row of that key, the row judges.
func (b *Book) judgeRecorded(_ *memory, r uint32) []*Finding {
	at := b.recorded.at(r)
	calls := b.members(at.head, inRecorded)
	at.size = uint32(len(calls))
	if len(calls) == 0 {
		return nil
	}
	recorded := b.aside(b.calls.at(calls[0])).recorded
	row, hasRow := b.rows[b.recordedID(recorded)]
	var now []*Finding
	if !hasRow {
		now = append(now, b.conflict(b.names.text(recorded), calls, nil)...)
	} else if !row.queued {
		row.queued = true
		b.rowQueue = append(b.rowQueue, row)
	}
	if b.cfg.Ledger && !hasRow {
		now = append(now, b.unkeyedUnmatched(b.names.text(recorded), calls)...)
	}
	return now
}

// conflict is one recorded key, or row, for several intents. Calls without a key take no part.
func (b *Book) conflict(recorded string, calls []uint32, row *row) []*Finding {
	calls = slices.DeleteFunc(slices.Clone(calls), func(i uint32) bool { return b.calls.at(i).flags&callNoKey != 0 })
	if len(calls) == 0 {
		return nil
	}
	intents := map[intent]bool{}
	var keyTexts, tools []string
	seenKey, seenTool := map[[32]byte]bool{}, map[string]bool{}
	for _, i := range calls {
		c := b.calls.at(i)
		intents[intent{b.stem(c).tool, c.args}] = true
		if !seenKey[c.key] {
			seenKey[c.key] = true
			keyTexts = append(keyTexts, b.keyText(c))
		}
		if t := b.names.text(b.stem(c).tool); !seenTool[t] {
			seenTool[t] = true
			tools = append(tools, t)
		}
	}
	if row != nil {
		intents[intent{b.names.put(row.Tool), row.Request}] = true
		if !seenTool[row.Tool] {
			tools = append(tools, row.Tool)
		}
	}
	if len(intents) < 2 {
		return nil
	}
	f := b.begin(KeyConflict, High, calls)
	f.ID = "conflict " + recorded
	f.Key = recorded
	d := f.detail()
	d.Recorded, d.Keys, d.Tools = []string{recorded}, keyTexts, tools
	return []*Finding{f}
}

// unkeyedUnmatched is a mutator under a recorded key alone that no row meets.
func (b *Book) unkeyedUnmatched(recorded string, calls []uint32) []*Finding {
	calls = slices.DeleteFunc(slices.Clone(calls), func(i uint32) bool {
		c := b.calls.at(i)
		return c.flags&callNoKey == 0 || !mutates(b.rule(c).Class)
	})
	if len(calls) == 0 {
		return nil
	}
	if !slices.ContainsFunc(b.attempts(calls), func(t attempt) bool { return t.status != trace.Refused }) {
		return nil
	}
	if b.youngCalls(calls, 0, b.namedAs(b.aside(b.calls.at(calls[0])).recorded).recorded) {
		return nil
	}
	f := b.begin(Unmatched, High, calls)
	f.Key, f.Why, f.ID = recorded, whyNoRow, "unmatched "+recorded
	return []*Finding{f}
}

// judgeCall makes the findings of one call by itself: open, and without any key before a ledger.
func (b *Book) judgeCall(_ *memory, i uint32) []*Finding {
	c := b.calls.at(i)
	counted := c.flags&callCounted != 0
	var now []*Finding
	if counted && b.tie(c).result == 0 && b.records(b.stem(c).file) {
		f := b.begin(OpenCall, Medium, []uint32{i})
		f.ID = "open " + f.First.String()
		now = append(now, f)
	}
	if counted && b.cfg.Ledger && c.flags&callNoKey != 0 && b.aside(c).recorded == 0 && mutates(b.rule(c).Class) {
		f := b.begin(Unmatched, High, []uint32{i})
		f.Why, f.ID = whyNoKey, "unmatched "+f.First.String()
		now = append(now, f)
	}
	return now
}

// keepCall keeps them, and the list of calls without a key.
func (b *Book) keepCall(i uint32, now []*Finding) {
	c := b.calls.at(i)
	if c.flags&callNoKey != 0 {
		if c.flags&callCounted != 0 {
			b.index.unkeyed[i] = struct{}{}
		} else {
			delete(b.index.unkeyed, i)
		}
	}
	if len(now) == 0 && c.flags&callHeld == 0 {
		return
	}
	if c.flags &^= callHeld; len(now) > 0 {
		c.flags |= callHeld
	}
	b.hold(entity{entCall, i}, now)
}

// judgeOrphan makes the finding of a result that found no call.
func (b *Book) judgeOrphan(_ *memory, i uint32) []*Finding {
	r := b.results.at(i)
	var now []*Finding
	if r.role == roleOrphan {
		s := b.stemOf(r)
		f := &Finding{
			Kind: OrphanResult, Severity: Low, Tool: b.names.text(s.tool), Run: b.runName(r.run), CallID: b.ids.text(r.id()),
			Results: 1, First: b.resultPos(i), Side: b.files[s.file].Side, Started: r.time, Last: r.time, when: b.placeOfResult(r).time, gen: int32(b.files[s.file].Generation),
			Class: table.Unclassified,
		}
		f.ID = "orphan " + f.First.String()
		now = append(now, f)
	}
	return now
}
