package command

import (
	"context"
	"errors"
	"strings"

	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/sqlite"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// start opens sources, table and ledger, and begins to read; follow says whether it goes on when it has read everything.
func (a *app) start(ctx context.Context, args []string, follow bool) (*session, error) {
	sources, err := a.sources(args)
	if err != nil {
		return nil, err
	}
	s := &session{sources: sources}
	first := ""
	if len(args) > 0 {
		first = sources[0].Path
	}
	if s.table, s.tableAt, err = a.findTable(first); err != nil {
		return nil, err
	}
	s.ledger = a.findLedger(first)
	c := intake.Config{
		Sources: sources, Follow: follow, MaxLine: int(a.opts.maxLine), Stdin: a.env.Stdin, Run: a.opts.run, Table: s.table, Recipe: a.opts.recipe,
		Since: trace.NoTime, Draining: a.opts.draining, Match: matchOf(a.opts.match.word), LedgerPath: s.ledger.path, Now: a.clock,
	}
	if !a.opts.since.IsZero() {
		c.Since = a.opts.since.UnixNano()
	}
	s.use = inUse{ledger: s.ledger.path, ledgerNote: s.ledger.note("read only"), table: s.tableAt.path, tableNote: s.tableAt.note("nothing of it is run")}
	if s.ledger.path != "" {
		looker, err := a.look(ctx, &s.ledger)
		if err != nil {
			c.LedgerErr, s.use.ledgerErr = err, err.Error()
		} else {
			c.Ledger = looker
		}
	}
	e, err := intake.Start(ctx, c)
	if err != nil {
		if c.Ledger != nil {
			err = errors.Join(err, c.Ledger.Close())
		}
		return nil, &usage{"", err}
	}
	s.engine = e
	return s, nil
}

// look opens a ledger for reading, and notes why it may not be written.
func (a *app) look(ctx context.Context, at *place) (ledger.Looker, error) {
	if strings.HasPrefix(at.path, "postgres://") || strings.HasPrefix(at.path, "postgresql://") {
		return nil, errors.New("this build reads SQLite ledgers only: name a file")
	}
	l, err := sqlite.OpenLooker(ctx, at.path, sqlite.Options{Now: a.clock})
	if err != nil {
		return nil, err
	}
	if err := l.Writable(); err != nil && at.fixed == "" {
		at.fixed = err.Error()
	}
	return l, nil
}

func matchOf(word string) triage.Match {
	switch word {
	case "run":
		return triage.MatchRun
	case "intent":
		return triage.MatchIntent
	default:
		return triage.MatchNone
	}
}
