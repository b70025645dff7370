package sqlite

import (
	"context"
	"database/sql/driver"
	"math"
	"time"

	"drainboard/ledger"
)

// manyLost is the number of vanished rows above which a sweep gives the whole ledger instead of asking for each.
const manyLost = 1000

// brief is a row as a sweep reads it: without its texts.
type brief struct {
	id    int64
	key   string
	image ledger.Image // without the response's text
	size  int32
}

// sweep reads a few columns of every row, page by page, and then the rows that changed.
func (l *Looker) sweep(ctx context.Context) (ledger.Changes, error) {
	x := newIndex() // only numbers states, as the old one does
	x.states = append(x.states, l.index.states...)
	var changed []int64
	lost := map[int64]string{}
	old := 0
	lose := func() {
		lost[l.index.rows[old].id] = l.index.text(l.index.rows[old])
		old++
	}
	for after, more := int64(math.MinInt64), true; more && len(lost) <= manyLost; {
		var page []brief
		var err error
		if page, more, err = l.briefs(ctx, after); err != nil {
			return ledger.Changes{}, err
		}
		for _, b := range page {
			after = b.id
			for old < len(l.index.rows) && l.index.rows[old].id < b.id {
				lose()
			}
			if old == len(l.index.rows) || l.index.rows[old].id != b.id {
				changed = append(changed, b.id) // a new row: fold puts it in
				continue
			}
			was, e := l.index.rows[old], x.entry(b.id, b.key, b.image)
			e.size = b.size
			if key := l.index.text(was); key != b.key {
				changed = append(changed, b.id)
				lose()
				continue
			}
			if was != e {
				changed = append(changed, b.id)
			}
			old++
		}
		if err := ctx.Err(); err != nil {
			return ledger.Changes{}, err
		}
	}
	for old < len(l.index.rows) && len(lost) <= manyLost {
		lose()
	}
	if len(lost) > manyLost {
		return l.everything(ctx)
	}
	var news []found
	for _, id := range changed {
		f, ok, err := l.at(ctx, id)
		if err != nil {
			return ledger.Changes{}, err
		}
		if ok {
			news = append(news, f)
		}
	}
	return l.fold(ctx, news, lost)
}

// briefs reads one page of a sweep: rows above a row id.
func (l *Looker) briefs(ctx context.Context, after int64) (page []brief, more bool, err error) {
	err = l.patient(ctx, func() error {
		page, more = page[:0], false
		start := time.Now()
		err := l.c.rows(func(v []driver.Value) bool {
			b := brief{id: integer(v[0]), key: text(v[1]), size: -1}
			b.image = ledger.Image{State: ledger.State(text(v[2])), Created: float(v[3]), Updated: float(v[4])}
			if v[5] != nil {
				b.size = int32(min(integer(v[5]), 1<<31-1))
			}
			page = append(page, b)
			more = len(page)%32 == 0 && time.Since(start) > pageTime
			return !more
		}, "SELECT rowid, idempotency_key, state, created_at, updated_at, octet_length(response_json) FROM tool_calls WHERE rowid > ? ORDER BY rowid LIMIT ?",
			after, int64(l.opt.PageRows))
		more = more || len(page) == l.opt.PageRows
		return err
	})
	return page, more, err
}
