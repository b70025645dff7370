package postgres

import (
	"context"
	"testing"
	"time"

	"drainboard/ledger"
	"drainboard/ledger/storetest"

	"github.com/jackc/pgx/v5"
)

// blind writes as the seeds' helper would, if it knew PostgreSQL.
type blind struct{ c *pgx.Conn }

func (b blind) exec(t *testing.T, q string, args ...any) {
	t.Helper()
	if _, err := b.c.Exec(context.Background(), q, args...); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

func (b blind) Replace(t *testing.T, r ledger.Row) {
	t.Helper()
	b.exec(t, `INSERT INTO tool_calls VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (idempotency_key) DO UPDATE SET tool_name = excluded.tool_name,
  request_json = excluded.request_json, response_json = excluded.response_json, state = excluded.state, created_at = excluded.created_at, updated_at = excluded.updated_at`,
		r.Key, r.Tool, r.Request, nullable(r.Response, r.HasResponse), string(r.State), r.Created, r.Updated)
}

func (b blind) Update(t *testing.T, key string, s ledger.State, response any, at float64) {
	t.Helper()
	if s == ledger.Failed {
		b.exec(t, "UPDATE tool_calls SET state = $1, updated_at = $2 WHERE idempotency_key = $3", string(s), at, key)
		return
	}
	b.exec(t, "UPDATE tool_calls SET state = $1, response_json = $2, updated_at = $3 WHERE idempotency_key = $4", string(s), response, at, key)
}

func (b blind) Delete(t *testing.T, key string) {
	t.Helper()
	b.exec(t, "DELETE FROM tool_calls WHERE idempotency_key = $1", key)
}

func openStore(tb testing.TB, url string, opt StoreOptions) *Store {
	tb.Helper()
	s, err := OpenStore(context.Background(), url, opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func openLooker(t *testing.T, url string, opt Options) *Looker {
	t.Helper()
	l, err := OpenLooker(context.Background(), url, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Ledger {
		url := database(t)
		return storetest.Ledger{
			Store: openStore(t, url, StoreOptions{}),
			Again: func(t *testing.T) ledger.Store { return openStore(t, url, StoreOptions{}) },
			Look: func(t *testing.T, now func() time.Time) ledger.Looker {
				return openLooker(t, url, Options{Now: now, PageRows: 2})
			},
			Blind: blind{connect(t, url)},
		}
	})
}
