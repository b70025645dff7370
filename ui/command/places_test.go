package command

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drainboard/ledger/triage"

	"github.com/spf13/pflag"
)

// TestTracesBelow finds traces by their names, and nothing in hidden or vendored folders or behind links.
func TestTracesBelow(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a.jsonl", "runs/b.ndjson", "runs/c.jsonl.gz", "runs/d.JSONL.zst", "mcp-server.log", "x.traj",
		"server.log", "notes.json", ".hidden.jsonl", ".git/e.jsonl", "node_modules/f.jsonl", "vendor/g.jsonl",
		"1/2/3/4/5/deep.jsonl", "1/2/3/4/5/6/7/deeper.jsonl",
	} {
		write(t, filepath.Join(dir, name), "{}\n")
	}
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "h.jsonl"), "{}\n")
	for from, to := range map[string]string{"linked": elsewhere, "link.jsonl": filepath.Join(elsewhere, "h.jsonl")} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	found, looked, err := tracesBelow(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range found {
		got = append(got, s.Path)
	}
	slices.Sort(got)
	want := []string{"1/2/3/4/5/deep.jsonl", "a.jsonl", "mcp-server.log", "runs/b.ndjson", "runs/c.jsonl.gz", "runs/d.JSONL.zst", "x.traj"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if looked < len(want) {
		t.Errorf("looked at %d names", looked)
	}
}

// TestFindTraces looks in the places of known agents, where their own variables say.
func TestFindTraces(t *testing.T) {
	w := newWorld(t)
	w.Home = t.TempDir()
	elsewhere := t.TempDir()
	write(t, filepath.Join(w.Home, ".claude/projects/p/s.jsonl"), "{}\n")
	write(t, filepath.Join(elsewhere, "sessions/2026/11/30/rollout-1.jsonl"), `{"cwd":"/srv/till"}`+"\n")
	if err := os.MkdirAll(filepath.Join(w.Home, ".gemini/tmp/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.Getenv = func(name string) string {
		if name == "CODEX_HOME" {
			return elsewhere
		}
		return ""
	}
	claude, codex := filepath.Join(w.Home, ".claude/projects/*/*.jsonl"), filepath.Join(elsewhere, "sessions/*/*/*/rollout-*.jsonl")
	old := filepath.Join(w.Home, ".claude/projects/-srv-shop/old.jsonl")
	write(t, old, "{}\n")
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want search
		got  []string
		kept bool // the old file
	}{
		{"all", search{}, []string{claude, codex}, true},
		{"an agent by its format", search{agent: "claude-code"}, []string{claude}, true},
		{"an agent by its name", search{agent: "Claude Code"}, []string{claude}, true},
		{"what was written lately", search{since: time.Now().Add(-time.Hour)}, []string{claude, codex}, false},
		{"a project by its folder", search{project: "/srv/shop"}, []string{claude}, true},
		{"a project by the working directory in the file", search{project: "/srv/till"}, []string{codex}, false},
	} {
		found, err := findTraces(&w.Env, c.want)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, s := range found.sources {
			got = append(got, s.Path)
		}
		info, err := os.Stat(old)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, c.got) || found.keep(old, info) != c.kept || len(found.said) != len(c.got) {
			t.Errorf("%s: found %q, old file kept %v, said %q; want %q, %v", c.name, got, found.keep(old, info), found.said, c.got, c.kept)
		}
	}
	if _, err := findTraces(&w.Env, search{agent: "nobody"}); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Errorf("an agent that is not known: %v", err)
	}
}

// TestReadsAgentsDatabase reads the sessions of an agent that keeps them in SQLite, under the database's own name.
func TestReadsAgentsDatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "opencode.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		"CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT)", "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT)",
		"CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)",
		`INSERT INTO part VALUES ('p1','m1','s1','{"type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a","time":{"start":1789000000000,"end":1789000001000}}}')`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, "check", "--json", path)
	if code := w.run(t); code != 1 {
		t.Fatalf("exit code %d: %s", code, &w.err)
	}
	var r triage.Report
	if err := json.Unmarshal(w.out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Calls != 1 || len(r.Sources) != 1 || r.Sources[0].File != path || r.Sources[0].Format != "opencode" {
		t.Errorf("%d calls from %+v", r.Calls, r.Sources)
	}
}

// TestFound says which table and ledger are used, how they were come by, and what may be done with them.
func TestFound(t *testing.T) {
	const rows = "tools: {open_pr: {class: keyed}}\n"
	for _, c := range []struct {
		name              string
		files             []string // with the table's text
		loose             []string // writable by others
		args              []string
		env               string
		table, ledger     string
		tableHow, rowsHow found
		tableBad, rowsBad string // why they may not be used for more than reading
	}{
		{name: "nothing"},
		{name: "here", files: []string{"tools.yaml", ledgerName}, table: "tools.yaml", ledger: ledgerName, tableHow: working, rowsHow: working},
		{
			name: "here, writable by others", files: []string{"tools.yaml", ledgerName}, loose: []string{"tools.yaml", ledgerName},
			table: "tools.yaml", ledger: ledgerName, tableHow: working, rowsHow: working, tableBad: "writ", rowsBad: "writ",
		},
		{
			name: "beside the trace", files: []string{"traces/tools.yaml", "traces/" + ledgerName}, table: "traces/tools.yaml",
			ledger: "traces/" + ledgerName, tableHow: beside, rowsHow: beside, tableBad: "beside the trace", rowsBad: "beside the trace",
		},
		{
			name: "both: the table here, the ledger beside", files: []string{"tools.yaml", ledgerName, "traces/tools.yaml", "traces/" + ledgerName},
			table: "tools.yaml", ledger: "traces/" + ledgerName, tableHow: working, rowsHow: beside, rowsBad: "beside the trace",
		},
		{
			name: "named", files: []string{"tools.yaml", "my.yaml", "traces/" + ledgerName}, args: []string{"--tools", "my.yaml", "--ledger", "l.sqlite"},
			table: "my.yaml", ledger: "l.sqlite",
		},
		{name: "named by the environment", files: []string{"traces/" + ledgerName}, env: "e.sqlite", ledger: "e.sqlite"},
		{name: "none wanted", files: []string{"tools.yaml", ledgerName}, args: []string{"--tools=", "--ledger="}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			t.Chdir(w.Dir)
			write(t, "traces/a.jsonl", "{}\n")
			for _, f := range c.files {
				write(t, f, rows)
			}
			for _, f := range c.loose {
				if err := os.Chmod(f, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			w.Getenv = func(name string) string {
				if name == "DRAINBOARD_LEDGER" {
					return c.env
				}
				return ""
			}
			a := &app{env: &w.Env, opts: newOptions()}
			flags := pflag.NewFlagSet("drainboard", pflag.ContinueOnError)
			a.opts.bind(flags)
			if err := flags.Parse(c.args); err != nil {
				t.Fatal(err)
			}
			a.opts.namedLedger, a.opts.namedTools = flags.Changed("ledger"), flags.Changed("tools")
			_, table, err := a.findTable("traces/a.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			check := func(what string, got place, path string, how found, bad string) {
				if got.path != path || got.found != how || !strings.Contains(got.fixed, bad) || (got.fixed == "") != (bad == "") {
					t.Errorf("%s: %+v, want %q, %d, %q", what, got, path, how, bad)
				}
			}
			check("table", table, c.table, c.tableHow, c.tableBad)
			check("ledger", a.findLedger("traces/a.jsonl"), c.ledger, c.rowsHow, c.rowsBad)
		})
	}
}
