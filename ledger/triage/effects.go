package triage

import (
	"slices"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/trace"
)

// Effects are what the calls of one key did to the world, as far as traces and ledger say (LEDGER.md "Compensation").
type Effects struct {
	Key, Run, Tool string
	Rule           *table.Rule
	Outcome        Outcome // "" when the key was called once
	Call           Pos     // its first call: where the arguments stand
	Stored         string  // key of the row whose response is the effect that is kept; "" when none stores one
	Kept           Pos     // else the result that is kept; Line is 0 when there is none
	Extras         []Effect
}

// Effect is one effect beyond the one that is kept.
type Effect struct {
	Result Pos  // where its payload stands; Line is 0 for an effect that left none
	Number int  // among the extras of its key with that payload, from 0
	Undone bool // compensated, with exit code 0
}

// extra is an Effect as the book counts it.
type extra struct {
	result  uint32 // 0: an ambiguous attempt
	payload [17]byte
	number  int
	undone  bool
}

// undo names a compensation that ended well.
type undo struct {
	payload [17]byte
	number  int
}

// Effects lists the effects of a key, recomputed, recorded or of the ledger. ok is false when no call has it. side matters only
// with Config.Match. Settle must have run.
func (b *Book) Effects(key, side string) (Effects, bool) {
	calls := b.keyCalls(key)
	if b.cfg.Match != MatchNone {
		calls = slices.DeleteFunc(calls, func(i uint32) bool { return b.files[b.stem(b.calls.at(i)).file].Side != side })
	}
	if len(calls) == 0 || b.calls.at(calls[0]).flags&callNoKey != 0 {
		return Effects{}, false
	}
	at := b.groups.at(b.group(calls[0]))
	calls = b.members(at.head, inGroup)
	first := b.calls.at(calls[0])
	e := Effects{
		Key: b.keyText(first), Run: b.names.text(first.run), Tool: b.names.text(b.stem(first).tool), Rule: b.rule(first),
		Call: b.callPos(calls[0]),
	}
	all := b.attempts(calls)
	tries := b.unapproved(at, all)
	if len(all) > 1 {
		e.Outcome = b.outcome(at, calls, tries, b.overlap(all))
	}
	row, kept := b.kept(at, calls, all)
	if row != nil {
		e.Stored = row.Key
	} else if kept != 0 {
		e.Kept = b.resultPos(kept)
	}
	for _, x := range b.extras(at, calls, tries, e.Outcome) {
		v := Effect{Number: x.number, Undone: x.undone}
		if x.result != 0 && b.results.at(x.result).flags&resultPayload != 0 {
			v.Result = b.resultPos(x.result)
		}
		e.Extras = append(e.Extras, v)
	}
	return e, true
}

// kept finds the effect that stays: the row that stores a response, else the first ok result.
func (b *Book) kept(at *group, calls []uint32, tries []attempt) (*row, uint32) {
	stores := func(r *row) bool { return r != nil && r.State == string(ledger.Committed) && r.HasResponse }
	if r := b.rows[at.id]; stores(r) {
		return r, 0
	}
	for _, i := range calls {
		if c := b.calls.at(i); b.aside(c).recorded != 0 {
			if r := b.rows[b.recordedID(b.aside(c).recorded)]; stores(r) {
				return r, 0
			}
		}
	}
	for _, t := range tries {
		if t.status == trace.OK {
			return nil, t.result
		}
	}
	return nil, 0
}

// extras lists the effects beyond the kept one, of a group with that outcome. tries holds no approved ones.
func (b *Book) extras(at *group, calls []uint32, tries []attempt, o Outcome) []extra {
	done := b.undone[at.id]
	switch o {
	case OutcomeAmbiguous:
		return []extra{{undone: done[undo{}]}}
	case OutcomeExtra:
	default:
		return nil
	}
	var stays [17]byte
	if r, first := b.kept(at, calls, tries); r != nil {
		stays = r.stored()
	} else if first != 0 {
		stays = b.payloadOf(first)
	}
	var out []extra
	number := map[[17]byte]int{}
	for _, t := range tries {
		if t.status != trace.OK || b.payloadOf(t.result) == stays {
			continue
		}
		p := b.content(t.result)
		x := extra{result: t.result, payload: p, number: number[p]}
		x.undone = done[undo{p, x.number}]
		number[p]++
		out = append(out, x)
	}
	return out
}

// content is the payload of a result as its compensation is keyed: a cut one is what is left of it.
func (b *Book) content(i uint32) (out [17]byte) {
	if b.results.at(i).flags&resultPayload != 0 {
		copy(out[:], b.digestUnder(i, b.ruleOfResult(i)))
		out[16] = 1
	}
	return out
}

// unapproved leaves out the attempts whose payload is stored by a row that a human key made: a second effect on purpose.
func (b *Book) unapproved(at *group, tries []attempt) []attempt {
	ids := b.approved[at.id]
	if len(ids) == 0 {
		return tries
	}
	ok := map[[17]byte]bool{}
	for _, id := range ids {
		if r := b.rows[id]; r != nil && r.State == string(ledger.Committed) && r.HasResponse {
			ok[r.stored()] = true
		}
	}
	out := make([]attempt, 0, len(tries))
	for _, t := range tries {
		if t.status == trace.OK && ok[b.payloadOf(t.result)] {
			continue
		}
		out = append(out, t)
	}
	return out
}

// undos takes in which effects were compensated, and which rows human keys made; groups and rows that this touches are judged
// again.
func (b *Book) undos(f *ledger.Facts) {
	undone := map[keys.ID]map[undo]bool{}
	var s keys.Scratch
	for i := range f.Compensations {
		c := &f.Compensations[i]
		if c.State != ledger.CompensationEnded || c.Exit != 0 {
			continue
		}
		u := undo{number: c.Number}
		if c.Extra != ledger.NoPayload {
			d := keys.ValueDigest(&s, []byte(c.Extra), nil)
			copy(u.payload[:], d[:])
			u.payload[16] = 1
		}
		id := keys.IDOf(c.Key)
		if undone[id] == nil {
			undone[id] = map[undo]bool{}
		}
		undone[id][u] = true
	}
	approved, intents := map[keys.ID][]keys.ID{}, map[keys.ID]keys.ID{}
	for i := range f.HumanKeys {
		if h := &f.HumanKeys[i]; h.Used {
			intent, made := keys.IDOf(h.Key), keys.IDOf(h.RowKey)
			approved[intent] = append(approved[intent], made)
			intents[made] = intent
		}
	}
	touched := map[keys.ID]bool{}
	for _, m := range []map[keys.ID]map[undo]bool{b.undone, undone} {
		for id := range m {
			touched[id] = true
		}
	}
	for _, m := range []map[keys.ID][]keys.ID{b.approved, approved} {
		for id := range m {
			touched[id] = true
		}
	}
	for _, m := range []map[keys.ID]keys.ID{b.intents, intents} {
		for made := range m {
			b.markRow(made)
		}
	}
	b.undone, b.approved, b.intents = undone, approved, intents
	for id := range touched {
		b.groupsOf(id, func(_ uint16, g uint32) { b.mark(entGroup, g) })
	}
}
