package command

import (
	"fmt"
	"strings"

	"drainboard/ledger/triage"

	"github.com/spf13/cobra"
)

func newBudget(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "budget [PATH | label=PATH | -]...",
		Short: "Runs against the ceiling, and a suggested ceiling",
		Long: `budget lists the runs with their calls against the ceiling of tools.yaml (budget:), those above it
first. The suggested ceiling is twice the calls of the largest honest run: one without a repeat of
medium or worse, drift, faulty keys, runaway, or calls after its end.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := a.open(c.Context(), args)
			if err != nil {
				return err
			}
			defer s.Close()
			report, err := s.report(c.Context())
			if err != nil {
				return err
			}
			if a.opts.json {
				return a.printJSON(report.Budget)
			}
			p := a.page()
			p.budget(s.Snapshot())
			return p.flush(a.env.Stdout)
		},
	}
}

// budget prints the runs and their ceilings.
func (p *page) budget(s *triage.Snapshot) {
	over := s.Kinds[triage.OverBudget]
	p.word(bold, "ceiling %d", s.Ceiling).word(dim, "  suggested ")
	if s.Suggest > 0 {
		p.word(plain, "%d", s.Suggest).word(dim, " (twice the largest honest run)")
	} else {
		p.word(plain, "none").word(dim, " (no honest run to double)")
	}
	p.word(dim, "  %s, ", plural(s.Totals.Runs, "run", "runs"))
	k := plain
	if over > 0 {
		k = red
	}
	p.word(k, "%d over", over).line()
	var rows [][]cell
	for _, r := range s.Runs.All {
		k, state := plain, ""
		if r.Over {
			k, state = red, "over"
		}
		tree := ""
		if r.Tree != r.Calls {
			tree = thousands(r.Tree)
		}
		rows = append(rows, []cell{
			field(plain, r.Run), field(k, thousands(r.Calls)), field(dim, thousands(r.Ceiling)), field(k, bar(r.Calls, r.Ceiling)),
			field(k, state), field(plain, tree), number(r.Findings), field(dim, r.Side), field(dim, clock(r.Last)),
		})
	}
	if len(rows) == 0 {
		p.word(dim, "  no run was seen").line()
		return
	}
	p.line()
	p.table([]column{
		{title: "RUN", most: 40},
		{title: "CALLS", right: true},
		{title: "CEILING", right: true},
		{title: ""},
		{title: ""},
		{title: "TREE", right: true},
		{title: "FINDINGS", right: true},
		{title: "SIDE", most: 16},
		{title: "LAST", spare: 1},
	}, rows)
}

// bar draws a count against its ceiling: ten fields make the ceiling.
func bar(n, ceiling int) string {
	k := 10
	if ceiling > 0 {
		k = min((n*10+ceiling-1)/ceiling, 10)
	}
	end := ""
	if n > ceiling {
		end = fmt.Sprintf(" +%d", n-ceiling)
	}
	return strings.Repeat("■", k) + strings.Repeat("·", 10-k) + end
}
