package sqlite

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"drainboard/ledger"
)

// TestLookFollowsAnything has an agent do anything to its table. After each minute what the looks have told is what the
// table holds; in between, no open row is missed.
func TestLookFollowsAnything(t *testing.T) {
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			a := newAgent(t, "PRAGMA journal_mode=WAL", "PRAGMA synchronous=OFF")
			now := time.Unix(1_700_000_000, 0)
			l := a.look(Options{Now: func() time.Time { return now }, PageRows: 3})
			told := map[string]ledger.Row{}
			for step := range 120 {
				for range r.IntN(4) {
					a.anything(r, float64(step))
				}
				swept := r.IntN(4) == 0
				if swept {
					now = now.Add(time.Minute)
				}
				ch := look(t, l)
				if ch.All {
					clear(told)
				}
				for _, k := range ch.Gone {
					delete(told, k)
				}
				for _, row := range ch.Rows {
					told[row.Key] = row
				}
				holds := a.all()
				if swept && !maps.Equal(told, holds) {
					t.Fatalf("step %d: told %v, the table holds %v", step, told, holds)
				}
				for k, row := range holds {
					if was, known := told[k]; (!known || was.State != ledger.Committed) && was != row {
						t.Fatalf("step %d: the open or new row %s was missed: told %v, is %v", step, k, was, row)
					}
				}
			}
		})
	}
}

// anything changes the table at random.
func (a *agent) anything(r *rand.Rand, at float64) {
	key := fmt.Sprintf("key %d", r.IntN(12))
	if r.IntN(2) == 0 {
		key = hexKey(r.IntN(12))
	}
	switch r.IntN(12) {
	case 0, 1, 2:
		a.put(key, "inflight", at, nil)
	case 3, 4:
		a.exec("UPDATE tool_calls SET state='committed', response_json=?, updated_at=? WHERE idempotency_key=?", fmt.Sprint(r.IntN(100)), at, key)
	case 5:
		a.exec("UPDATE tool_calls SET state='failed', updated_at=? WHERE idempotency_key=?", at, key)
	case 6:
		a.put(key, "committed", at, "1")
	case 7:
		a.exec("DELETE FROM tool_calls WHERE idempotency_key=?", key)
	case 8:
		if r.IntN(4) == 0 {
			a.exec("VACUUM")
		}
	case 9:
		if r.IntN(6) == 0 {
			a.exec("DELETE FROM tool_calls")
		}
	case 10:
		a.exec("DELETE FROM tool_calls WHERE rowid = (SELECT max(rowid) FROM tool_calls)")
	}
}

func (a *agent) all() map[string]ledger.Row {
	a.t.Helper()
	rows, err := a.db.Query("SELECT idempotency_key, tool_name, request_json, coalesce(response_json, ''), response_json IS NOT NULL, state, created_at, updated_at FROM tool_calls")
	if err != nil {
		a.t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]ledger.Row{}
	for rows.Next() {
		var r ledger.Row
		if err := rows.Scan(&r.Key, &r.Tool, &r.Request, &r.Response, &r.HasResponse, &r.State, &r.Created, &r.Updated); err != nil {
			a.t.Fatal(err)
		}
		out[r.Key] = r
	}
	if err := rows.Err(); err != nil {
		a.t.Fatal(err)
	}
	return out
}
