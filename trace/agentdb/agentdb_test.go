package agentdb

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drainboard/trace"

	_ "modernc.org/sqlite"
)

// store makes a database in WAL mode, as agents do, and leaves its writer open.
func store(t *testing.T, statements ...string) (path string, db *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "agent 1?.db")
	db, err := sql.Open("sqlite", path2dsn(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	write(t, db, append([]string{"PRAGMA journal_mode=WAL"}, statements...)...)
	return path, db
}

func path2dsn(path string) string {
	return "file:" + strings.NewReplacer("?", "%3f", " ", "%20").Replace(path)
}

func write(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// events decodes what a look gave, and describes it.
func events(t *testing.T, agent string, lines []byte) []string {
	t.Helper()
	formats := trace.Formats()
	i := slices.IndexFunc(formats, func(f *trace.Format) bool { return f.Name == agent })
	if i < 0 {
		t.Fatalf("no format is called %q", agent)
	}
	var out []string
	trace.DecodeBytes(formats[i], lines, "x", func(e *trace.Event) {
		switch e.Kind {
		case trace.Call:
			out = append(out, fmt.Sprintf("call %s/%s %s %s", e.Run, e.CallID, e.Tool, e.Args))
		case trace.Result:
			out = append(out, fmt.Sprintf("result %d %s/%s %s", e.Status, e.Run, e.CallID, e.Payload))
		case trace.Link:
			out = append(out, fmt.Sprintf("link %s %s", e.Run, e.Parent))
		case trace.Bad:
			out = append(out, "bad "+e.Reason)
		}
	})
	return out
}

const (
	opencode = `CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT);
		CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT);
		CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_updated INTEGER, data TEXT)`
	goose = `CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER, metadata_json TEXT)`
	crush = `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT);
		CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER, updated_at INTEGER)`
)

func TestStores(t *testing.T) {
	for _, c := range []struct {
		agent  string
		schema string
		steps  [][]string // statements, then what the next look must give after "="
	}{
		{"opencode", opencode, [][]string{
			{
				`INSERT INTO session VALUES ('ses_1', NULL, 'a'), ('ses_2', 'ses_1', 'b')`,
				`INSERT INTO part VALUES ('p0', 'm', 'ses_1', 5, '{"type":"text","text":"x"}'),
					('p1', 'm', 'ses_1', 5, '{"type":"tool","callID":"c1","tool":"bash",
"state":{"status":"running","input":{"command":"ls"},"time":{"start":1777622400000}}}')`,
				`=link ses_2 ses_1`, `=call ses_1/c1 bash {"command":"ls"}`,
			},
			{},
			{
				`UPDATE part SET time_updated = 9, data = '{"type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a","time":{"start":1777622400000,"end":1777622401000}}}' WHERE id = 'p1'`,
				`=call ses_1/c1 bash {"command":"ls"}`, `=result 1 ses_1/c1 "a"`,
			},
			{`UPDATE session SET title = 'c'`},
			{`INSERT INTO part VALUES ('p2', 'm', 'ses_2', 9, '{"type":"tool",')`, "=bad not JSON: expected a member name in double quotes, found '}'"},
		}},
		{"goose", goose, [][]string{
			{
				`INSERT INTO messages VALUES (1, 's1', 'assistant', '[{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"shell","arguments":{"command":"ls"}}}}]', 1777622400, NULL)`,
				`=call s1/c1 shell {"command":"ls"}`,
			},
			{
				`INSERT INTO messages VALUES (2, 's1', 'user', '[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":[{"type":"text","text":"a"}]}}]', 1777622401, NULL)`,
				`=result 1 s1/c1 "a"`,
			},
		}},
		{"crush", crush, [][]string{
			{
				`INSERT INTO sessions VALUES ('s1', NULL), ('s2', 's1')`,
				`INSERT INTO messages VALUES ('m1', 's2', 'assistant', '[{"type":"tool_call","data":{"id":"c1","name":"bash","input":"{\"comm","finished":false}}]', 1, 1)`,
				`=link s2 s1`,
			},
			{
				`UPDATE messages SET updated_at = 2, parts = '[{"type":"tool_call","data":{"id":"c1","name":"bash","input":"{}","finished":true}}]'`,
				`=call s2/c1 bash "{}"`,
			},
		}},
	} {
		t.Run(c.agent, func(t *testing.T) {
			path, db := store(t, c.schema)
			ctx := context.Background()
			s, err := Open(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if s.Agent() != c.agent {
				t.Errorf("agent: got %s", s.Agent())
			}
			for i, step := range c.steps {
				var want []string
				for _, statement := range step {
					if line, ok := strings.CutPrefix(statement, "="); ok {
						want = append(want, line)
					} else {
						write(t, db, statement)
					}
				}
				var out bytes.Buffer
				n, err := s.Look(ctx, &out)
				if err != nil {
					t.Fatal(err)
				}
				if n != bytes.Count(out.Bytes(), []byte("\n")) {
					t.Errorf("step %d: %d lines said, %d written", i, n, bytes.Count(out.Bytes(), []byte("\n")))
				}
				if got := events(t, c.agent, out.Bytes()); !slices.Equal(got, want) {
					t.Errorf("step %d: got %q, want %q\n%s", i, got, want, out.Bytes())
				}
			}
		})
	}
}

// TestManyRows reads more rows than a page holds, and nothing twice.
func TestManyRows(t *testing.T) {
	path, db := store(t, goose)
	write(t, db, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 1700) INSERT INTO messages
		SELECT i, 's', 'assistant', '[{"type":"toolRequest","id":"c' || i || '","toolCall":{"status":"success","value":{"name":"x","arguments":{}}}}]', i, NULL FROM n`)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out bytes.Buffer
	if n, err := s.Look(t.Context(), &out); n != 1700 || err != nil {
		t.Errorf("got %d lines, %v", n, err)
	}
	write(t, db, `DELETE FROM messages WHERE id < 1000`)
	if n, err := s.Look(t.Context(), &out); n != 0 || err != nil {
		t.Errorf("after a deletion: got %d lines, %v", n, err)
	}
}

// TestSpool reads a store that its agent has open and goes on writing, through a trace.Reader, and changes no byte of it.
func TestSpool(t *testing.T) {
	path, db := store(t, goose)
	const insert = `INSERT INTO messages VALUES (%d, 's', 'assistant', '[{"type":"toolRequest","id":"c%d","toolCall":{"status":"success","value":{"name":"x","arguments":{}}}}]', 1, NULL)`
	write(t, db, fmt.Sprintf(insert, 1, 1))
	before := contents(t, path)
	sp, err := NewSpool(t.Context(), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(sp.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("spool: %v, %v", info, err)
	}
	if n, err := sp.Look(t.Context()); n != 0 || err != nil {
		t.Errorf("nothing changed: got %d lines, %v", n, err)
	}
	if after := contents(t, path); after != before {
		t.Error("looking changed the database")
	}
	write(t, db, fmt.Sprintf(insert, 2, 2)) // the agent is not kept from writing
	if n, err := sp.Look(t.Context()); n != 1 || err != nil {
		t.Errorf("one row more: got %d lines, %v", n, err)
	}
	lines, err := os.ReadFile(sp.Path())
	if err != nil {
		t.Fatal(err)
	}
	if got := events(t, sp.Agent(), lines); !slices.Equal(got, []string{"call s/c1 x {}", "call s/c2 x {}"}) {
		t.Errorf("got %q", got)
	}
	if err := sp.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(sp.Path()); !os.IsNotExist(err) {
		t.Errorf("the spool is still there: %v", err)
	}
}

// contents gives the database file and its log.
func contents(t *testing.T, path string) string {
	t.Helper()
	all := ""
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		all += string(b)
	}
	return all
}

func TestOpenSaysWhatItFound(t *testing.T) {
	text := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(text, []byte("not a database"), 0o600); err != nil {
		t.Fatal(err)
	}
	other, _ := store(t, `CREATE TABLE tool_calls (id TEXT)`)
	for path, want := range map[string]string{
		text:  "x.db: expected an SQLite database of opencode, goose or Crush, found another file",
		other: "found tables of none of them (opencode, goose, crush)",
	} {
		_, err := Open(t.Context(), path)
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	if _, err := Open(t.Context(), text+"-never-there"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: got %v", err)
	}
}

func TestLocations(t *testing.T) {
	var got []string
	for _, l := range Locations("/h", func(string) string { return "" }) {
		got = append(got, filepath.ToSlash(l.Glob))
	}
	want := []string{".crush/crush.db", "/h/.crush/crush.db", "/h/.local/share/opencode/opencode.db", "/h/.local/share/goose/sessions/sessions.db"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Locations("", func(string) string { return "" }); len(got) != 1 {
		t.Errorf("without a home: %v", got)
	}
}
