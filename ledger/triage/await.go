package triage

import "math"

// await is what is waited for while sources are followed: a runtime writes a call and its row one after the other, and the two are looked at one after
// the other. A call whose row is not there yet, or a row that no call has met yet, says nothing before it has had its time.
type await struct {
	on          bool
	calls, rows uint32 // numbers up to which calls and rows have had their time
	groups      []uint32
	recorded    []uint32
	waiting     []*row
}

// Await has the book wait for the rows of calls, and for the calls of rows, that came after the numbers that Arrived gave at an earlier time: whoever
// follows sources says with it what has had its time by now. A book that is never told waits for nothing.
func (b *Book) Await(calls, rows uint32) {
	a := &b.await
	a.on, a.calls, a.rows = true, calls, rows
	for _, g := range a.groups {
		b.mark(entGroup, g)
	}
	for _, r := range a.recorded {
		b.mark(entRecorded, r)
	}
	for _, r := range a.waiting {
		b.markRow(r.id)
	}
	a.groups, a.recorded, a.waiting = a.groups[:0], a.recorded[:0], a.waiting[:0]
}

// Arrived numbers the calls and the rows of the ledger that came so far.
func (b *Book) Arrived() (calls, rows uint32) { return b.calls.last(), b.rowCount }

// Awaiting says whether something is waited for.
func (b *Book) Awaiting() bool {
	return len(b.await.groups)+len(b.await.recorded)+len(b.await.waiting) > 0
}

// youngCalls says whether none of the calls of a group, or else of a recorded key, has had its time.
func (b *Book) youngCalls(calls []uint32, group, recorded uint32) bool {
	a := &b.await
	if !a.on {
		return false
	}
	first := uint32(math.MaxUint32)
	for _, i := range calls {
		first = min(first, i)
	}
	if first <= a.calls {
		return false
	}
	if group != 0 {
		a.groups = append(a.groups, group)
	} else {
		a.recorded = append(a.recorded, recorded)
	}
	return true
}

// youngRow says whether a row that no call has met has not had its time.
func (b *Book) youngRow(r *row) bool {
	if !b.await.on || r.n <= b.await.rows {
		return false
	}
	b.await.waiting = append(b.await.waiting, r)
	return true
}
