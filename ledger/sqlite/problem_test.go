package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"drainboard/ledger"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	ddl := func(q ...string) func(t *testing.T) string {
		return func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "l.sqlite")
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, q := range q {
				if _, err := db.Exec(q); err != nil {
					t.Fatalf("%s: %v", q, err)
				}
			}
			return path
		}
	}
	file := func(text string) func(t *testing.T) string {
		return func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "l.sqlite")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	cols := strings.TrimPrefix(createCalls, "CREATE TABLE tool_calls ")
	newer := strings.Replace(createLog, "schema 1", "schema 2", 1)
	tests := []struct {
		name  string
		make  func(t *testing.T) string
		kind  ledger.ProblemKind
		words string
	}{
		{"missing", func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }, ledger.Missing, "found none"},
		{"a directory", func(t *testing.T) string { return t.TempDir() }, ledger.NotALedger, "expected a regular file"},
		{"zero bytes", file(""), ledger.Empty, "zero bytes"},
		{"text", file(strings.Repeat("not a database\n", 100)), ledger.NotALedger, "expected an SQLite database"},
		{"short text", file("x"), ledger.NotALedger, "expected an SQLite database"},
		{"no table", ddl("CREATE TABLE other (a)"), ledger.Empty, "expected a table tool_calls"},
		{"a view", ddl("CREATE TABLE x "+cols, "CREATE VIEW tool_calls AS SELECT * FROM x"), ledger.OtherSchema, "found a view"},
		{"without rowid", ddl(createCalls + " WITHOUT ROWID"), ledger.OtherSchema, "WITHOUT ROWID"},
		{"a column too many", ddl("CREATE TABLE tool_calls "+cols, "ALTER TABLE tool_calls ADD COLUMN run TEXT"), ledger.OtherSchema, "updated_at REAL, run TEXT"},
		{"other names", ddl("CREATE TABLE tool_calls (key TEXT PRIMARY KEY)"), ledger.OtherSchema, "found the columns key TEXT"},
		{"other types", ddl(strings.Replace(createCalls, "updated_at REAL", "updated_at INTEGER", 1)), ledger.OtherSchema, "updated_at INTEGER"},
		{"no key", ddl(strings.Replace(createCalls, " PRIMARY KEY", "", 1)), ledger.OtherSchema, "primary key ()"},
		{"a generated column", ddl(strings.Replace(createCalls, "state TEXT NOT NULL", "state TEXT AS (tool_name)", 1)), ledger.OtherSchema, "generated"},
		{"a newer drainboard", ddl(createCalls, newer), ledger.NewerVersion, "expected drainboard schema 1 or older, found 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := OpenLooker(context.Background(), tt.make(t), Options{Patience: time.Millisecond})
			var p *ledger.Problem
			if !errors.As(err, &p) || p.Kind != tt.kind || !strings.Contains(err.Error(), tt.words) || p.Do == "" {
				t.Fatalf("got %v, want kind %q with %q and what to do", err, tt.kind, tt.words)
			}
		})
	}
}

func TestLockedIsSaidAndPasses(t *testing.T) {
	a := newAgent(t)
	a.put("k", "inflight", 1, nil)
	l := a.look(Options{Patience: 20 * time.Millisecond})
	look(t, l)
	tx, err := a.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Close()
	if _, err := tx.ExecContext(context.Background(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	var p *ledger.Problem
	if _, err := l.Look(context.Background()); !errors.As(err, &p) || p.Kind != ledger.Locked {
		t.Fatalf("got %v, want Locked", err)
	}
	if _, err := OpenLooker(context.Background(), a.path, Options{Patience: time.Millisecond}); !errors.As(err, &p) || p.Kind != ledger.Locked {
		t.Fatalf("opening: got %v, want Locked", err)
	}
	if _, err := tx.ExecContext(context.Background(), "UPDATE tool_calls SET state='failed'"); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(context.Background(), "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if got := says(look(t, l)); got != "k=failed" {
		t.Fatalf("after the lock: %q", got)
	}
}

func TestHotJournalIsSaidAndNotTouched(t *testing.T) {
	a := newAgent(t, "PRAGMA cache_size=1")
	for i := range 20 {
		a.put(hexKey(i), "committed", 1, strings.Repeat("x", 4000))
	}
	// Copies made inside a transaction whose pages have spilled are what a killed writer leaves.
	c, err := a.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, q := range []string{"PRAGMA cache_size=1", "PRAGMA cache_spill=1", "BEGIN IMMEDIATE", "UPDATE tool_calls SET response_json = 'y' || response_json"} {
		if _, err := c.ExecContext(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	copied := filepath.Join(t.TempDir(), "copy")
	copyFile(t, a.path, copied)
	copyFile(t, a.path+"-journal", copied+"-journal")
	before := sha(t, copied) + sha(t, copied+"-journal")
	var p *ledger.Problem
	if _, err := OpenLooker(context.Background(), copied, Options{Patience: time.Millisecond}); !errors.As(err, &p) || p.Kind != ledger.HotJournal {
		t.Fatalf("got %v, want HotJournal", err)
	}
	if before != sha(t, copied)+sha(t, copied+"-journal") {
		t.Fatal("looking changed a ledger with a hot journal")
	}
}

func TestWritable(t *testing.T) {
	ours := slices.Clip(append(ourSQL(), createPass, createFenceInsert, createFenceUpdate))
	tests := []struct {
		name  string
		setup []string
		words string // of the reason; empty: writable
	}{
		{"the seeds' file", nil, ""},
		{"drainboard's own objects", ours, ""},
		{"another table and an index", []string{"CREATE TABLE notes (a)", "CREATE INDEX i ON tool_calls (updated_at)"}, ""},
		{"a trigger", []string{"CREATE TRIGGER t AFTER UPDATE ON tool_calls BEGIN DELETE FROM tool_calls; END"}, "trigger t"},
		{"a trigger on our table", append(ours, "CREATE TRIGGER t AFTER INSERT ON drainboard_claims BEGIN DELETE FROM tool_calls; END"), "trigger t"},
		{"an index on our table", append(ours, "CREATE UNIQUE INDEX i ON drainboard_log (key)"), "index i"},
		{"our name, other text", []string{"CREATE TABLE drainboard_claims (key TEXT)"}, "table drainboard_claims"},
		{"our name as a view", []string{"CREATE VIEW drainboard_acks AS SELECT 1"}, "view drainboard_acks"},
		{"unknown drainboard name", []string{"CREATE TABLE DRAINBOARD_more (a)"}, "table DRAINBOARD_more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t, tt.setup...)
			l := a.look(Options{})
			err := l.Writable()
			var p *ledger.Problem
			switch {
			case tt.words == "" && err != nil:
				t.Fatalf("not writable: %v", err)
			case tt.words != "" && (!errors.As(err, &p) || p.Kind != ledger.Foreign || !strings.Contains(err.Error(), tt.words)):
				t.Fatalf("got %v, want Foreign naming %q", err, tt.words)
			}
			a.put("k", "inflight", 1, nil)
			if got := says(look(t, l)); !strings.Contains(got, "k=inflight") {
				t.Fatalf("it is still read: %q", got)
			}
		})
	}
	t.Run("a check constraint", func(t *testing.T) {
		a := newAgent(t)
		a.exec("DROP TABLE tool_calls")
		a.exec(strings.Replace(createCalls, "state TEXT NOT NULL", "state TEXT NOT NULL CHECK (state <> 'failed')", 1))
		var p *ledger.Problem
		if err := a.look(Options{}).Writable(); !errors.As(err, &p) || p.Kind != ledger.Foreign {
			t.Fatalf("got %v, want Foreign", err)
		}
	})
	t.Run("a trigger that comes later", func(t *testing.T) {
		a := newAgent(t)
		l := a.look(Options{})
		a.exec("CREATE TRIGGER t AFTER UPDATE ON tool_calls BEGIN DELETE FROM tool_calls; END")
		look(t, l)
		if l.Writable() == nil {
			t.Fatal("still writable")
		}
	})
}

// TestAsAnotherUser runs the cases that root never sees in a process of an unprivileged user.
func TestAsAnotherUser(t *testing.T) {
	if path := os.Getenv("DRAINBOARD_TEST_LOOK"); path != "" {
		l, err := OpenLooker(context.Background(), path, Options{Patience: time.Millisecond})
		var p *ledger.Problem
		switch {
		case errors.As(err, &p):
			os.Stdout.WriteString("kind=" + string(p.Kind) + ";")
		case err != nil:
			os.Stdout.WriteString("error=" + err.Error() + ";")
		default:
			ch, err := l.Look(context.Background())
			os.Stdout.WriteString("look=" + says(ch) + ";")
			if err != nil {
				os.Stdout.WriteString("error=" + err.Error() + ";")
			}
			if errors.As(l.Writable(), &p) {
				os.Stdout.WriteString("writable=" + string(p.Kind) + ";")
			}
		}
		return
	}
	if os.Getuid() != 0 {
		t.Skip("only root can run a process of another user; the permission cases are not tried here")
	}
	tests := []struct {
		name      string
		mode      string
		dir, file os.FileMode
		want      string
	}{
		{"no leave to read", "DELETE", 0o755, 0o600, "kind=denied;"},
		{"read only", "DELETE", 0o755, 0o644, "look=all: k=inflight;writable=read-only;"},
		{"file writable, directory not", "DELETE", 0o755, 0o666, "look=all: k=inflight;writable=read-only;"},
		{"WAL, directory not writable", "WAL", 0o755, 0o644, "kind=wal denied;"},
		{"WAL, directory writable", "WAL", 0o777, 0o644, "look=all: k=inflight;writable=read-only;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t, "PRAGMA journal_mode="+tt.mode)
			a.put("k", "inflight", 1, nil)
			if err := a.db.Close(); err != nil {
				t.Fatal(err)
			}
			bin := open(t, filepath.Dir(a.path), tt.dir)
			if err := os.Chmod(a.path, tt.file); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(bin, "-test.run=^TestAsAnotherUser$")
			cmd.Env = append(os.Environ(), "DRAINBOARD_TEST_LOOK="+a.path)
			cmd.Dir = "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got, _, _ := strings.Cut(string(out), "PASS"); got != tt.want {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// open lets every user reach dir and a copy of the test binary in it.
func open(t *testing.T, dir string, mode os.FileMode) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "look.test")
	copyFile(t, self, bin)
	if err := os.Chmod(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
	return bin
}
