package triage

import (
	"slices"

	"drainboard/trace"
)

// Blurred is a call as a rule that is not in force yet would see it: the digest of what is left of its arguments.
type Blurred struct {
	Pos    Pos
	Digest [16]byte
}

// Merge is a set of keys that a rule would make one.
type Merge struct {
	Run   string // "" where the tool's keys hold no run
	Calls int
	Keys  []MergedKey // two or more, in the order of their first calls
	// Differs: at least two of the keys were answered ok, and not all with one payload. Then they are hardly one intent, and one key
	// for them would drop real work.
	Differs bool
	Unknown bool // fewer than two of the keys were answered ok: the trace does not say whether they are one intent
}

// MergedKey is one of them.
type MergedKey struct {
	Key      string
	Calls    int
	First    Pos
	Payloads int // different ok payloads, not replayed ones
}

// Merges lists what would come under one key if calls of one tool were known by these digests, each run by itself unless the tool's keys
// hold none. It changes nothing that is shown. Settle must have run.
func (b *Book) Merges(of []Blurred) []Merge {
	type intent struct {
		run  uint32
		args [16]byte
	}
	at := map[intent]int{}
	var sets [][]uint32
	for _, x := range of {
		i := b.find(x.Pos)
		if i == 0 {
			continue
		}
		c := b.calls.at(i)
		if c.flags&callNoKey != 0 || c.flags&callCounted == 0 {
			continue
		}
		k := intent{c.run, x.Digest}
		if b.rule(c).Forever {
			k.run = 0
		}
		n, ok := at[k]
		if !ok {
			n = len(sets)
			at[k] = n
			sets = append(sets, nil)
		}
		sets[n] = append(sets[n], i)
	}
	var out []Merge
	for _, calls := range sets {
		if m := b.merge(b.inOrder(calls)); len(m.Keys) > 1 {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(p, q Merge) int {
		return order(b.callBefore(b.find(p.Keys[0].First), b.find(q.Keys[0].First)))
	})
	return out
}

// merge sums up calls that would have one key.
func (b *Book) merge(calls []uint32) Merge {
	m := Merge{Calls: len(calls)}
	if first := b.calls.at(calls[0]); !b.rule(first).Forever {
		m.Run = b.names.text(first.run)
	}
	number := map[uint32]int{} // of a group among m.Keys
	payloads := map[uint32]map[[17]byte]bool{}
	all := map[[17]byte]bool{}
	for _, i := range calls {
		c := b.calls.at(i)
		group := b.group(i)
		n, ok := number[group]
		if !ok {
			n = len(m.Keys)
			number[group] = n
			payloads[group] = map[[17]byte]bool{}
			m.Keys = append(m.Keys, MergedKey{Key: b.keyText(c), First: b.callPos(i)})
		}
		m.Keys[n].Calls++
		for x := b.tie(c).result; x != 0; x = b.results.at(x).next {
			if b.results.at(x).status == trace.OK {
				p := b.payloadOf(x)
				payloads[group][p], all[p] = true, true
			}
		}
	}
	answered := 0
	for group, n := range number {
		if m.Keys[n].Payloads = len(payloads[group]); m.Keys[n].Payloads > 0 {
			answered++
		}
	}
	m.Unknown = answered < 2
	m.Differs = !m.Unknown && len(all) > 1
	return m
}
