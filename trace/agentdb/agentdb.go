// Package agentdb reads the SQLite stores in which some agents keep their sessions (opencode, goose, Crush) as lines that
// package trace decodes.
//
// Contract. A Store turns rows into lines: one JSON object a row, in the form that the agent's own decoder in package
// trace knows, so that all else (keys, copies, results) is the same as for a file. A row that changed gives its line
// again: these formats are transcripts, in which a line may restate another. The database is opened for reading only and
// stays usable by its agent: rows are read in short pages, nothing is locked between them, nothing is written to the file.
//
// Ownership. A Store is for one goroutine. A Spool owns a private file, mode 0600, and removes it when closed.
//
// Order and loss. Rows come in the order of their row ids. A row that is written twice between two looks is seen once, as
// it is by then. A row whose JSON is none gives a line that a decoder counts as bad.
package agentdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	engine "modernc.org/sqlite"
)

// ErrUnknown says that a file is no SQLite database, or none of an agent that is known.
var ErrUnknown = errors.New("expected an SQLite database of opencode, goose or Crush")

const magic = "SQLite format 3\x00"

// Is says whether the file is an SQLite database. It does not open it as one.
func Is(path string) bool {
	is, err := isDatabase(path)
	return is && err == nil
}

// isDatabase looks into files only: what is taken out of a pipe is gone for whoever reads it next, and to open one waits for
// its writer.
func isDatabase(path string) (bool, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic, nil
}

// Store is an agent's database, open for reading.
type Store struct {
	path    string
	db      *sql.DB
	layout  *layout
	tables  []*cursor
	version int64 // PRAGMA data_version at the last look; it moves when another connection has written
	looked  bool
}

// Open opens an agent's database. The error wraps ErrUnknown when it is not one that is known.
func Open(ctx context.Context, path string) (*Store, error) {
	if is, err := isDatabase(path); err != nil {
		return nil, fmt.Errorf("open a store: %w", err)
	} else if !is {
		return nil, fmt.Errorf("%s: %w, found another file", path, ErrUnknown)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", path, err)
	}
	dsn := "file:" + (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath() +
		"?mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(2000)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"
	connector, err := engine.NewConnector(dsn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &Store{path: path, db: sql.OpenDB(connector)}
	s.db.SetMaxOpenConns(1) // data_version counts from one connection's view
	if err := s.recognise(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), s.db.Close())
	}
	return s, nil
}

// recognise finds the agent by its tables.
func (s *Store) recognise(ctx context.Context) error {
	var names []string
	for _, l := range layouts() {
		var found []*cursor
		for _, t := range l.tables {
			c, err := newCursor(ctx, s.db, t)
			if err != nil {
				return err
			}
			if c != nil {
				found = append(found, c)
			}
		}
		if len(found) == len(l.tables) {
			s.layout, s.tables = &l, found
			return nil
		}
		names = append(names, l.agent)
	}
	return fmt.Errorf("%w, found tables of none of them (%s)", ErrUnknown, strings.Join(names, ", "))
}

// Agent names the agent: "opencode", "goose", "crush". It is the name of the format that its lines are in.
func (s *Store) Agent() string { return s.layout.agent }

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Look writes a line for each row that is new, or another one, since the last look, and gives their number.
func (s *Store) Look(ctx context.Context, w io.Writer) (lines int, err error) {
	version, err := s.dataVersion(ctx)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", s.path, err)
	}
	if s.looked && version == s.version {
		return 0, nil
	}
	for _, c := range s.tables {
		n, err := c.look(ctx, s.db, w)
		lines += n
		if err != nil {
			return lines, fmt.Errorf("read %s, table %s: %w", s.path, c.of.name, err)
		}
	}
	s.version, s.looked = version, true
	return lines, nil
}

func (s *Store) dataVersion(ctx context.Context) (v int64, err error) {
	err = s.db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v)
	return v, err
}
