package triage

import "math/bits"

// Blocks names the kind of blocker that a finding is (Blocker.Kind), or is "" when it blocks nothing (PRODUCT.md "verdict").
func (f *Finding) Blocks() string {
	switch f.Kind {
	case Hung, InFlight:
		if f.drains {
			return "inflight"
		}
	case UnclassifiedTool:
		return "unclassified"
	case Unmatched:
		if !f.acked {
			return "unmatched"
		}
	case Duplicate:
		if f.blocksAsGroup() {
			return "critical"
		}
	case Overwritten:
		if !f.acked {
			return "overwritten"
		}
	case LateReply:
		if !f.acked && f.Severity == Critical {
			return "overwritten"
		}
	case Compensation:
		return "compensation"
	}
	return ""
}

// LoneKey is a key that one side called and no other side did.
type LoneKey struct{ Side, Key, Tool, Run string }

// LoneKeys lists keys that only one side called, at most limit a side, in the order in which their first calls were read. SideView.OnlyKeys counts them all.
// Settle must have run.
func (b *Book) LoneKeys(limit int) []LoneKey {
	if len(b.sides) < 3 {
		return nil
	}
	var out []LoneKey
	left := make([]int, len(b.sides))
	open := 0
	for side := 1; side < min(len(b.sides), len(b.lone)); side++ {
		left[side] = min(limit, b.lone[side])
		open += left[side]
	}
	for g := uint32(1); g <= b.groups.last() && open > 0; g++ {
		at := b.groups.at(g)
		if at.n == 0 || at.sides == 0 || at.sides&(at.sides-1) != 0 || b.otherSides(at)&^at.sides != 0 {
			continue
		}
		side := bits.TrailingZeros16(at.sides)
		if side >= len(left) || left[side] == 0 {
			continue
		}
		calls := b.members(at.head, inGroup)
		if len(calls) == 0 {
			continue
		}
		left[side]--
		open--
		c := b.calls.at(calls[0])
		out = append(out, LoneKey{b.sides[side], b.keyText(c), b.names.text(b.stem(c).tool), b.names.text(c.run)})
	}
	return out
}
