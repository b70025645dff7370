package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"drainboard/ledger/triage"
	"drainboard/ui/safe"

	"github.com/spf13/cobra"
)

// drainFlags are the flags of drain.
type drainFlags struct {
	wait    bool
	timeout time.Duration
	limit   int
}

func newDrain(a *app) *cobra.Command {
	var flags drainFlags
	c := &cobra.Command{
		Use:   "drain [PATH | label=PATH | -]...",
		Short: "Compare two sides and the ledger, and wait for GO",
		Long: `drain says whether a runtime can be switched off: what each side did and when it was last heard of,
what is in flight, whose it is and whether that process still lives here, what went around the
envelope, what only one side has, and each blocker with its next step.

With --window it is GO only after nothing has blocked for that long without a break. The start of the
window is kept in $XDG_STATE_HOME/drainboard, so that it survives a restart; rows that came and went
while nobody looked are seen in the ledger and break it. With --wait it follows the traces, the
ledger and tools.yaml until it is GO, and says on standard error what it waits for.

Exit codes: 0 GO; 1 NO-GO, also when --timeout is over; 2 it could not run.`,
		Example: `  drainboard drain paid=traces/paid dest=traces/dest --ledger tool_replay.sqlite
  drainboard drain paid=traces/paid dest=traces/dest --window 30m --wait --timeout 4h && ./switch-off-paid.sh
  drainboard drain --match intent --json paid=paid.jsonl dest=dest.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.drain(c.Context(), args, &flags) },
	}
	a.bindWindow(c)
	c.Flags().BoolVar(&flags.wait, "wait", false, "follow, and end when it is GO")
	c.Flags().DurationVar(&flags.timeout, "timeout", 0, "with --wait: give up after `DURATION`, with exit code 1; 0: never")
	limitVar(c.Flags(), &flags.limit, 10, "list at most `N` rows of each kind; 0: all")
	return c
}

// drain answers whether the drain is done.
func (a *app) drain(ctx context.Context, args []string, flags *drainFlags) error {
	if err := a.drainUsage(flags); err != nil {
		return &usage{"drain", err}
	}
	s, err := a.start(ctx, args, flags.wait)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Wait(ctx); err != nil {
		return err
	}
	if flags.wait {
		if err := a.await(ctx, s, flags.timeout); err != nil {
			return err
		}
	}
	snap := s.Snapshot()
	report, err := s.Report(ctx)
	if err != nil {
		return err
	}
	answer, err := a.drainAnswer(ctx, s, snap)
	if err != nil {
		return err
	}
	if a.opts.json {
		err = a.printJSON(answer)
	} else {
		p := a.page()
		p.drain(answer, snap, s.use, flags.limit)
		p.unreadable(report.Unreadable)
		err = p.flush(a.env.Stdout)
	}
	if kept := s.window.close(); kept != nil {
		fmt.Fprintln(a.env.Stderr, safe.Line("drainboard: "+kept.Error()))
	}
	if err != nil {
		return err
	}
	if err := s.nothing(report); err != nil && !flags.wait {
		return err
	}
	if !snap.Verdict.Go {
		return errNo
	}
	return nil
}

func (a *app) drainUsage(flags *drainFlags) error {
	switch {
	case a.opts.window < 0 || flags.timeout < 0:
		return errors.New("expected a duration above zero, as 30m")
	case flags.timeout > 0 && !flags.wait:
		return errors.New("--timeout says how long --wait waits: give --wait too")
	case flags.wait && !a.opts.now.IsZero():
		return errors.New("--now stops the clock, and --wait would wait for ever: leave one of them away")
	}
	return nil
}

// settled is how long it has to be GO without a window: a call that just came has its time to meet its row.
const settled = 2 * time.Second

// await follows until it is GO, or until the time is over, and says what it waits for.
func (a *app) await(ctx context.Context, s *session, timeout time.Duration) error {
	var over <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		over = t.C
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var went time.Time // since when it is GO
	table := newTableWatch(s)
	said := progress{to: a.env.Stderr}
	for {
		snap := s.Snapshot()
		said.say(snap, s.Progress().Loading, a.clock())
		if !snap.Verdict.Go {
			went = time.Time{}
		} else if went.IsZero() {
			went = time.Now()
		}
		switch {
		case snap.Verdict.Go && (snap.Window != nil || time.Since(went) >= settled):
			return nil
		case s.use.ledgerErr != "":
			fmt.Fprintln(a.env.Stderr, safe.Line("drainboard: not waiting: "+s.use.ledgerErr))
			return nil
		}
		select {
		case <-s.Updates():
		case <-over:
			fmt.Fprintln(a.env.Stderr, "drainboard: the time is over ("+timeout.String()+")")
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if err := s.Wait(ctx); err != nil { // what ended the engine
				return err
			}
			if err := table.look(ctx); err != nil {
				fmt.Fprintln(a.env.Stderr, safe.Line("drainboard: the table stays as it was: "+s.Progress().Table))
			}
		}
	}
}

// waitsFor says in one line what stands between here and GO.
func waitsFor(s *triage.Snapshot, loading bool, now time.Time) string {
	v := s.Verdict
	switch {
	case loading:
		return "reading"
	case v.Go:
		return "GO"
	case v.Waiting:
		return fmt.Sprintf("nothing blocks, %s of %s left", span(s.Window.Left(now.UnixNano())), span(s.Window.Need))
	}
	var parts []string
	for _, b := range v.Blockers {
		one, many, _ := blockerWords(b.Kind)
		parts = append(parts, plural(b.Count, one, many))
	}
	return fmt.Sprintf("NO-GO %d: %s", v.Rows, strings.Join(parts, ", "))
}
