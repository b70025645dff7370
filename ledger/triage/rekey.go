package triage

import (
	"cmp"
	"math"
	"slices"

	"drainboard/keys"
	"drainboard/keys/table"
)

// Change is a book on its way to another table. Most of what a table says needs no call to be read again; Unread lists the calls that it
// does. Book then gives the book that a reading by the new table would have made.
//
// A Change takes the memory of its book: neither that book nor a Change that ended may be used any more.
type Change struct {
	b      *Book
	unread []uint32
}

// Reread is a call whose arguments have to be read again: what is known of it, to know it by. Tool and Run are lent.
type Reread struct {
	Tool, Run []byte
	Rule      *table.Rule // that it had
	Key       keys.Digest
	NoKey     bool
	Args      [16]byte
	Time      int64
}

// Rekeyed is what the new table makes of such a call.
type Rekeyed struct {
	Rule                   uint16
	Key                    keys.Digest
	Args, Shape            [16]byte
	NoKey, Opaque, Ignored bool
	Reason                 string
	Leaves                 []keys.Leaf
}

// Change begins to judge by another table. ok is false, and nothing has changed, when payloads would have to be read again: then read
// everything again. The recipe stays.
func (b *Book) Change(t *table.Table) (_ *Change, ok bool) {
	pairs, ok := b.cfg.Table.ResultMoves(t)
	if !ok {
		return nil, false
	}
	c := &Change{b: b.under(t)}
	c.move(b.cfg.Table, t)
	c.payloads(pairs)
	return c, true
}

// under is an empty book of another table that has the records of this one, in none of its lists yet.
func (b *Book) under(t *table.Table) *Book {
	cfg := b.cfg
	cfg.Table = t
	n := NewBook(cfg)
	n.files, n.sides, n.sideOf, n.seen = b.files, b.sides, b.sideOf, b.seen
	n.names, n.ids, n.spans, n.calls, n.asides, n.ties, n.stems, n.results, n.more = b.names, b.ids, b.spans, b.calls, b.asides, b.ties, b.stems, b.results, b.more
	n.marks, n.spots, n.payloads, n.spelling = b.marks, b.spots, b.payloads, b.spelling
	n.open, n.openTools, n.due = b.open, b.openTools, b.due
	n.names.clearNotes()
	n.ids.clearNotes()
	n.spans.clearNotes()
	n.totals, n.leftOut, n.bad, n.unread, n.loading, n.note = b.totals, b.leftOut, b.bad, b.unread, b.loading, b.note
	n.totals.Calls, n.totals.Runs, n.totals.Tools = 0, 0, 0
	n.acks, n.now, n.gen, n.acted = b.acks, b.now, b.gen, b.acted
	n.undone, n.approved, n.intents = b.undone, b.approved, b.intents
	n.await.on, n.await.calls, n.await.rows = b.await.on, b.await.calls, math.MaxUint32 // rows are numbered anew
	for i := uint32(1); i <= b.runs.last(); i++ {
		was := b.runs.at(i)
		if was.ended {
			now := n.runs.at(n.runFor(was.name))
			now.ended, now.end = true, was.end
		}
	}
	for _, l := range b.links {
		n.links = append(n.links, link{n.runFor(b.runs.at(l.child).name), n.runFor(b.runs.at(l.parent).name), l.at})
	}
	n.forest = len(n.links) > 0
	return n
}

// move gives every call its rule of the new table, and lists those whose arguments have to be read.
func (c *Change) move(was, now *table.Table) {
	moves := map[uint32][]table.Move{}
	last, of := uint32(0), []table.Move(nil)
	for i := uint32(1); i <= c.b.calls.last(); i++ {
		call := c.b.calls.at(i)
		if of == nil || c.b.stem(call).tool != last {
			last = c.b.stem(call).tool
			if of = moves[last]; of == nil {
				of = was.Moves(c.b.names.text(last), now)
				moves[last] = of
			}
		}
		for _, m := range of {
			if m.From != int(c.b.stem(call).rule) {
				continue
			}
			if m.Read { // it has the rule it had until it was read
				c.unread = append(c.unread, i)
			} else {
				c.b.setRule(call, uint16(m.To))
			}
			break
		}
	}
	slices.SortFunc(c.unread, func(i, j uint32) int {
		p, q := c.b.calls.at(i), c.b.calls.at(j)
		s, t := c.b.stem(p), c.b.stem(q)
		return cmp.Or(cmp.Compare(s.file, t.file), cmp.Compare(s.offset(p.offset), t.offset(q.offset)), cmp.Compare(s.n, t.n))
	})
	c.b.rules = was.Rules()
}

// payloads renames the rules by which payloads were digested.
func (c *Change) payloads(pairs [][2]int) {
	for i := uint32(1); i <= c.b.payloads.last(); i++ {
		list := c.b.payloads.at(i)
		now := make([]RulePayload, 0, len(pairs))
		for _, pair := range pairs {
			for _, p := range *list {
				if int(p.Rule) == pair[1] {
					now = append(now, RulePayload{uint16(pair[0]), p.Payload})
				}
			}
		}
		*list = now
	}
}

// Unread counts the calls that have to be read again. They stand in the order of files and of places within them.
func (c *Change) Unread() int { return len(c.unread) }

// File is the file of one of them.
func (c *Change) File(k int) FileID { return c.b.stem(c.b.calls.at(c.unread[k])).file }

// Pos is where one of them stands.
func (c *Change) Pos(k int) Pos { return c.b.callPos(c.unread[k]) }

// Known is what is known of one of them.
func (c *Change) Known(k int) Reread {
	at := c.b.calls.at(c.unread[k])
	return Reread{
		Tool: c.b.names.bytes(c.b.stem(at).tool), Run: c.b.names.bytes(at.run), Rule: c.b.rules[c.b.stem(at).rule], Key: at.key,
		NoKey: at.flags&callNoKey != 0, Args: at.args, Time: at.time,
	}
}

// Set says what the new table makes of one of them. It is for one goroutine.
func (c *Change) Set(k int, r *Rekeyed) {
	at := c.b.calls.at(c.unread[k])
	c.b.setRule(at, r.Rule)
	at.key, at.args = r.Key, r.Args
	if reason := c.b.names.put(r.Reason); reason != c.b.aside(at).reason {
		c.b.setAside(at).reason = reason
	}
	at.flags &^= callNoKey | callOpaque | callIgnored
	for _, on := range [...]struct {
		yes  bool
		flag callFlags
	}{{r.NoKey, callNoKey}, {r.Opaque, callOpaque}, {r.Ignored, callIgnored}} {
		if on.yes {
			at.flags |= on.flag
		}
	}
	c.b.setMarks(at, c.b.placed(at), shape(r.Shape[:8]), len(r.Leaves), func(i int) (spot, uint64) {
		l := &r.Leaves[i]
		return spot{c.b.names.put(l.Pointer), c.b.names.put(l.Looks)}, l.Value
	})
}

// Book ends the change: every call and result is entered anew. The ledger's rows and its facts are to be given to the book again.
func (c *Change) Book() *Book {
	b := c.b
	b.rules = b.cfg.Table.Rules()
	b.sole = soleRules(b.rules)
	const kept = callNoKey | callOpaque | callIgnored | callAnswered | callLeftOut | callAssumed | callPlaced | callShape | callBlanked | callAside
	for i := uint32(1); i <= b.calls.last(); i++ {
		at := b.calls.at(i)
		at.flags &= kept
		at.prevInRun = 0
		if at.tie != 0 {
			t := b.ties.at(at.tie)
			t.scope, t.nextInScope, t.group, t.result = 0, 0, 0, 0
		}
		if at.flags&callAside != 0 {
			a := b.asides.at(at.more)
			a.nextInRec, a.nextInGroup, a.nextInShape, a.nextInWork, a.copyOf = 0, 0, 0, 0, 0
		}
		b.enterCall(i)
	}
	for i := uint32(1); i <= b.results.last(); i++ {
		at := b.results.at(i)
		at.scope, at.nextInScope, at.of, at.next = 0, 0, 0, 0
		at.role = roleOrphan
		at.flags &^= resultCounted
		b.enterResult(i)
	}
	return b
}
