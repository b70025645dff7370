package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drainboard/ledger"
)

// agent is a program that writes the ledger: another connection of this process, or Python in its own.
type agent struct {
	t    *testing.T
	path string
	db   *sql.DB
}

func newAgent(t *testing.T, setup ...string) *agent {
	t.Helper()
	a := agentOn(t, filepath.Join(t.TempDir(), "tool_replay.sqlite"))
	for _, q := range append([]string{createCalls}, setup...) {
		a.exec(q)
	}
	return a
}

func agentOn(t *testing.T, path string) *agent {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &agent{t, path, db}
}

func (a *agent) exec(q string, args ...any) {
	a.t.Helper()
	if _, err := a.db.Exec(q, args...); err != nil {
		a.t.Fatalf("%s: %v", q, err)
	}
}

// put writes a row as the seeds' helper does.
func (a *agent) put(key, state string, at float64, response any) {
	a.t.Helper()
	a.exec("INSERT OR REPLACE INTO tool_calls VALUES (?,?,?,?,?,?,?)", key, "open_pr", `{"n": 1}`, response, state, at, at)
}

func (a *agent) look(opt Options) *Looker {
	a.t.Helper()
	l, err := OpenLooker(context.Background(), a.path, opt)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = l.Close() })
	return l
}

func look(t *testing.T, l *Looker) ledger.Changes {
	t.Helper()
	ch, err := l.Look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// says prints changes in one line, rows by key.
func says(ch ledger.Changes) string {
	var rows []string
	for _, r := range ch.Rows {
		rows = append(rows, short(r.Key)+"="+string(r.State))
	}
	slices.Sort(rows)
	var gone []string
	for _, k := range ch.Gone {
		gone = append(gone, short(k))
	}
	slices.Sort(gone)
	s := strings.Join(rows, " ")
	if ch.All {
		s = "all: " + s
	}
	if len(gone) > 0 {
		s += " gone: " + strings.Join(gone, " ")
	}
	return s
}

func short(k string) string { return k[:min(len(k), 8)] }

func hexKey(n int) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, n))) }

func TestLookSeesWhatChanged(t *testing.T) {
	k := []string{"plain key", hexKey(1), hexKey(2)[:16], hexKey(3)}
	steps := []struct {
		name  string
		do    func(a *agent)
		later time.Duration
		want  string
	}{
		{"first look", func(*agent) {}, 0, "all: " + short(k[1]) + "=committed plain ke=inflight"},
		{"nothing", func(*agent) {}, 0, ""},
		{"new row", func(a *agent) { a.put(k[2], "inflight", 3, nil) }, 0, short(k[2]) + "=inflight"},
		{"open row settles", func(a *agent) {
			a.exec("UPDATE tool_calls SET state='committed', response_json='1', updated_at=4 WHERE idempotency_key=?", k[2])
		}, 0, short(k[2]) + "=committed"},
		{"open row is replaced", func(a *agent) { a.put(k[0], "inflight", 5, nil) }, 0, "plain ke=inflight"},
		{"open row is deleted", func(a *agent) { a.exec("DELETE FROM tool_calls WHERE idempotency_key=?", k[0]) }, 0, " gone: plain ke"},
		{"its row id is used again", func(a *agent) { a.put(k[3], "committed", 6, "{}") }, 0, short(k[3]) + "=committed"},
		{"top row makes way for another key", func(a *agent) {
			a.exec("DELETE FROM tool_calls WHERE idempotency_key=?", k[3])
			a.put(k[0], "failed", 7, nil)
		}, 0, "plain ke=failed gone: " + short(k[3])},
		{"a committed row near the end changes", func(a *agent) {
			a.exec("UPDATE tool_calls SET state='failed', updated_at=8 WHERE idempotency_key=?", k[1])
		}, 0, short(k[1]) + "=failed"},
		{"a minute later, nothing moved", func(*agent) {}, time.Minute, ""},
		{"a committed row is deleted", func(a *agent) { a.exec("DELETE FROM tool_calls WHERE idempotency_key=?", k[2]) }, time.Minute, " gone: " + short(k[2])},
		{"an unknown state", func(a *agent) { a.put(k[2], "paused", 9, nil) }, 0, short(k[2]) + "=paused"},
		{"vacuum gives other row ids", func(a *agent) { a.exec("VACUUM") }, 0, ""},
		{"and is still followed", func(a *agent) { a.put(k[1], "committed", 10, "2") }, 0, short(k[1]) + "=committed"},
	}
	for _, mode := range []string{"DELETE", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			a := newAgent(t, "PRAGMA journal_mode="+mode)
			a.put(k[0], "inflight", 1, nil)
			a.put(k[1], "committed", 2, `{"url":"x"}`)
			now := time.Unix(1_700_000_000, 0)
			l := a.look(Options{Now: func() time.Time { return now }, PageRows: 2})
			for _, s := range steps {
				s.do(a)
				now = now.Add(s.later)
				if got := says(look(t, l)); got != s.want {
					t.Fatalf("%s: got %q, want %q", s.name, got, s.want)
				}
			}
		})
	}
}

// TestLookReadsEverythingOnceAMinute: a committed row far from the end is not looked at again before that.
func TestLookReadsEverythingOnceAMinute(t *testing.T) {
	a := newAgent(t)
	for i := range 3 * again {
		a.put(hexKey(i), "committed", 1, "1")
	}
	now := time.Unix(1_700_000_000, 0)
	l := a.look(Options{Now: func() time.Time { return now }})
	look(t, l)
	step := func(want string) {
		t.Helper()
		if got := says(look(t, l)); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	a.exec("UPDATE tool_calls SET state='failed', updated_at=8 WHERE idempotency_key=?", hexKey(0))
	a.exec("DELETE FROM tool_calls WHERE idempotency_key=?", hexKey(1))
	step("")
	now = now.Add(time.Minute - time.Second)
	step("")
	now = now.Add(time.Second)
	step(short(hexKey(0)) + "=failed gone: " + short(hexKey(1)))
	a.exec("UPDATE tool_calls SET state='committed', updated_at=9 WHERE idempotency_key=?", hexKey(0))
	step(short(hexKey(0)) + "=committed") // it was open
}

func TestLookGivesRowsAsStored(t *testing.T) {
	a := newAgent(t)
	a.exec("INSERT INTO tool_calls VALUES ('k', 't', '{\"a\": 1}', NULL, 'inflight', 1.5, 2)")
	a.exec("INSERT INTO tool_calls VALUES ('n', 't', '{}', '', 'committed', 1, 2)")
	a.exec("INSERT INTO tool_calls VALUES (x'6b32', 7, x'7b7d', 8, 'committed', 'soon', '3.5')")
	l := a.look(Options{})
	got := look(t, l).Rows
	want := []ledger.Row{
		{Key: "k", Tool: "t", Request: `{"a": 1}`, State: "inflight", Created: 1.5, Updated: 2},
		{Key: "n", Tool: "t", Request: "{}", HasResponse: true, State: "committed", Created: 1, Updated: 2},
		{Key: "k2", Tool: "7", Request: "{}", Response: "8", HasResponse: true, State: "committed", Updated: 3.5},
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
	r, ok, err := l.Row(context.Background(), "k")
	if err != nil || !ok || r != want[0] {
		t.Fatalf("row k: %+v %v %v", r, ok, err)
	}
	if _, ok, err := l.Row(context.Background(), "none"); ok || err != nil {
		t.Fatalf("row none: %v %v", ok, err)
	}
}

func ourSQL() (sql []string) {
	for _, o := range ours() {
		sql = append(sql, o.sql)
	}
	return sql
}

func TestLookReadsClaims(t *testing.T) {
	a := newAgent(t, ourSQL()...)
	a.put("k", "inflight", 1, nil)
	a.put("blind", "inflight", 1, nil)
	a.put("taken away", "inflight", 1, nil)
	a.exec("INSERT INTO drainboard_claims VALUES ('k', 'tok', 2, 'r', 'h', 'b', 77, 5), ('taken away', '', 1, 'r', 'h', 'b', 1, 1)")
	claims := map[string]*ledger.Claim{}
	for _, r := range look(t, a.look(Options{})).Rows {
		claims[r.Key] = r.Claim
	}
	want := ledger.Claim{Token: "tok", Run: "r", Host: "h", BootID: "b", PID: 77, PIDStart: 5, Attempt: 2}
	if claims["k"] == nil || *claims["k"] != want || claims["blind"] != nil || claims["taken away"] != nil {
		t.Fatalf("got %+v", claims)
	}
}

// TestLookFollowsAFileThatIsReplaced: another file at the same path is another ledger.
func TestLookFollowsAFileThatIsReplaced(t *testing.T) {
	a, b := newAgent(t), newAgent(t)
	a.put("old", "committed", 1, "1")
	b.put("new", "committed", 1, "1")
	l := a.look(Options{})
	look(t, l)
	if err := b.db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(b.path, a.path); err != nil {
		t.Fatal(err)
	}
	if got := says(look(t, l)); got != "all: new=committed" {
		t.Fatalf("got %q", got)
	}
	if err := os.Remove(a.path); err != nil {
		t.Fatal(err)
	}
	var p *ledger.Problem
	if _, err := l.Look(context.Background()); !errors.As(err, &p) || p.Kind != ledger.Missing {
		t.Fatalf("a removed file: %v", err)
	}
}

// TestLookChangesNoByte looks at ledgers of every journal mode while their writer is there and when it is gone.
func TestLookChangesNoByte(t *testing.T) {
	for _, mode := range []string{"DELETE", "TRUNCATE", "PERSIST", "WAL"} {
		for _, gone := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/writer gone %v", mode, gone), func(t *testing.T) {
				a := newAgent(t, "PRAGMA journal_mode="+mode)
				for i := range 50 {
					a.put(hexKey(i), "committed", 1, strings.Repeat("x", 5000))
				}
				if gone {
					// A copy of file and WAL, as a writer that was killed leaves them.
					copyFile(t, a.path+"-wal", a.path+".copy-wal")
					copyFile(t, a.path, a.path+".copy")
					a.path += ".copy"
				}
				before := sha(t, a.path) + sha(t, a.path+"-wal")
				l, err := OpenLooker(context.Background(), a.path, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if n := len(look(t, l).Rows); n != 50 {
					t.Fatalf("%d rows", n)
				}
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				if after := sha(t, a.path) + sha(t, a.path+"-wal"); after != before {
					t.Fatal("looking changed the ledger or its WAL")
				}
			})
		}
	}
}

func sha(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "none"
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// python runs a script with the ledger's path as its argument, in a process of its own.
func python(t *testing.T, path, script string) string {
	t.Helper()
	bin, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: what its sqlite3 module writes is not tried here")
	}
	out, err := exec.Command(bin, "-c", script, path).CombinedOutput()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, out)
	}
	return string(out)
}

// TestLookSeesPython: rows written by the seeds' helper in another process are seen by the next look.
func TestLookSeesPython(t *testing.T) {
	a := newAgent(t)
	l := a.look(Options{})
	look(t, l)
	python(t, a.path, `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute("INSERT OR REPLACE INTO tool_calls VALUES (?,?,?,?,?,?,?)", ("k", "open_pr", "{}", None, "inflight", 1.25, 1.25))
c.commit()
`)
	if got := says(look(t, l)); got != "k=inflight" {
		t.Fatalf("after its insert: %q", got)
	}
	python(t, a.path, `
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.execute("UPDATE tool_calls SET state = ?, response_json = ?, updated_at = ? WHERE idempotency_key = ?", ("committed", "{\"é\": 1}", 2.5, "k"))
c.commit()
`)
	ch := look(t, l)
	if len(ch.Rows) != 1 || ch.Rows[0].Response != `{"é": 1}` || ch.Rows[0].State != ledger.Committed || ch.Rows[0].Updated != 2.5 {
		t.Fatalf("after its update: %+v", ch)
	}
}
