package table

import (
	"slices"

	"drainboard/keys"
)

// Move says under which rule of another table the calls of one rule stand.
type Move struct {
	From, To int  // IDs
	Read     bool // To, or the key that it makes, cannot be told without a call's arguments
}

// Moves says what another table makes of the calls of a tool: a move for the row and for each of its cases. A call whose move is not
// Read keeps its key and the shape of its arguments.
func (t *Table) Moves(tool string, next *Table) []Move {
	was, now := t.Row(tool), next.Row(tool)
	same := len(now.cases) >= len(was.cases)
	for i := 0; same && i < len(was.cases); i++ {
		a, b := &was.cases[i], &now.cases[i]
		same = a.at.String() == b.at.String() && a.glob == b.glob
	}
	move := func(from, to *Rule, sure bool) Move {
		return Move{from.ID, to.ID, !sure || !keysAlike(from, to)}
	}
	out := []Move{move(was.own, now.own, same && len(now.cases) == len(was.cases))}
	for i := range was.cases {
		to := now.own
		if same {
			to = now.cases[i].rule
		}
		out = append(out, move(was.cases[i].rule, to, same))
	}
	return out
}

// keysAlike says whether all that is computed of a call's arguments under one rule is what another one would compute.
func keysAlike(from, to *Rule) bool {
	return samePointers(from.Ignore, to.Ignore) && from.Forever == to.Forever && (from.Class != Pure || to.Class == Pure)
}

func samePointers(a, b []keys.Pointer) bool {
	return slices.EqualFunc(a, b, func(p, q keys.Pointer) bool { return p.String() == q.String() })
}

// ResultMoves says by which rule of this table a payload was digested as each rule of another table with ignore_result digests it: the
// pair of IDs, next's first. ok is false when there is none for one of them, so that payloads have to be read again.
func (t *Table) ResultMoves(next *Table) (pairs [][2]int, ok bool) {
	for _, r := range next.rules {
		if len(r.IgnoreResult) == 0 {
			continue
		}
		i := slices.IndexFunc(t.rules, func(was *Rule) bool { return samePointers(was.IgnoreResult, r.IgnoreResult) })
		if i < 0 {
			return nil, false
		}
		pairs = append(pairs, [2]int{r.ID, t.rules[i].ID})
	}
	return pairs, true
}
