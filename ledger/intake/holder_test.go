package intake

import (
	"fmt"
	"slices"
	"testing"

	"drainboard/ledger"
)

// TestHoldersAreWatched: a process that ends is told of although its row does not move, and nothing is told twice.
func TestHoldersAreWatched(t *testing.T) {
	gone := map[int]bool{}
	h := holders{alive: func(o ledger.Owner) ledger.Liveness {
		switch {
		case o.Host != "here":
			return ledger.Unknown
		case gone[o.PID]:
			return ledger.Gone
		}
		return ledger.Alive
	}}
	row := func(key string, host string, pid int) ledger.Row {
		return ledger.Row{Key: key, State: ledger.InFlight, Claim: &ledger.Claim{Host: host, PID: pid}}
	}
	settled := row("b", "here", 2)
	settled.State, settled.Claim = ledger.Committed, nil
	for _, step := range []struct {
		what string
		ch   ledger.Changes
		ends int
		want []string
	}{
		{"all", ledger.Changes{All: true, Rows: []ledger.Row{row("a", "here", 1), row("b", "here", 2), row("c", "there", 1), {Key: "d", State: ledger.InFlight}}}, 0, []string{"a pid 1 on here (alive)", "b pid 2 on here (alive)", "c pid 1 on there", "d "}},
		{"nothing", ledger.Changes{}, 0, nil},
		{"one ends", ledger.Changes{}, 1, []string{"a pid 1 on here (gone)"}},
		{"nothing more", ledger.Changes{}, 0, nil},
		{"one settles and ends", ledger.Changes{Rows: []ledger.Row{settled}}, 2, []string{"b "}},
		{"a row goes", ledger.Changes{Gone: []string{"c"}}, 0, nil},
		{"all anew", ledger.Changes{All: true, Rows: []ledger.Row{row("a", "here", 1)}}, 0, []string{"a pid 1 on here (gone)"}},
	} {
		gone[step.ends] = true
		h.fold(&step.ch)
		var got []string
		for i := range step.ch.Rows {
			got = append(got, fmt.Sprint(step.ch.Rows[i].Key, " ", h.words(&step.ch.Rows[i])))
		}
		slices.Sort(got)
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: got %q, want %q", step.what, got, step.want)
		}
	}
	if len(h.rows) != 1 {
		t.Errorf("remembers %d rows, want 1", len(h.rows))
	}
}
