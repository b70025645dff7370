package postgres

import (
	"context"
	"errors"
	"fmt"

	"drainboard/ledger"

	"github.com/jackc/pgx/v5"
)

// tx implements ledger.Tx on one transaction.
type tx struct {
	ctx    context.Context
	t      pgx.Tx
	lock   string // " FOR UPDATE", or nothing in a View
	notify bool   // an operator acted: boards elsewhere look sooner
}

func (t *tx) exec(q string, args ...any) error {
	_, err := t.t.Exec(t.ctx, q, args...)
	return err
}

func (t *tx) execOne(q string, args ...any) error {
	r, err := t.t.Exec(t.ctx, q, args...)
	if err == nil && r.RowsAffected() != 1 {
		err = fmt.Errorf("the row that was read in this transaction is not there: expected to change 1 row, changed %d", r.RowsAffected())
	}
	return err
}

const (
	selectRow   = "SELECT idempotency_key, tool_name, request_json, response_json, state, created_at, updated_at FROM tool_calls"
	selectClaim = "SELECT token, attempt, run, host, boot, pid, started FROM drainboard_claims WHERE key = $1"
)

func scanRow(r pgx.CollectableRow) (ledger.Row, error) {
	var out ledger.Row
	var response *string
	err := r.Scan(&out.Key, &out.Tool, &out.Request, &response, &out.State, &out.Created, &out.Updated)
	if response != nil {
		out.Response, out.HasResponse = *response, true
	}
	return out, err
}

func scanClaim(r pgx.CollectableRow) (ledger.Claim, error) {
	var c ledger.Claim
	return c, r.Scan(&c.Token, &c.Attempt, &c.Run, &c.Host, &c.BootID, &c.PID, &c.PIDStart)
}

// one reads at most one row.
func one[T any](rows pgx.Rows, err error, scan pgx.RowToFunc[T]) (*T, error) {
	if err != nil {
		return nil, err
	}
	v, err := pgx.CollectOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &v, nil
}

func many[T any](rows pgx.Rows, err error, scan pgx.RowToFunc[T]) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// Row locks the row first and then reads its claim, in a statement of its own: a statement sees other tables as they were
// when it began to wait for the lock.
func (t *tx) Row(key string) (*ledger.Row, error) {
	b := &pgx.Batch{}
	b.Queue(selectRow+" WHERE idempotency_key = $1"+t.lock, key)
	b.Queue(selectClaim, key)
	br := t.t.SendBatch(t.ctx, b)
	rows, err := br.Query()
	r, err := one(rows, err, scanRow)
	var c *ledger.Claim
	if err == nil {
		rows, err = br.Query()
		c, err = one(rows, err, scanClaim)
	}
	if e := br.Close(); err == nil {
		err = e
	}
	if err != nil || r == nil {
		return nil, err
	}
	if r.State == ledger.InFlight && c != nil && c.Token != "" {
		r.Claim = c
	}
	return r, nil
}

func (t *tx) RowsOfRun(run string) ([]ledger.Row, error) {
	rows, err := t.t.Query(t.ctx, selectRow+" WHERE idempotency_key IN (SELECT key FROM drainboard_claims WHERE run = $1) ORDER BY created_at, idempotency_key", run)
	return many(rows, err, scanRow)
}

func nullable(s string, has bool) *string {
	if !has {
		return nil
	}
	return &s
}

func (t *tx) Insert(r *ledger.Row) error {
	return t.exec("INSERT INTO tool_calls VALUES ($1, $2, $3, $4, $5, $6, $7)",
		r.Key, r.Tool, r.Request, nullable(r.Response, r.HasResponse), string(r.State), r.Created, r.Updated)
}

func (t *tx) Change(r *ledger.Row) error {
	return t.execOne(`UPDATE tool_calls SET tool_name = $2, request_json = $3, response_json = $4, state = $5, created_at = $6, updated_at = $7
  WHERE idempotency_key = $1`, r.Key, r.Tool, r.Request, nullable(r.Response, r.HasResponse), string(r.State), r.Created, r.Updated)
}

func (t *tx) Delete(key string) error {
	if err := t.execOne("DELETE FROM tool_calls WHERE idempotency_key = $1", key); err != nil {
		return err
	}
	return t.exec("DELETE FROM drainboard_claims WHERE key = $1", key)
}

func (t *tx) Attempts(key string) (int, error) {
	rows, err := t.t.Query(t.ctx, "SELECT attempt FROM drainboard_claims WHERE key = $1", key)
	n, err := one(rows, err, pgx.RowTo[int])
	if n == nil {
		return 0, err
	}
	return *n, err
}

const putClaim = `INSERT INTO drainboard_claims (key, token, attempt, run, host, boot, pid, started) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (key) DO UPDATE SET token = excluded.token, attempt = excluded.attempt, run = excluded.run, host = excluded.host,
  boot = excluded.boot, pid = excluded.pid, started = excluded.started`

func (t *tx) SetClaim(key string, c *ledger.Claim) error {
	if c.Token == "" {
		return t.exec("UPDATE drainboard_claims SET token = '' WHERE key = $1", key)
	}
	return t.exec(putClaim, key, c.Token, c.Attempt, c.Run, c.Host, c.BootID, c.PID, c.PIDStart)
}

const raise = "INSERT INTO drainboard_runs (run, calls) VALUES ($1, 1) ON CONFLICT (run) DO UPDATE SET calls = drainboard_runs.calls + 1 RETURNING calls"

func (t *tx) Raise(run string) (n int, err error) {
	return n, t.t.QueryRow(t.ctx, raise, run).Scan(&n)
}

const selectHuman = "SELECT key, word, row_key, reason, actor, at, used_at, used_by FROM drainboard_human_keys"

func scanHuman(r pgx.CollectableRow) (ledger.HumanKey, error) {
	var h ledger.HumanKey
	var at *float64
	var by *string
	err := r.Scan(&h.Key, &h.Word, &h.RowKey, &h.Reason, &h.Actor, &h.At, &at, &by)
	if at != nil && by != nil {
		h.Used, h.UsedAt, h.UsedFor = true, *at, *by
	}
	return h, err
}

func (t *tx) HumanKeys(key string) ([]ledger.HumanKey, error) {
	rows, err := t.t.Query(t.ctx, selectHuman+" WHERE key = $1 ORDER BY at, word"+t.lock, key)
	return many(rows, err, scanHuman)
}

func (t *tx) PutHumanKey(h *ledger.HumanKey) error {
	var at *float64
	if h.Used {
		at = &h.UsedAt
	}
	return t.exec(`INSERT INTO drainboard_human_keys (key, word, row_key, reason, actor, at, used_at, used_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (key, word) DO UPDATE SET row_key = excluded.row_key, reason = excluded.reason, actor = excluded.actor, at = excluded.at,
  used_at = excluded.used_at, used_by = excluded.used_by`,
		h.Key, h.Word, h.RowKey, h.Reason, h.Actor, h.At, at, nullable(h.UsedFor, h.Used))
}

func (t *tx) AddLate(l *ledger.Late) error {
	t.notify = true
	return t.exec("INSERT INTO drainboard_late (key, token, state, response, at) VALUES ($1, $2, $3, $4, $5)",
		l.Key, l.Token, string(l.State), nullable(l.Response, l.HasResponse), l.At)
}

// parts are the four columns of an image, NULL without one.
func parts(im *ledger.Image) (state, response *string, created, updated *float64) {
	if im == nil {
		return nil, nil, nil, nil
	}
	return nullable(string(im.State), true), nullable(im.Response, im.HasResponse), &im.Created, &im.Updated
}

const logInto = `INSERT INTO drainboard_log (at, actor, action, key, tool, reason, detail,
  from_state, from_response, from_created, from_updated, to_state, to_response, to_created, to_updated)`

func (t *tx) Log(e *ledger.Entry) (id int64, err error) {
	switch e.Action {
	case ledger.ActClaim, ledger.ActCommit, ledger.ActFail, ledger.ActDoubt, ledger.ActBudget:
	default:
		t.notify = true
	}
	fs, fr, fc, fu := parts(e.From)
	ts, tr, tc, tu := parts(e.To)
	err = t.t.QueryRow(t.ctx, logInto+" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING id",
		e.At, e.Actor, string(e.Action), e.Key, e.Tool, e.Reason, e.Detail, fs, fr, fc, fu, ts, tr, tc, tu).Scan(&id)
	return id, err
}

const selectLog = `SELECT id, at, actor, action, key, tool, reason, detail,
  from_state, from_response, from_created, from_updated, to_state, to_response, to_created, to_updated FROM drainboard_log`

// imageScan reads the four columns of an image.
type imageScan struct {
	state, response  *string
	created, updated *float64
}

func (s *imageScan) image() *ledger.Image {
	if s.state == nil {
		return nil
	}
	im := &ledger.Image{State: ledger.State(*s.state)}
	if s.response != nil {
		im.Response, im.HasResponse = *s.response, true
	}
	if s.created != nil && s.updated != nil {
		im.Created, im.Updated = *s.created, *s.updated
	}
	return im
}

func scanEntry(r pgx.CollectableRow) (ledger.Entry, error) {
	var e ledger.Entry
	var f, o imageScan
	err := r.Scan(&e.ID, &e.At, &e.Actor, &e.Action, &e.Key, &e.Tool, &e.Reason, &e.Detail,
		&f.state, &f.response, &f.created, &f.updated, &o.state, &o.response, &o.created, &o.updated)
	e.From, e.To = f.image(), o.image()
	return e, err
}

func (t *tx) Entry(id int64) (*ledger.Entry, error) {
	rows, err := t.t.Query(t.ctx, selectLog+" WHERE id = $1", id)
	return one(rows, err, scanEntry)
}

func (t *tx) Last(key string) (*ledger.Entry, error) {
	rows, err := t.t.Query(t.ctx, selectLog+" WHERE key = $1 AND to_state IS NOT NULL ORDER BY id DESC LIMIT 1", key)
	return one(rows, err, scanEntry)
}

func (t *tx) Entries(after int64, limit int) ([]ledger.Entry, error) {
	rows, err := t.t.Query(t.ctx, selectLog+" WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
	return many(rows, err, scanEntry)
}

func (t *tx) PutAck(a *ledger.Ack) error {
	return t.exec("INSERT INTO drainboard_acks (id, kind, key, seen, reason, actor, at, expires) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		a.ID, a.Kind, a.Key, a.Seen, a.Reason, a.Actor, a.At, a.Expires)
}

func (t *tx) DropAck(id int64) error {
	return t.execOne("DELETE FROM drainboard_acks WHERE id = $1", id)
}

const selectAck = "SELECT id, kind, key, seen, reason, actor, at, expires FROM drainboard_acks"

func scanAck(r pgx.CollectableRow) (ledger.Ack, error) {
	var a ledger.Ack
	return a, r.Scan(&a.ID, &a.Kind, &a.Key, &a.Seen, &a.Reason, &a.Actor, &a.At, &a.Expires)
}

func (t *tx) Acks(key string) ([]ledger.Ack, error) {
	rows, err := t.t.Query(t.ctx, selectAck+" WHERE key = $1 ORDER BY id", key)
	return many(rows, err, scanAck)
}

const selectCompensation = `SELECT id, attempt, key, tool, extra, number, state, coalesce(exit, 0), started_at, coalesce(ended_at, 0), host, boot, pid, started
  FROM drainboard_compensations`

func scanCompensation(r pgx.CollectableRow) (ledger.Compensation, error) {
	var c ledger.Compensation
	return c, r.Scan(&c.ID, &c.Attempt, &c.Key, &c.Tool, &c.Extra, &c.Number, &c.State, &c.Exit, &c.Started, &c.Ended,
		&c.Owner.Host, &c.Owner.BootID, &c.Owner.PID, &c.Owner.PIDStart)
}

func (t *tx) Compensation(id string) (*ledger.Compensation, error) {
	rows, err := t.t.Query(t.ctx, selectCompensation+" WHERE id = $1 ORDER BY attempt DESC LIMIT 1"+t.lock, id)
	return one(rows, err, scanCompensation)
}

func (t *tx) PutCompensation(c *ledger.Compensation) error {
	put := "ON CONFLICT (id, attempt) DO UPDATE SET state = excluded.state, exit = excluded.exit, ended_at = excluded.ended_at"
	if c.State == ledger.CompensationStarted {
		put = "" // two that start the same attempt at once: the second one is run again and finds the first
	}
	return t.exec(`INSERT INTO drainboard_compensations
  (id, attempt, key, tool, extra, number, state, exit, started_at, ended_at, host, boot, pid, started)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) `+put,
		c.ID, c.Attempt, c.Key, c.Tool, c.Extra, c.Number, string(c.State), c.Exit, c.Started, c.Ended,
		c.Owner.Host, c.Owner.BootID, c.Owner.PID, c.Owner.PIDStart)
}
