package board

import (
	"strings"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ui/board/ink"
)

// cells are the decision table's three cells of a rule.
func cells(r *table.Rule) [][2]string {
	var out [][2]string
	for _, s := range []table.Situation{table.OnTimeout, table.OnRetry, table.OnExtra} {
		out = append(out, [2]string{s.String(), table.Advice(r, s)})
	}
	return out
}

func (c *composer) rule(r *table.Rule) {
	c.section("DECISION TABLE", table.Shape(r))
	for _, cell := range cells(r) {
		c.put(say(cell[0]+strings.Repeat(" ", max(26-len(cell[0]), 1)), ink.Faint), say(cell[1], ink.Strong))
	}
	var facts []string
	if len(r.NaturalKey) > 0 {
		facts = append(facts, "natural key "+joinPointers(r.NaturalKey))
	}
	if len(r.Ignore) > 0 {
		facts = append(facts, "ignores "+joinPointers(r.Ignore))
	}
	if r.Timeout > 0 {
		facts = append(facts, "timeout "+timeout(r.Timeout.Seconds()))
	}
	if r.Forever {
		facts = append(facts, "scope forever")
	}
	if r.Polling {
		facts = append(facts, "polls")
	}
	if r.Compensate != nil {
		facts = append(facts, "undone by "+strings.Join(r.Compensate.Run, " "))
	}
	if len(facts) > 0 {
		c.wrap([]span{say(strings.Join(facts, c.g.Break), ink.Faint)})
	}
}

func joinPointers(all []keys.Pointer) string {
	var out []string
	for _, p := range all {
		out = append(out, p.String())
	}
	return strings.Join(out, " ")
}
