package command

import (
	"context"
	"errors"
	"fmt"

	"drainboard/ledger"
	"drainboard/ledger/operate"
	"drainboard/ledger/postgres"
	"drainboard/ledger/run"
	"drainboard/ledger/sqlite"
)

// looker reads a ledger and its log.
type looker interface {
	ledger.Looker
	operate.LogReader
}

// name is a ledger as it is shown: an address without its password.
func (at place) name() string {
	if at.shown != "" {
		return at.shown
	}
	if postgres.IsURL(at.path) {
		return "postgres://..."
	}
	return at.path
}

// look opens a ledger for reading, and notes how it is shown and why it may not be written.
func (a *app) look(ctx context.Context, at *place) (looker, error) {
	if postgres.IsURL(at.path) {
		l, err := postgres.OpenLooker(ctx, at.path, postgres.Options{Now: a.clock})
		if err != nil {
			return nil, err
		}
		at.shown = l.Where()
		return l, nil
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

// errNoLedger says how a ledger is named.
var errNoLedger = errors.New("no ledger: name one with --ledger FILE or $DRAINBOARD_LEDGER (" + ledgerName + " is not in the working directory)")

// noWrite says why a ledger is not written, "" when it may be.
func (a *app) noWrite(at place) string {
	switch {
	case a.opts.readOnly:
		return "read-only: --read-only was given"
	case at.path == "":
		return errNoLedger.Error()
	case at.found == beside:
		return fmt.Sprintf("the ledger %s is read only: it was found beside the trace; name it with --ledger to have it written", at.name())
	case at.fixed != "":
		return fmt.Sprintf("the ledger %s is read only: %s", at.name(), at.fixed)
	}
	return ""
}

// openStore opens a ledger for writing. create makes one that is not there.
func (a *app) openStore(ctx context.Context, at place, create bool) (ledger.Store, error) {
	if why := a.noWrite(at); why != "" {
		return nil, &refusal{errors.New(why)}
	}
	if postgres.IsURL(at.path) {
		s, err := postgres.OpenStore(ctx, at.path, postgres.StoreOptions{Connections: 2})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	s, err := sqlite.OpenStore(ctx, at.path, sqlite.StoreOptions{Create: create})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// actor is who acts: user@host always, beside the name that was given.
func (a *app) actor() string {
	user := a.env.User
	if user == "" {
		user = "unknown@unknown"
	}
	given := a.opts.actor
	if given == "" {
		given = a.env.Getenv("DRAINBOARD_ACTOR")
	}
	if given == "" {
		return user
	}
	return given + " (" + user + ")"
}

// proc is where processes are looked at.
func proc() run.Proc { return run.Proc{Root: "/proc"} }

// operator acts on a store.
func (a *app) operator(s ledger.Store) (*ledger.Operator, error) {
	self, err := proc().Self()
	if err != nil {
		return nil, err
	}
	return &ledger.Operator{
		Store: s, Now: a.clock, Actor: a.actor(), Owner: self,
		Alive: func(o ledger.Owner) ledger.Liveness { return proc().Alive(self, o) },
	}, nil
}
