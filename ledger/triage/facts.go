package triage

import (
	"strconv"

	"drainboard/keys"
	"drainboard/ledger"
	"drainboard/trace"
)

// Facts takes in what drainboard keeps in the ledger beside the rows: rows that somebody overwrote, replies that came late,
// compensations, acknowledgements. It replaces what was taken in before.
func (b *Book) Facts(f *ledger.Facts) {
	var over, late, comp []*Finding
	b.undos(f)
	b.acks.facts = f.Acks
	b.acknowledgeAll()
	for i := range f.Overwritten {
		o := &f.Overwritten[i]
		w := b.aboutRow(Overwritten, High, o.Key, o.Tool)
		w.Why = "drainboard wrote " + string(o.Wrote.State) + ", found " + word(string(o.Found.State))
		w.detail().image = o.Found.Fingerprint()
		over = append(over, w)
	}
	for i := range f.Late {
		l := &f.Late[i]
		sev := High
		if l.Differs {
			sev = Critical
		}
		w := b.aboutRow(LateReply, sev, l.Key, l.Tool)
		w.ID += " " + strconv.FormatInt(l.ID, 10)
		w.Why, w.Started, w.Last = "would have made it "+string(l.State), nanos(l.At), nanos(l.At)
		late = append(late, w)
	}
	for i := range f.Compensations {
		c := &f.Compensations[i]
		if c.State == ledger.CompensationEnded {
			continue
		}
		w := b.aboutRow(Compensation, High, c.Key, c.Tool)
		w.ID += " " + c.ID
		w.Why, w.Started, w.Last = string(c.State), nanos(c.Started), nanos(c.Started)
		comp = append(comp, w)
	}
	b.acted = lastAct(f)
	b.hold(entity{entFacts, 0}, over)
	b.hold(entity{entFacts, 1}, late)
	b.hold(entity{entFacts, 2}, comp)
}

// lastAct is when an operator last settled something that blocked.
func lastAct(f *ledger.Facts) int64 {
	at := trace.NoTime
	for i := range f.Acks {
		at = max(at, nanos(f.Acks[i].At))
	}
	for i := range f.Compensations {
		at = max(at, nanos(f.Compensations[i].Started), nanos(f.Compensations[i].Ended))
	}
	return at
}

func word(s string) string {
	if s == "" {
		return "no row"
	}
	return s
}

// aboutRow begins a finding about a row of the ledger that need not have a call.
func (b *Book) aboutRow(kind Kind, sev Severity, key, tool string) *Finding {
	f := &Finding{Kind: kind, Severity: sev, Started: trace.NoTime, Last: trace.NoTime, when: trace.NoTime}
	if r, ok := b.rows[keys.IDOf(key)]; ok {
		if calls := b.meeting(r); len(calls) > 0 {
			f = b.begin(kind, sev, calls)
		}
	}
	if f.Rule == nil {
		f.Rule = b.cfg.Table.Lookup(tool, nil)
		f.Class = f.Rule.Class
	}
	f.ID, f.Key, f.Tool = kind.String()+" "+key, key, tool
	return f
}
