package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"drainboard/ledger"
	"drainboard/ledger/operate"

	"github.com/spf13/cobra"
)

func newLedgerMark(a *app) *cobra.Command {
	var flags handFlags
	var response string
	c := &cobra.Command{
		Use:   "mark KEY... failed|committed --reason TEXT",
		Short: "Settle rows that are in flight, or commit failed ones",
		Long: `mark settles rows. failed: nothing happened, the next call of the key may send again. committed: it
happened, a repeat gets the response and nothing is sent. A failed row can be marked committed too.
The response is given with --response, or, with --from PATH, it is the ok payload that the traces hold.
The beginning of a key is enough. A row that moved since it was looked at is left as it is.`,
		Example: `  drainboard ledger mark 3f9a1c07 failed --reason "looked: no pull request"
  drainboard ledger mark 3f9a1c07 committed --response '{"pr": 41}' --reason "looked: it is there"
  drainboard ledger mark 3f9a1c07 77ab01c9 committed --from traces/ --reason "the trace has the answers"`,
		Args: atLeast(2, "keys, and failed or committed"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.need(c); err != nil {
				return err
			}
			to := ledger.State(args[len(args)-1])
			if to != ledger.Failed && to != ledger.Committed {
				return &usage{name(c), fmt.Errorf("%s: expected failed or committed behind the keys, found %q", name(c), to)}
			}
			given := c.Flags().Changed("response")
			if to == ledger.Failed && (given || len(flags.from) > 0) {
				return &usage{name(c), fmt.Errorf("%s: a failed row has no response: --response and --from are for committed", name(c))}
			}
			return a.mark(c.Context(), args[:len(args)-1], to, response, given, &flags)
		},
	}
	flags.bind(c, true)
	flags.bindFrom(c)
	c.Flags().StringVar(&response, "response", "", "what repeats get: `JSON`, or @FILE")
	return c
}

func (a *app) mark(ctx context.Context, begins []string, to ledger.State, response string, given bool, flags *handFlags) error {
	h, err := a.hands(ctx, flags, len(flags.from) > 0)
	if err != nil {
		return err
	}
	defer h.Close()
	respond := operate.Response(h.FromTrace)
	if given {
		text, err := a.argument(response, false)
		if err != nil {
			return fmt.Errorf("read the response: %w", err)
		}
		if respond, err = operate.Given(strings.TrimSuffix(string(text), "\n")); err != nil {
			return &usage{"ledger mark", err}
		}
	}
	rows, err := h.rowsOf(begins)
	if err != nil {
		return err
	}
	effect := "The next call of the key is sent again."
	if to == ledger.Committed {
		effect = "A repeat then gets the response, nothing is sent."
	}
	if err := h.open(ctx); err != nil {
		return err
	}
	if err := h.ask(fmt.Sprintf("Mark %s %s? %s", called(rows), to, effect), ""); err != nil {
		return err
	}
	var done []operate.Outcome
	if to == ledger.Failed {
		done, err = h.MarkFailed(ctx, rows, flags.reason)
	} else {
		done, err = h.MarkCommitted(ctx, rows, respond, flags.reason)
	}
	return after(a.told("marked "+string(to), done), err)
}

func newLedgerHumanKey(a *app) *cobra.Command {
	var flags handFlags
	c := &cobra.Command{
		Use:   "human-key KEY WORD --reason TEXT",
		Short: "Allow one more send of a call that only an undo helps",
		Long: `human-key gives a word for ONE more send of one intent of a tool of the class compensate, whatever its row's
state but in flight. The next call of the key uses it up, under a row of its own; the first response stays.`,
		Example: `  drainboard ledger human-key 9b1c22d0 charge-again --reason "the customer asked for a second order"`,
		Args:    exactly(2, "a key, or its beginning, and a word"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.need(c); err != nil {
				return err
			}
			ctx := c.Context()
			h, err := a.hands(ctx, &flags, false)
			if err != nil {
				return err
			}
			defer h.Close()
			row, err := h.row(args[0])
			if err != nil {
				return err
			}
			if err := h.open(ctx); err != nil {
				return err
			}
			if err := h.ask(fmt.Sprintf("Allow one more send of %s %s? It is a second effect, on purpose, under a row of its own.", row.Tool, prefix(row.Key)), ""); err != nil {
				return err
			}
			o, err := h.HumanKey(ctx, row, args[1], flags.reason)
			if err != nil {
				return err
			}
			return a.told("may be sent once more", []operate.Outcome{o})
		},
	}
	flags.bind(c, true)
	return c
}

func newLedgerUndo(a *app) *cobra.Command {
	var flags handFlags
	var entry int64
	c := &cobra.Command{
		Use:   "undo [KEY...] [--entry N] --reason TEXT",
		Short: "Take back the last mark or acknowledgement of a key",
		Long: `undo gives a row the state and response that it had before the last mark, while it still is what the mark
made of it; the claim does not come back: that worker is late. Of an acknowledgement it makes a finding
again. --entry names an entry of the log instead of a key.`,
		Example: `  drainboard ledger undo 3f9a1c07 --reason "wrong row"
  drainboard ledger undo --entry 17 --reason "wrong row"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.need(c); err != nil {
				return err
			}
			if (len(args) == 0) == (entry == 0) {
				return &usage{name(c), fmt.Errorf("%s: expected keys, or --entry and the number of a log entry", name(c))}
			}
			return a.undo(c.Context(), args, entry, &flags)
		},
	}
	flags.bind(c, true)
	c.Flags().Int64Var(&entry, "entry", 0, "the log entry with this `NUMBER`")
	return c
}

func (a *app) undo(ctx context.Context, begins []string, entry int64, flags *handFlags) error {
	h, err := a.hands(ctx, flags, false)
	if err != nil {
		return err
	}
	defer h.Close()
	if err := h.open(ctx); err != nil {
		return err
	}
	if entry != 0 {
		if err := h.ask("Take back log entry "+strconv.FormatInt(entry, 10)+"?", ""); err != nil {
			return err
		}
		o, err := h.UndoEntry(ctx, entry, flags.reason)
		if err != nil {
			return err
		}
		return a.told("taken back", []operate.Outcome{o})
	}
	var ids []string
	for _, b := range begins {
		r, err := h.row(b)
		var none *refusal
		switch {
		case err == nil:
			ids = append(ids, r.Key)
		case errors.As(err, &none):
			ids = append(ids, b) // an acknowledgement need not have a row
		default:
			return err
		}
	}
	if err := h.ask(fmt.Sprintf("Take back what was last done to %s? State and response become what they were, the claim does not.", plural(len(ids), "key", "keys")), ""); err != nil {
		return err
	}
	done, err := h.UndoLast(ctx, ids, flags.reason)
	return after(a.told("taken back", done), err)
}
