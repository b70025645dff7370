package triage

import (
	"slices"

	"drainboard/keys/table"
	"drainboard/trace"
)

// scopeKey is how far a call id reaches: the id, and within what.
type scopeKey struct {
	reach trace.Reach
	owner uint32 // run, or name of the connection
	id    uint32
}

// scope is the calls and results of one id within its reach. Scopes that turn out to be one are joined: parent leads to
// the one that holds everything.
type scope struct {
	key                  scopeKey // what it was made for; zero: for nothing but its calls
	parent               uint32
	firstCall, lastCall  uint32
	firstResult, lastRes uint32
	calls, results       uint32
	dirty                bool
	joined               bool // with another one since it was settled: whose ids are equal has changed
}

// sameKey is what makes a line restate a call whatever its run or file: rule (1) of copies.
type sameKey struct {
	id, tool uint32
	time     int64
	args     [16]byte
}

type fileRun struct {
	file FileID
	run  uint32
}

type openKey struct {
	fileRun
	tool uint32
}

func (b *Book) addCall(id FileID, f *file, r *Rec, in *interned) {
	f.calls++
	i, c := b.calls.next()
	c.key, c.args, c.time, c.offset, c.line = r.Key, r.Args, r.Time, uint32(r.Offset), uint32(f.FirstLine+f.lines)+r.Line
	c.run = in.name(r.Run)
	c.stem = b.stemFor(id, r, in)
	if r.CallID|r.Span != 0 {
		t := b.setTie(c)
		t.id, t.span = in.id(r.CallID), in.span(r.Span)
	}
	if r.Recorded|r.Reason != 0 || r.Reach == trace.ReachConn {
		a := b.setAside(c)
		a.recorded, a.reason, a.conn = in.name(r.Recorded), in.name(r.Reason), in.name(r.Scope)
	}
	for _, on := range [...]struct {
		yes  bool
		flag callFlags
	}{{r.NoKey, callNoKey}, {r.Opaque, callOpaque}, {r.Ignored, callIgnored}, {r.Assumed, callAssumed}} {
		if on.yes {
			c.flags |= on.flag
		}
	}
	if b.cfg.Since != trace.NoTime && f.latest != trace.NoTime && f.latest < b.cfg.Since && b.leavesOut() {
		c.flags |= callLeftOut
		b.leftOut++
		b.totals.Others++
	}
	leaves := in.batch.Leaves[r.Leaves.From:r.Leaves.To]
	b.setMarks(c, f.latest, shape(r.Shape[:8]), len(leaves), func(k int) (spot, uint64) {
		l := &leaves[k]
		return spot{in.name(l.Pointer), in.name(l.Looks)}, l.Value
	})
	b.follow(id, event(i))
	b.enterCall(i)
}

// ownerOf is within what the id of a record reaches.
func ownerOf(r *Rec, run uint32, in *interned) uint32 {
	switch r.Reach {
	case trace.ReachEverywhere:
		return 0
	case trace.ReachConn:
		return in.name(r.Scope)
	}
	return run
}

// enterCall puts a call among those of its id.
func (b *Book) enterCall(i uint32) {
	c := b.calls.at(i)
	span := b.tie(c).span
	if b.tie(c).id == 0 && span == 0 {
		b.applyCall(i, outcome{counted: true})
		return
	}
	if b.tie(c).id != 0 {
		b.enterScope(b.scopeFor(scopeKey{b.stem(c).reach, b.owner(c), b.tie(c).id}), i)
	}
	if span != 0 {
		b.enterSpan(span, i)
	}
}

// leavesOut says whether --since leaves calls out; with sides it says when the drain began, and everything counts.
func (b *Book) leavesOut() bool { return len(b.sides) < 3 }

func (k scopeKey) hash() uint64 {
	return hashed(mix(uint64(k.owner)<<32|uint64(k.id), 0x8bb84b93962eacc9) + uint64(k.reach))
}

// newScope makes a scope that stands for a key, or for nothing but its calls when the key is zero.
func (b *Book) newScope(k scopeKey) uint32 {
	s := b.scopes.add(scope{})
	b.scopes.at(s).parent = s
	b.scopes.at(s).key = k
	return s
}

// scopeFor returns the scope of a key, making it when it is new. The second scope of an id makes every call of that id findable by rule (1).
func (b *Book) scopeFor(k scopeKey) uint32 {
	h := k.hash()
	if _, s := b.scopeOf.find(h, func(s uint32) bool { return b.scopes.at(s).key == k }); s != 0 {
		return b.root(s)
	}
	s := b.newScope(k)
	b.scopeOf.put(h, s)
	switch first := b.ids.note(k.id); {
	case first == 0:
		b.ids.setNote(k.id, s)
	case !b.several[k.id]:
		b.several[k.id] = true
		for i := b.scopes.at(b.root(first)).firstCall; i != 0; i = b.tie(b.calls.at(i)).nextInScope {
			if c := b.calls.at(i); b.tie(c).id == k.id && c.time != trace.NoTime {
				b.same[sameKey{b.tie(c).id, b.stem(c).tool, c.time, c.args}] = i
			}
		}
	}
	return s
}

func (b *Book) root(s uint32) uint32 {
	for {
		at := b.scopes.at(s)
		if at.parent == s {
			return s
		}
		at.parent = b.scopes.at(at.parent).parent
		s = at.parent
	}
}

// scopeOfCall is the scope that a call stands in. It changes nothing.
func (b *Book) scopeOfCall(c *call) uint32 {
	s := b.tie(c).scope
	for b.scopes.at(s).parent != s {
		s = b.scopes.at(s).parent
	}
	return s
}

// enterScope appends a call to a scope and joins that with the scope of a call it restates elsewhere.
func (b *Book) enterScope(s, i uint32) {
	b.chainCall(s, i)
	c := b.calls.at(i)
	if b.several[b.tie(c).id] && c.time != trace.NoTime {
		k := sameKey{b.tie(c).id, b.stem(c).tool, c.time, c.args}
		if other, ok := b.same[k]; ok {
			b.join(b.tie(b.calls.at(other)).scope, s)
		} else {
			b.same[k] = i
		}
	}
}

// enterSpan joins a call with an earlier one of the same span; a call without an id gets a scope of its own for that.
func (b *Book) enterSpan(span, i uint32) {
	c := b.calls.at(i)
	if b.tie(c).scope == 0 {
		b.chainCall(b.newScope(scopeKey{}), i)
	}
	if other := b.spans.note(span); other != 0 {
		b.join(b.tie(b.calls.at(other)).scope, b.tie(c).scope)
	} else {
		b.spans.setNote(span, i)
	}
}

func (b *Book) chainCall(s, i uint32) {
	at := b.scopes.at(s)
	if at.lastCall == 0 {
		at.firstCall = i
	} else {
		b.setTie(b.calls.at(at.lastCall)).nextInScope = i
	}
	at.lastCall = i
	at.calls++
	b.setTie(b.calls.at(i)).scope = s
	b.markScope(s)
}

func (b *Book) chainResult(s, i uint32) {
	at := b.scopes.at(s)
	if at.lastRes == 0 {
		at.firstResult = i
	} else {
		b.results.at(at.lastRes).nextInScope = i
	}
	at.lastRes = i
	at.results++
	b.results.at(i).scope = s
	b.markScope(s)
}

func (b *Book) markScope(s uint32) {
	if at := b.scopes.at(s); !at.dirty {
		at.dirty = true
		b.dirtyIDs.add(s)
	}
}

// join makes two scopes one.
func (b *Book) join(s, t uint32) {
	s, t = b.root(s), b.root(t)
	if s == t {
		b.markScope(s)
		return
	}
	into, from := b.scopes.at(s), b.scopes.at(t)
	if from.firstCall != 0 {
		if into.lastCall == 0 {
			into.firstCall = from.firstCall
		} else {
			b.setTie(b.calls.at(into.lastCall)).nextInScope = from.firstCall
		}
		into.lastCall = from.lastCall
	}
	if from.firstResult != 0 {
		if into.lastRes == 0 {
			into.firstResult = from.firstResult
		} else {
			b.results.at(into.lastRes).nextInScope = from.firstResult
		}
		into.lastRes = from.lastRes
	}
	into.calls += from.calls
	into.results += from.results
	from.parent, from.calls, from.results = s, 0, 0
	into.joined = true
	b.markScope(s)
}

// event is a call, or the complement of a result, in the order of its file.
type event uint32

// isResult says which. Numbers of calls and results stay below 2^31.
func (e event) isResult() bool { return e>>31 != 0 }

// turns are the calls and results of a file in its order. They have their numbers in that order: one bit says which of the two is next.
type turns struct {
	from, fromResult uint32 // the first numbers that may be the file's
	n                int
	results          []uint64
}

func (t *turns) add(e event) {
	if t.n%64 == 0 {
		t.results = append(t.results, 0)
	}
	if e.isResult() {
		t.results[t.n/64] |= 1 << (t.n % 64)
	}
	t.n++
}

// follow keeps what is open in a file. Only results that name no call ask for it: until the first of them comes, a file just keeps the order of its events.
func (b *Book) follow(id FileID, e event) {
	f := &b.files[id]
	if !f.tracked {
		if f.turns.n == 0 {
			f.turns.from, f.turns.fromResult = b.calls.last(), b.results.last()
		}
		f.turns.add(e)
		return
	}
	if e.isResult() {
		r := b.results.at(uint32(^e))
		b.answer(fileID{fileRun{b.stemOf(r).file, r.run}, r.id()})
	} else {
		b.pushOpen(uint32(e))
	}
}

// track begins to keep what is open in a file.
func (b *Book) track(id FileID) {
	f := &b.files[id]
	if f.tracked {
		return
	}
	t := f.turns
	f.tracked, f.turns = true, turns{}
	call, result := max(t.from, 1), max(t.fromResult, 1)
	for n := range t.n {
		if t.results[n/64]>>(n%64)&1 != 0 {
			for b.stemOf(b.results.at(result)).file != id {
				result++
			}
			b.follow(id, ^event(result))
			result++
			continue
		}
		for b.stem(b.calls.at(call)).file != id {
			call++
		}
		b.follow(id, event(call))
		call++
	}
}

// fileID is a call id in one file and run.
type fileID struct {
	fileRun
	id uint32
}

// due is what of one id in one file and run is still to be answered, in the order of the file: calls, or results that came before theirs.
type due struct {
	calls []uint32
	early int
}

// pushOpen remembers a call as open for results that name no call. What is open is decided within a file, so that other files do not matter.
func (b *Book) pushOpen(i uint32) {
	c := b.calls.at(i)
	k := openKey{fileRun{b.stem(c).file, c.run}, b.stem(c).tool}
	if b.tie(c).id != 0 {
		at := fileID{k.fileRun, b.tie(c).id}
		d := b.due[at]
		if d.early > 0 {
			d.early--
			c.flags |= callAnswered
		} else {
			d.calls = append(d.calls, i)
		}
		b.setDue(at, d)
	}
	if c.flags&callAnswered != 0 {
		return
	}
	if _, ok := b.open[k]; !ok {
		b.openTools[k.fileRun] = append(b.openTools[k.fileRun], b.stem(c).tool)
	}
	_, stack := b.topOpen(k)
	b.open[k] = append(stack, i)
}

// answer marks the next call of an id in a file and run as answered: results without an id pass over it.
func (b *Book) answer(at fileID) {
	d := b.due[at]
	if len(d.calls) == 0 {
		d.early++
	} else {
		b.calls.at(d.calls[0]).flags |= callAnswered
		d.calls = d.calls[1:]
	}
	b.setDue(at, d)
}

// noLongerDue takes a call that a result without an id was given to out of what is due.
func (b *Book) noLongerDue(i uint32) {
	c := b.calls.at(i)
	at := fileID{fileRun{b.stem(c).file, c.run}, b.tie(c).id}
	if d, ok := b.due[at]; ok {
		d.calls = slices.DeleteFunc(d.calls, func(j uint32) bool { return j == i })
		b.setDue(at, d)
	}
}

func (b *Book) setDue(at fileID, d due) {
	if len(d.calls) == 0 && d.early == 0 {
		delete(b.due, at)
	} else {
		b.due[at] = d
	}
}

// popOpen takes the latest open call of a tool (0: of any) in a file and run.
func (b *Book) popOpen(at fileRun, tool uint32) uint32 {
	if tool != 0 {
		i, rest := b.topOpen(openKey{at, tool})
		if i != 0 {
			b.open[openKey{at, tool}] = rest[:len(rest)-1]
		}
		return i
	}
	best := openKey{}
	latest := uint32(0)
	for _, t := range b.openTools[at] {
		if i, _ := b.topOpen(openKey{at, t}); i > latest {
			latest, best = i, openKey{at, t}
		}
	}
	if latest != 0 {
		stack := b.open[best]
		b.open[best] = stack[:len(stack)-1]
	}
	return latest
}

// topOpen drops answered calls from the top of a stack and returns what is left.
func (b *Book) topOpen(k openKey) (uint32, []uint32) {
	stack, ok := b.open[k]
	if !ok {
		return 0, nil
	}
	for len(stack) > 0 && b.calls.at(stack[len(stack)-1]).flags&callAnswered != 0 {
		stack = stack[:len(stack)-1]
	}
	b.open[k] = stack
	if len(stack) == 0 {
		return 0, stack
	}
	return stack[len(stack)-1], stack
}

func (b *Book) addResult(id FileID, f *file, r *Rec, in *interned) {
	if f.Results == trace.RecordsWhenSeen && !b.seen[f.Format] {
		b.seen[f.Format] = true
		b.flipped = append(b.flipped, f.Format)
	}
	b.totals.Results++
	i, x := b.results.next()
	x.payload, x.time, x.offset, x.line, x.status = r.Payload, r.Time, uint32(r.Offset), uint32(f.FirstLine+f.lines)+r.Line, r.Status
	x.run, x.stem, x.to = in.name(r.Run), b.stemFor(id, r, in), in.id(r.CallID)
	if r.HasPayload {
		x.flags |= resultPayload
	}
	if r.Cut {
		x.flags |= resultCut
	}
	if more := (resultMore{place: f.latest}); f.latest != r.Time || r.Reach == trace.ReachConn || r.Payloads.To > r.Payloads.From {
		more.conn = in.name(r.Scope)
		if r.Payloads.To > r.Payloads.From {
			more.payloads = b.payloads.add(slices.Clone(in.batch.Payloads[r.Payloads.From:r.Payloads.To]))
		}
		x.more = b.more.add(more)
	}
	if x.to != 0 {
		b.follow(id, ^event(i))
		b.enterResult(i)
		return
	}
	b.track(id)
	if c := b.popOpen(fileRun{id, x.run}, b.stemOf(x).tool); c != 0 {
		b.calls.at(c).flags |= callAnswered
		b.noLongerDue(c)
		x.to = c
		x.flags |= resultDirect
	}
	b.enterResult(i)
}

// stemFor is the stem of a record.
func (b *Book) stemFor(id FileID, r *Rec, in *interned) uint32 {
	s := stem{file: id, tool: in.name(r.Tool), high: uint32(uint64(r.Offset) >> 32), rule: r.Rule, n: r.N}
	if r.CallID != 0 {
		s.reach = r.Reach
	}
	return b.stems.put(s)
}

// enterResult puts a result among those of its id, or of the call that it was given to.
func (b *Book) enterResult(i uint32) {
	r := b.results.at(i)
	if r.id() != 0 {
		b.chainResult(b.scopeFor(b.scopeKey(r)), i)
		return
	}
	d := r.direct()
	if d == 0 {
		b.applyResult(i, roleOrphan, 0)
		return
	}
	c := b.calls.at(d)
	if b.tie(c).scope == 0 {
		b.chainCall(b.newScope(scopeKey{}), d)
	}
	b.chainResult(b.root(b.tie(c).scope), i)
}

// rule is the rule of a call.
func (b *Book) rule(c *call) *table.Rule { return b.rules[b.stem(c).rule] }
