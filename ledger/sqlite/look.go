// Package sqlite keeps a ledger in an SQLite file: the Looker reads one that others write without changing a byte
// of it, and the Store claims and settles.
//
// Every connection belongs to one goroutine at a time and its busy handler is off; waiting is done here, with
// jitter and a limit. A Looker may be used by many goroutines, one after another.
package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"os"
	"sync"
	"time"

	"drainboard/ledger"
)

// Options of a Looker. The zero value is what the board uses.
type Options struct {
	Now      func() time.Time // clock of Every; nil: time.Now
	Every    time.Duration    // everything is read again this long after the last time; 0: a minute
	Patience time.Duration    // how long a locked ledger is waited for; 0: two seconds
	PageRows int              // rows read by one cursor at most; 0: 1000
}

const (
	pageTime  = 20 * time.Millisecond // a cursor is closed after this long
	pageBytes = 4 << 20               // or after this many bytes of text
)

// Looker implements ledger.Looker on a file that other programs write.
type Looker struct {
	mu      sync.Mutex
	path    string
	opt     Options
	c       *conn
	file    os.FileInfo
	schema  schema
	index   *index
	looked  bool  // the index holds the ledger as it was at data version `version`
	version int64 // PRAGMA data_version
	dirty   bool  // it moved since everything was read
	full    time.Time
	facts   facts
}

// OpenLooker opens an existing ledger for reading. The error is a *ledger.Problem: Missing, Empty, NotALedger,
// Denied, Locked, HotJournal, WALDenied, OtherSchema, NewerVersion or Broken.
func OpenLooker(ctx context.Context, path string, opt Options) (*Looker, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Every == 0 {
		opt.Every = time.Minute
	}
	if opt.Patience == 0 {
		opt.Patience = 2 * time.Second
	}
	if opt.PageRows == 0 {
		opt.PageRows = 1000
	}
	l := &Looker{path: path, opt: opt}
	if err := l.open(ctx); err != nil {
		return nil, err
	}
	return l, nil
}

// open connects, or connects again to a file that stands at the path of the one before.
func (l *Looker) open(ctx context.Context) error {
	if l.c != nil {
		if err := l.c.close(); err != nil {
			return explain(l.path, err)
		}
		l.c = nil
	}
	if err := present(l.path); err != nil {
		return err
	}
	file, err := os.Stat(l.path)
	if err != nil {
		return explain(l.path, err)
	}
	c, err := dial(l.path, "ro")
	if err != nil {
		return explain(l.path, err)
	}
	l.c, l.file, l.looked, l.index = c, file, false, newIndex()
	err = l.patient(ctx, func() (err error) { l.schema, err = l.c.readSchema(l.path); return err })
	if err != nil {
		l.c = nil
		return explain(l.path, errors.Join(err, ignoring(c.close())))
	}
	return nil
}

// ignoring says that an error changes nothing: what is told is the one before it.
func ignoring(error) error { return nil }

// Close ends the connection.
func (l *Looker) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.c == nil {
		return nil
	}
	err := l.c.close()
	l.c = nil
	return err
}

// Writable returns nil when the file may be written, else a *ledger.Problem of kind Foreign or ReadOnly.
func (l *Looker) Writable() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.schema.foreign != nil {
		return l.schema.foreign
	}
	return mayWrite(l.path)
}

// Row reads one row as it is now.
func (l *Looker) Row(ctx context.Context, key string) (ledger.Row, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(ctx); err != nil {
		return ledger.Row{}, false, err
	}
	var row ledger.Row
	found := false
	err := l.patient(ctx, func() error {
		v, err := l.c.one(selectRow+" WHERE idempotency_key = ?", key)
		if err != nil || v == nil {
			return err
		}
		row, found = rowOf(v), true
		return l.claim(&row)
	})
	return row, found, explain(l.path, err)
}

// ready connects again when the file at the path is another one than that which is open.
func (l *Looker) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := os.Stat(l.path)
	if err != nil {
		return present(l.path)
	}
	if l.c == nil || !os.SameFile(file, l.file) {
		return l.open(ctx)
	}
	return nil
}

// patient runs f with the Looker's patience.
func (l *Looker) patient(ctx context.Context, f func() error) error {
	return patient(ctx, l.opt.Patience, f)
}

// pause waits, or less when ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const selectRow = "SELECT rowid, idempotency_key, tool_name, request_json, response_json, state, created_at, updated_at FROM tool_calls"

func rowOf(v []driver.Value) ledger.Row {
	return ledger.Row{
		Key: text(v[1]), Tool: text(v[2]), Request: text(v[3]), Response: text(v[4]), HasResponse: v[4] != nil,
		State: ledger.State(text(v[5])), Created: float(v[6]), Updated: float(v[7]),
	}
}

// claim puts the claim behind a row in flight, when there is one.
func (l *Looker) claim(r *ledger.Row) error {
	if r.State != ledger.InFlight || !l.schema.made {
		return nil
	}
	c, err := l.c.claimOf(r.Key)
	r.Claim = c
	return err
}

func (c *conn) claimOf(key string) (*ledger.Claim, error) {
	v, err := c.one("SELECT token, attempt, run, host, boot, pid, started FROM drainboard_claims WHERE key = ?", key)
	if err != nil || v == nil || text(v[0]) == "" {
		return nil, err
	}
	return claimFrom(v), nil
}

func claimFrom(v []driver.Value) *ledger.Claim {
	return &ledger.Claim{
		Token: text(v[0]), Attempt: int(integer(v[1])), Run: text(v[2]), Host: text(v[3]), BootID: text(v[4]),
		PID: int(integer(v[5])), PIDStart: integer(v[6]),
	}
}
