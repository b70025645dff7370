package sqlite

// version of the drainboard_* objects; it stands in the text of drainboard_log, where a later drainboard is known by it.
const version = 1

// createCalls is the seeds' table, as their helper makes it.
const createCalls = `CREATE TABLE tool_calls (
  idempotency_key TEXT PRIMARY KEY,
  tool_name TEXT NOT NULL,
  request_json TEXT NOT NULL,
  response_json TEXT,
  state TEXT NOT NULL,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL
)`

// The tables of drainboard's own facts. SQLite keeps these texts as they are, and an object of a drainboard_ name
// with any other text is not ours. Times are seconds since 1970 UTC.
const (
	createLog = `CREATE TABLE drainboard_log ( -- drainboard schema 1
  id INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL, -- JSON
  from_state TEXT, -- the row before: NULL when there was none or it was not looked at
  from_response TEXT,
  from_created REAL,
  from_updated REAL,
  to_state TEXT, -- the row after: NULL when it was not changed
  to_response TEXT,
  to_created REAL,
  to_updated REAL
)`
	createLogKey    = `CREATE INDEX drainboard_log_key ON drainboard_log (key, id)`
	createLogUpdate = `CREATE TRIGGER drainboard_log_update BEFORE UPDATE ON drainboard_log
BEGIN SELECT RAISE(ABORT, 'drainboard_log is append-only'); END`
	createLogDelete = `CREATE TRIGGER drainboard_log_delete BEFORE DELETE ON drainboard_log
BEGIN SELECT RAISE(ABORT, 'drainboard_log is append-only'); END`

	createClaims = `CREATE TABLE drainboard_claims (
  key TEXT PRIMARY KEY,
  token TEXT NOT NULL, -- empty when the claim was taken away; attempt goes on counting
  attempt INTEGER NOT NULL,
  run TEXT NOT NULL,
  host TEXT NOT NULL,
  boot TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started INTEGER NOT NULL -- of the process, in clock ticks since boot
) WITHOUT ROWID`
	createRuns = `CREATE TABLE drainboard_runs (
  run TEXT PRIMARY KEY,
  calls INTEGER NOT NULL
) WITHOUT ROWID`
	createHuman = `CREATE TABLE drainboard_human_keys (
  key TEXT NOT NULL,
  word TEXT NOT NULL,
  row_key TEXT NOT NULL, -- of the row that the send makes
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  at REAL NOT NULL,
  used_at REAL,
  used_by TEXT, -- token of the claim
  PRIMARY KEY (key, word)
) WITHOUT ROWID`
	createLate = `CREATE TABLE drainboard_late (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  token TEXT NOT NULL, -- empty when the fence turned an update away
  state TEXT NOT NULL,
  response TEXT,
  at REAL NOT NULL
)`
	createCompensations = `CREATE TABLE drainboard_compensations (
  id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  extra TEXT NOT NULL, -- canonical payload, or none
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  exit INTEGER,
  started_at REAL NOT NULL,
  ended_at REAL,
  host TEXT NOT NULL,
  boot TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started INTEGER NOT NULL,
  PRIMARY KEY (id, attempt)
) WITHOUT ROWID`
	createAcks = `CREATE TABLE drainboard_acks (
  id INTEGER PRIMARY KEY, -- of its row in drainboard_log
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  seen TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  at REAL NOT NULL,
  expires REAL NOT NULL -- 0 never
)`
	createPass = `CREATE TABLE drainboard_pass (
  key TEXT PRIMARY KEY
) WITHOUT ROWID`

	createFenceInsert = `CREATE TRIGGER drainboard_fence_insert BEFORE INSERT ON tool_calls
WHEN EXISTS (SELECT 1 FROM tool_calls WHERE idempotency_key = NEW.idempotency_key AND state IN ('inflight', 'committed'))
  AND NOT EXISTS (SELECT 1 FROM drainboard_pass WHERE key = NEW.idempotency_key)
BEGIN
  SELECT RAISE(ABORT, 'fenced by drainboard: this key is in flight or committed, nothing may be sent for it');
END`
	createFenceUpdate = `CREATE TRIGGER drainboard_fence_update BEFORE UPDATE ON tool_calls
WHEN OLD.state <> 'inflight'
  AND NOT EXISTS (SELECT 1 FROM drainboard_pass WHERE key = OLD.idempotency_key)
BEGIN
  INSERT INTO drainboard_late (key, token, state, response, at)
  VALUES (OLD.idempotency_key, '', NEW.state, NEW.response_json, NEW.updated_at);
  SELECT RAISE(IGNORE);
END`
)

// object is one thing that drainboard makes in a ledger.
type object struct{ name, sql string }

// ours are the objects that the first write makes; fence are those of `ledger fence`.
func ours() []object {
	return []object{
		{"drainboard_log", createLog},
		{"drainboard_log_key", createLogKey},
		{"drainboard_log_update", createLogUpdate},
		{"drainboard_log_delete", createLogDelete},
		{"drainboard_claims", createClaims},
		{"drainboard_runs", createRuns},
		{"drainboard_human_keys", createHuman},
		{"drainboard_late", createLate},
		{"drainboard_compensations", createCompensations},
		{"drainboard_acks", createAcks},
	}
}

func fence() []object {
	return []object{
		{"drainboard_pass", createPass},
		{"drainboard_fence_insert", createFenceInsert},
		{"drainboard_fence_update", createFenceUpdate},
	}
}
