package postgres

import (
	"context"

	"drainboard/ledger"
)

// Entries reads the triage log after an entry number, oldest first, at most limit entries; none in a database that drainboard
// has never written.
func (l *Looker) Entries(ctx context.Context, after int64, limit int) ([]ledger.Entry, error) {
	v, err := installed(ctx, l.pool)
	if err != nil || v == 0 {
		return nil, explain(l.where, err)
	}
	rows, err := l.pool.Query(ctx, selectLog+" WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
	out, err := many(rows, err, scanEntry)
	return out, explain(l.where, err)
}
