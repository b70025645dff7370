package triage

import (
	"slices"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/trace"
)

// Doing is one thing that a call did to the world, or may have done: a result that is ok, an ambiguous error, or no result at all.
type Doing struct {
	Call, Result                 Pos // Result.Line is 0 when there is none
	Key, Run, Tool, CallID, Side string
	Rule                         *table.Rule
	Time                         int64    // of the call, nanoseconds, or trace.NoTime
	Sure                         bool     // an ok result says so
	Stored                       bool     // the ledger stores this payload as the response of its key
	Undone                       bool     // compensated, with exit code 0
	Assumed                      bool     // its line names no run
	Payload                      [17]byte // equal for equal payloads
}

// Doings lists what calls of tools that are not pure did, in the order in which they were read, from a call number on (0: the first), at most limit
// calls at a time. next is the number to go on with, 0 at the end. Settle must have run.
func (b *Book) Doings(from uint32, limit int) (page []Doing, next uint32) {
	for i := max(from, 1); i <= b.calls.last(); i++ {
		if limit--; limit < 0 {
			return page, i
		}
		c := b.calls.at(i)
		if c.flags&callCounted == 0 || b.rule(c).Class == table.Pure {
			continue
		}
		if b.tie(c).result == 0 {
			page = append(page, b.doing(i, 0))
		}
		for x := b.tie(c).result; x != 0; x = b.results.at(x).next {
			if s := b.results.at(x).status; s == trace.OK || s == trace.Ambiguous {
				page = append(page, b.doing(i, x))
			}
		}
	}
	return page, 0
}

func (b *Book) doing(i, x uint32) Doing {
	c := b.calls.at(i)
	d := Doing{
		Call: b.callPos(i), Run: b.names.text(c.run), Tool: b.names.text(b.stem(c).tool), CallID: b.ids.text(b.tie(c).id), Side: b.files[b.stem(c).file].Side,
		Rule: b.rule(c), Time: c.time, Assumed: c.flags&callAssumed != 0,
	}
	if c.flags&callNoKey == 0 {
		d.Key = b.keyText(c)
	}
	if x == 0 || b.results.at(x).status != trace.OK {
		return d
	}
	d.Sure, d.Result, d.Payload = true, b.resultPos(x), b.payloadOf(x)
	g := b.group(i)
	if g == 0 {
		return d
	}
	at := b.groups.at(g)
	if r := b.rows[at.id]; r != nil && r.State == string(ledger.Committed) && r.HasResponse && r.stored() == d.Payload {
		d.Stored = true
	}
	if b.aside(c).recorded != 0 && !d.Stored {
		r := b.rows[b.recordedID(b.aside(c).recorded)]
		d.Stored = r != nil && r.State == string(ledger.Committed) && r.HasResponse && r.stored() == d.Payload
	}
	d.Undone = b.isUndone(at, x)
	return d
}

// isUndone says whether a compensation of this result ended well: of the kept effect, or of the extra effect that it is.
func (b *Book) isUndone(at *group, x uint32) bool {
	done := b.undone[at.id]
	if len(done) == 0 {
		return false
	}
	p := b.content(x)
	calls := b.members(at.head, inGroup)
	tries := b.attempts(calls)
	number := 0
	if row, first := b.kept(at, calls, tries); row != nil && row.stored() != b.payloadOf(x) || row == nil && first != 0 && b.payloadOf(first) != b.payloadOf(x) {
		number = slices.IndexFunc(slices.DeleteFunc(tries, func(t attempt) bool { return t.status != trace.OK || b.content(t.result) != p }),
			func(t attempt) bool { return t.result == x })
	}
	return done[undo{p, number}]
}
