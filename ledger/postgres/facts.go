package postgres

import (
	"context"

	"drainboard/ledger"

	"github.com/jackc/pgx/v5"
)

func scanLate(r pgx.CollectableRow) (ledger.Late, error) {
	var l ledger.Late
	var response *string
	var row imageScan
	err := r.Scan(&l.ID, &l.Key, &l.Tool, &l.Token, &l.State, &response, &l.At, &row.state, &row.response)
	if response != nil {
		l.Response, l.HasResponse = *response, true
	}
	var im ledger.Image
	if is := row.image(); is != nil {
		im = *is
	}
	l.Differs = l.Contradicts(im)
	return l, err
}

// lists reads the facts that stand in tables of their own.
func lists(ctx context.Context, q querier) (*ledger.Facts, error) {
	f := &ledger.Facts{}
	rows, err := q.Query(ctx, `SELECT l.id, l.key, coalesce(t.tool_name, ''), l.token, l.state, l.response, l.at, t.state, t.response_json
  FROM drainboard_late l LEFT JOIN tool_calls t ON t.idempotency_key = l.key ORDER BY l.id`)
	if f.Late, err = many(rows, err, scanLate); err != nil {
		return nil, err
	}
	rows, err = q.Query(ctx, selectAck+" ORDER BY id")
	if f.Acks, err = many(rows, err, scanAck); err != nil {
		return nil, err
	}
	rows, err = q.Query(ctx, selectHuman+" ORDER BY at, key, word")
	if f.HumanKeys, err = many(rows, err, scanHuman); err != nil {
		return nil, err
	}
	rows, err = q.Query(ctx, selectCompensation+" c WHERE attempt = (SELECT max(attempt) FROM drainboard_compensations WHERE id = c.id) ORDER BY started_at, id")
	f.Compensations, err = many(rows, err, scanCompensation)
	return f, err
}

// judged is one key's last image against its row.
type judged struct {
	over    ledger.Overwritten
	differs bool
}

func scanJudged(r pgx.CollectableRow) (judged, error) {
	var j judged
	var w, is imageScan
	err := r.Scan(&j.over.Key, &j.over.Tool, &w.state, &w.response, &w.created, &w.updated, &is.state, &is.response, &is.created, &is.updated)
	if im := w.image(); im != nil {
		j.over.Wrote = *im
	}
	if im := is.image(); im != nil {
		j.over.Found = *im
	}
	j.differs = ledger.Differs(j.over.Wrote, j.over.Found)
	return j, err
}

// judge compares rows with the last images that drainboard wrote of them: of some keys, or of all when keys is nil.
func judge(ctx context.Context, q querier, keys []string) ([]judged, error) {
	const sql = `SELECT l.key, l.tool, l.to_state, l.to_response, l.to_created, l.to_updated, t.state, t.response_json, t.created_at, t.updated_at
  FROM (SELECT DISTINCT ON (key) key, tool, to_state, to_response, to_created, to_updated FROM drainboard_log
    WHERE to_state IS NOT NULL AND ($1::text[] IS NULL OR key = ANY ($1)) ORDER BY key, id DESC) l
  LEFT JOIN tool_calls t ON t.idempotency_key = l.key
  WHERE $1 IS NOT NULL OR (t.state, t.response_json, t.created_at, t.updated_at) IS DISTINCT FROM (l.to_state, l.to_response, l.to_created, l.to_updated)
  ORDER BY l.key COLLATE "C"`
	rows, err := q.Query(ctx, sql, keys)
	return many(rows, err, scanJudged)
}

// Facts implements ledger.Tx.
func (t *tx) Facts() (*ledger.Facts, error) {
	f, err := lists(t.ctx, t.t)
	if err != nil {
		return nil, err
	}
	all, err := judge(t.ctx, t.t, nil)
	for _, j := range all {
		if j.differs {
			f.Overwritten = append(f.Overwritten, j.over)
		}
	}
	return f, err
}
