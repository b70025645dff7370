package intake

import (
	"fmt"

	"drainboard/ledger"
)

// holders remembers the rows in flight and what was said of who holds them: a process ends without its row moving.
type holders struct {
	alive func(ledger.Owner) ledger.Liveness // nil: nothing is known of any process
	rows  map[string]heldRow
}

type heldRow struct {
	row   ledger.Row
	words string
}

// fold takes in what a look found, and adds the rows of whose holders something else is to be said by now.
func (h *holders) fold(c *ledger.Changes) {
	if c.All || h.rows == nil {
		h.rows = map[string]heldRow{}
	}
	for _, key := range c.Gone {
		delete(h.rows, key)
	}
	names := map[ledger.Owner]string{}
	for _, r := range c.Rows {
		if r.State != ledger.InFlight || r.Claim == nil {
			delete(h.rows, r.Key)
			continue
		}
		h.rows[r.Key] = heldRow{r, h.name(r.Claim, names)}
	}
	for key, was := range h.rows {
		if words := h.name(was.row.Claim, names); words != was.words {
			h.rows[key] = heldRow{was.row, words}
			c.Rows = append(c.Rows, was.row)
		}
	}
}

// words says who holds a row, "" when nobody said.
func (h *holders) words(r *ledger.Row) string {
	if r.Claim == nil {
		return ""
	}
	if held, ok := h.rows[r.Key]; ok {
		return held.words
	}
	return holder(r.Claim)
}

// name says who holds a claim, and whether that process still lives where that can be told: one that is gone will not
// settle its row, so that its outcome is in doubt. names are those of this look: a process holds many rows.
func (h *holders) name(c *ledger.Claim, names map[ledger.Owner]string) string {
	o := ledger.Owner{Host: c.Host, BootID: c.BootID, PID: c.PID, PIDStart: c.PIDStart}
	words, ok := names[o]
	if ok {
		return words
	}
	words = holder(c)
	if h.alive != nil {
		switch h.alive(o) {
		case ledger.Alive:
			words += " (alive)"
		case ledger.Gone:
			words += " (gone)"
		}
	}
	names[o] = words
	return words
}

func holder(c *ledger.Claim) string { return fmt.Sprintf("pid %d on %s", c.PID, c.Host) }
