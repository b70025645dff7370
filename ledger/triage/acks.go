package triage

import (
	"fmt"

	"drainboard/ledger"
)

// acks are the acknowledgements that findings are judged by.
type acks struct {
	facts []ledger.Ack // of the ledger
	own   []ledger.Ack // of the state directory, when there is no ledger
	held  map[ackKey]string
	next  float64 // when the next one expires, seconds; 0: none does
}

// ackKey names a finding as it was when it was acknowledged.
type ackKey struct{ kind, key, seen string }

// Acknowledgement is what an acknowledgement of the finding names: its kind, its key, and what it looked like. It holds as
// long as these are the same.
func (f *Finding) Acknowledgement() (kind, key, seen string) {
	kind, key = f.Kind.String(), f.Key
	if key == "" {
		key = f.ID
	}
	switch {
	case f.Kind == Overwritten:
		return kind, key, f.Details().image
	case f.Kind == LateReply:
		return kind, key, f.ID
	}
	seen = fmt.Sprintf("%d calls, %d results", f.Calls, f.Results)
	if f.Kind == Duplicate || f.Kind == Unmatched {
		seen += ", side " + f.Side
	}
	return kind, key, seen
}

// Acknowledgeable says why a finding cannot be acknowledged, "" when it can (LEDGER.md "Operator actions").
func (f *Finding) Acknowledgeable() string {
	switch f.Kind {
	case Duplicate, Unmatched, Overwritten, LateReply:
		return ""
	case InFlight, Hung:
		return "a row in flight is settled, not acknowledged"
	case UnclassifiedTool:
		return "a tool is classified, not acknowledged"
	case Compensation:
		return "a compensation is run again once it is known what it did, not acknowledged"
	}
	return "it blocks nothing: repeats, unmatched keys, overwritten rows and late replies are acknowledged"
}

// SetAcks replaces the acknowledgements that stand in no ledger. They hide findings and never turn a verdict.
func (b *Book) SetAcks(own []ledger.Ack) {
	b.acks.own = own
	b.acknowledgeAll()
}

// acknowledgeAll judges every finding by the acknowledgements that hold now.
func (b *Book) acknowledgeAll() {
	a := &b.acks
	was := len(a.held)
	a.held, a.next = map[ackKey]string{}, 0
	now := float64(b.now) / 1e9
	for _, list := range [][]ledger.Ack{a.own, a.facts} {
		for i := range list {
			k := &list[i]
			if k.Expires != 0 && k.Expires <= now {
				continue
			}
			a.held[ackKey{k.Kind, k.Key, k.Seen}] = k.Actor + ": " + k.Reason
			if k.Expires != 0 && (a.next == 0 || k.Expires < a.next) {
				a.next = k.Expires
			}
		}
	}
	if was == 0 && len(a.held) == 0 {
		return
	}
	for e, first := range b.index.held {
		touched := false
		var now []*Finding
		for f := first; f != nil; f = f.next {
			g := *f
			g.next = nil
			b.acknowledge(&g)
			now = append(now, &g)
			touched = touched || g.Ack != f.Ack
		}
		if touched {
			b.hold(e, nil)
			b.hold(e, now)
		}
	}
}

// expire takes back the acknowledgements whose time is over, and says whether there were any.
func (b *Book) expire(now int64) bool {
	b.now = max(b.now, now)
	if b.acks.next == 0 || float64(now)/1e9 < b.acks.next {
		return false
	}
	b.acknowledgeAll()
	return true
}

func (b *Book) acknowledge(f *Finding) {
	f.Ack, f.acked = "", false
	if len(b.acks.held) > 0 {
		kind, key, seen := f.Acknowledgement()
		f.Ack = b.acks.held[ackKey{kind, key, seen}]
		f.acked = f.Ack != "" && b.cfg.Ledger // only an acknowledgement in a ledger turns a verdict
	}
}
