package triage

import (
	"slices"
	"sort"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/trace"
)

// attempt is a call with its paired result, or a double result.
type attempt struct {
	call   uint32
	result uint32 // 0: none
	double bool
	status trace.Status
}

// attempts lists the attempts of calls in order.
func (b *Book) attempts(calls []uint32) []attempt {
	return b.attemptsInto(make([]attempt, 0, len(calls)), calls)
}

func (b *Book) attemptsInto(out []attempt, calls []uint32) []attempt {
	for _, i := range calls {
		c := b.calls.at(i)
		if b.tie(c).result == 0 {
			out = append(out, attempt{call: i})
			continue
		}
		for r := b.tie(c).result; r != 0; r = b.results.at(r).next {
			out = append(out, attempt{i, r, r != b.tie(c).result, b.results.at(r).status})
		}
	}
	return out
}

// sent says whether an attempt was neither refused nor replayed.
func (a attempt) sent() bool { return a.status != trace.Refused && a.status != trace.Replayed }

// judgeGroup judges one key.
func (b *Book) judgeGroup(m *memory, g uint32) []*Finding {
	at := b.groups.at(g)
	if at.n == 0 {
		b.setInLedger(g, nil, false)
		return nil
	}
	if at.n == 1 && !b.cfg.Ledger && b.cfg.Match == MatchNone && b.single(at) {
		return nil
	}
	calls := b.membersInto(m.calls[:0], at.head, inGroup)
	at.size = uint32(len(calls))
	tries := b.attemptsInto(m.tries[:0], calls)
	m.calls, m.tries = calls, tries
	if len(calls) > large {
		m.calls, m.tries = nil, nil
	}
	var now []*Finding
	if len(calls) > 1 || len(tries) > 1 {
		now = append(now, b.duplicate(at, calls, tries))
	}
	if f := b.temporal(calls); f != nil {
		now = append(now, f)
	}
	return append(now, b.unmatched(at, calls, tries)...)
}

// keepGroup keeps the findings of a key.
func (b *Book) keepGroup(g uint32, now []*Finding) {
	if at := b.groups.at(g); at.held || len(now) > 0 {
		at.held = len(now) > 0
		b.hold(entity{entGroup, g}, now)
	}
}

// single says whether the group is one call with at most one result and no finding but those of a ledger.
func (b *Book) single(at *group) bool {
	c := b.calls.at(at.head)
	return at.head == at.tail && (b.tie(c).result == 0 || b.results.at(b.tie(c).result).next == 0)
}

// begin fills what every finding about calls has in common. calls is in order and not empty.
func (b *Book) begin(kind Kind, sev Severity, calls []uint32) *Finding {
	first := b.calls.at(calls[0])
	r := b.rule(first)
	f := &Finding{
		Kind: kind, Severity: sev, Tool: b.toolText(b.stem(first).tool), Run: b.runText(first.run), Class: r.Class, Rule: r,
		Calls: len(calls), First: b.callPos(calls[0]), CallID: b.ids.text(b.tie(first).id), Side: b.files[b.stem(first).file].Side,
		Started: first.time, Last: trace.NoTime, when: b.placed(first), gen: int32(b.files[b.stem(first).file].Generation),
	}
	if first.flags&callNoKey == 0 {
		f.Key = b.keyText(first)
	}
	last, further := uint32(0), []uint32(nil)
	var seen map[uint32]bool // what further holds, once it is long
	for _, i := range calls {
		c := b.calls.at(i)
		f.Last = max(f.Last, c.time)
		for x := b.tie(c).result; x != 0; x = b.results.at(x).next {
			f.Results++
			f.Last = max(f.Last, b.results.at(x).time)
		}
		if c.run != last {
			last = c.run
			switch r := b.runFor(c.run); {
			case f.run == 0:
				f.run = r
			case r == f.run, len(further) == maxAbout-1, seen[r], seen == nil && slices.Contains(further, r):
			default:
				further = append(further, r)
				if seen != nil {
					seen[r] = true
				} else if len(further) > 64 {
					seen = make(map[uint32]bool, 2*len(further))
					for _, r := range further {
						seen[r] = true
					}
				}
			}
		}
	}
	if len(further) > 0 {
		f.detail().about = further
	}
	return f
}

// keyText is the key of a call, as its recipe spells it.
func (b *Book) keyText(c *call) string {
	r := b.cfg.Recipe
	if !r.Spelled() {
		return r.Text(c.key)
	}
	var run keys.RunID
	if !b.rule(c).Forever {
		run.Text = b.names.bytes(c.run)
	}
	return r.Spell(c.key, run, b.names.bytes(b.stem(c).tool))
}

// maxAbout bounds the runs that one finding is counted in; a key stands in more than one run only with `scope: forever`, an intent across runs in many.
const maxAbout = 4096

func (b *Book) duplicate(at *group, calls []uint32, tries []attempt) *Finding {
	f := b.begin(Duplicate, Info, calls)
	const before = "duplicate "
	f.ID = before + f.Key
	f.Key = f.ID[len(before):] // one text in place of two
	if b.cfg.Match != MatchNone && f.Side != "" {
		f.ID += " " + f.Side
	}
	f.Doubles = len(tries) - len(calls)
	f.Cause = b.cause(calls, tries)
	f.Overlap = b.overlap(tries)
	tries = b.unapproved(at, tries)
	f.Outcome = b.outcome(at, calls, tries, f.Overlap)
	f.Severity = severity(f.Class, f.Outcome, f.Overlap)
	for _, x := range b.extras(at, calls, tries, f.Outcome) {
		f.Extras++
		if x.undone {
			f.Undone++
		}
	}
	return f
}

// severity is PRODUCT.md's table.
func severity(c table.Class, o Outcome, overlap bool) Severity {
	quiet := o == OutcomeRetried || o == OutcomeReplayed
	switch {
	case c == table.Pure:
		return Info
	case c == table.Compensate && o != OutcomeReplayed:
		return Critical
	case quiet:
		return Low
	case o == OutcomeExtra && c == table.Keyed:
		return Critical
	case o == OutcomeExtra || overlap:
		return High
	}
	return Medium
}

// cause compares call ids within their reach.
func (b *Book) cause(calls []uint32, tries []attempt) Cause {
	ids := map[uint32]bool{}
	again := len(tries) > len(calls) && slices.ContainsFunc(tries, func(t attempt) bool { return t.double })
	for _, i := range calls {
		c := b.calls.at(i)
		if b.tie(c).id == 0 {
			return CauseUnknown
		}
		s := b.scopeOfCall(c)
		again = again || ids[s]
		ids[s] = true
	}
	switch {
	case len(ids) == 1:
		return CauseHandler
	case again:
		return CauseMixed
	}
	return CauseModel
}

// overlap says whether two attempts that were sent ran at one time: each began before the other ended.
func (b *Book) overlap(tries []attempt) bool {
	type span struct{ from, to int64 }
	var spans []span
	for _, t := range tries {
		if t.double || t.result == 0 || !t.sent() {
			continue
		}
		if from, to := b.calls.at(t.call).time, b.results.at(t.result).time; from != trace.NoTime && to != trace.NoTime {
			spans = append(spans, span{from, to})
		}
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	latest := make([]int64, len(spans)) // latest end up to here
	for j, s := range spans {
		k := j // how many earlier ones began before this one ended
		if s.to <= s.from {
			k = sort.Search(j, func(i int) bool { return spans[i].from >= s.to })
		}
		if k > 0 && latest[k-1] > s.from {
			return true
		}
		latest[j] = s.to
		if j > 0 {
			latest[j] = max(s.to, latest[j-1])
		}
	}
	return false
}

// outcome is the first rule of PRODUCT.md's table that holds.
func (b *Book) outcome(at *group, calls []uint32, tries []attempt, overlap bool) Outcome {
	if !slices.ContainsFunc(calls, func(i uint32) bool { return b.records(b.stem(b.calls.at(i)).file) }) {
		return OutcomeUnknown
	}
	payloads := map[[17]byte]bool{}
	oks, sent := 0, 0
	ambiguous, open := false, false
	var payload [17]byte
	for _, t := range tries {
		if t.sent() {
			sent++
		}
		switch t.status {
		case trace.Pending:
			open = true
		case trace.OK:
			oks++
			payload = b.payloadOf(t.result)
			payloads[payload] = true
		case trace.Ambiguous:
			ambiguous = true
		}
	}
	switch {
	case len(payloads) > 1:
		return OutcomeExtra
	case ambiguous && sent > 1:
		return OutcomeAmbiguous
	case oks > 1 && !overlap && b.absorbed(at, tries, payload):
		return OutcomeReplayed
	case oks > 1:
		return OutcomeSame
	case open:
		return OutcomeOpen
	case sent <= 1:
		return OutcomeReplayed
	}
	return OutcomeRetried
}

// absorbed says whether the ledger held the key as committed, with that payload, before every attempt after the first.
func (b *Book) absorbed(at *group, tries []attempt, payload [17]byte) bool {
	r, ok := b.rows[at.id]
	if !ok || r.State != "committed" || payload[16] == 2 || r.stored() != payload {
		return false
	}
	for _, t := range tries[1:] {
		began := b.calls.at(t.call).time
		if began == trace.NoTime || nanos(r.Updated) > began {
			return false
		}
	}
	return true
}

// temporal is one intent with several recorded keys.
func (b *Book) temporal(calls []uint32) *Finding {
	if len(calls) < 2 {
		return nil
	}
	var recorded []uint32
	seen := map[uint32]bool{}
	for _, i := range calls {
		if r := b.aside(b.calls.at(i)).recorded; r != 0 && !seen[r] {
			seen[r] = true
			recorded = append(recorded, r)
		}
	}
	if len(recorded) < 2 {
		return nil
	}
	f := b.begin(TemporalKey, Medium, calls)
	f.ID = "temporal " + f.Key + " " + f.Side
	d := f.detail()
	for _, r := range recorded {
		d.Recorded = append(d.Recorded, b.names.text(r))
	}
	return f
}

// mutates says whether a class changes the world through the envelope.
func mutates(c table.Class) bool { return c == table.Keyed || c == table.Compensate }

// unmatched judges whether a mutator's key has the ledger row, and the other side's call, that it should have.
func (b *Book) unmatched(at *group, calls []uint32, tries []attempt) []*Finding {
	if !mutates(b.rule(b.calls.at(calls[0])).Class) {
		b.setInLedger(b.tie(b.calls.at(calls[0])).group, calls, false)
		return nil
	}
	var now []*Finding
	add := func(why, side string) {
		f := b.begin(Unmatched, High, calls)
		f.Why, f.Side = why, side
		f.ID = "unmatched " + f.Key
		if why != whyNoRow {
			f.ID += " " + side
		}
		now = append(now, f)
	}
	if b.cfg.Ledger {
		met := b.meets(at.id, calls)
		b.setInLedger(b.tie(b.calls.at(calls[0])).group, calls, met)
		refused := !slices.ContainsFunc(tries, func(t attempt) bool { return t.status != trace.Refused })
		if !met && !refused && b.leads(at, calls) && !b.youngCalls(calls, b.tie(b.calls.at(calls[0])).group, 0) {
			add(whyNoRow, b.files[b.stem(b.calls.at(calls[0])).file].Side)
		}
	}
	if b.cfg.Match != MatchNone && b.lonely(at, calls) {
		add(whyOneSide, b.sides[at.side])
	}
	return now
}

// Why a mutator is unmatched.
const (
	whyNoRow   = "no ledger row"
	whyNoKey   = "no key"
	whyOneSide = "only on this side"
)

// meets says whether a row stands under the key or under a key that the handler recorded.
func (b *Book) meets(id [16]byte, calls []uint32) bool {
	if _, ok := b.rows[id]; ok {
		return true
	}
	for _, i := range calls {
		if c := b.calls.at(i); b.aside(c).recorded != 0 {
			if _, ok := b.rows[b.recordedID(b.aside(c).recorded)]; ok {
				return true
			}
		}
	}
	return false
}

// leads says whether this group has the first call of its key: with --match a key has a group a side, and is told once.
func (b *Book) leads(at *group, calls []uint32) bool {
	if b.cfg.Match == MatchNone {
		return true
	}
	leads := true
	b.groupsOf(at.id, func(side uint16, g uint32) {
		if side == at.side {
			return
		}
		if other := b.members(b.groups.at(g).head, inGroup); len(other) > 0 && b.callBefore(other[0], calls[0]) {
			leads = false
		}
	})
	return leads
}

// lonely says whether another side that was given the same work lacks this.
func (b *Book) lonely(at *group, calls []uint32) bool {
	has := map[uint16]bool{at.side: true}
	c := b.calls.at(calls[0])
	if b.cfg.Match == MatchRun || b.rule(c).Forever {
		b.groupsOf(at.id, func(side uint16, g uint32) {
			if b.groups.at(g).n > 0 {
				has[side] = true
			}
		})
	} else {
		for _, i := range b.sameIntent(calls[0]) {
			has[b.files[b.stem(b.calls.at(i)).file].side] = true
		}
	}
	for side := 1; side < len(b.sides); side++ {
		if !has[uint16(side)] {
			return true
		}
	}
	return false
}
