package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"drainboard/ledger"
)

// StoreOptions say how a Store opens its file.
type StoreOptions struct {
	Create   bool          // make the file (WAL, mode 0600) and tool_calls when they are not there
	Patience time.Duration // how long another program's lock is waited for; 0: ten seconds
}

// Store implements ledger.Store on one SQLite file, or in memory. One goroutine at a time writes: a caller that is alone by
// itself, otherwise the writer, which commits together what many ask for at one time.
type Store struct {
	path string
	opt  StoreOptions

	mu      sync.Mutex // of the four that follow
	some    *sync.Cond
	queue   []*op
	writing bool // somebody writes: the writer, or the only caller there is
	closed  bool
	ended   chan struct{} // the writer is gone

	w      *conn // of who writes, and what follows too
	schema schema
	turn   turn

	rmu sync.Mutex
	r   *conn // of View; nil in memory
}

// OpenStore opens a ledger for claims and settlements. The error is a *ledger.Problem.
func OpenStore(ctx context.Context, path string, opt StoreOptions) (*Store, error) {
	created := false
	if opt.Create {
		var err error
		if created, err = create(path); err != nil {
			return nil, err
		}
	} else if err := present(path); err != nil {
		return nil, err
	}
	if err := mayWrite(path); err != nil {
		return nil, err
	}
	w, err := dial(path, "rw")
	if err != nil {
		return nil, explain(path, err)
	}
	s := newStore(path, opt, w)
	err = s.prepare(ctx, created)
	if err == nil {
		s.r, err = dial(path, "ro")
	}
	if err != nil {
		return nil, errors.Join(explain(path, err), w.close())
	}
	go s.write()
	return s, nil
}

// Memory is an empty ledger that lives as long as it is open; nothing of it is synced anywhere.
func Memory() (*Store, error) {
	w, err := dial("", "memory")
	if err != nil {
		return nil, fmt.Errorf("make a ledger in memory: %w", err)
	}
	s := newStore("(in memory)", StoreOptions{Create: true}, w)
	if err := s.prepare(context.Background(), false); err != nil {
		return nil, errors.Join(fmt.Errorf("make a ledger in memory: %w", err), w.close())
	}
	go s.write()
	return s, nil
}

func newStore(path string, opt StoreOptions, w *conn) *Store {
	if opt.Patience == 0 {
		opt.Patience = 10 * time.Second
	}
	s := &Store{path: path, opt: opt, w: w, ended: make(chan struct{})}
	s.some = sync.NewCond(&s.mu)
	return s
}

// create makes the file if it is not there and says whether it did.
func create(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return false, nil
	case err != nil:
		return false, &ledger.Problem{
			Kind: ledger.Denied, Path: path, Found: "expected to make it, could not",
			Do: "name a ledger in a directory that this user may write", Err: err,
		}
	}
	return true, f.Close()
}

// prepare sets the connection up, makes tool_calls where that is allowed, and checks what the file holds.
func (s *Store) prepare(ctx context.Context, created bool) error {
	return patient(ctx, s.opt.Patience, func() error {
		if created {
			if _, err := s.w.one("PRAGMA journal_mode = WAL"); err != nil {
				return err
			}
		}
		if _, err := s.w.exec("PRAGMA synchronous = FULL"); err != nil {
			return err
		}
		if _, err := s.w.one("PRAGMA wal_autocheckpoint = 4000"); err != nil { // pages: 16 MB, synced once instead of four times
			return err
		}
		if s.opt.Create {
			if err := s.makeCalls(); err != nil {
				return err
			}
		}
		return s.check()
	})
}

// makeCalls makes the seeds' table in a file without any.
func (s *Store) makeCalls() error {
	const any = "SELECT count(*) FROM sqlite_master WHERE lower(name) = 'tool_calls'"
	if n, err := s.w.number(any); n > 0 || err != nil {
		return err
	}
	if _, err := s.w.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	n, err := s.w.number(any)
	if err == nil && n == 0 {
		_, err = s.w.exec(createCalls)
	}
	if err == nil {
		_, err = s.w.exec("COMMIT")
	}
	if err != nil {
		return errors.Join(err, s.rollback())
	}
	return nil
}

// check reads the schema and refuses a file that is not to be written.
func (s *Store) check() error {
	sc, err := s.w.readSchema(s.path)
	if err != nil {
		return err
	}
	s.schema = sc
	return sc.foreign
}

// rollback ends the transaction, unless SQLite has done that by itself: as when the disk is full.
func (s *Store) rollback() error {
	_, err := s.w.exec("ROLLBACK")
	if err != nil && strings.Contains(err.Error(), "no transaction is active") {
		return nil
	}
	return err
}

// Close implements ledger.Store.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	s.some.Broadcast()
	s.mu.Unlock()
	<-s.ended
	s.rmu.Lock()
	defer s.rmu.Unlock()
	if s.r == nil {
		return nil
	}
	err := s.r.close()
	s.r = nil
	return err
}

// Claim implements ledger.Store.
func (s *Store) Claim(ctx context.Context, q ledger.ClaimRequest) (ledger.ClaimResult, error) {
	var res ledger.ClaimResult
	err := s.do(ctx, func(t *tx) (err error) {
		res, err = ledger.ClaimTx(t, &q)
		return err
	})
	return res, err
}

// Settle implements ledger.Store.
func (s *Store) Settle(ctx context.Context, q ledger.Settlement) (ledger.Settled, error) {
	var out ledger.Settled
	err := s.do(ctx, func(t *tx) (err error) {
		row, err := t.settle(&q)
		if err == nil && row == nil {
			out, err = ledger.SettleTx(t, &q)
		} else if err == nil {
			out = ledger.Settled{Row: *row}
		}
		return err
	})
	return out, err
}

// Update implements ledger.Store.
func (s *Store) Update(ctx context.Context, f func(ledger.Tx) error) error {
	return s.do(ctx, func(t *tx) error { return f(t) })
}

// View implements ledger.Store.
func (s *Store) View(ctx context.Context, f func(ledger.Tx) error) error {
	s.rmu.Lock()
	defer s.rmu.Unlock()
	if s.r == nil {
		return s.do(ctx, func(t *tx) error { return f(t) })
	}
	err := patient(ctx, s.opt.Patience, func() error {
		if _, err := s.r.exec("BEGIN"); err != nil {
			return err
		}
		n, err := s.r.number("SELECT count(*) FROM sqlite_master WHERE name = 'drainboard_log'")
		if err == nil {
			err = f(&tx{c: s.r, bare: n == 0})
		}
		_, end := s.r.exec("COMMIT")
		return errors.Join(err, end)
	})
	return explainBusy(s.path, err)
}

// Fence adds the two triggers that hold off writers who know nothing of claims (LEDGER.md), or takes them away, and
// logs that. It does nothing when it is so already.
func (s *Store) Fence(ctx context.Context, on bool, actor, reason string, now time.Time) error {
	return s.do(ctx, func(t *tx) error {
		if on == t.fenced {
			return nil
		}
		act, stmts := ledger.ActFence, []string{}
		for _, o := range fence() {
			if on {
				stmts = append(stmts, o.sql)
			}
		}
		if !on {
			act = ledger.ActUnfence
			stmts = []string{"DROP TRIGGER drainboard_fence_update", "DROP TRIGGER drainboard_fence_insert", "DROP TABLE drainboard_pass"}
		}
		for _, q := range stmts {
			if err := t.write(q); err != nil {
				return err
			}
		}
		_, err := t.Log(&ledger.Entry{At: ledger.Seconds(now), Actor: actor, Action: act, Reason: reason})
		return err
	})
}

// Fenced says whether the fence stands.
func (s *Store) Fenced(ctx context.Context) (bool, error) {
	var on bool
	err := s.do(ctx, func(t *tx) error { on = t.fenced; return nil })
	return on, err
}

// Recover opens a ledger for writing once, so that SQLite rolls a hot journal back or takes up a WAL, and checks it.
// It returns how many rows there are. It changes what a writer that died has left, and nothing else: whoever calls it
// has asked first.
func Recover(ctx context.Context, path string, patience time.Duration) (rows int64, err error) {
	if err := present(path); err != nil {
		return 0, err
	}
	c, err := dial(path, "rw")
	if err != nil {
		return 0, explain(path, err)
	}
	err = patient(ctx, patience, func() error {
		if _, err := c.readSchema(path); err != nil {
			return err
		}
		rows, err = c.number("SELECT count(*) FROM tool_calls")
		if err != nil {
			return err
		}
		var found []string
		err := c.rows(func(v []driver.Value) bool { found = append(found, text(v[0])); return true }, "PRAGMA quick_check(3)")
		if err == nil && (len(found) != 1 || found[0] != "ok") {
			err = &ledger.Problem{
				Kind: ledger.Broken, Path: path, Found: fmt.Sprintf("expected a sound database, found %q", found),
				Do: damagedHint,
			}
		}
		return err
	})
	if e := c.close(); err == nil {
		err = e
	}
	return rows, explain(path, err)
}
