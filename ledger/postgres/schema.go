package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"drainboard/ledger"

	"github.com/jackc/pgx/v5"
)

// version of drainboard's tables; it stands in the comment on drainboard_log, where a later drainboard is known by it.
const version = 1

// migrations make the ledger; the n-th brings it to version n. Times are seconds since 1970 UTC in DOUBLE PRECISION:
// REAL has four bytes here, which do not tell one second of this century from the next.
var migrations = [version]string{`
CREATE TABLE IF NOT EXISTS tool_calls (
  idempotency_key TEXT PRIMARY KEY,
  tool_name TEXT NOT NULL,
  request_json TEXT NOT NULL,
  response_json TEXT,
  state TEXT NOT NULL,
  created_at DOUBLE PRECISION NOT NULL,
  updated_at DOUBLE PRECISION NOT NULL
);
CREATE INDEX drainboard_calls_updated ON tool_calls (updated_at);
CREATE INDEX drainboard_calls_open ON tool_calls (updated_at) WHERE state <> 'committed';
CREATE TABLE drainboard_log (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at DOUBLE PRECISION NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  from_state TEXT, from_response TEXT, from_created DOUBLE PRECISION, from_updated DOUBLE PRECISION,
  to_state TEXT, to_response TEXT, to_created DOUBLE PRECISION, to_updated DOUBLE PRECISION
);
CREATE INDEX drainboard_log_key ON drainboard_log (key, id);
CREATE FUNCTION drainboard_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'drainboard_log is append-only'; END $$;
CREATE TRIGGER drainboard_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON drainboard_log
  FOR EACH STATEMENT EXECUTE FUNCTION drainboard_append_only();
CREATE TABLE drainboard_claims (
  key TEXT PRIMARY KEY,
  token TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  run TEXT NOT NULL,
  host TEXT NOT NULL,
  boot TEXT NOT NULL,
  pid BIGINT NOT NULL,
  started BIGINT NOT NULL
);
CREATE INDEX drainboard_claims_run ON drainboard_claims (run);
CREATE TABLE drainboard_runs (run TEXT PRIMARY KEY, calls BIGINT NOT NULL);
CREATE TABLE drainboard_human_keys (
  key TEXT NOT NULL,
  word TEXT NOT NULL,
  row_key TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  used_at DOUBLE PRECISION,
  used_by TEXT,
  PRIMARY KEY (key, word)
);
CREATE TABLE drainboard_late (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key TEXT NOT NULL,
  token TEXT NOT NULL,
  state TEXT NOT NULL,
  response TEXT,
  at DOUBLE PRECISION NOT NULL
);
CREATE TABLE drainboard_compensations (
  id TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  extra TEXT NOT NULL,
  number BIGINT NOT NULL,
  state TEXT NOT NULL,
  exit BIGINT,
  started_at DOUBLE PRECISION NOT NULL,
  ended_at DOUBLE PRECISION,
  host TEXT NOT NULL,
  boot TEXT NOT NULL,
  pid BIGINT NOT NULL,
  started BIGINT NOT NULL,
  PRIMARY KEY (id, attempt)
);
CREATE TABLE drainboard_acks (
  id BIGINT PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  seen TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  expires DOUBLE PRECISION NOT NULL
);
COMMENT ON TABLE drainboard_log IS 'drainboard schema 1';
`}

// lockKey is the advisory lock under which the tables are made: "drainbd" in ASCII.
const lockKey = 0x647261696e6264

// columns are the seven of tool_calls with their types.
const columns = "idempotency_key text, tool_name text, request_json text, response_json text, state text, created_at double precision, updated_at double precision"

// querier is a connection, a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// installed is the version of drainboard's tables, 0 without them.
func installed(ctx context.Context, q querier) (int, error) {
	var comment string
	err := q.QueryRow(ctx, "SELECT coalesce(obj_description(to_regclass('drainboard_log'), 'pg_class'), '')").Scan(&comment)
	if err != nil {
		return 0, err
	}
	m := regexp.MustCompile(`^drainboard schema (\d{1,9})$`).FindStringSubmatch(comment)
	if m == nil {
		return 0, nil
	}
	return strconv.Atoi(m[1])
}

// checkSchema refuses a tool_calls that is not a plain table of the seven columns, and a newer drainboard.
func checkSchema(ctx context.Context, q querier, where string) (v int, err error) {
	if v, err = installed(ctx, q); err != nil {
		return 0, err
	}
	if v > version {
		return v, &ledger.Problem{
			Kind: ledger.NewerVersion, Path: where, Found: fmt.Sprintf("expected drainboard schema %d or older, found %d", version, v),
			Do: "use the newer drainboard that made it",
		}
	}
	var kind string
	err = q.QueryRow(ctx, "SELECT relkind::text FROM pg_class WHERE oid = to_regclass('tool_calls')").Scan(&kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return v, &ledger.Problem{
			Kind: ledger.Empty, Path: where, Found: "expected a table tool_calls, found none",
			Do: "name the database that the agents write their calls to, or let the first `exec` make it",
		}
	}
	if err != nil {
		return v, err
	}
	rows, err := q.Query(ctx, `SELECT attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attgenerated <> '' THEN ' (generated)' ELSE '' END
  FROM pg_attribute WHERE attrelid = to_regclass('tool_calls') AND attnum > 0 AND NOT attisdropped ORDER BY attnum`)
	if err != nil {
		return v, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return v, err
	}
	what := "the columns " + strings.Join(found, ", ")
	if kind != "r" {
		what = "a relation of kind " + strconv.Quote(kind)
	}
	if kind != "r" || strings.Join(found, ", ") != columns {
		return v, &ledger.Problem{
			Kind: ledger.OtherSchema, Path: where, Found: "expected tool_calls to be a plain table (" + columns + "), found " + what,
			Do: "name another ledger, or copy its rows into such a table",
		}
	}
	return v, nil
}

// migrate brings the tables to this version; many may try at once.
func migrate(ctx context.Context, c *pgx.Conn) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lockKey)); err != nil {
			return err
		}
		v, err := installed(ctx, tx)
		if err != nil {
			return err
		}
		for ; v < version; v++ {
			if _, err := tx.Exec(ctx, migrations[v]); err != nil {
				return fmt.Errorf("make version %d of drainboard's tables: %w", v+1, err)
			}
		}
		return nil
	})
}
