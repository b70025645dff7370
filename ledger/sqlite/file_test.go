package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
)

func envelope(s ledger.Store) *ledger.Envelope {
	return &ledger.Envelope{Store: s, Now: time.Now, Random: rand.Reader, Actor: "me@host", Owner: ledger.Owner{Host: "h", PID: 1, PIDStart: 1}}
}

func keyed(key string) ledger.Call {
	return ledger.Call{Key: key, Run: "r", Tool: "open_pr", Request: "{}", Class: table.Keyed}
}

func (a *agent) text(q string) string {
	a.t.Helper()
	var s string
	if err := a.db.QueryRow(q).Scan(&s); err != nil {
		a.t.Fatal(err)
	}
	return s
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tool_replay.sqlite")
	var p *ledger.Problem
	if _, err := OpenStore(context.Background(), path, StoreOptions{}); !errors.As(err, &p) || p.Kind != ledger.Missing {
		t.Fatalf("without Create: %v", err)
	}
	s := openStore(t, path, StoreOptions{Create: true})
	if err := s.View(context.Background(), func(tx ledger.Tx) error {
		f, err := tx.Facts()
		if err == nil && !f.Equal(&ledger.Facts{}) {
			t.Errorf("facts %+v", f)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := envelope(s).Begin(context.Background(), keyed("k")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		st, err := os.Stat(name)
		if err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v, want mode 0600", name, st.Mode(), err)
		}
	}
	a := agentOn(t, path)
	if got := a.text("PRAGMA journal_mode"); got != "wal" {
		t.Errorf("journal mode %s", got)
	}
	if got := a.text("SELECT sql FROM sqlite_master WHERE name = 'tool_calls'"); got != createCalls {
		t.Errorf("tool_calls is %s", got)
	}
}

// TestExistingFileKeepsItsMode: the journal mode and the permissions of a file that others made are theirs.
func TestExistingFileKeepsItsMode(t *testing.T) {
	for _, mode := range []string{"delete", "truncate", "persist", "wal"} {
		a := newAgent(t, "PRAGMA journal_mode="+mode)
		if err := os.Chmod(a.path, 0o640); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, a.path, StoreOptions{Create: true})
		k, err := envelope(s).Begin(context.Background(), keyed("k"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Commit(context.Background(), "1", true); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(a.path)
		if err != nil || st.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v %v", mode, st.Mode(), err)
		}
		// Truncate and persist are modes of a connection; what the file itself holds is WAL or not.
		if got := a.text("PRAGMA journal_mode"); (got == "wal") != (mode == "wal") {
			t.Errorf("%s became %s", mode, got)
		}
		if got := a.text("SELECT state FROM tool_calls"); got != "committed" {
			t.Errorf("%s: %s", mode, got)
		}
	}
}

func TestStoreRefusesForeignObjects(t *testing.T) {
	const trigger = "CREATE TRIGGER sly AFTER UPDATE ON tool_calls BEGIN UPDATE tool_calls SET state = 'failed'; END"
	var p *ledger.Problem
	a := newAgent(t, trigger)
	if _, err := OpenStore(context.Background(), a.path, StoreOptions{}); !errors.As(err, &p) || p.Kind != ledger.Foreign {
		t.Fatalf("opening: %v", err)
	}
	a.exec("DROP TRIGGER sly")
	s := openStore(t, a.path, StoreOptions{})
	if _, err := envelope(s).Begin(context.Background(), keyed("k")); err != nil {
		t.Fatal(err)
	}
	a.exec(trigger)
	if _, err := envelope(s).Begin(context.Background(), keyed("l")); !errors.As(err, &p) || p.Kind != ledger.Foreign {
		t.Fatalf("a trigger that came later: %v", err)
	}
	if n := a.text("SELECT count(*) FROM tool_calls"); n != "1" {
		t.Fatalf("%s rows", n)
	}
	a.exec("DROP TRIGGER sly")
	if _, err := envelope(s).Begin(context.Background(), keyed("l")); err != nil {
		t.Fatalf("after it went: %v", err)
	}
}

func TestStoreSaysLocked(t *testing.T) {
	a := newAgent(t)
	s := openStore(t, a.path, StoreOptions{Patience: 20 * time.Millisecond})
	patient := openStore(t, a.path, StoreOptions{Patience: time.Hour})
	c, err := a.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	var p *ledger.Problem
	if _, err := envelope(s).Begin(context.Background(), keyed("k")); !errors.As(err, &p) || p.Kind != ledger.Locked {
		t.Fatalf("got %v, want Locked", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range 3 { // one writes by itself, the others are queued
		all.Go(func() {
			if _, err := envelope(patient).Begin(ctx, keyed("k")); !errors.Is(err, context.Canceled) {
				t.Errorf("under another program's lock: %v", err)
			}
		})
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	all.Wait()
	if _, err := c.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if k, err := envelope(patient).Begin(context.Background(), keyed("k")); err != nil || k.Decision != ledger.Send {
		t.Fatalf("after the lock: %+v %v", k, err)
	}
}

func TestLogIsAppendOnly(t *testing.T) {
	s := openStore(t, newAgent(t).path, StoreOptions{})
	if _, err := envelope(s).Begin(context.Background(), keyed("k")); err != nil {
		t.Fatal(err)
	}
	a := agentOn(t, s.path)
	for _, q := range []string{"UPDATE drainboard_log SET reason = 'x'", "DELETE FROM drainboard_log"} {
		if _, err := a.db.Exec(q); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// helperRace is the race of the seeds' helper with itself: both read, then both replace, then both send. It returns how
// many sent.
func helperRace(a *agent, key string) (sent int) {
	reads := func() bool {
		var state string
		err := a.db.QueryRow("SELECT state FROM tool_calls WHERE idempotency_key = ?", key).Scan(&state)
		return err != nil || state == "failed"
	}
	first, second := reads(), reads()
	for _, free := range []bool{first, second} {
		if !free {
			continue
		}
		_, err := a.db.Exec("INSERT OR REPLACE INTO tool_calls VALUES (?, 'open_pr', '{}', NULL, 'inflight', 1, 1)", key)
		if err == nil {
			sent++
		} else if !strings.Contains(err.Error(), "fenced by drainboard") {
			a.t.Fatal(err)
		}
	}
	return sent
}

func TestFence(t *testing.T) {
	ctx := context.Background()
	s := openStore(t, newAgent(t).path, StoreOptions{})
	a := agentOn(t, s.path)
	race := func() (sent []int) {
		for i := range 200 {
			sent = append(sent, helperRace(a, hexKey(i)))
		}
		a.exec("DELETE FROM tool_calls")
		return sent
	}
	if got := slices.Compact(race()); !slices.Equal(got, []int{2}) {
		t.Fatalf("without the fence the rounds sent %v times", got)
	}
	fenceIt := func(on bool) {
		t.Helper()
		if err := s.Fence(ctx, on, "op@host", "drain", time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Fenced(ctx); err != nil || got != on {
			t.Fatalf("fenced %v %v, want %v", got, err, on)
		}
	}
	fenceIt(true)
	fenceIt(true) // it stands already
	if got := slices.Compact(race()); !slices.Equal(got, []int{1}) {
		t.Fatalf("with the fence the rounds sent %v times", got)
	}

	k, err := envelope(s).Begin(ctx, keyed("k"))
	if err != nil || k.Decision != ledger.Send {
		t.Fatalf("%+v %v", k, err)
	}
	a.Update(t, "k", ledger.Committed, `"blind"`, 9) // in flight: not fenced
	if got := a.text("SELECT response_json FROM tool_calls WHERE idempotency_key = 'k'"); got != `"blind"` {
		t.Fatal(got)
	}
	a.Update(t, "k", ledger.Committed, `"late"`, 10)
	a.Update(t, "k", ledger.Failed, nil, 11)
	if got := a.text("SELECT state || response_json || updated_at FROM tool_calls WHERE idempotency_key = 'k'"); got != `committed"blind"9.0` {
		t.Fatalf("the fenced row became %s", got)
	}
	if got := a.text("SELECT group_concat(key || token || state || coalesce(response, 'NULL') || at, ' ') FROM drainboard_late"); got != `kcommitted"late"10.0 kfailed"blind"11.0` {
		t.Fatalf("late: %s", got)
	}
	a.exec("INSERT INTO tool_calls VALUES ('f', 'open_pr', '{}', NULL, 'failed', 1, 1)")
	a.put("f", "inflight", 2, nil) // a failed key may be claimed anew

	fenceIt(false)
	a.Update(t, "k", ledger.Failed, nil, 12)
	if got := a.text("SELECT state FROM tool_calls WHERE idempotency_key = 'k'"); got != "failed" {
		t.Fatalf("after the fence went: %s", got)
	}
	if got := a.text("SELECT group_concat(action) FROM drainboard_log"); got != "fence,claim,unfence" {
		t.Fatalf("log: %s", got)
	}
}

// TestPythonHelper runs the seeds' helper on a file that drainboard made and keeps open.
func TestPythonHelper(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "l.sqlite"), StoreOptions{Create: true})
	k, err := envelope(s).Begin(context.Background(), keyed("mine"))
	if err != nil {
		t.Fatal(err)
	}
	out := python(t, s.path, `
import json, sqlite3, sys, time
conn = sqlite3.connect(sys.argv[1])
conn.execute("CREATE TABLE IF NOT EXISTS tool_calls (idempotency_key TEXT PRIMARY KEY, tool_name TEXT NOT NULL, request_json TEXT NOT NULL, response_json TEXT, state TEXT NOT NULL, created_at REAL NOT NULL, updated_at REAL NOT NULL)")
now = time.time()
print(conn.execute("SELECT state, response_json FROM tool_calls WHERE idempotency_key = ?", ("mine",)).fetchone())
conn.execute("INSERT OR REPLACE INTO tool_calls VALUES (?,?,?,?,?,?,?)", ("theirs", "open_pr", "{}", None, "inflight", now, now))
conn.commit()
conn.execute("UPDATE tool_calls SET state = ?, response_json = ?, updated_at = ? WHERE idempotency_key = ?", ("committed", json.dumps({"pr": 1}), time.time(), "theirs"))
conn.commit()
`)
	if strings.TrimSpace(out) != "('inflight', None)" {
		t.Fatalf("it saw %s", out)
	}
	if settled, err := k.Commit(context.Background(), "1", true); err != nil || settled.Late {
		t.Fatalf("%+v %v", settled, err)
	}
	if k, err := envelope(s).Begin(context.Background(), keyed("theirs")); err != nil || k.Decision != ledger.Replay || k.Row.Response != `{"pr": 1}` {
		t.Fatalf("%+v %v", k, err)
	}
}

// TestConnections: what a file's schema could run is not trusted, and a Looker's connection cannot write at all.
func TestConnections(t *testing.T) {
	a := newAgent(t)
	s, l := openStore(t, a.path, StoreOptions{}), a.look(Options{})
	for _, tt := range []struct {
		c      *conn
		pragma string
		want   int64
	}{
		{s.r, "trusted_schema", 0},
		{s.r, "query_only", 1},
		{l.c, "trusted_schema", 0},
		{l.c, "query_only", 1},
		{l.c, "busy_timeout", 0},
	} {
		if got, err := tt.c.number("PRAGMA " + tt.pragma); err != nil || got != tt.want {
			t.Errorf("%s is %d, want %d, %v", tt.pragma, got, tt.want, err)
		}
	}
	if err := s.do(context.Background(), func(x *tx) error {
		for pragma, want := range map[string]int64{"trusted_schema": 0, "synchronous": 2, "busy_timeout": 0} {
			if got, err := x.c.number("PRAGMA " + pragma); err != nil || got != want {
				t.Errorf("%s of the writer is %d, want %d, %v", pragma, got, want, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.c.exec("UPDATE tool_calls SET state = 'failed'"); err == nil {
		t.Error("the looker's connection writes")
	}
}

// TestLookWatchesMarks: a row that an operator marked committed is looked at again at every move, wherever it stands.
func TestLookWatchesMarks(t *testing.T) {
	a := newAgent(t)
	a.put("marked", "inflight", 1, nil)
	for i := range 3 * again {
		a.put(hexKey(i), "committed", 1, "1")
	}
	s, l := openStore(t, a.path, StoreOptions{}), a.look(Options{})
	ch := look(t, l)
	op := &ledger.Operator{Store: s, Now: time.Now, Actor: "op@host"}
	i := slices.IndexFunc(ch.Rows, func(r ledger.Row) bool { return r.Key == "marked" })
	if r, err := op.MarkCommitted(context.Background(), ch.Rows[i], "1", true, "looked"); err != nil || !r.Done {
		t.Fatalf("%+v %v", r, err)
	}
	look(t, l)
	a.Update(t, "marked", ledger.Committed, "2", 9)
	ch = look(t, l)
	if got := says(ch); got != "marked=committed" || ch.Facts == nil || len(ch.Facts.Overwritten) != 1 {
		t.Fatalf("got %q, facts %+v", got, ch.Facts)
	}
}
