package sqlite

import (
	"context"

	"drainboard/ledger"
)

// Entries reads the triage log after an entry number, oldest first, at most limit entries; none in a file that drainboard has
// never written.
func (l *Looker) Entries(ctx context.Context, after int64, limit int) ([]ledger.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	var out []ledger.Entry
	err := l.patient(ctx, func() error {
		n, err := l.c.number("SELECT count(*) FROM sqlite_master WHERE name = 'drainboard_log'")
		if err != nil {
			return err
		}
		out, err = (&tx{c: l.c, bare: n == 0}).Entries(after, limit)
		return err
	})
	return out, explain(l.path, err)
}
