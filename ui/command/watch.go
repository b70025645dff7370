package command

import (
	"context"
	"os"
	"time"

	"drainboard/trace"
	"drainboard/ui/board"
	_ "drainboard/ui/board/probe" // keeps Bubble Tea from asking the terminal while a command starts

	"github.com/spf13/cobra"
)

func newWatch(a *app) *cobra.Command {
	var flags checkFlags
	var look boardFlags
	c := &cobra.Command{
		Use:   "watch [PATH | label=PATH | -]...",
		Short: "Open the board (what drainboard does without a command)",
		Long: `watch opens the board on the traces and follows them. Without a terminal, or with --json, it prints
the same as check.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Parent() == nil {
				for _, arg := range args {
					if err := mistaken(c, arg); err != nil {
						return err
					}
				}
			}
			if !a.env.Interactive && !look.plain || a.opts.json {
				return a.check(c.Context(), args, &flags)
			}
			return a.watch(c.Context(), args, &look)
		},
	}
	flags.bind(c)
	look.bind(c)
	a.bindWindow(c)
	return c
}

// watch opens the board.
func (a *app) watch(ctx context.Context, args []string, look *boardFlags) error {
	set, err := a.boardSettings(look)
	if err != nil {
		return err
	}
	s, err := a.start(ctx, args, true)
	if err != nil {
		return err
	}
	defer s.Close()
	following, stop := context.WithCancel(ctx)
	defer stop()
	go newTableWatch(s).follow(following)
	return a.board(ctx, s, func(o *board.Options) {
		o.Settings, o.State, o.Remember = set, a.remembered(), a.remember
		o.Plain = a.plainBoard(look)
		for _, src := range s.sources {
			if src.Path == trace.Stdin && o.Plain {
				o.In = nil // a trace comes that way
			}
		}
	})
}

// boardOptions are the board's part of the flags and of what was found.
func (a *app) boardOptions(s *session) board.Options {
	zone := time.Local
	if a.opts.utc {
		zone = time.UTC
	}
	return board.Options{
		Ledger: s.ledger.name(), LedgerFixed: s.ledger.fixed, Table: s.tableAt.path, TableFixed: s.tableAt.fixed,
		ReadOnly: a.opts.readOnly, Redact: a.opts.redact, Now: a.clock, Zone: zone, Theme: a.opts.theme.word, ASCII: a.opts.ascii, Env: os.Environ(),
		In: a.env.Stdin, Out: a.env.Stdout, Faults: a.env.Temp,
	}
}
