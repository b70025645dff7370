package postgres

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"drainboard/ledger"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options of a Looker. The zero value is what the board uses.
type Options struct {
	Now      func() time.Time // clock of Every; nil: time.Now
	Every    time.Duration    // everything is read again this long after the last time; 0: a minute
	Patience time.Duration    // how long a server that cannot be reached is waited for; 0: two seconds
	PageRows int              // rows read by one statement at most; 0: 1000
}

// overlap is how far behind the last updated_at rows are read again, in seconds: clocks of writers differ, and a
// transaction may commit later than another one that began after it.
const overlap = 300

// mark is what is remembered of a row: enough to see that it changed.
type mark struct {
	state            ledger.State
	created, updated float64
	size             int // of the response, -1 without one
}

func markOf(r *ledger.Row) mark {
	m := mark{r.State, r.Created, r.Updated, -1}
	if r.HasResponse {
		m.size = len(r.Response)
	}
	return m
}

// Looker implements ledger.Looker on a database that others write.
type Looker struct {
	mu     sync.Mutex
	pool   *pgxpool.Pool
	where  string
	opt    Options
	known  map[string]mark
	seen   float64 // the highest updated_at
	looked bool
	made   bool // drainboard's tables are there
	full   time.Time
	over   map[string]ledger.Overwritten
	facts  *ledger.Facts
}

// OpenLooker connects to an existing ledger for reading. The error is a *ledger.Problem.
func OpenLooker(ctx context.Context, url string, opt Options) (*Looker, error) {
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
	cfg, where, err := parse(url, 2) // one that reads, one that listens
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, explain(where, err)
	}
	l := &Looker{pool: pool, where: where, opt: opt}
	if _, err := checkSchema(ctx, pool, where); err != nil {
		pool.Close()
		return nil, explain(where, err)
	}
	return l, nil
}

// Close ends the connections.
func (l *Looker) Close() error {
	l.pool.Close()
	return nil
}

// Where names the database, without its password.
func (l *Looker) Where() string { return l.where }

// Wait returns when an operator acted elsewhere, or after the longest time. It is a hint: whoever waits looks afterwards
// in any case. An error of the connection is no more than a long wait.
func (l *Looker) Wait(ctx context.Context, longest time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	err := l.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if _, err := c.Exec(ctx, "LISTEN "+Channel); err != nil {
			return err
		}
		_, err := c.Conn().WaitForNotification(ctx)
		return err
	})
	if err != nil {
		<-ctx.Done()
	}
}

// Row implements ledger.Looker.
func (l *Looker) Row(ctx context.Context, key string) (ledger.Row, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows, err := l.query(ctx, selectRow+" WHERE idempotency_key = $1", key)
	if err == nil {
		err = l.claims(ctx, rows)
	}
	if err != nil || len(rows) == 0 {
		return ledger.Row{}, false, explain(l.where, err)
	}
	return rows[0], true, nil
}

// Look implements ledger.Looker. An error leaves what is known as it was: the next Look tries again.
func (l *Looker) Look(ctx context.Context) (ledger.Changes, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.opt.Now()
	due := !l.looked || now.Sub(l.full) >= l.opt.Every
	ch := ledger.Changes{All: !l.looked}
	v, err := installed(ctx, l.pool)
	if err != nil && broken(err) { // the connection that stood idle is gone: another one
		l.pool.Reset()
		v, err = installed(ctx, l.pool)
	}
	if err == nil {
		l.made = v > 0
		err = l.read(ctx, &ch, due)
	}
	if err != nil {
		l.looked = false // what was folded in is not what the caller knows
		return ledger.Changes{}, explain(l.where, err)
	}
	if due {
		l.full = now
	}
	l.looked = true
	return ch, nil
}

func (l *Looker) read(ctx context.Context, ch *ledger.Changes, due bool) error {
	if ch.All {
		l.known, l.seen, l.over, l.facts = map[string]mark{}, 0, map[string]ledger.Overwritten{}, nil
	}
	var rows []ledger.Row
	var err error
	if due {
		rows, err = l.everything(ctx, ch)
	} else {
		rows, err = l.query(ctx, selectRow+" WHERE updated_at > $1", l.seen-overlap)
		if err == nil {
			var open []ledger.Row
			open, err = l.query(ctx, selectRow+" WHERE state <> 'committed' AND updated_at <= $1", l.seen-overlap)
			rows = append(rows, open...)
		}
		if err == nil {
			err = l.vanished(ctx, rows, ch)
		}
	}
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		l.seen = max(l.seen, r.Updated)
		if m := markOf(r); ch.All || l.known[r.Key] != m {
			l.known[r.Key] = m
			ch.Rows = append(ch.Rows, *r)
		}
	}
	if err := l.claims(ctx, ch.Rows); err != nil {
		return err
	}
	return l.readFacts(ctx, ch)
}

// everything reads all rows, a page by key at a time. Keys that are not among them any more are gone.
func (l *Looker) everything(ctx context.Context, ch *ledger.Changes) (all []ledger.Row, err error) {
	left := map[string]bool{}
	for k := range l.known {
		left[k] = true
	}
	after := ""
	for first := true; ; first = false {
		page, err := l.query(ctx, selectRow+` WHERE $3 OR idempotency_key > $1 ORDER BY idempotency_key LIMIT $2`, after, l.opt.PageRows, first)
		if err != nil {
			return nil, err
		}
		for i := range page {
			after = page[i].Key
			delete(left, after)
			if m := markOf(&page[i]); ch.All || l.known[after] != m {
				all = append(all, page[i])
			}
		}
		if len(page) < l.opt.PageRows {
			break
		}
	}
	for k := range left {
		delete(l.known, k)
		ch.Gone = append(ch.Gone, k)
	}
	slices.Sort(ch.Gone)
	return all, nil
}

// vanished finds rows that were open and are not there any more.
func (l *Looker) vanished(ctx context.Context, rows []ledger.Row, ch *ledger.Changes) error {
	there := make(map[string]bool, len(rows))
	for i := range rows {
		there[rows[i].Key] = true
	}
	var ask []string
	for k, m := range l.known {
		if m.state != ledger.Committed && !there[k] {
			ask = append(ask, k)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	now, err := l.query(ctx, selectRow+" WHERE idempotency_key = ANY ($1)", ask)
	if err != nil {
		return err
	}
	for i := range now {
		there[now[i].Key] = true // committed long ago by its own clock: the minute's reading takes it up
	}
	for _, k := range ask {
		if !there[k] {
			delete(l.known, k)
			ch.Gone = append(ch.Gone, k)
		}
	}
	slices.Sort(ch.Gone)
	return nil
}

func (l *Looker) query(ctx context.Context, q string, args ...any) ([]ledger.Row, error) {
	rows, err := l.pool.Query(ctx, q, args...)
	return many(rows, err, scanRow)
}

// claims puts the claims behind rows in flight.
func (l *Looker) claims(ctx context.Context, rows []ledger.Row) error {
	at := map[string]*ledger.Row{}
	var keys []string
	for i := range rows {
		if rows[i].State == ledger.InFlight {
			at[rows[i].Key] = &rows[i]
			keys = append(keys, rows[i].Key)
		}
	}
	if len(keys) == 0 || !l.made {
		return nil
	}
	type held struct {
		key string
		c   ledger.Claim
	}
	found, err := l.pool.Query(ctx, "SELECT key, token, attempt, run, host, boot, pid, started FROM drainboard_claims WHERE key = ANY ($1) AND token <> ''", keys)
	all, err := many(found, err, func(r pgx.CollectableRow) (h held, err error) {
		return h, r.Scan(&h.key, &h.c.Token, &h.c.Attempt, &h.c.Run, &h.c.Host, &h.c.BootID, &h.c.PID, &h.c.PIDStart)
	})
	for i := range all {
		at[all[i].key].Claim = &all[i].c
	}
	return err
}

func (l *Looker) readFacts(ctx context.Context, ch *ledger.Changes) error {
	f := &ledger.Facts{}
	if l.made {
		var keys []string // nil: all
		if !ch.All {
			keys = append([]string{}, ch.Gone...)
			for k := range l.over {
				keys = append(keys, k)
			}
			for i := range ch.Rows {
				keys = append(keys, ch.Rows[i].Key)
			}
		}
		found, err := judge(ctx, l.pool, keys)
		if err != nil {
			return err
		}
		for _, j := range found {
			if delete(l.over, j.over.Key); j.differs {
				l.over[j.over.Key] = j.over
			}
		}
		if f, err = lists(ctx, l.pool); err != nil {
			return err
		}
		for _, o := range l.over {
			f.Overwritten = append(f.Overwritten, o)
		}
		slices.SortFunc(f.Overwritten, func(a, b ledger.Overwritten) int { return strings.Compare(a.Key, b.Key) })
	}
	if l.facts == nil || !f.Equal(l.facts) {
		l.facts, ch.Facts = f, f
	}
	return nil
}

var _ ledger.Looker = (*Looker)(nil)
