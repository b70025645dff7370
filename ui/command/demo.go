package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"drainboard/ledger"
	"drainboard/ledger/sqlite"
	"drainboard/ui/board"
	"drainboard/ui/command/demo"

	"github.com/spf13/cobra"
)

// demoFlags are the flags of demo.
type demoFlags struct {
	dir   string
	seed  uint64
	speed float64
	look  boardFlags
}

func newDemo(a *app) *cobra.Command {
	var flags demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "A live drain in a temporary folder, with every finding in it, and the board on it",
		Long: `demo writes what two runtimes do while the paid one is switched off: their traces, the replay ledger, a
decision table and compensations, for a minute. The board opens on it. Every kind of finding turns up.
Without a terminal it writes the whole minute at once and prints the verdict, with exit code 0.`,
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context(), &flags) },
	}
	c.Flags().StringVar(&flags.dir, "dir", "", "write into `FOLDER`, which must be empty or new, and keep it")
	c.Flags().Uint64Var(&flags.seed, "seed", 1, "`NUMBER` that decides what is invented")
	c.Flags().Float64Var(&flags.speed, "speed", 1, "how many times faster than a minute it happens")
	flags.look.bind(c)
	return c
}

func (a *app) demo(ctx context.Context, flags *demoFlags) (err error) {
	if flags.speed < 0.1 || flags.speed > 100 {
		return &usage{"demo", fmt.Errorf("--speed: expected 0.1 to 100, found %v", flags.speed)}
	}
	dir := flags.dir
	if dir == "" {
		if dir, err = os.MkdirTemp(a.env.Temp, "drainboard-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if err := demo.Prepare(dir); err != nil {
		return err
	}
	store, err := sqlite.OpenStore(ctx, filepath.Join(dir, ledgerName), sqlite.StoreOptions{Create: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	a.opts.ledger, a.opts.namedLedger = filepath.Join(dir, ledgerName), true
	a.opts.tools, a.opts.namedTools = filepath.Join(dir, "tools.yaml"), true
	args := []string{demo.Paid + "=" + filepath.Join(dir, demo.Paid), demo.Dest + "=" + filepath.Join(dir, demo.Dest)}
	if !a.env.Interactive && !flags.look.plain || a.opts.json {
		return a.demoVerdict(ctx, dir, store, args, flags)
	}
	return a.demoLive(ctx, dir, store, args, flags)
}

// demoVerdict plays the drain at once and prints what check says of it.
func (a *app) demoVerdict(ctx context.Context, dir string, store ledger.Store, args []string, flags *demoFlags) error {
	end := a.clock()
	beats := demo.Story(flags.seed, end.Add(-demo.Length), 1)
	if err := demo.Play(ctx, dir, beats, store, nil); err != nil {
		return err
	}
	a.opts.now.Time = end
	a.folder = dir
	err := a.check(ctx, args, &checkFlags{limit: 0})
	if errors.Is(err, errNo) {
		return nil
	}
	return err
}

// demoLive plays the drain as it happens, and opens the board on it.
func (a *app) demoLive(ctx context.Context, dir string, store ledger.Store, args []string, flags *demoFlags) error {
	set, err := a.boardSettings(&flags.look)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	start := a.env.Now()
	beats := demo.Story(flags.seed, start, flags.speed)
	past := 0
	for past < len(beats) && !beats[past].At.After(start) {
		past++
	}
	if err := demo.Play(ctx, dir, beats[:past], store, nil); err != nil {
		return err
	}
	played := make(chan error, 1)
	go func() { played <- demo.Play(ctx, dir, beats[past:], store, a.until) }()
	s, err := a.start(ctx, args, true)
	if err != nil {
		stop()
		return errors.Join(err, ignoreCanceled(<-played))
	}
	err = a.board(ctx, s, func(o *board.Options) {
		o.Settings, o.Plain = set, a.plainBoard(&flags.look)
	})
	stop()
	return errors.Join(err, s.Close(), ignoreCanceled(<-played))
}

// until waits for a moment of the clock.
func (a *app) until(ctx context.Context, at time.Time) error {
	d := at.Sub(a.env.Now())
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func ignoreCanceled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
