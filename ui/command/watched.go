package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/trace"

	"github.com/spf13/cobra"
)

// stateFolder is where this user's state is kept ($XDG_STATE_HOME/drainboard), "" when the environment names no place.
func stateFolder(e *Env) string {
	if base := e.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "drainboard")
	}
	if e.Home == "" {
		return ""
	}
	return filepath.Join(e.Home, ".local", "state", "drainboard")
}

// windowFile keeps what was seen of one drain window, so that its start survives a restart. The file's name is a digest of what the window is
// about: the ledger's identity, the sources, and how they are judged. Another ledger at the same path is another window.
//
// One goroutine writes, the latest state wins; what another process saw of the same window is merged, so that a break that either saw counts.
type windowFile struct {
	path  string
	about windowAbout
	news  chan triage.WindowState // capacity 1, the latest
	done  chan struct{}
	mu    sync.Mutex
	err   error // the first failure to keep it
}

// windowAbout says what a window is about.
type windowAbout struct {
	Ledger  string   `json:"ledger"`
	Inode   string   `json:"inode,omitempty"`
	Table   string   `json:"table"`
	Sources []string `json:"sources"`
	Judged  string   `json:"judged"` // match, draining side, recipe, run, start of the drain
}

// windowKept is the content of the file. Times are RFC 3339 with nanoseconds, "" for never.
type windowKept struct {
	Version int         `json:"version"`
	About   windowAbout `json:"about"`
	Since   string      `json:"since"`
	Broke   string      `json:"broke"`
	Seen    string      `json:"seen"`
}

// aboutWindow names what a session's window is about.
func (a *app) aboutWindow(s *session) windowAbout {
	about := windowAbout{Ledger: a.identity(s.ledger.path), Table: a.identity(s.tableAt.path)}
	if info, err := os.Stat(s.ledger.path); err == nil {
		about.Inode = inodeOf(info)
	}
	for _, src := range s.sources {
		about.Sources = append(about.Sources, src.Label+"="+a.identity(src.Path))
	}
	slices.Sort(about.Sources)
	about.Judged = fmt.Sprintf("match %s, draining %q, recipe %q, run %q, since %s", &a.opts.match, a.opts.draining, a.opts.recipe, a.opts.run, &a.opts.since)
	return about
}

// identity is a path in full, or an address without its password.
func (a *app) identity(path string) string {
	if u, err := url.Parse(path); err == nil && u.Scheme != "" && u.Host != "" {
		return u.Redacted()
	}
	switch {
	case path == "" || path == trace.Stdin || filepath.IsAbs(path):
		return path
	default:
		return filepath.Join(a.env.Dir, path)
	}
}

// keepWindow has an engine watch the window that was chosen, from where it stood.
func (a *app) keepWindow(c *intake.Config, s *session) {
	c.Window, c.Watched = a.opts.window, triage.Unwatched()
	about := a.aboutWindow(s)
	folder := stateFolder(a.env)
	text, err := json.Marshal(about)
	if folder == "" || err != nil {
		s.window = &windowFile{err: errors.New("neither $XDG_STATE_HOME nor $HOME says where")}
		return
	}
	sum := sha256.Sum256(text)
	w := &windowFile{
		path: filepath.Join(folder, "window", hex.EncodeToString(sum[:16])+".json"), about: about,
		news: make(chan triage.WindowState, 1), done: make(chan struct{}),
	}
	if c.Watched, err = w.read(); err != nil {
		w.err = err
	}
	// A table that was changed while nobody looked may have ended a blocker that nobody saw.
	if info, err := os.Stat(s.tableAt.path); err == nil && s.tableAt.path != "" {
		if at := info.ModTime().UnixNano(); c.Watched.Since != trace.NoTime && at > c.Watched.Seen && at <= a.clock().UnixNano() {
			c.Watched.Since = at
		}
	}
	c.KeepWindow = w.keep
	s.window = w
	go w.run()
}

// read gives what was kept; nothing when there is no file.
func (w *windowFile) read() (triage.WindowState, error) {
	src, err := os.ReadFile(w.path)
	if errors.Is(err, os.ErrNotExist) {
		return triage.Unwatched(), nil
	}
	var k windowKept
	if err == nil {
		err = json.Unmarshal(src, &k)
	}
	if err == nil && (k.Version != 1 || k.About.Ledger != w.about.Ledger) {
		err = fmt.Errorf("expected version 1 about ledger %q, found version %d about %q", w.about.Ledger, k.Version, k.About.Ledger)
	}
	s := triage.Unwatched()
	for _, v := range []struct {
		text string
		at   *int64
	}{{k.Since, &s.Since}, {k.Broke, &s.Broke}, {k.Seen, &s.Seen}} {
		if v.text == "" || err != nil {
			continue
		}
		var t time.Time
		if t, err = time.Parse(time.RFC3339Nano, v.text); err == nil {
			*v.at = t.UnixNano()
		}
	}
	if err != nil {
		return triage.Unwatched(), fmt.Errorf("read %s: %w; the window begins anew", w.path, err)
	}
	return s, nil
}

// keep takes the latest state; it never blocks.
func (w *windowFile) keep(s triage.WindowState) {
	for {
		select {
		case w.news <- s:
			return
		default:
		}
		select {
		case <-w.news:
		default:
		}
	}
}

func (w *windowFile) run() {
	defer close(w.done)
	for s := range w.news {
		if err := w.write(s); err != nil {
			w.mu.Lock()
			w.err = errors.Join(w.err, err)
			w.mu.Unlock()
			for range w.news { // it is told once
			}
			return
		}
	}
}

// write replaces the file.
func (w *windowFile) write(s triage.WindowState) error {
	if kept, err := w.read(); err == nil && kept.Seen > s.Seen {
		s = s.Merge(kept)
	}
	text, err := json.MarshalIndent(windowKept{1, w.about, triage.Stamp(s.Since), triage.Stamp(s.Broke), triage.Stamp(s.Seen)}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(w.path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(w.path), "."+filepath.Base(w.path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), w.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// close waits until the latest state is kept. It may be called on nil.
func (w *windowFile) close() error {
	if w == nil {
		return nil
	}
	if w.news != nil {
		close(w.news)
		<-w.done
		w.news = nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return fmt.Errorf("the window's start is not kept for the next time: %s", strings.ReplaceAll(w.err.Error(), "\n", "; "))
	}
	return nil
}

// Close ends a session: its engine, then what is kept of its window.
func (s *session) Close() error {
	return errors.Join(s.engine.Close(), s.window.close(), s.stores.close())
}

// bindWindow declares --window.
func (a *app) bindWindow(c *cobra.Command) {
	c.Flags().DurationVar(&a.opts.window, "window", 0, "GO only after nothing has blocked for `DURATION` without a break, as 30m; its start survives a restart")
}
