package sqlite

import (
	"context"
	"database/sql/driver"
	"slices"
	"time"

	"drainboard/ledger"
)

// facts is the Looker's memory of drainboard's own tables.
type facts struct {
	logged int64                         // the last log entry read
	marked map[string]bool               // keys that an operator marked committed: read again at every move
	over   map[string]ledger.Overwritten // by key
	last   *ledger.Facts                 // as they were told
}

// wrote is what a log entry says of a row, without the response's text.
type wrote struct {
	image ledger.Image
	size  int64
}

func (w wrote) is(r *ledger.Row) bool {
	im := r.Image()
	size := int64(len(im.Response))
	im.Response = ""
	return w.image == im && w.size == size
}

// readFacts puts the facts into ch when they changed. ch is what the look found in tool_calls.
func (l *Looker) readFacts(ctx context.Context, ch *ledger.Changes) error {
	if ch.All {
		l.facts = facts{marked: map[string]bool{}, over: map[string]ledger.Overwritten{}}
	}
	f := &ledger.Facts{}
	if l.schema.made {
		images, err := l.readLog(ctx)
		if err != nil {
			return err
		}
		for _, key := range l.facts.suspects(ch, images) {
			err := l.patient(ctx, func() error { return l.judge(key) })
			if err != nil {
				return err
			}
		}
		err = l.patient(ctx, func() (err error) { f, err = l.c.lists(); return err })
		if err != nil {
			return err
		}
		for _, o := range l.facts.over {
			f.Overwritten = append(f.Overwritten, o)
		}
		slices.SortFunc(f.Overwritten, func(a, b ledger.Overwritten) int { return cmpText(a.Key, b.Key) })
	}
	if l.facts.last == nil || !f.Equal(l.facts.last) {
		l.facts.last, ch.Facts = f, f
	}
	return nil
}

func cmpText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// suspects are the keys whose row and last image have to be compared: rows that changed, unless the newest log entry
// is just that change, keys of log entries without a changed row, and those that differed before.
func (f *facts) suspects(ch *ledger.Changes, images map[string]wrote) []string {
	out := slices.Clone(ch.Gone)
	for key := range f.over {
		out = append(out, key)
	}
	for i := range ch.Rows {
		r := &ch.Rows[i]
		w, ok := images[r.Key]
		delete(images, r.Key)
		if !ok && !ch.All || ok && !w.is(r) {
			out = append(out, r.Key)
		}
	}
	for key := range images {
		out = append(out, key)
	}
	return out
}

// readLog reads the log's entries since the last look, a page at a time, and returns the last image of each key.
func (l *Looker) readLog(ctx context.Context) (map[string]wrote, error) {
	images := map[string]wrote{}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := l.patient(ctx, func() error {
			start, n := time.Now(), 0
			more = false
			return l.c.rows(func(v []driver.Value) bool {
				n++
				l.facts.logged = integer(v[0])
				key := text(v[2])
				if ledger.Act(text(v[1])) == ledger.ActCommitted {
					l.facts.marked[key] = true
				}
				w := wrote{size: integer(v[4])}
				w.image = ledger.Image{State: ledger.State(text(v[3])), HasResponse: v[4] != nil, Created: float(v[5]), Updated: float(v[6])}
				images[key] = w
				more = n == l.opt.PageRows || n%32 == 0 && time.Since(start) > pageTime
				return !more
			}, `SELECT id, action, key, to_state, octet_length(to_response), to_created, to_updated
  FROM drainboard_log WHERE id > ? AND to_state IS NOT NULL ORDER BY id`, l.facts.logged)
		})
		if err != nil {
			return nil, err
		}
	}
	return images, nil
}

const selectOverwritten = `SELECT l.key, l.tool, l.to_state, l.to_response, l.to_created, l.to_updated,
  t.state, t.response_json, t.created_at, t.updated_at
  FROM drainboard_log l LEFT JOIN tool_calls t ON t.idempotency_key = l.key`

// judge compares one row with the last image that drainboard wrote of it.
func (l *Looker) judge(key string) error {
	v, err := l.c.one(selectOverwritten+" WHERE l.key = ? AND l.to_state IS NOT NULL ORDER BY l.id DESC LIMIT 1", key)
	if err != nil {
		return err
	}
	if v != nil {
		if o, ok := overwrittenFrom(v); ok {
			l.facts.over[key] = o
			return nil
		}
	}
	delete(l.facts.over, key)
	return nil
}

func overwrittenFrom(v []driver.Value) (ledger.Overwritten, bool) {
	o := ledger.Overwritten{Key: text(v[0]), Tool: text(v[1]), Wrote: *imageFrom(v[2:6])}
	if im := imageFrom(v[6:10]); im != nil {
		o.Found = *im
	}
	return o, ledger.Differs(o.Wrote, o.Found)
}

// lists reads the facts that stand in tables of their own.
func (c *conn) lists() (*ledger.Facts, error) {
	f := &ledger.Facts{}
	queries := []struct {
		q   string
		add func(v []driver.Value)
	}{
		{
			`SELECT l.id, l.key, coalesce(t.tool_name, ''), l.token, l.state, l.response, l.at, t.state, t.response_json
  FROM drainboard_late l LEFT JOIN tool_calls t ON t.idempotency_key = l.key ORDER BY l.id`,
			func(v []driver.Value) { f.Late = append(f.Late, lateFrom(v)) },
		},
		{selectAck + " ORDER BY id", func(v []driver.Value) { f.Acks = append(f.Acks, ackFrom(v)) }},
		{selectHuman + " ORDER BY at, key, word", func(v []driver.Value) { f.HumanKeys = append(f.HumanKeys, humanFrom(v)) }},
		{
			selectCompensation + " c WHERE attempt = (SELECT max(attempt) FROM drainboard_compensations WHERE id = c.id) ORDER BY started_at, id",
			func(v []driver.Value) { f.Compensations = append(f.Compensations, compensationFrom(v)) },
		},
	}
	for _, q := range queries {
		if err := c.rows(func(v []driver.Value) bool { q.add(v); return true }, q.q); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func lateFrom(v []driver.Value) ledger.Late {
	l := ledger.Late{
		ID: integer(v[0]), Key: text(v[1]), Tool: text(v[2]), Token: text(v[3]), State: ledger.State(text(v[4])),
		Response: text(v[5]), HasResponse: v[5] != nil, At: float(v[6]),
	}
	l.Differs = l.Contradicts(ledger.Image{State: ledger.State(text(v[7])), Response: text(v[8]), HasResponse: v[8] != nil})
	return l
}

// Facts implements ledger.Tx.
func (t *tx) Facts() (*ledger.Facts, error) {
	if t.bare {
		return &ledger.Facts{}, nil
	}
	f, err := t.c.lists()
	if err != nil {
		return nil, err
	}
	err = t.c.rows(func(v []driver.Value) bool {
		if o, ok := overwrittenFrom(v); ok {
			f.Overwritten = append(f.Overwritten, o)
		}
		return true
	}, selectOverwritten+" WHERE l.id IN (SELECT max(id) FROM drainboard_log WHERE to_state IS NOT NULL GROUP BY key) ORDER BY l.key")
	return f, err
}
