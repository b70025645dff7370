package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"drainboard/ledger"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Channel is what boards listen to: an operator acted, or a reply came late. It is a hint; polling decides.
const Channel = "drainboard"

// StoreOptions say how a Store uses its server.
type StoreOptions struct {
	Connections int           // at most; 0: 8
	Patience    time.Duration // how long a server that cannot be reached is waited for; 0: ten seconds
}

// Store implements ledger.Store on a PostgreSQL database.
type Store struct {
	pool  *pgxpool.Pool
	where string
	opt   StoreOptions
}

// OpenStore connects and makes the tables when they are not there. The error is a *ledger.Problem.
func OpenStore(ctx context.Context, url string, opt StoreOptions) (*Store, error) {
	if opt.Connections == 0 {
		opt.Connections = 8
	}
	if opt.Patience == 0 {
		opt.Patience = 10 * time.Second
	}
	cfg, where, err := parse(url, int32(min(opt.Connections, 1<<15)))
	if err != nil {
		return nil, err
	}
	cfg.AfterConnect = setUp
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, explain(where, err)
	}
	s := &Store{pool: pool, where: where, opt: opt}
	err = pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if v, err := installed(ctx, c); err != nil || v < version {
			if err != nil {
				return err
			}
			if err := migrate(ctx, c.Conn()); err != nil {
				return err
			}
		}
		_, err := checkSchema(ctx, c, where)
		return err
	})
	if err != nil {
		pool.Close()
		return nil, explain(where, err)
	}
	return s, nil
}

// Close implements ledger.Store.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// Where names the database, without its password.
func (s *Store) Where() string { return s.where }

const claimSQL = `WITH raised AS (` + raise + `),
taken AS (
  INSERT INTO tool_calls SELECT $2, $3, $4, NULL, 'inflight', $5::float8, $5 FROM raised WHERE $6::int8 < 1 OR calls <= $6
  ON CONFLICT (idempotency_key) DO NOTHING RETURNING idempotency_key),
claimed AS (
  INSERT INTO drainboard_claims (key, token, attempt, run, host, boot, pid, started)
  SELECT $2, $7, 1, $1, $8, $9, $10::int8, $11::int8 FROM taken
  ON CONFLICT (key) DO UPDATE SET token = excluded.token, attempt = excluded.attempt, run = excluded.run, host = excluded.host,
    boot = excluded.boot, pid = excluded.pid, started = excluded.started),
logged AS (
  ` + logInto + ` SELECT $5, $12, 'claim', $2, $3, '', '', NULL, NULL, NULL, NULL, 'inflight', NULL, $5, $5 FROM taken)
SELECT calls, EXISTS (SELECT FROM taken) FROM raised`

// Claim implements ledger.Store: one statement that raises the run's counter and takes a key that nobody has; what stands
// there already is judged in a transaction. When the connection is cut off, the claim is looked up by its token before
// anything else; if it is absent it is claimed again with the same token, and a row under one's own token is one's own.
func (s *Store) Claim(ctx context.Context, q ledger.ClaimRequest) (ledger.ClaimResult, error) {
	res := ledger.ClaimResult{}
	taken := false
	err := s.persist(ctx, func(cut bool) error {
		if cut {
			calls, found, err := s.lookUp(ctx, &q)
			if err != nil || found {
				res.Calls, taken = calls, found
				return err
			}
		}
		return s.pool.QueryRow(ctx, claimSQL, q.Run, q.Key, q.Tool, q.Request, q.Now, q.Ceiling,
			q.Claim.Token, q.Claim.Host, q.Claim.BootID, q.Claim.PID, q.Claim.PIDStart, q.Actor).Scan(&res.Calls, &taken)
	})
	switch {
	case err != nil:
		return ledger.ClaimResult{}, explain(s.where, err)
	case taken:
		c := q.Claim
		c.Run, c.Attempt = q.Run, 1
		res.Verdict = ledger.Claimed
		res.Row = ledger.Row{Key: q.Key, Tool: q.Tool, Request: q.Request, State: ledger.InFlight, Created: q.Now, Updated: q.Now, Claim: &c}
		return res, nil
	case q.Ceiling > 0 && res.Calls > q.Ceiling:
		res.Reason = ledger.RefusedBudget
		return res, s.Update(ctx, func(t ledger.Tx) error { return ledger.OverBudgetTx(t, &q, res.Calls) })
	}
	calls := res.Calls
	f := func(t ledger.Tx) (err error) {
		res, err = ledger.ClaimRowTx(t, &q, calls)
		return err
	}
	err = s.Update(ctx, f)
	if unknown := (*ledger.CommitUnknown)(nil); errors.As(err, &unknown) {
		err = s.Update(ctx, f) // it finds a row under its own token, or claims
	}
	return res, err
}

// lookUp finds a claim by its token: a new key's, which the one statement takes.
func (s *Store) lookUp(ctx context.Context, q *ledger.ClaimRequest) (calls int, found bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT r.calls FROM drainboard_claims c JOIN tool_calls t ON t.idempotency_key = c.key JOIN drainboard_runs r ON r.run = $3
  WHERE c.key = $1 AND c.token = $2 AND t.state = 'inflight'`, q.Key, q.Claim.Token, q.Run).Scan(&calls)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return calls, err == nil, err
}

const settleSQL = `WITH settled AS (
  UPDATE tool_calls SET state = $4, response_json = $5, updated_at = $6::float8
  WHERE idempotency_key = $1 AND state = 'inflight' AND updated_at = $3::float8
    AND EXISTS (SELECT FROM drainboard_claims WHERE key = $1 AND token = $2)
  RETURNING *),
logged AS (
  ` + logInto + ` SELECT $7, $8, $9, $1, tool_name, $10, $11, 'inflight', NULL, created_at, $3, state, response_json, created_at, updated_at FROM settled)
SELECT * FROM settled`

// Settle implements ledger.Store: one statement when the claim stands as it was made, else a transaction that says so.
// What was cut off is asked for again: a settlement finds its own work.
func (s *Store) Settle(ctx context.Context, q ledger.Settlement) (ledger.Settled, error) {
	var row *ledger.Row
	err := s.persist(ctx, func(bool) error {
		rows, err := s.pool.Query(ctx, settleSQL, q.Key, q.Token, q.Updated, string(q.State), nullable(q.Response, q.HasResponse),
			q.After(), q.Now, q.Actor, string(q.Act()), q.Reason, q.Detail())
		row, err = one(rows, err, scanRow)
		return err
	})
	switch {
	case err != nil && !unsent(err):
		return ledger.Settled{}, &ledger.CommitUnknown{Err: explain(s.where, err)}
	case err != nil:
		return ledger.Settled{}, explain(s.where, err)
	case row != nil:
		return ledger.Settled{Row: *row}, nil
	}
	var out ledger.Settled
	err = s.Update(ctx, func(t ledger.Tx) (err error) {
		out, err = ledger.SettleTx(t, &q)
		return err
	})
	return out, err
}

// Update implements ledger.Store.
func (s *Store) Update(ctx context.Context, f func(ledger.Tx) error) error {
	return s.transact(ctx, pgx.TxOptions{}, " FOR UPDATE", f)
}

// View implements ledger.Store: all that f reads is of one moment.
func (s *Store) View(ctx context.Context, f func(ledger.Tx) error) error {
	return s.transact(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, "", f)
}

func (s *Store) transact(ctx context.Context, opt pgx.TxOptions, lock string, f func(ledger.Tx) error) error {
	var own error // of f, and not of the server
	err := s.persist(ctx, func(bool) error {
		own = nil
		t, err := s.pool.BeginTx(ctx, opt)
		if err != nil {
			return err
		}
		defer func() { _ = t.Rollback(context.WithoutCancel(ctx)) }() // after a commit it does nothing
		x := &tx{ctx: ctx, t: t, lock: lock}
		if err = f(x); err == nil && x.notify {
			_, err = t.Exec(ctx, "SELECT pg_notify($1, '')", Channel)
		}
		if err != nil {
			if !again(err) && !broken(err) {
				own = err
			}
			return err
		}
		err = t.Commit(ctx)
		if err != nil && !unsent(err) && lock != "" {
			own = &ledger.CommitUnknown{Err: explain(s.where, err)}
			return own
		}
		return err
	})
	if own != nil {
		return own
	}
	return explain(s.where, err)
}

// persist runs f again when it lost to another transaction, and on another connection when that is gone. f is told
// whether its last try was cut off.
func (s *Store) persist(ctx context.Context, f func(cut bool) error) error {
	end := time.Now().Add(s.opt.Patience)
	cut := false
	for wait := time.Millisecond; ; wait = min(2*wait, 250*time.Millisecond) {
		err := f(cut)
		if unknown := (*ledger.CommitUnknown)(nil); err == nil || errors.As(err, &unknown) {
			return err
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return err
		}
		switch {
		case again(err):
		case broken(err):
			cut = true
			s.pool.Reset()
		default:
			return err
		}
		t := time.NewTimer(wait/2 + rand.N(wait))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("wait for %s: %w", s.where, ctx.Err())
		}
	}
}

var _ ledger.Store = (*Store)(nil)
