package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"drainboard/ledger"
	"drainboard/ledger/storetest"
)

// Replace, Update and Delete make an agent a storetest.Blind.
func (a *agent) Replace(t *testing.T, r ledger.Row) {
	t.Helper()
	a.exec("INSERT OR REPLACE INTO tool_calls VALUES (?,?,?,?,?,?,?)", r.Key, r.Tool, r.Request, nullable(r.Response, r.HasResponse), string(r.State), r.Created, r.Updated)
}

func (a *agent) Update(t *testing.T, key string, s ledger.State, response any, at float64) {
	t.Helper()
	if s == ledger.Failed {
		a.exec("UPDATE tool_calls SET state = ?, updated_at = ? WHERE idempotency_key = ?", string(s), at, key)
		return
	}
	a.exec("UPDATE tool_calls SET state = ?, response_json = ?, updated_at = ? WHERE idempotency_key = ?", string(s), response, at, key)
}

func (a *agent) Delete(t *testing.T, key string) {
	t.Helper()
	a.exec("DELETE FROM tool_calls WHERE idempotency_key = ?", key)
}

func openStore(t *testing.T, path string, opt StoreOptions) *Store {
	t.Helper()
	s, err := OpenStore(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	t.Run("made by drainboard", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Ledger {
			return onFile(t, openStore(t, filepath.Join(t.TempDir(), "l.sqlite"), StoreOptions{Create: true}))
		})
	})
	t.Run("made by an agent", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Ledger { return onFile(t, openStore(t, newAgent(t).path, StoreOptions{})) })
	})
	t.Run("fenced", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Ledger {
			s := openStore(t, filepath.Join(t.TempDir(), "l.sqlite"), StoreOptions{Create: true})
			if err := s.Fence(context.Background(), true, "op@host", "drain", time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
			l := onFile(t, s)
			l.Blind = nil // what the fence does to blind writers has its own tests
			return l
		})
	})
	t.Run("in memory", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) storetest.Ledger {
			s, err := Memory()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return storetest.Ledger{Store: s}
		})
	})
}

func onFile(t *testing.T, s *Store) storetest.Ledger {
	return storetest.Ledger{
		Store: s,
		Again: func(t *testing.T) ledger.Store { return openStore(t, s.path, StoreOptions{}) },
		Look: func(t *testing.T, now func() time.Time) ledger.Looker {
			return (&agent{t: t, path: s.path}).look(Options{Now: now})
		},
		Blind: agentOn(t, s.path),
	}
}
