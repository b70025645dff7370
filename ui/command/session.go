package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/board"
	"drainboard/ui/board/filter"
)

// engine is what a session asks; intake.Engine is one.
type engine interface {
	board.Engine
	// Wait returns when everything is read and settled; for sources that are read once.
	Wait(ctx context.Context) error
	Report(ctx context.Context) (*triage.Report, error)
	Effects(ctx context.Context, key, side string) (triage.Effects, bool, error)
	Keys(ctx context.Context, prefix string, limit int) ([]string, error)
	Recipe() *keys.Recipe
	Basis(ctx context.Context, v *triage.CallView, args *keys.Args) (keys.RunID, error)
	Arguments(ctx context.Context, tool string, visit func(v *triage.CallView, args *keys.Args) bool) (unread int, err error)
	Merges(ctx context.Context, tool string, pointers []keys.Pointer) (out []triage.Merge, unread int, err error)
	Acknowledge(ctx context.Context, acks []ledger.Ack) error
	Reload(ctx context.Context, t *table.Table) error
	LoneKeys(ctx context.Context, limit int) ([]triage.LoneKey, error)
	Doings(ctx context.Context, from uint32, limit int) (page []triage.Doing, next uint32, err error)
	Close() error
}

// session is sources, table, ledger and book of one command, open.
type session struct {
	engine
	use     inUse
	table   *table.Table
	tableAt place
	ledger  place
	look    looker // nil without a ledger, or when it cannot be read
	sources []trace.Source
	window  *windowFile // nil: no drain window was chosen
	stores  *spools     // agents' databases among the sources

	tableSrc   atomic.Pointer[[]byte] // the table in force as it was read or written last; nil: as at the start
	tableWrong atomic.Pointer[string] // why the table on disk is not in force; nil, or "": it is
}

// Progress implements board.Engine.
func (s *session) Progress() intake.Progress {
	p := s.engine.Progress()
	if wrong := s.tableWrong.Load(); wrong != nil {
		p.Table = *wrong
	}
	return p
}

// place is a file that was named or found.
type place struct {
	path  string // as it was named or found; "" when there is none
	shown string // how it is shown instead, when the path is an address that holds a password
	found found
	fixed string // why it may not be written, or nothing of it run; "" when it may
}

// found says how a command came by a file.
type found uint8

const (
	named   found = iota // on the command line or in the environment
	working              // in the working directory, for a table also above it
	beside               // beside the first path: whoever writes the traces may have written it
)

// open reads sources to their end, once.
func (a *app) open(ctx context.Context, args []string) (*session, error) {
	return a.start(ctx, args, false)
}

// sources turns arguments into sources; without any it looks for traces where they usually are.
func (a *app) sources(args []string) (*foundTraces, error) {
	if len(args) == 0 {
		if err := a.sides(nil); err != nil {
			return nil, err
		}
		want := search{agent: a.opts.agent, since: a.opts.since.Time}
		if a.opts.project != "" {
			dir, err := filepath.Abs(filepath.Join(a.env.Dir, a.opts.project))
			if filepath.IsAbs(a.opts.project) {
				dir, err = filepath.Clean(a.opts.project), nil
			}
			if err != nil {
				return nil, err
			}
			want.project = dir
		}
		return findTraces(a.env, want)
	}
	if a.opts.agent != "" || a.opts.project != "" {
		return nil, &usage{"", errors.New("--agent and --project narrow what is found without a path; here a path is given")}
	}
	out := make([]trace.Source, 0, len(args))
	stdin := 0
	for _, arg := range args {
		s := trace.ParseSource(arg)
		if s.Path == trace.Stdin {
			stdin++
		}
		if s.Path == "" {
			return nil, &usage{"", errors.New("a path is empty: expected a file, a folder, a glob or -")}
		}
		out = append(out, s)
	}
	if stdin > 1 {
		return nil, &usage{"", fmt.Errorf("standard input (-) is named %d times: it can be read once", stdin)}
	}
	return &foundTraces{sources: out}, a.sides(out)
}

// sides refuses labels that would leave a side empty without a word: the draining one must be given, one path cannot be two, and
// no side's lies in another's.
func (a *app) sides(sources []trace.Source) error {
	var labels []string
	for i, s := range sources {
		if s.Label != "" && !slices.Contains(labels, s.Label) {
			labels = append(labels, s.Label)
		}
		for _, before := range sources[:i] {
			if before.Label != s.Label && (filepath.Clean(before.Path) == filepath.Clean(s.Path) || sameFile(before.Path, s.Path)) {
				return &usage{"", fmt.Errorf("%s is named on side %q and on side %q: it is read once, so expected another path for one of them", s.Path, before.Label, s.Label)}
			}
			if err := apart(before, s); err != nil {
				return err
			}
		}
	}
	if d := a.opts.draining; d != "" && !slices.Contains(labels, d) {
		if len(labels) == 0 {
			return &usage{"", fmt.Errorf("--draining %s: no source has a side; name them as %s=PATH", d, d)}
		}
		return &usage{"", fmt.Errorf("--draining %s: expected %s%s", d, orList(labels), didYouMean(d, labels))}
	}
	return nil
}

// apart refuses two sides of which one lies in the other's folder: the outer one would read what is the inner one's.
func apart(a, b trace.Source) error {
	if a.Label == "" || b.Label == "" || a.Label == b.Label {
		return nil
	}
	if within(b.Path, a.Path) {
		a, b = b, a
	}
	if !within(a.Path, b.Path) {
		return nil
	}
	return &usage{"", fmt.Errorf("%s of side %q lies in %s of side %q, which would read it too: expected folders beside each other; "+
		"move one of them, or name the files of side %[4]q with a glob", b.Path, b.Label, a.Path, a.Label)}
}

// findTable reads the decision table (PRODUCT.md "Shared flags"): --tools, else tools.yaml in the working directory or above it up
// to the repository's root, else beside the first path. Without one it is table.Default.
func (a *app) findTable(first string) (*table.Table, place, error) {
	at := place{path: a.opts.tools}
	switch {
	case a.opts.namedTools && at.path == "":
		return table.Default(), place{}, nil
	case a.opts.namedTools:
	default:
		if path, ok := table.Find(a.env.Dir); ok {
			at = place{path: a.shown(path), found: working}
		} else if path, ok := besideOf(first, table.Name); ok {
			at = place{path: path, found: beside, fixed: "found beside the trace"}
		} else {
			return table.Default(), place{}, nil
		}
	}
	src, err := readRegular(at.path)
	if err != nil {
		return nil, at, fmt.Errorf("read the decision table: %w; name another with --tools, or write one with drainboard init", err)
	}
	t, err := table.Parse(src, at.path)
	if err != nil {
		return nil, at, err
	}
	if at.found == working {
		if err := table.Trusted(at.path); err != nil {
			at.fixed = err.Error()
		}
	}
	return t, at, nil
}

// ledgerName is what the seeds' helper calls its file.
const ledgerName = "tool_replay.sqlite"

// findLedger finds the ledger (LEDGER.md "The file"): --ledger, else $DRAINBOARD_LEDGER, else tool_replay.sqlite beside the first
// path or in the working directory. Without one its path is "".
func (a *app) findLedger(first string) place {
	switch env := a.env.Getenv("DRAINBOARD_LEDGER"); {
	case a.opts.namedLedger:
		return place{path: a.opts.ledger}
	case env != "":
		return place{path: env}
	}
	here := filepath.Join(a.env.Dir, ledgerName)
	if path, ok := besideOf(first, ledgerName); ok && !sameFile(path, here) {
		return place{path: path, found: beside, fixed: "found beside the trace"}
	}
	if !isFile(here) {
		return place{}
	}
	at := place{path: ledgerName, found: working}
	if err := table.Trusted(here); err != nil {
		at.fixed = err.Error()
	}
	return at
}

// besideOf names a file beside a path: in it when it is a folder.
func besideOf(path, name string) (string, bool) {
	if path == "" || path == trace.Stdin {
		return "", false
	}
	dir := path
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		dir = filepath.Dir(path)
	}
	at := filepath.Join(dir, name)
	return at, isFile(at)
}

// readRegular reads a file, and waits for no pipe that nobody writes to.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: expected a regular file, found one of type %s", path, info.Mode().Type())
	}
	return os.ReadFile(path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// within says whether a path lies in a folder, once links are followed; what a glob names lies where its files do.
func within(dir, path string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() || path == trace.Stdin {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	for up := filepath.Dir(path); up != path; path, up = up, filepath.Dir(up) {
		if sameFile(dir, up) {
			return true
		}
	}
	return false
}

// shown is a path as people want to see it: relative when it lies in the working directory.
func (a *app) shown(path string) string {
	if rel, err := filepath.Rel(a.env.Dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// note says in a few words how a place was come by, when it was not named.
func (at place) note(what string) string {
	switch at.found {
	case working:
		if at.fixed != "" {
			return "found here; " + what + ": " + at.fixed
		}
		return ""
	case beside:
		return what + ": found beside the trace"
	default:
		return ""
	}
}

// clock is the moment by which ages are judged.
func (a *app) clock() time.Time {
	if !a.opts.now.IsZero() {
		return a.opts.now.Time
	}
	return a.env.Now()
}

// report waits until everything is read, and asks for everything. Not one source that could be read is an error.
func (s *session) report(ctx context.Context) (*triage.Report, error) {
	if err := s.Wait(ctx); err != nil {
		return nil, err
	}
	r, err := s.Report(ctx)
	if err != nil {
		return nil, err
	}
	return r, s.nothing(r)
}

// list waits until everything is read, for a command that lists. What could not be read is told on standard error.
func (a *app) list(ctx context.Context, s *session) error {
	r, err := s.report(ctx)
	if err != nil {
		return err
	}
	p := a.page()
	for _, bad := range r.Unreadable {
		if bad.Line == 0 {
			p.word(yellow, "not read: %s: %s", bad.File, bad.Reason).line()
		}
	}
	return p.flush(a.env.Stderr)
}

// nothing is the error of a command none of whose sources could be read.
func (s *session) nothing(r *triage.Report) error {
	var errs []error
	unread := map[string]bool{}
	for _, bad := range r.Unreadable {
		if bad.Line == 0 && bad.File != s.ledger.name() {
			errs = append(errs, fmt.Errorf("%s: %s", bad.File, bad.Reason))
			unread[bad.File] = true
		}
	}
	for _, src := range r.Sources {
		if src.Lines > 0 || !unread[src.File] {
			return nil
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("nothing could be read: %w", errors.Join(errs...))
}

// parseFilter reads --filter. Every mistake in it is told.
func parseFilter(text string) (*filter.Filter, error) {
	f := filter.Parse(text, filter.Findings)
	var errs []error
	for _, p := range f.Problems {
		errs = append(errs, p)
	}
	return f, errors.Join(errs...)
}
