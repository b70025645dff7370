package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"drainboard/ledger"

	"github.com/jackc/pgx/v5/pgxpool"
)

const benchRequest = `{"repo": "acme/widgets", "title": "meter retries in the paid loop", "head": "feat/keys", "base": "main", "labels": ["drain", "idempotency"], "body": "Stamps an idempotency key on every side-effecting tool before the loop is left."}`

const benchResponse = `{"pr_url": "https://example.invalid/pr/1", "number": 1, "state": "open"}`

// durable has the server sync what it commits: the tests do without.
func durable(b *testing.B, url string) {
	b.Helper()
	c := connect(b, url)
	for _, q := range []string{"ALTER SYSTEM SET fsync = on", "SELECT pg_reload_conf()"} {
		if _, err := c.Exec(context.Background(), q); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClaimCommit measures a claim and its commit, each durable, beside the driver doing two transactions on
// tool_calls alone. Every caller has a run of its own.
func BenchmarkClaimCommit(b *testing.B) {
	for _, callers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("bare %d callers", callers), func(b *testing.B) {
			url := database(b)
			durable(b, url)
			openStore(b, url, StoreOptions{}) // makes the tables
			cfg, _, err := parse(url, int32(callers))
			if err != nil {
				b.Fatal(err)
			}
			pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer pool.Close()
			each(b, callers, func(key, _ string) {
				_, err := pool.Exec(context.Background(), "INSERT INTO tool_calls VALUES ($1, 'open_pr', $2, NULL, 'inflight', 1, 1) ON CONFLICT DO NOTHING", key, benchRequest)
				if err == nil {
					_, err = pool.Exec(context.Background(), "UPDATE tool_calls SET state = 'committed', response_json = $2, updated_at = 2 WHERE idempotency_key = $1 AND state = 'inflight'", key, benchResponse)
				}
				if err != nil {
					b.Error(err)
				}
			})
		})
		b.Run(fmt.Sprintf("store %d callers", callers), func(b *testing.B) {
			url := database(b)
			durable(b, url)
			env := envelope(openStore(b, url, StoreOptions{Connections: callers}))
			each(b, callers, func(key, run string) {
				c := call(key)
				c.Run, c.Request = run, benchRequest
				a, err := env.Execute(context.Background(), c, func(context.Context, string) ledger.Reply {
					return ledger.Reply{Outcome: ledger.Done, Response: benchResponse, HasResponse: true}
				})
				if err != nil || a.Ticket.Decision != ledger.Send || a.Settled.Late {
					b.Error(a, err)
				}
			})
		})
	}
}

// each calls f b.N times from that many callers, with a fresh key and the caller's run.
func each(b *testing.B, callers int, f func(key, run string)) {
	var n, who atomic.Int64
	b.SetParallelism((callers + 1) / 2)
	b.ResetTimer()
	if callers == 1 {
		for range b.N {
			f(fmt.Sprintf("%064x", n.Add(1)), "r")
		}
		return
	}
	b.RunParallel(func(pb *testing.PB) {
		run := fmt.Sprint("r", who.Add(1))
		for pb.Next() {
			f(fmt.Sprintf("%064x", n.Add(1)), run)
		}
	})
}
