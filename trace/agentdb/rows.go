package agentdb

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
)

// layout says where an agent keeps what (FORMATS.md §13.1 to §13.3).
type layout struct {
	agent  string
	tables []table
}

// table is one of an agent's tables. Each of wanted is a column's name, or several of which one must be there, parted by
// spaces; row gets their values in that order.
type table struct {
	name    string
	wanted  []string
	changed string // a column that grows when a row changes, if the table has it
	where   string // rows that may hold calls or results
	row     func(v []sql.RawBytes) []byte
}

func layouts() []layout {
	return []layout{
		{"opencode", []table{
			{
				name: "session", wanted: []string{"id", "parent_id parentID"}, where: "%[2]s IS NOT NULL",
				row: func(v []sql.RawBytes) []byte {
					return object("type", quoted([]byte("session")), "id", quoted(v[0]), "sessionID", quoted(v[0]), "parentID", quoted(v[1]))
				},
			},
			{
				name: "part", wanted: []string{"id", "session_id sessionID", "data"}, changed: "time_updated", where: `%[3]s LIKE '%%"tool"%%'`,
				row: func(v []sql.RawBytes) []byte {
					return object("type", quoted([]byte("tool")), "id", quoted(v[0]), "sessionID", quoted(v[1]), "part", whole(v[2]))
				},
			},
		}},
		{"goose", []table{{
			name: "messages", wanted: []string{"session_id", "role", "content_json", "created_timestamp"}, where: `%[3]s LIKE '%%"tool%%'`,
			row: func(v []sql.RawBytes) []byte {
				return object("session_id", quoted(v[0]), "role", quoted(v[1]), "created", number(v[3]), "content", whole(v[2]))
			},
		}}},
		{"crush", []table{
			{
				name: "messages", wanted: []string{"session_id", "role", "parts", "created_at"}, changed: "updated_at", where: `%[3]s LIKE '%%"tool_%%'`,
				row: func(v []sql.RawBytes) []byte {
					return object("session_id", quoted(v[0]), "created_at", number(v[3]), "role", quoted(v[1]), "parts", whole(v[2]))
				},
			},
			{
				name: "sessions", wanted: []string{"id", "parent_session_id"}, where: "%[2]s IS NOT NULL",
				row: func(v []sql.RawBytes) []byte {
					return object("session_id", quoted(v[0]), "parent_session_id", quoted(v[1]), "role", quoted(nil), "parts", []byte("[]"))
				},
			},
		}},
	}
}

// object writes a JSON object of names and raw values.
func object(first string, value []byte, more ...any) []byte {
	b := append([]byte(`{"`+first+`":`), value...)
	for i := 0; i+1 < len(more); i += 2 {
		b = append(append(append(append(b, ',', '"'), more[i].(string)...), '"', ':'), more[i+1].([]byte)...)
	}
	return append(b, '}')
}

func quoted(text []byte) []byte {
	b, err := json.Marshal(string(text))
	if err != nil {
		return []byte(`""`)
	}
	return b
}

// number gives a number as it is stored; null for what is none.
func number(text []byte) []byte {
	if !json.Valid(text) {
		return []byte("null")
	}
	return bytes.Clone(text)
}

// whole gives stored JSON on one line. What is no JSON is left as it is, but for its line ends: a decoder says that it is bad.
func whole(text []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) == nil {
		return b.Bytes()
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(bytes.Clone(text), []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
}

// cursor is how far a table was read, and what its rows were.
type cursor struct {
	of      table
	query   string
	columns int
	since   int64            // the latest change that was seen, where the table tells it
	seen    map[int64]uint64 // digest of each row's line by row id
	tells   bool
}

// pageRows is how many rows are read at once.
const pageRows = 500

// newCursor prepares to read a table; nil when there is no such table with the columns that are wanted.
func newCursor(ctx context.Context, db *sql.DB, t table) (*cursor, error) {
	rows, err := db.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", t.name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var have []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		have = append(have, name)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	c := &cursor{of: t, columns: len(t.wanted), seen: map[int64]uint64{}, tells: t.changed != "" && slices.Contains(have, t.changed)}
	list := make([]string, 0, len(t.wanted))
	for _, names := range t.wanted {
		i := slices.IndexFunc(strings.Fields(names), func(name string) bool { return slices.Contains(have, name) })
		if i < 0 {
			return nil, nil
		}
		list = append(list, `"`+strings.Fields(names)[i]+`"`)
	}
	where := t.where
	for i, column := range list {
		where = strings.ReplaceAll(where, "%["+string(rune('1'+i))+"]s", column)
	}
	changed := "0"
	if c.tells {
		changed = `"` + t.changed + `"`
	}
	c.query = `SELECT rowid, ` + changed + `, ` + strings.Join(list, ", ") + ` FROM "` + t.name + `" WHERE rowid > ? AND ` + changed + ` >= ? AND ` +
		strings.ReplaceAll(where, "%%", "%") + ` ORDER BY rowid LIMIT ` + strconv.Itoa(pageRows)
	return c, nil
}

// look writes the lines of the rows that are new or changed.
func (c *cursor) look(ctx context.Context, db *sql.DB, w io.Writer) (lines int, err error) {
	since := c.since
	for last := int64(-1 << 63); ; {
		n, written, err := c.page(ctx, db, w, since, &last)
		lines += written
		if err != nil || n < pageRows {
			return lines, err
		}
	}
}

func (c *cursor) page(ctx context.Context, db *sql.DB, w io.Writer, since int64, last *int64) (n, written int, err error) {
	rows, err := db.QueryContext(ctx, c.query, *last, since)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	values := make([]sql.RawBytes, c.columns)
	var changed sql.NullInt64
	into := []any{last, &changed}
	for i := range values {
		into = append(into, &values[i])
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return n, written, err
		}
		n++
		c.since = max(c.since, changed.Int64)
		line := append(c.of.row(values), '\n')
		h := fnv.New64a()
		h.Write(line)
		if before, ok := c.seen[*last]; ok && before == h.Sum64() {
			continue
		}
		if _, err := w.Write(line); err != nil {
			return n, written, err
		}
		c.seen[*last] = h.Sum64()
		written++
	}
	return n, written, rows.Err()
}
