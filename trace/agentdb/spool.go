package agentdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"drainboard/trace"
)

// Spool is a file of the lines that a store's rows give, for a trace.Reader to read and follow.
type Spool struct {
	store *Store
	file  *os.File
}

// NewSpool opens a store and spools what it holds into a new private file in dir.
func NewSpool(ctx context.Context, path, dir string) (*Spool, error) {
	store, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, filepath.Base(path)+".*.jsonl") // mode 0600
	if err != nil {
		return nil, errors.Join(fmt.Errorf("spool %s: %w", path, err), store.Close())
	}
	s := &Spool{store: store, file: file}
	if _, err := s.Look(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Path is the file's path.
func (s *Spool) Path() string { return s.file.Name() }

// Agent is the store's.
func (s *Spool) Agent() string { return s.store.Agent() }

// Look adds what is new in the store, and gives how many lines that was. It is cheap when nothing has changed.
func (s *Spool) Look(ctx context.Context) (lines int, err error) {
	w := bufio.NewWriterSize(s.file, 64<<10)
	lines, err = s.store.Look(ctx, w)
	if ferr := w.Flush(); ferr != nil {
		err = errors.Join(err, fmt.Errorf("spool %s: %w", s.store.path, ferr))
	}
	return lines, err
}

// Close closes the store and removes the file.
func (s *Spool) Close() error {
	return errors.Join(s.store.Close(), s.file.Close(), os.Remove(s.file.Name()))
}

// Locations gives the places where known agents keep their stores, as trace.Locations does for files.
func Locations(home string, env func(name string) string) []trace.Location {
	data := env("XDG_DATA_HOME")
	if data == "" && home != "" {
		data = filepath.Join(home, ".local", "share")
	}
	all := []trace.Location{{Agent: "Crush", Format: "crush", Glob: filepath.Join(".crush", "crush.db")}}
	if home != "" {
		all = append(all, trace.Location{Agent: "Crush", Format: "crush", Glob: filepath.Join(home, ".crush", "crush.db")})
	}
	if data != "" {
		all = append(all,
			trace.Location{Agent: "opencode", Format: "opencode", Glob: filepath.Join(data, "opencode", "opencode.db")},
			trace.Location{Agent: "goose", Format: "goose", Glob: filepath.Join(data, "goose", "sessions", "sessions.db")})
	}
	return all
}
