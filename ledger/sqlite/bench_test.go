package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
)

const benchRequest = `{"repo": "acme/widgets", "title": "meter retries in the paid loop", "head": "feat/keys", "base": "main", "labels": ["drain", "idempotency"], "body": "Stamps an idempotency key on every side-effecting tool before the loop is left."}`

const benchResponse = `{"pr_url": "https://example.invalid/pr/1", "number": 1, "state": "open"}`

// bareStatements are what a claim and a commit come to: with only tool_calls, and with all that drainboard writes.
var bareStatements = map[string][2][]string{
	"tool_calls": {
		{"INSERT INTO tool_calls VALUES (?1, 'open_pr', ?2, NULL, 'inflight', 1, 1) ON CONFLICT DO NOTHING"},
		{"UPDATE tool_calls SET state = 'committed', response_json = ?2, updated_at = 2 WHERE idempotency_key = ?1 AND state = 'inflight'"},
	},
	"same": {
		{
			"UPDATE drainboard_runs SET calls = calls + 1 WHERE run = 'r' AND ?1 <> ?2",
			"SELECT * FROM tool_calls t LEFT JOIN drainboard_claims c ON c.key = t.idempotency_key WHERE t.idempotency_key = ?1 AND ?2 <> ''",
			"INSERT INTO tool_calls VALUES (?1, 'open_pr', ?2, NULL, 'inflight', 1, 1)",
			"INSERT INTO drainboard_claims VALUES (?1, '0123456789abcdef0123456789abcdef', 1, 'r', 'h', 'b', length(?2), 1)",
			"INSERT INTO drainboard_log (at, actor, action, key, tool, reason, detail, to_state, to_created, to_updated) VALUES (1, 'me@host', 'claim', ?1, 'open_pr', '', '', 'inflight', 1, length(?2))",
		},
		{
			"UPDATE tool_calls SET state = 'committed', response_json = ?2, updated_at = 2 WHERE idempotency_key = ?1 AND state = 'inflight' AND EXISTS (SELECT 1 FROM drainboard_claims WHERE key = ?1)",
			"INSERT INTO drainboard_log (at, actor, action, key, tool, reason, detail, from_state, from_created, from_updated, to_state, to_response, to_created, to_updated) VALUES (1, 'me@host', 'commit', ?1, 'open_pr', '', '{\"token\":\"0123456789abcdef0123456789abcdef\"}', 'inflight', 1, 1, 'committed', ?2, 1, 2)",
		},
	},
}

// BenchmarkClaimCommit measures a claim and its commit, two transactions at synchronous=FULL, in turn with the driver
// doing the same two: with the seeds' table alone, and with all statements that the rules need. What both take goes up and
// down with whatever else the machine does; of-bare, how fast ours is against the other, hardly does. At last come 32
// callers, in turn with one.
func BenchmarkClaimCommit(b *testing.B) {
	for _, name := range []string{"tool_calls", "same"} {
		b.Run("1 caller beside bare "+name, func(b *testing.B) {
			inTurn(b, 16, bareCalls(b, bareStatements[name]), 16, envelopeCalls(b, benchStore(b), 1), "of-bare")
		})
	}
	b.Run("32 callers beside 1", func(b *testing.B) {
		inTurn(b, 16, envelopeCalls(b, benchStore(b), 1), 320, envelopeCalls(b, benchStore(b), 32), "of-one")
	})
	b.Run("memory", func(b *testing.B) {
		s, err := Memory()
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		envelopeCalls(b, s, 1)(b.N)
	})
}

// inTurn has the other and ours make calls in turn, a few each, until ours has made b.N; ns/op is ours.
func inTurn(b *testing.B, others int, other func(n int), each int, ours func(n int), ratio string) {
	timed := func(f func(int), n int) time.Duration {
		start := time.Now()
		f(n)
		return time.Since(start)
	}
	timed(other, others)
	timed(ours, each)
	var they, we time.Duration // a call
	rounds := 0
	for done := 0; done < b.N || rounds == 0; done += each {
		if rounds++; rounds%2 == 0 {
			they += timed(other, others) / time.Duration(others)
		}
		we += timed(ours, each) / time.Duration(each)
		if rounds%2 == 1 {
			they += timed(other, others) / time.Duration(others)
		}
	}
	b.ReportMetric(float64(we)/float64(rounds), "ns/op")
	b.ReportMetric(float64(they)/float64(we), ratio)
}

// bareCalls makes calls with the driver alone.
func bareCalls(b *testing.B, stmts [2][]string) func(n int) {
	c, err := dial(benchFile(b), "rw")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.close() })
	run := func(q string, args ...driver.Value) {
		if _, err := c.exec(q, args...); err != nil {
			b.Fatal(q, err)
		}
	}
	run("PRAGMA synchronous = FULL")
	run("INSERT INTO drainboard_runs VALUES ('r', 0)")
	made := 0
	return func(n int) {
		for range n {
			key := hexKey(made)
			made++
			for j, tx := range stmts {
				run("BEGIN IMMEDIATE")
				for _, q := range tx {
					run(q, key, []string{benchRequest, benchResponse}[j])
				}
				run("COMMIT")
			}
		}
	}
}

// envelopeCalls makes calls through the envelope, from that many goroutines.
func envelopeCalls(b *testing.B, s ledger.Store, callers int) func(n int) {
	env := &ledger.Envelope{Store: s, Now: time.Now, Random: rand.Reader, Actor: "me@host", Owner: ledger.Owner{Host: "h", BootID: "b", PID: 1, PIDStart: 1}}
	var made atomic.Int64
	work := func() {
		c := ledger.Call{Key: hexKey(int(made.Add(1))), Run: "r", Tool: "open_pr", Request: benchRequest, Class: table.Keyed}
		a, err := env.Execute(context.Background(), c, func(context.Context, string) ledger.Reply {
			return ledger.Reply{Outcome: ledger.Done, Response: benchResponse, HasResponse: true}
		})
		if err != nil || a.Ticket.Decision != ledger.Send || a.Settled.Late {
			b.Error(a, err)
		}
	}
	return func(n int) {
		var all sync.WaitGroup
		for range callers {
			share := n / callers
			all.Go(func() {
				for range share {
					work()
				}
			})
		}
		all.Wait()
	}
}

func benchStore(b *testing.B) *Store {
	b.Helper()
	s, err := OpenStore(context.Background(), benchFile(b), StoreOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// benchFile is a ledger with all its tables.
func benchFile(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "l.sqlite")
	s, err := OpenStore(context.Background(), path, StoreOptions{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Update(context.Background(), func(ledger.Tx) error { return nil }); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkLook looks at a ledger of 200,000 committed rows of the seeds' shape.
func BenchmarkLook(b *testing.B) {
	const rows = 200_000
	path := benchFile(b)
	c, err := dial(path, "rw")
	if err != nil {
		b.Fatal(err)
	}
	defer c.close()
	put := func(key string, state string) {
		if _, err := c.exec("INSERT OR REPLACE INTO tool_calls VALUES (?, 'open_pr', ?, ?, ?, 1, ?)", key, benchRequest, benchResponse, state, float64(time.Now().UnixMicro())); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := c.exec("BEGIN"); err != nil {
		b.Fatal(err)
	}
	for i := range rows {
		put(hexKey(i), "committed")
	}
	if _, err := c.exec("COMMIT"); err != nil {
		b.Fatal(err)
	}
	now := time.Unix(1_700_000_000, 0)
	open := func() *Looker {
		l, err := OpenLooker(context.Background(), path, Options{Now: func() time.Time { return now }})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = l.Close() })
		return l
	}
	lookFor := func(l *Looker, want int) {
		ch, err := l.Look(context.Background())
		if err != nil || len(ch.Rows) != want {
			b.Fatalf("%d rows, want %d, %v", len(ch.Rows), want, err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for range b.N {
			lookFor(open(), rows)
		}
		b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	l := open()
	lookFor(l, rows)
	b.Run("nothing", func(b *testing.B) {
		for range b.N {
			lookFor(l, 0)
		}
	})
	b.Run("one row", func(b *testing.B) {
		for i := range b.N {
			put(fmt.Sprint("new ", i), "committed")
			lookFor(l, 1)
		}
	})
	b.Run("page", func(b *testing.B) {
		for i := range b.N {
			if _, _, err := l.page(context.Background(), int64(i*1000%rows)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("minute", func(b *testing.B) {
		for range b.N {
			put("again", "committed")
			now = now.Add(time.Minute)
			if _, err := l.Look(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
