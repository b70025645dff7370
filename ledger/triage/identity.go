package triage

import (
	"slices"

	"drainboard/trace"
)

// outcome is what an id's evaluation says of one call.
type outcome struct {
	counted bool
	copyOf  uint32
	results []uint32 // the paired one, then doubles, in order
}

// meaning is what makes a line of a transcript restate a call of the same id: rule (2) of copies.
type meaning struct {
	tool uint32
	args [16]byte
}

// moment is rule (1) within one scope: meaning and recorded time.
type moment struct {
	id uint32
	meaning
	time int64
}

// settleScope decides, for all calls and results of one id, which lines are copies, which result belongs to which call, and which
// results are echoes, doubles or orphans (PRODUCT.md "Copies" and "Results").
func (b *Book) settleScope(s uint32) {
	at := b.scopes.at(s)
	at.dirty = false
	if at.parent != s {
		return
	}
	if at.joined {
		at.joined = false
		for i := at.firstCall; i != 0; i = b.tie(b.calls.at(i)).nextInScope {
			if b.calls.at(i).flags&callChained != 0 {
				b.touch(i)
			}
		}
	}
	if at.calls == 1 && at.results == 0 {
		b.applyCall(at.firstCall, outcome{counted: true})
		return
	}
	if at.calls == 1 && at.results == 1 {
		b.applyResult(at.firstResult, rolePaired, at.firstCall)
		b.applyCall(at.firstCall, outcome{counted: true, results: []uint32{at.firstResult}})
		return
	}
	p := pairing{b: b}
	for i := at.firstCall; i != 0; i = b.tie(b.calls.at(i)).nextInScope {
		p.calls = append(p.calls, i)
	}
	for i := at.firstResult; i != 0; i = b.results.at(i).nextInScope {
		p.results = append(p.results, i)
	}
	slices.SortFunc(p.calls, func(i, j uint32) int { return order(b.callBefore(i, j)) })
	slices.SortFunc(p.results, func(i, j uint32) int {
		return order(b.placeOfResult(b.results.at(i)).before(b.placeOfResult(b.results.at(j))))
	})
	p.sortCalls()
	p.dropCopiedResults()
	p.pair()
	p.apply()
}

// order turns a strict less of two different items into what slices.SortFunc wants.
func order(less bool) int {
	if less {
		return -1
	}
	return 1
}

// pairing is the work on one id.
type pairing struct {
	b       *Book
	calls   []uint32 // in order of place
	results []uint32

	copyOf     map[uint32]uint32 // call -> the call it restates
	restated   []uint32          // copies by rule (2) alone, in order: a further result may make them dispatches
	dispatched []uint32          // calls that count
	given      map[uint32][]uint32
	roles      map[uint32]role
	payloads   map[[17]byte]bool // seen for this id
	left       []uint32          // results that are no copies
}

// sortCalls tells calls from copies.
func (p *pairing) sortCalls() {
	p.copyOf = map[uint32]uint32{}
	moments, meanings, spans := map[moment]uint32{}, map[meaning]uint32{}, map[uint32]uint32{}
	for _, i := range p.calls {
		c := p.b.calls.at(i)
		transcript := p.b.files[p.b.stem(c).file].Restates
		m := meaning{p.b.stem(c).tool, c.args}
		of := uint32(0)
		span := p.b.tie(c).span
		if span != 0 {
			of = spans[span]
		}
		if of == 0 && p.b.tie(c).id != 0 && c.time != trace.NoTime {
			of = moments[moment{p.b.tie(c).id, m, c.time}]
		}
		if of == 0 && p.b.tie(c).id != 0 && transcript {
			if of = meanings[m]; of != 0 {
				p.restated = append(p.restated, i)
			}
		}
		call := i
		if of == 0 {
			p.dispatched = append(p.dispatched, i)
		} else {
			p.copyOf[i] = of
			call = of
		}
		if span != 0 {
			spans[span] = call
		}
		if p.b.tie(c).id != 0 && c.time != trace.NoTime {
			moments[moment{p.b.tie(c).id, m, c.time}] = call
		}
		if p.b.tie(c).id != 0 && transcript && meanings[m] == 0 {
			meanings[m] = call
		}
	}
}

// dropCopiedResults finds the results that only restate one: equal time and payload, or equal time alone where the call
// of that result, in its own run, is a copy.
func (p *pairing) dropCopiedResults() {
	p.roles = map[uint32]role{}
	byRun := map[uint32][]uint32{}
	for _, i := range p.calls {
		r := p.b.calls.at(i).run
		byRun[r] = append(byRun[r], i)
	}
	turn := map[uint32]int{}
	type stamp struct {
		time    int64
		payload [17]byte
	}
	stamps, times := map[stamp]bool{}, map[int64]bool{}
	for _, i := range p.results {
		r := p.b.results.at(i)
		own := r.direct()
		if own == 0 {
			if list := byRun[r.run]; len(list) > 0 {
				own = list[min(turn[r.run], len(list)-1)]
				turn[r.run]++
			}
		}
		_, copied := p.copyOf[own]
		st := stamp{r.time, p.payload(i)}
		if r.time != trace.NoTime && (stamps[st] || copied && times[r.time]) {
			p.roles[i] = roleCopy
			continue
		}
		stamps[st], times[r.time] = true, true
		p.left = append(p.left, i)
	}
}

// payload is the payload of a result for comparison within an id.
func (p *pairing) payload(i uint32) [17]byte {
	rule := uint16(0)
	if len(p.calls) > 0 {
		rule = p.b.stem(p.b.calls.at(p.calls[0])).rule
	}
	return p.b.payloadUnder(i, rule)
}

// payloadOf is the payload of a result as its own call compares it.
func (b *Book) payloadOf(i uint32) [17]byte {
	return b.payloadUnder(i, b.ruleOfResult(i))
}

// ruleOfResult is the rule of the call that a result belongs to.
func (b *Book) ruleOfResult(i uint32) uint16 {
	if of := b.results.at(i).of; of != 0 {
		return b.stem(b.calls.at(of)).rule
	}
	return 0
}

// payloadUnder is the payload of a result, less what a rule leaves out; a cut one equals only itself. Its last byte tells none, whole and cut apart.
func (b *Book) payloadUnder(i uint32, rule uint16) (out [17]byte) {
	r := b.results.at(i)
	switch {
	case r.flags&resultCut != 0:
		out[0], out[1], out[2], out[3], out[16] = byte(i), byte(i>>8), byte(i>>16), byte(i>>24), 2
	case r.flags&resultPayload != 0:
		copy(out[:], b.digestUnder(i, rule))
		out[16] = 1
	}
	return out
}

// digestUnder is the digest of a result's payload, less what a rule leaves out.
func (b *Book) digestUnder(i uint32, rule uint16) []byte {
	r := b.results.at(i)
	if r.more == 0 || b.more.at(r.more).payloads == 0 {
		return r.payload[:]
	}
	for _, p := range *b.payloads.at(b.more.at(r.more).payloads) {
		if p.Rule == rule {
			return p.Payload[:]
		}
	}
	return r.payload[:]
}

// pair gives the n-th result to the n-th call; what is left over is an echo, a double, or makes a restatement a dispatch.
func (p *pairing) pair() {
	p.given, p.payloads = map[uint32][]uint32{}, map[[17]byte]bool{}
	var named []uint32
	for _, i := range p.left {
		r := p.b.results.at(i)
		if r.direct() == 0 {
			named = append(named, i)
			continue
		}
		c := r.direct()
		if of, ok := p.copyOf[c]; ok {
			c = of
		}
		p.give(i, c)
	}
	free := p.dispatched
	if len(p.given) > 0 {
		free = slices.DeleteFunc(slices.Clone(p.dispatched), func(c uint32) bool { return len(p.given[c]) > 0 })
	}
	for n, i := range named {
		switch {
		case n < len(free):
			p.give(i, free[n])
		case len(p.dispatched) == 0:
			p.roles[i] = roleOrphan
		case p.payloads[p.payload(i)]:
			p.roles[i] = roleEcho
		default:
			if c := p.promote(i); c != 0 {
				p.give(i, c)
			} else {
				p.give(i, p.dispatched[len(p.dispatched)-1])
			}
		}
	}
}

// give hands a result to a call: the first one is its result, one with another payload a double, any other an echo.
func (p *pairing) give(i, c uint32) {
	pl := p.payload(i)
	switch {
	case len(p.given[c]) == 0:
		p.roles[i] = rolePaired
	case p.payloads[pl]:
		p.roles[i] = roleEcho
		return
	default:
		p.roles[i] = roleDouble
	}
	p.payloads[pl] = true
	p.given[c] = append(p.given[c], i)
}

// promote makes the first restatement before a surplus result a dispatch of its own and returns it, or 0.
func (p *pairing) promote(i uint32) uint32 {
	if len(p.restated) == 0 {
		return 0
	}
	c := p.restated[0]
	if !p.b.placeOf(p.b.calls.at(c)).before(p.b.placeOfResult(p.b.results.at(i))) {
		return 0
	}
	p.restated = p.restated[1:]
	delete(p.copyOf, c)
	at, _ := slices.BinarySearchFunc(p.dispatched, c, func(x, y uint32) int {
		if x == y {
			return 0
		}
		return order(p.b.callBefore(x, y))
	})
	p.dispatched = slices.Insert(slices.Clone(p.dispatched), at, c)
	return c
}

// apply writes the answers into the records.
func (p *pairing) apply() {
	for _, i := range p.results {
		p.b.applyResult(i, p.roles[i], 0)
	}
	for _, i := range p.calls {
		of := p.copyOf[i]
		p.b.applyCall(i, outcome{counted: of == 0, copyOf: of, results: p.given[i]})
	}
}

// applyResult records a result's role and keeps the list of orphans.
func (b *Book) applyResult(i uint32, to role, of uint32) {
	r := b.results.at(i)
	r.role, r.of = to, of
	if orphan := to == roleOrphan; orphan != (r.flags&resultCounted != 0) {
		r.flags ^= resultCounted
		b.orphans.add(i)
	}
}

// applyCall records what became of a call and marks everything that looks at it when something changed.
func (b *Book) applyCall(i uint32, o outcome) {
	c := b.calls.at(i)
	if c.flags&callLeftOut != 0 {
		for _, r := range o.results {
			b.applyResult(r, roleLeftOut, i)
		}
		return
	}
	changed := c.flags&callLinked == 0 || b.aside(c).copyOf != o.copyOf || (c.flags&callCounted != 0) != o.counted
	next := b.tie(c).result
	for _, r := range o.results {
		if next != r {
			changed = true
		}
		if next != 0 {
			next = b.results.at(next).next
		}
		b.results.at(r).of = i
	}
	if changed = changed || next != 0; !changed {
		return
	}
	first := uint32(0)
	for n := len(o.results) - 1; n >= 0; n-- {
		b.results.at(o.results[n]).next = first
		first = o.results[n]
	}
	if first != b.tie(c).result {
		b.setTie(c).result = first
	}
	if b.aside(c).copyOf != o.copyOf {
		b.setAside(c).copyOf = o.copyOf
	}
	b.count(i, o.counted)
}
