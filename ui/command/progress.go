package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
)

// progress says on standard error what drain waits for: at once when that is something else, and once a minute.
type progress struct {
	to   io.Writer
	last string
	at   time.Time
}

// say prints a line unless it would say what was said.
func (p *progress) say(s *triage.Snapshot, loading bool, now time.Time) {
	words := waitsFor(s, loading, now)
	what := words
	if s.Verdict.Waiting && !loading {
		what = "waiting" // the time that is left is no news
	}
	if what == p.last && now.Sub(p.at) < time.Minute {
		return
	}
	p.last, p.at = what, now
	fmt.Fprintf(p.to, "%s  %s\n", now.UTC().Format("2006-01-02 15:04:05Z"), words)
}

// tableWatch judges by the decision table as it is by now: who classifies a tool, or edits the table, while drain waits or a board
// is open need not start it again.
type tableWatch struct {
	s    *session
	size int64
	at   time.Time
}

func newTableWatch(s *session) *tableWatch {
	w := &tableWatch{s: s}
	if info, err := os.Stat(s.tableAt.path); err == nil && s.tableAt.path != "" {
		w.size, w.at = info.Size(), info.ModTime()
	}
	return w
}

// look reads the table again when its file has changed. A table with mistakes is an error, once; the one before stays in force.
func (w *tableWatch) look(ctx context.Context) error {
	path := w.s.tableAt.path
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() == w.size && info.ModTime().Equal(w.at) {
		return nil // gone for a moment, as while an editor replaces it
	}
	w.size, w.at = info.Size(), info.ModTime()
	err = w.reload(ctx, path)
	wrong := ""
	if err != nil {
		wrong = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	w.s.tableWrong.Store(&wrong)
	return err
}

func (w *tableWatch) reload(ctx context.Context, path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if known := w.s.tableSrc.Load(); known != nil && bytes.Equal(*known, src) {
		return nil
	}
	t, err := table.Parse(src, path)
	if err != nil {
		return err
	}
	if err := w.s.Reload(ctx, t); err != nil {
		return err
	}
	w.s.tableSrc.Store(&src)
	return nil
}

// follow looks once a second until ctx ends. What is wrong stands in the session's Progress.
func (w *tableWatch) follow(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = w.look(ctx)
		case <-ctx.Done():
			return
		}
	}
}
