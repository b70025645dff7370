package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// exportFlags are the flags of export.
type exportFlags struct {
	format    choice
	out       string
	anonymous bool
}

func newExport(a *app) *cobra.Command {
	flags := exportFlags{format: choice{"md", []string{"md", "json", "csv"}}}
	c := &cobra.Command{
		Use:   "export [PATH | label=PATH | -]...",
		Short: "An incident report: Markdown, JSON or CSV",
		Long: `export writes down what is known, for the incident: the verdict and what blocks, the sides, a timeline
of what was found and done, every finding with the calls behind it, and what operators did (the log of
the ledger). The same input and the same --now give the same report, byte for byte.

Without --format the ending of -o decides: .md, .json or .csv.

CSV is the timeline: one line a call of a finding, or an action. No report holds arguments or results.
--redact masks what looks like a secret in what it does hold: reasons, names, what could not be read.
--anonymous leaves out reasons and words altogether, and puts digests for the names of runs, files and people.`,
		Example: `  drainboard export traces/ --ledger tool_replay.sqlite -o incident.md
  drainboard export --format csv --anonymous paid=traces/paid dest=traces/dest > incident.csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.settle(c.Flags().Changed("format"), a.opts.json); err != nil {
				return err
			}
			return a.export(c.Context(), args, &flags)
		},
	}
	c.Flags().Var(&flags.format, "format", "`FORMAT`: md, json, csv")
	c.Flags().StringVarP(&flags.out, "out", "o", "", "write `FILE`, which must not be there yet, instead of standard output")
	c.Flags().BoolVar(&flags.anonymous, "anonymous", false, "leave out reasons and words, and put digests for the names of runs, files and people")
	return c
}

// settle finds the format: --json, --format, else the ending of -o.
func (f *exportFlags) settle(named, asJSON bool) error {
	switch ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(f.out), ".")); {
	case asJSON:
		f.format.word = "json"
	case named || f.out == "":
	case ending == "markdown":
		f.format.word = "md"
	case f.format.Set(ending) != nil:
		return &usage{"export", fmt.Errorf("-o %s: expected a name that ends in .md, .json or .csv, or --format beside it", f.out)}
	}
	return nil
}

// export writes the report.
func (a *app) export(ctx context.Context, args []string, flags *exportFlags) (err error) {
	s, err := a.open(ctx, args)
	if err != nil {
		return err
	}
	defer s.Close()
	report, err := s.report(ctx)
	if err != nil {
		return err
	}
	incident, err := a.incident(ctx, s, report)
	if err != nil {
		return err
	}
	incident.mask(a)
	if flags.anonymous {
		incident.anonymous()
	}
	var out io.Writer = a.env.Stdout
	if flags.out != "" {
		f, ferr := os.OpenFile(flags.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if ferr != nil {
			return fmt.Errorf("write the report: %w; name a file that is not there yet", ferr)
		}
		defer func() {
			if cerr := f.Close(); err == nil {
				err = cerr
			}
		}()
		out = f
	}
	switch flags.format.word {
	case "json":
		return a.writeJSON(out, incident)
	case "csv":
		return incident.csv(out)
	default:
		return incident.markdown(out)
	}
}
