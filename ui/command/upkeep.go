package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"drainboard/ledger"
	"drainboard/ledger/operate"
	"drainboard/ledger/postgres"
	"drainboard/ledger/sqlite"

	"github.com/spf13/cobra"
)

func newLedgerFence(a *app) *cobra.Command {
	var flags handFlags
	var remove bool
	c := &cobra.Command{
		Use:   "fence [--remove]",
		Short: "Hold off writers that know nothing of claims",
		Long: `fence adds two triggers to a SQLite ledger. A writer that knows nothing of claims then fails before it sends
over a row that is in flight or committed, and its update of a settled row becomes a late reply. A late
commit over a row that has been claimed anew is not held off. --remove takes the triggers away.`,
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return a.fence(c.Context(), !remove, &flags) },
	}
	flags.bind(c, true)
	c.Flags().BoolVar(&remove, "remove", false, "take the fence away")
	return c
}

func (a *app) fence(ctx context.Context, on bool, flags *handFlags) error {
	h, err := a.hands(ctx, flags, false)
	if err != nil {
		return err
	}
	defer h.Close()
	if postgres.IsURL(h.at.path) {
		return &refusal{errors.New("a fence is for SQLite ledgers: in PostgreSQL, take the right to write tool_calls away from writers that know nothing of claims")}
	}
	if err := h.open(ctx); err != nil {
		return err
	}
	store, ok := h.Op.Store.(*sqlite.Store)
	if !ok {
		return errors.New("a fence is for SQLite ledgers")
	}
	if is, err := store.Fenced(ctx); err != nil {
		return err
	} else if is == on {
		return a.said(fmt.Sprintf("%s: it is so already", h.at.name()))
	}
	question, done := "Add two triggers to "+h.at.name()+"? Writers that know nothing of claims are then held off, drainboard's are not.", "the fence stands"
	if !on {
		question, done = "Take the fence of "+h.at.name()+" away? Writers that know nothing of claims may overwrite settled rows again.", "the fence is gone"
	}
	if err := h.ask(question, ""); err != nil {
		return err
	}
	if err := store.Fence(ctx, on, h.Op.Actor, flags.reason, a.clock()); err != nil {
		return err
	}
	return a.said(h.at.name() + ": " + done)
}

func newLedgerRecover(a *app) *cobra.Command {
	var flags handFlags
	c := &cobra.Command{
		Use:   "recover",
		Short: "Take up what a writer that died has left",
		Long: `recover opens a SQLite ledger for writing once, so that a hot journal is rolled back or a WAL taken up, and checks
it. Looking never does that by itself.`,
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return a.recover(c.Context(), &flags) },
	}
	flags.bind(c, true)
	return c
}

func (a *app) recover(ctx context.Context, flags *handFlags) error {
	at := a.findLedger("")
	if why := a.noWrite(at); why != "" {
		return &refusal{errors.New(why)}
	}
	if postgres.IsURL(at.path) {
		return &refusal{errors.New("a PostgreSQL server recovers by itself when it starts: there is nothing to do here")}
	}
	h := &hands{a: a, yes: flags.yes}
	if err := h.ask("Open "+at.name()+" for writing? What a writer that died has left is rolled back or taken up; a copy of the file first is wise.", ""); err != nil {
		return err
	}
	rows, err := sqlite.Recover(ctx, at.path, 10*time.Second)
	if err != nil {
		return err
	}
	note := ""
	if s, err := a.openStore(ctx, at, false); err != nil {
		note = "; it is not in its log, because it may not be written: " + err.Error()
	} else {
		op, err := a.operator(s)
		if err == nil {
			err = op.Note(ctx, ledger.ActRecover, "", flags.reason, "")
		}
		if err = errors.Join(err, s.Close()); err != nil {
			return err
		}
	}
	return a.said(fmt.Sprintf("%s is sound, with %s%s", at.name(), plural(int(rows), "row", "rows"), note))
}

// said prints one sentence.
func (a *app) said(text string) error {
	if a.opts.json {
		return a.printJSON(map[string]any{"done": true, "said": text})
	}
	p := a.page()
	p.word(plain, "%s", text).line()
	return p.flush(a.env.Stdout)
}

func newLedgerPrune(a *app) *cobra.Command {
	var flags handFlags
	var runs []string
	c := &cobra.Command{
		Use:   "prune --run R... --reason TEXT",
		Short: "Take away the settled rows of runs",
		Long: `prune takes away the rows of the named runs that are settled. Never by age, never what is in flight. A call of
such a key that comes once more is sent once more. Only rows that were claimed by drainboard have a run.`,
		Args: exactly(0, "no arguments: runs are named with --run"),
		RunE: func(c *cobra.Command, _ []string) error {
			if len(runs) == 0 {
				return &usage{name(c), fmt.Errorf("%s: name the runs with --run", name(c))}
			}
			if err := flags.need(c); err != nil {
				return err
			}
			return a.prune(c.Context(), runs, &flags)
		},
	}
	flags.bind(c, true)
	c.Flags().StringArrayVar(&runs, "run", nil, "a `RUN`; may be given again")
	return c
}

func (a *app) prune(ctx context.Context, runs []string, flags *handFlags) error {
	h, err := a.hands(ctx, flags, false)
	if err != nil {
		return err
	}
	defer h.Close()
	if err := h.open(ctx); err != nil {
		return err
	}
	var rows []ledger.Row
	for _, run := range runs {
		err := h.Op.Store.View(ctx, func(tx ledger.Tx) error {
			list, err := tx.RowsOfRun(run)
			for _, r := range list {
				if r.State == ledger.Committed || r.State == ledger.Failed {
					rows = append(rows, r)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return &refusal{fmt.Errorf("no settled row of %s in %s", strings.Join(runs, ", "), h.at.name())}
	}
	if err := h.ask(fmt.Sprintf("Take %s away? A call of such a key that comes once more is sent once more.", called(rows)), ""); err != nil {
		return err
	}
	var done []operate.Outcome
	for _, r := range rows {
		res, err := h.Op.Prune(ctx, r, flags.reason)
		if err != nil {
			return after(a.told("pruned", done), err)
		}
		done = append(done, operate.Outcome{Key: r.Key, Tool: r.Tool, Done: res.Done, Why: res.Why, State: res.Row.State, Log: res.Log})
	}
	return a.told("pruned", done)
}
