package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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
	for on := ""; on != "on"; {
		if err := c.QueryRow(context.Background(), "SHOW fsync").Scan(&on); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClaimCommit measures a claim and its commit, each durable, in turn with the driver doing two transactions on
// tool_calls alone: of-bare is how fast ours is against it, whatever else the machine does. Every caller has a run of its own.
func BenchmarkClaimCommit(b *testing.B) {
	for _, callers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("%d callers beside bare", callers), func(b *testing.B) {
			bare, ours := bareCalls(b, callers), envelopeCalls(b, callers)
			durable(b, shared.url("postgres"))
			n := 16 * callers
			bare(n)
			ours(n)
			var they, we time.Duration
			timed := func(sum *time.Duration, f func(n int)) {
				start := time.Now()
				f(n)
				*sum += time.Since(start)
			}
			rounds := 0
			for done := 0; done < b.N || rounds == 0; done += n {
				if rounds++; rounds%2 == 0 {
					timed(&they, bare)
				}
				timed(&we, ours)
				if rounds%2 == 1 {
					timed(&they, bare)
				}
			}
			b.ReportMetric(float64(we)/float64(rounds*n), "ns/op")
			b.ReportMetric(float64(they)/float64(we), "of-bare")
		})
	}
}

// bareCalls makes calls with the driver alone.
func bareCalls(b *testing.B, callers int) func(n int) {
	url := database(b)
	s, err := OpenStore(context.Background(), url, StoreOptions{Connections: 1}) // makes the tables
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	cfg, _, err := parse(url, int32(callers))
	if err != nil {
		b.Fatal(err)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	return each(callers, func(key, _ string) {
		_, err := pool.Exec(context.Background(), "INSERT INTO tool_calls VALUES ($1, 'open_pr', $2, NULL, 'inflight', 1, 1) ON CONFLICT DO NOTHING", key, benchRequest)
		if err == nil {
			_, err = pool.Exec(context.Background(), "UPDATE tool_calls SET state = 'committed', response_json = $2, updated_at = 2 WHERE idempotency_key = $1 AND state = 'inflight'", key, benchResponse)
		}
		if err != nil {
			b.Error(err)
		}
	})
}

// envelopeCalls makes calls through the envelope.
func envelopeCalls(b *testing.B, callers int) func(n int) {
	env := envelope(openStore(b, database(b), StoreOptions{Connections: callers}))
	return each(callers, func(key, run string) {
		c := call(key)
		c.Run, c.Request = run, benchRequest
		a, err := env.Execute(context.Background(), c, func(context.Context, string) ledger.Reply {
			return ledger.Reply{Outcome: ledger.Done, Response: benchResponse, HasResponse: true}
		})
		if err != nil || a.Ticket.Decision != ledger.Send || a.Settled.Late {
			b.Error(a, err)
		}
	})
}

// each shares n calls of f among that many callers, each with a fresh key and the caller's run.
func each(callers int, f func(key, run string)) func(n int) {
	var made atomic.Int64
	return func(n int) {
		var all sync.WaitGroup
		for who := range callers {
			all.Go(func() {
				for range n / callers {
					f(fmt.Sprintf("%064x", made.Add(1)), fmt.Sprint("r", who))
				}
			})
		}
		all.Wait()
	}
}
