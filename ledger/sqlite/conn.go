package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strconv"

	engine "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// conn is one connection to one SQLite file, for one goroutine at a time. Statements are prepared once. No
// statement is given a context that ends: each is short, and callers look at their context between statements.
type conn struct {
	c     driver.Conn
	stmts map[string]driver.Stmt
	args  []driver.NamedValue
	last  int64 // row id of the last insert
}

// dial opens path in an access mode of SQLite's URIs (ro, rw, rwc, memory). Its busy handler is off: waiting is
// the caller's business. What the file's schema could run is not trusted.
func dial(path, mode string) (*conn, error) {
	name := ":memory:"
	if mode != "memory" {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", path, err)
		}
		name = (&url.URL{Path: abs}).EscapedPath()
	}
	dsn := "file:" + name + "?mode=" + mode + "&_defensive=1" +
		"&_pragma=busy_timeout(0)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=mmap_size(0)"
	if mode == "ro" {
		dsn += "&_pragma=query_only(1)"
	}
	k, err := engine.NewConnector(dsn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	c, err := k.Connect(context.Background())
	if err != nil {
		return nil, err
	}
	return &conn{c: c, stmts: map[string]driver.Stmt{}}, nil
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	c.stmts = nil
	return errors.Join(append(errs, c.c.Close())...)
}

func (c *conn) prepare(q string) (driver.Stmt, error) {
	if s := c.stmts[q]; s != nil {
		return s, nil
	}
	s, err := c.c.(driver.ConnPrepareContext).PrepareContext(context.Background(), q)
	if err != nil {
		return nil, err
	}
	c.stmts[q] = s
	return s, nil
}

func (c *conn) bind(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args
}

// exec runs one statement and returns how many rows it changed. Arguments are string, int64, float64, []byte, nil.
func (c *conn) exec(q string, args ...driver.Value) (int64, error) {
	s, err := c.prepare(q)
	if err != nil {
		return 0, err
	}
	r, err := s.(driver.StmtExecContext).ExecContext(context.Background(), c.bind(args))
	if err != nil {
		return 0, err
	}
	if c.last, err = r.LastInsertId(); err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// rows hands each row of a query to f until f returns false. The cursor is closed when rows returns; the values
// may be kept, the slice may not. f must not use the connection.
func (c *conn) rows(f func(v []driver.Value) bool, q string, args ...driver.Value) (err error) {
	s, err := c.prepare(q)
	if err != nil {
		return err
	}
	r, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), c.bind(args))
	if err != nil {
		return err
	}
	defer func() {
		if e := r.Close(); err == nil {
			err = e
		}
	}()
	dest := make([]driver.Value, len(r.Columns()))
	for {
		if err := r.Next(dest); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if !f(dest) {
			return nil
		}
	}
}

// one returns the first row of a query, nil when there is none.
func (c *conn) one(q string, args ...driver.Value) (row []driver.Value, err error) {
	err = c.rows(func(v []driver.Value) bool { row = v; return false }, q, args...)
	return row, err
}

// number reads one integer, 0 when there is no row.
func (c *conn) number(q string, args ...driver.Value) (int64, error) {
	v, err := c.one(q, args...)
	if err != nil || v == nil {
		return 0, err
	}
	return integer(v[0]), nil
}

// code is SQLite's extended result code of an error, 0 when it has none.
func code(err error) int {
	var e *engine.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// busy says that the same statement may work in a moment.
func busy(err error) bool {
	switch code(err) & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		return true
	}
	return false
}

// text is the text of a column; SQLite lets any column hold any type.
func text(v driver.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

// float is the number of a column, 0 when it holds none.
func float(v driver.Value) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case string:
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return 0
		}
		return f
	}
	return 0
}

func integer(v driver.Value) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	}
	return 0
}
