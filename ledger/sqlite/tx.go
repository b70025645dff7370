package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"

	"drainboard/ledger"
)

// tx implements ledger.Tx on the connection of one transaction. SQLite's write lock is held from its begin, so what
// it reads stays as it was.
type tx struct {
	c      *conn
	fenced bool // the fence's triggers are in the file
	bare   bool // drainboard's own tables are not there; only View has such a transaction
	wrote  bool
}

var errPlace = errors.New("the row that was read in this transaction is not there")

func (t *tx) write(q string, args ...driver.Value) error {
	t.wrote = true
	_, err := t.c.exec(q, args...)
	return err
}

func (t *tx) writeOne(q string, args ...driver.Value) error {
	t.wrote = true
	n, err := t.c.exec(q, args...)
	if err == nil && n != 1 {
		err = fmt.Errorf("%w: expected to change 1 row, changed %d", errPlace, n)
	}
	return err
}

// pass runs f with the key let through the fence, when there is one.
func (t *tx) pass(key string, f func() error) error {
	if !t.fenced {
		return f()
	}
	if err := t.write("INSERT INTO drainboard_pass (key) VALUES (?)", key); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return t.write("DELETE FROM drainboard_pass WHERE key = ?", key)
}

const selectClaimed = `SELECT t.rowid, t.idempotency_key, t.tool_name, t.request_json, t.response_json, t.state, t.created_at, t.updated_at,
  c.token, c.attempt, c.run, c.host, c.boot, c.pid, c.started
  FROM tool_calls t LEFT JOIN drainboard_claims c ON c.key = t.idempotency_key`

func claimedRow(v []driver.Value) *ledger.Row {
	r := rowOf(v)
	if len(v) > 8 && r.State == ledger.InFlight && text(v[8]) != "" {
		r.Claim = claimFrom(v[8:])
	}
	return &r
}

func (t *tx) Row(key string) (*ledger.Row, error) {
	q := selectClaimed + " WHERE t.idempotency_key = ?"
	if t.bare {
		q = selectRow + " WHERE idempotency_key = ?"
	}
	v, err := t.c.one(q, key)
	if err != nil || v == nil {
		return nil, err
	}
	return claimedRow(v), nil
}

func (t *tx) RowsOfRun(run string) ([]ledger.Row, error) {
	if t.bare {
		return nil, nil
	}
	var out []ledger.Row
	err := t.c.rows(func(v []driver.Value) bool { out = append(out, *claimedRow(v)); return true },
		selectClaimed+" WHERE c.run = ? ORDER BY t.rowid", run)
	return out, err
}

// nullable is a text column that may be NULL.
func nullable(s string, has bool) driver.Value {
	if !has {
		return nil
	}
	return s
}

func (t *tx) Insert(r *ledger.Row) error {
	return t.pass(r.Key, func() error {
		return t.write("INSERT INTO tool_calls VALUES (?, ?, ?, ?, ?, ?, ?)",
			r.Key, r.Tool, r.Request, nullable(r.Response, r.HasResponse), string(r.State), r.Created, r.Updated)
	})
}

func (t *tx) Change(r *ledger.Row) error {
	return t.pass(r.Key, func() error {
		return t.writeOne("UPDATE tool_calls SET tool_name = ?, request_json = ?, response_json = ?, state = ?, created_at = ?, updated_at = ? WHERE idempotency_key = ?",
			r.Tool, r.Request, nullable(r.Response, r.HasResponse), string(r.State), r.Created, r.Updated, r.Key)
	})
}

func (t *tx) Delete(key string) error {
	if err := t.writeOne("DELETE FROM tool_calls WHERE idempotency_key = ?", key); err != nil {
		return err
	}
	return t.write("DELETE FROM drainboard_claims WHERE key = ?", key)
}

func (t *tx) Attempts(key string) (int, error) {
	n, err := t.c.number("SELECT attempt FROM drainboard_claims WHERE key = ?", key)
	return int(n), err
}

func (t *tx) SetClaim(key string, c *ledger.Claim) error {
	if c.Token == "" {
		return t.write("UPDATE drainboard_claims SET token = '' WHERE key = ?", key)
	}
	if c.Attempt > 1 {
		n, err := t.c.exec("UPDATE drainboard_claims SET token = ?, attempt = ?, run = ?, host = ?, boot = ?, pid = ?, started = ? WHERE key = ?",
			c.Token, int64(c.Attempt), c.Run, c.Host, c.BootID, int64(c.PID), c.PIDStart, key)
		if t.wrote = true; err != nil || n == 1 {
			return err
		}
	}
	return t.write("INSERT OR REPLACE INTO drainboard_claims (key, token, attempt, run, host, boot, pid, started) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		key, c.Token, int64(c.Attempt), c.Run, c.Host, c.BootID, int64(c.PID), c.PIDStart)
}

func (t *tx) Raise(run string) (int, error) {
	t.wrote = true
	n, err := t.c.number(`INSERT INTO drainboard_runs (run, calls) VALUES (?, 1)
  ON CONFLICT (run) DO UPDATE SET calls = calls + 1 RETURNING calls`, run)
	return int(n), err
}

// settle is ledger.SettleTx for a claim that stands as it was made, nil for any other. The fence lets a row in flight be updated.
func (t *tx) settle(s *ledger.Settlement) (*ledger.Row, error) {
	r := ledger.Row{Key: s.Key, State: s.State, Response: s.Response, HasResponse: s.HasResponse, Updated: s.After()}
	v, err := t.c.one(`UPDATE tool_calls SET response_json = ?2, state = ?3, updated_at = ?4
  WHERE idempotency_key = ?1 AND state = 'inflight' AND response_json IS NULL AND updated_at = ?5
    AND EXISTS (SELECT 1 FROM drainboard_claims WHERE key = ?1 AND token = ?6)
  RETURNING tool_name, request_json, created_at`, s.Key, nullable(s.Response, s.HasResponse), string(s.State), r.Updated, s.Updated, s.Token)
	if err != nil || v == nil {
		return nil, err
	}
	t.wrote = true
	r.Tool, r.Request, r.Created = text(v[0]), text(v[1]), float(v[2])
	from, to := ledger.Image{State: ledger.InFlight, Created: r.Created, Updated: s.Updated}, r.Image()
	_, err = t.Log(&ledger.Entry{
		At: s.Now, Actor: s.Actor, Action: s.Act(), Key: r.Key, Tool: r.Tool, Reason: s.Reason, Detail: s.Detail(), From: &from, To: &to,
	})
	return &r, err
}

const selectHuman = "SELECT key, word, row_key, reason, actor, at, used_at, used_by FROM drainboard_human_keys"

func humanFrom(v []driver.Value) ledger.HumanKey {
	return ledger.HumanKey{
		Key: text(v[0]), Word: text(v[1]), RowKey: text(v[2]), Reason: text(v[3]), Actor: text(v[4]), At: float(v[5]),
		Used: v[7] != nil, UsedAt: float(v[6]), UsedFor: text(v[7]),
	}
}

func (t *tx) HumanKeys(key string) ([]ledger.HumanKey, error) {
	if t.bare {
		return nil, nil
	}
	var out []ledger.HumanKey
	err := t.c.rows(func(v []driver.Value) bool { out = append(out, humanFrom(v)); return true },
		selectHuman+" WHERE key = ? ORDER BY at, word", key)
	return out, err
}

func (t *tx) PutHumanKey(h *ledger.HumanKey) error {
	var usedAt, usedBy driver.Value
	if h.Used {
		usedAt, usedBy = h.UsedAt, h.UsedFor
	}
	return t.write("INSERT OR REPLACE INTO drainboard_human_keys (key, word, row_key, reason, actor, at, used_at, used_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		h.Key, h.Word, h.RowKey, h.Reason, h.Actor, h.At, usedAt, usedBy)
}

func (t *tx) AddLate(l *ledger.Late) error {
	return t.write("INSERT INTO drainboard_late (key, token, state, response, at) VALUES (?, ?, ?, ?, ?)",
		l.Key, l.Token, string(l.State), nullable(l.Response, l.HasResponse), l.At)
}

// parts are the four columns of an image, NULL without one.
func parts(im *ledger.Image) [4]driver.Value {
	if im == nil {
		return [4]driver.Value{}
	}
	return [4]driver.Value{string(im.State), nullable(im.Response, im.HasResponse), im.Created, im.Updated}
}

func imageFrom(v []driver.Value) *ledger.Image {
	if v[0] == nil {
		return nil
	}
	return &ledger.Image{
		State: ledger.State(text(v[0])), Response: text(v[1]), HasResponse: v[1] != nil, Created: float(v[2]), Updated: float(v[3]),
	}
}

func (t *tx) Log(e *ledger.Entry) (int64, error) {
	f, o := parts(e.From), parts(e.To)
	err := t.write(`INSERT INTO drainboard_log (at, actor, action, key, tool, reason, detail,
  from_state, from_response, from_created, from_updated, to_state, to_response, to_created, to_updated)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		e.At, e.Actor, string(e.Action), e.Key, e.Tool, e.Reason, e.Detail, f[0], f[1], f[2], f[3], o[0], o[1], o[2], o[3])
	if err != nil {
		return 0, err
	}
	return t.c.last, nil
}

const selectLog = `SELECT id, at, actor, action, key, tool, reason, detail,
  from_state, from_response, from_created, from_updated, to_state, to_response, to_created, to_updated FROM drainboard_log`

func entryFrom(v []driver.Value) ledger.Entry {
	return ledger.Entry{
		ID: integer(v[0]), At: float(v[1]), Actor: text(v[2]), Action: ledger.Act(text(v[3])), Key: text(v[4]), Tool: text(v[5]),
		Reason: text(v[6]), Detail: text(v[7]), From: imageFrom(v[8:12]), To: imageFrom(v[12:16]),
	}
}

func (t *tx) entry(q string, arg driver.Value) (*ledger.Entry, error) {
	v, err := t.c.one(selectLog+q, arg)
	if err != nil || v == nil {
		return nil, err
	}
	e := entryFrom(v)
	return &e, nil
}

func (t *tx) Entry(id int64) (*ledger.Entry, error) {
	if t.bare {
		return nil, nil
	}
	return t.entry(" WHERE id = ?", id)
}

func (t *tx) Last(key string) (*ledger.Entry, error) {
	if t.bare {
		return nil, nil
	}
	return t.entry(" WHERE key = ? AND to_state IS NOT NULL ORDER BY id DESC LIMIT 1", key)
}

func (t *tx) Entries(after int64, limit int) ([]ledger.Entry, error) {
	if t.bare {
		return nil, nil
	}
	var out []ledger.Entry
	err := t.c.rows(func(v []driver.Value) bool { out = append(out, entryFrom(v)); return true },
		selectLog+" WHERE id > ? ORDER BY id LIMIT ?", after, int64(limit))
	return out, err
}

func (t *tx) PutAck(a *ledger.Ack) error {
	return t.write("INSERT INTO drainboard_acks (id, kind, key, seen, reason, actor, at, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		a.ID, a.Kind, a.Key, a.Seen, a.Reason, a.Actor, a.At, a.Expires)
}

func (t *tx) DropAck(id int64) error {
	return t.writeOne("DELETE FROM drainboard_acks WHERE id = ?", id)
}

const selectAck = "SELECT id, kind, key, seen, reason, actor, at, expires FROM drainboard_acks"

func ackFrom(v []driver.Value) ledger.Ack {
	return ledger.Ack{
		ID: integer(v[0]), Kind: text(v[1]), Key: text(v[2]), Seen: text(v[3]), Reason: text(v[4]), Actor: text(v[5]),
		At: float(v[6]), Expires: float(v[7]),
	}
}

func (t *tx) Acks(key string) ([]ledger.Ack, error) {
	if t.bare {
		return nil, nil
	}
	var out []ledger.Ack
	err := t.c.rows(func(v []driver.Value) bool { out = append(out, ackFrom(v)); return true },
		selectAck+" WHERE key = ? ORDER BY id", key)
	return out, err
}

const selectCompensation = `SELECT id, attempt, key, tool, extra, number, state, exit, started_at, ended_at, host, boot, pid, started
  FROM drainboard_compensations`

func compensationFrom(v []driver.Value) ledger.Compensation {
	return ledger.Compensation{
		ID: text(v[0]), Attempt: int(integer(v[1])), Key: text(v[2]), Tool: text(v[3]), Extra: text(v[4]), Number: int(integer(v[5])),
		State: ledger.CompensationState(text(v[6])), Exit: int(integer(v[7])), Started: float(v[8]), Ended: float(v[9]),
		Owner: ledger.Owner{Host: text(v[10]), BootID: text(v[11]), PID: int(integer(v[12])), PIDStart: integer(v[13])},
	}
}

func (t *tx) Compensation(id string) (*ledger.Compensation, error) {
	if t.bare {
		return nil, nil
	}
	v, err := t.c.one(selectCompensation+" WHERE id = ? ORDER BY attempt DESC LIMIT 1", id)
	if err != nil || v == nil {
		return nil, err
	}
	c := compensationFrom(v)
	return &c, nil
}

func (t *tx) PutCompensation(c *ledger.Compensation) error {
	return t.write(`INSERT OR REPLACE INTO drainboard_compensations
  (id, attempt, key, tool, extra, number, state, exit, started_at, ended_at, host, boot, pid, started)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, int64(c.Attempt), c.Key, c.Tool, c.Extra, int64(c.Number), string(c.State), int64(c.Exit), c.Started, c.Ended,
		c.Owner.Host, c.Owner.BootID, int64(c.Owner.PID), c.Owner.PIDStart)
}
