package command

import (
	"context"
	"errors"
	"fmt"

	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/safe"
)

// start opens sources, table and ledger, and begins to read; follow says whether it goes on when it has read everything.
func (a *app) start(ctx context.Context, args []string, follow bool) (*session, error) {
	where, err := a.sources(args)
	if err != nil {
		return nil, err
	}
	for _, line := range where.said {
		fmt.Fprintln(a.env.Stderr, safe.Line("drainboard: found "+line))
	}
	sources := where.sources
	for _, path := range where.stores {
		sources = append(sources, trace.Source{Path: path})
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
	if s.stores, err = openStores(ctx, sources, follow); err != nil {
		return nil, &usage{"", err}
	}
	c := intake.Config{
		Keep:    where.keep,
		Sources: sources, Follow: follow, MaxLine: int(a.opts.maxLine), Stdin: a.env.Stdin, Run: a.opts.run, Table: s.table, Recipe: a.opts.recipe,
		Since: trace.NoTime, Draining: a.opts.draining, Match: matchOf(a.opts.match.word), Now: a.clock,
	}
	if !a.opts.since.IsZero() {
		c.Since = a.opts.since.UnixNano()
	}
	s.use = inUse{table: s.tableAt.path, tableNote: s.tableAt.note("nothing of it is run")}
	if s.ledger.path != "" {
		if s.look, err = a.look(ctx, &s.ledger); err != nil {
			c.LedgerErr, s.use.ledgerErr = err, err.Error()
		} else {
			c.Ledger = s.look
		}
	}
	c.LedgerPath, s.use.ledger, s.use.ledgerNote = s.ledger.name(), s.ledger.name(), s.ledger.note("read only")
	if self, err := proc().Self(); err == nil {
		c.Alive = func(o ledger.Owner) ledger.Liveness { return proc().Alive(self, o) }
	}
	if a.opts.window > 0 {
		a.keepWindow(&c, s)
	}
	e, err := intake.Start(ctx, c)
	if err != nil {
		err = errors.Join(err, s.window.close(), s.stores.close())
		if c.Ledger != nil {
			err = errors.Join(err, c.Ledger.Close())
		}
		return nil, &usage{"", err}
	}
	s.engine = e
	return s, nil
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
