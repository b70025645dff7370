package sqlite

import (
	"context"
	"database/sql/driver"
	"math"
	"time"

	"drainboard/ledger"
)

// found is a row with its row id.
type found struct {
	id  int64
	row ledger.Row
}

// Look implements ledger.Looker. An error leaves what is known as it was: the next Look tries again.
func (l *Looker) Look(ctx context.Context) (ledger.Changes, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(ctx); err != nil {
		return ledger.Changes{}, err
	}
	var version int64
	err := l.patient(ctx, func() (err error) { version, err = l.c.number("PRAGMA data_version"); return err })
	if err != nil {
		return ledger.Changes{}, explain(l.path, err)
	}
	now := l.opt.Now()
	moved := !l.looked || version != l.version
	due := now.Sub(l.full) >= l.opt.Every
	if !moved && (!l.dirty || !due) {
		return ledger.Changes{}, nil
	}
	if err := l.checkAgain(ctx); err != nil {
		return ledger.Changes{}, explain(l.path, err)
	}
	ch, err := l.read(ctx, due)
	if err != nil {
		return ledger.Changes{}, explain(l.path, err)
	}
	l.dirty = !due && l.looked
	if due || !l.looked {
		l.full = now
	}
	l.looked, l.version = true, version
	return ch, nil
}

// checkAgain reads the schema again when it changed.
func (l *Looker) checkAgain(ctx context.Context) error {
	return l.patient(ctx, func() error {
		v, err := l.c.number("PRAGMA schema_version")
		if err != nil || v == l.schema.seen {
			return err
		}
		s, err := l.c.readSchema(l.path)
		if err == nil {
			l.schema = s
		}
		return err
	})
}

// read finds what changed and folds it into the index.
func (l *Looker) read(ctx context.Context, due bool) (ledger.Changes, error) {
	var ch ledger.Changes
	var err error
	switch {
	case !l.looked:
		ch, err = l.everything(ctx)
	case due:
		ch, err = l.sweep(ctx)
	default:
		ch, err = l.recent(ctx)
	}
	if err != nil {
		return ledger.Changes{}, err
	}
	for i := range ch.Rows {
		if err == nil {
			err = l.patient(ctx, func() error { return l.claim(&ch.Rows[i]) })
		}
	}
	if err == nil {
		err = l.readFacts(ctx, &ch)
	}
	if err != nil {
		l.looked = false // the index is ahead of what the caller knows
		return ledger.Changes{}, err
	}
	return ch, nil
}

// everything reads the whole ledger anew.
func (l *Looker) everything(ctx context.Context) (ledger.Changes, error) {
	ch := ledger.Changes{All: true}
	x := newIndex()
	err := l.pages(ctx, math.MinInt64, func(f found) {
		x.put(f.id, f.row.Key, f.row.Image())
		ch.Rows = append(ch.Rows, f.row)
	})
	if err != nil {
		return ledger.Changes{}, err
	}
	l.index = x
	return ch, nil
}

// pages reads all rows above a row id, page after page.
func (l *Looker) pages(ctx context.Context, after int64, f func(found)) error {
	for {
		page, more, err := l.page(ctx, after)
		if err != nil {
			return err
		}
		for _, r := range page {
			f(r)
			after = r.id
		}
		if !more {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// page reads one page; more says that it was not the last.
func (l *Looker) page(ctx context.Context, after int64) (page []found, more bool, err error) {
	err = l.patient(ctx, func() error {
		page, more = page[:0], false
		start, size := time.Now(), 0
		err := l.c.rows(func(v []driver.Value) bool {
			r := found{integer(v[0]), rowOf(v)}
			page = append(page, r)
			size += len(r.row.Request) + len(r.row.Response)
			more = len(page)%32 == 0 && time.Since(start) > pageTime || size > pageBytes
			return !more
		}, selectRow+" WHERE rowid > ? ORDER BY rowid LIMIT ?", after, int64(l.opt.PageRows))
		more = more || len(page) == l.opt.PageRows
		return err
	})
	return page, more, err
}

// again is how many rows at the end are read again: where the last rows were deleted, their ids are used anew.
const again = 32

// recent reads the rows at the end and above it, and those that were not committed.
func (l *Looker) recent(ctx context.Context) (ledger.Changes, error) {
	top, err := l.top(ctx)
	if err != nil {
		return ledger.Changes{}, err
	}
	end := l.index.rows[max(0, len(l.index.rows)-again):]
	after := int64(math.MinInt64)
	if len(end) > 0 {
		after = end[0].id - 1
		if top < end[len(end)-1].id { // rows were deleted, or VACUUM gave them new ids
			return l.sweep(ctx)
		}
	}
	var news []found
	at := map[int64]string{}
	if err := l.pages(ctx, after, func(f found) { news = append(news, f); at[f.id] = f.row.Key }); err != nil {
		return ledger.Changes{}, err
	}
	lost := map[int64]string{} // row ids that no longer hold the key they held
	for _, e := range end {
		if key := l.index.text(e); at[e.id] != key {
			lost[e.id] = key
		}
	}
	for id, key := range l.index.open {
		if id > after {
			continue
		}
		f, ok, err := l.at(ctx, id)
		if err != nil {
			return ledger.Changes{}, err
		}
		if ok {
			news = append(news, f)
		}
		if !ok || f.row.Key != key {
			lost[id] = key
		}
	}
	for key := range l.facts.marked {
		f, ok, err := l.byKey(ctx, key)
		if err != nil {
			return ledger.Changes{}, err
		}
		if ok {
			news = append(news, f)
		}
	}
	return l.fold(ctx, news, lost)
}

// fold puts rows into the index and returns those that differ from it; the keys of lost are gone unless they
// stand elsewhere now.
func (l *Looker) fold(ctx context.Context, news []found, lost map[int64]string) (ledger.Changes, error) {
	var ch ledger.Changes
	moved := map[string]bool{}
	for _, f := range news {
		moved[f.row.Key] = true
	}
	for _, key := range lost {
		if moved[key] {
			continue
		}
		f, ok, err := l.byKey(ctx, key)
		if err != nil {
			return ch, err
		}
		if ok {
			news = append(news, f)
		} else {
			ch.Gone = append(ch.Gone, key)
		}
	}
	for id := range lost {
		l.index.drop(id)
	}
	for _, f := range news {
		if im := f.row.Image(); !l.index.same(f.id, f.row.Key, im) {
			l.index.put(f.id, f.row.Key, im)
			ch.Rows = append(ch.Rows, f.row)
		}
	}
	return ch, nil
}

func (l *Looker) top(ctx context.Context) (top int64, err error) {
	err = l.patient(ctx, func() error {
		top, err = l.c.number("SELECT max(rowid) FROM tool_calls")
		return err
	})
	return top, err
}

func (l *Looker) at(ctx context.Context, id int64) (found, bool, error) {
	return l.lookup(ctx, selectRow+" WHERE rowid = ?", id)
}

func (l *Looker) byKey(ctx context.Context, key string) (found, bool, error) {
	return l.lookup(ctx, selectRow+" WHERE idempotency_key = ?", key)
}

func (l *Looker) lookup(ctx context.Context, q string, arg driver.Value) (f found, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return f, false, err
	}
	err = l.patient(ctx, func() error {
		v, err := l.c.one(q, arg)
		if ok = err == nil && v != nil; ok {
			f = found{integer(v[0]), rowOf(v)}
		}
		return err
	})
	return f, ok, err
}
