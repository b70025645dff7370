package command

import (
	"context"
	"fmt"
	"iter"

	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"

	"github.com/spf13/cobra"
)

// checkFlags are the flags of check and of watch without a terminal.
type checkFlags struct {
	failOn choice
	filter string
	limit  int
}

func (c *checkFlags) bind(cmd *cobra.Command) {
	c.failOn = choice{"", []string{"info", "low", "medium", "high", "critical"}}
	cmd.Flags().Var(&c.failOn, "fail-on", "exit 1 also when a finding is of this `SEVERITY` or worse: info, low, medium, high, critical")
	cmd.Flags().StringVar(&c.filter, "filter", "", "list, and hold --fail-on to, what matches `EXPRESSION` only, as \"kind:duplicate sev>=medium tool:open_pr\"")
	limitVar(cmd.Flags(), &c.limit, 30, "list at most `N` findings; 0: all")
}

func newCheck(a *app) *cobra.Command {
	var flags checkFlags
	c := &cobra.Command{
		Use:   "check [PATH | label=PATH | -]...",
		Short: "The board's verdict, without the board",
		Long: `check reads the traces to their end, once, and prints the verdict, what blocks it, what was
found, and what to do next. It exits 1 when the verdict is NO-GO, or when --fail-on is met.

--filter narrows the list and what --fail-on looks at. The verdict never depends on it, and
neither does --json, which holds everything.`,
		Example: `  drainboard check traces/
  drainboard check --json --tools tools.yaml run-22.jsonl | jq .duplicates
  drainboard check --fail-on medium --filter kind:duplicate traces/`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.check(c.Context(), args, &flags) },
	}
	flags.bind(c)
	return c
}

// check reads everything and prints the verdict.
func (a *app) check(ctx context.Context, args []string, flags *checkFlags) error {
	match, err := parseFilter(flags.filter)
	if err != nil {
		return &usage{"check", err}
	}
	s, err := a.open(ctx, args)
	if err != nil {
		return err
	}
	defer s.Close()
	report, err := s.report(ctx)
	if err != nil {
		return err
	}
	snap := s.Snapshot()
	if a.opts.json {
		err = a.printReport(report)
	} else {
		p := a.page()
		p.verdict(snap, s.use, matching(ctx, s, snap, match), flags.limit, report.Unreadable)
		err = p.flush(a.env.Stdout)
	}
	switch {
	case err != nil:
		return err
	case report.Verdict != "GO":
		return errNo
	case flags.failOn.word != "":
		return failOn(ctx, s, snap, match, flags.failOn.word)
	}
	return nil
}

// failOn is errNo when a finding that matches is of a severity or worse. Nothing says so but the exit code: the list did.
func failOn(ctx context.Context, s *session, snap *triage.Snapshot, match *filter.Filter, word string) error {
	least, ok := triage.ParseSeverity(word)
	if !ok {
		return fmt.Errorf("severity %q", word)
	}
	for _, f := range matching(ctx, s, snap, match) {
		if f.Severity >= least {
			return errNo
		}
	}
	return nil
}

// matching lists the findings that match, worst first.
func matching(ctx context.Context, s *session, snap *triage.Snapshot, match *filter.Filter) iter.Seq2[int, *triage.Finding] {
	return func(yield func(int, *triage.Finding) bool) {
		for i, f := range snap.Findings.All {
			r := filter.OfFinding(f, snap.Now)
			r.Args = func() []byte {
				raw, _ := s.Args(ctx, f.First) // what cannot be read again matches nothing
				return raw
			}
			if match.Match(&r) && !yield(i, f) {
				return
			}
		}
	}
}
