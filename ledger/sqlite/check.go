package sqlite

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"drainboard/ledger"
)

// columns are the seven of tool_calls with their declared types.
const columns = "idempotency_key TEXT, tool_name TEXT, request_json TEXT, response_json TEXT, state TEXT, created_at REAL, updated_at REAL"

// schema is what a look at sqlite_master found.
type schema struct {
	seen    int64           // PRAGMA schema_version
	has     map[string]bool // drainboard_* objects
	made    bool            // all tables that the first write makes are there
	foreign error           // why the file is read and never written; nil when it may be
}

// readSchema checks that tool_calls is what LEDGER.md "The file" says. Another table is an error; triggers and
// drainboard_* objects that are not, text for text, ours are put into foreign.
func (c *conn) readSchema(path string) (schema, error) {
	s := schema{has: map[string]bool{}}
	v, err := c.number("PRAGMA schema_version")
	if err != nil {
		return s, err
	}
	s.seen = v
	if err := c.checkCalls(path, &s); err != nil {
		return s, err
	}
	known := map[string]string{}
	for _, o := range append(ours(), fence()...) {
		known[o.name] = o.sql
	}
	var strange []string
	newer := 0
	err = c.rows(func(v []driver.Value) bool {
		kind, name, on, sql := text(v[0]), text(v[1]), text(v[2]), text(v[3])
		mine := strings.HasPrefix(strings.ToLower(name), "drainboard_")
		if !mine && kind != "trigger" && !strings.HasPrefix(strings.ToLower(on), "drainboard_") {
			return true
		}
		if known[name] == sql && sql != "" {
			s.has[name] = true
			return true
		}
		if strings.HasPrefix(name, "sqlite_autoindex_drainboard_") {
			return true
		}
		if name == "drainboard_log" {
			newer = max(newer, schemaNumber(sql))
		}
		strange = append(strange, kind+" "+name)
		return true
	}, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name")
	if err != nil {
		return s, err
	}
	s.made = true
	for _, o := range ours() {
		s.made = s.made && s.has[o.name]
	}
	if newer > version {
		return s, &ledger.Problem{
			Kind: ledger.NewerVersion, Path: path,
			Found: fmt.Sprintf("expected drainboard schema %d or older, found %d", version, newer),
			Do:    "open it with the newer drainboard that wrote it",
		}
	}
	if len(strange) > 0 && s.foreign == nil {
		s.foreign = foreign(path, "found "+strings.Join(strange, ", ")+", which drainboard did not make")
	}
	return s, nil
}

// checkCalls looks at tool_calls alone.
func (c *conn) checkCalls(path string, s *schema) error {
	v, err := c.one("SELECT type, rootpage, sql FROM sqlite_master WHERE lower(name) = 'tool_calls' AND type IN ('table', 'view')")
	if err != nil {
		return err
	}
	if v == nil {
		return &ledger.Problem{
			Kind: ledger.Empty, Path: path,
			Found: "expected a table tool_calls, found none",
			Do:    "name the file that the agents write their calls to, or wait for the first of them",
		}
	}
	kind, root, sql := text(v[0]), integer(v[1]), text(v[2])
	without := false
	err = c.rows(func(v []driver.Value) bool { without = integer(v[0]) != 0; return false },
		"SELECT wr FROM pragma_table_list('tool_calls') WHERE schema = 'main'")
	if err != nil {
		return err
	}
	var found, pk []string
	err = c.rows(func(v []driver.Value) bool {
		col := text(v[0]) + " " + strings.ToUpper(text(v[1]))
		if integer(v[3]) != 0 {
			col += " (generated or hidden)"
		}
		found = append(found, strings.TrimSpace(col))
		if integer(v[2]) != 0 {
			pk = append(pk, text(v[0]))
		}
		return true
	}, "SELECT name, type, pk, hidden FROM pragma_table_xinfo('tool_calls') ORDER BY cid")
	if err != nil {
		return err
	}
	what := ""
	switch cols := strings.Join(found, ", "); {
	case kind == "view":
		what = "a view"
	case root == 0:
		what = "a virtual table"
	case without:
		what = "a table WITHOUT ROWID"
	case cols != columns:
		what = "the columns " + cols
	case len(pk) != 1 || pk[0] != "idempotency_key":
		what = "the primary key (" + strings.Join(pk, ", ") + ")"
	}
	if what != "" {
		return &ledger.Problem{
			Kind: ledger.OtherSchema, Path: path,
			Found: "expected tool_calls to be a plain table (" + columns + ") with the primary key idempotency_key, found " + what,
			Do:    "name another ledger, or copy its rows into such a table",
		}
	}
	if plain(sql) != plain(createCalls) {
		s.foreign = foreign(path, "expected tool_calls to be made as "+plain(createCalls)+", found "+plain(sql))
	}
	return nil
}

func foreign(path, found string) error {
	return &ledger.Problem{
		Kind: ledger.Foreign, Path: path, Found: found,
		Do: "it is read and never written; take these objects away, or settle its rows with the program that made it",
	}
}

var (
	commentRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`--[^\n]*|(?s:/\*.*?\*/)`) })
	spaceRE   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s+`) })
	tightRE   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*([(),])\s*`) })
	versionRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-- drainboard schema (\d{1,9})\b`) })
)

// plain is a CREATE statement without what does not matter: comments, white space, quotes round names, case.
func plain(sql string) string {
	sql = commentRE().ReplaceAllString(sql, " ")
	sql = strings.NewReplacer(`"`, "", "`", "", "[", "", "]", "").Replace(sql)
	sql = tightRE().ReplaceAllString(sql, "$1")
	sql = strings.TrimSpace(spaceRE().ReplaceAllString(sql, " "))
	return strings.ToLower(sql)
}

func schemaNumber(sql string) int {
	m := versionRE().FindStringSubmatch(sql)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}
