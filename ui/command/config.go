package command

import (
	"fmt"
	"strings"

	"drainboard/keys/table"

	"drainboard/trace"
	"github.com/spf13/cobra"
)

// setting is one line of `config --json`.
type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func newConfig(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "config [PATH | label=PATH | -]...",
		Short: "Which settings are in force, and where each comes from",
		Long: `config says what a command with the same flags and paths would use: ledger, table, recipe, ceilings,
timeouts, sides. It reads the table and looks for the ledger; it reads no trace.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			settings, err := a.settings(args)
			if err != nil {
				return err
			}
			if a.opts.json {
				return a.printJSON(settings)
			}
			rows := make([][]cell, len(settings))
			for i, s := range settings {
				value := field(plain, s.Value)
				if s.Value == "" {
					value = field(dim, "none")
				}
				rows[i] = []cell{field(bold, s.Name), value, field(dim, s.From)}
			}
			p := a.page()
			p.table([]column{{title: "SETTING"}, {title: "VALUE", most: 60}, {title: "COMES FROM"}}, rows)
			return p.flush(a.env.Stdout)
		},
	}
}

// settings are what a command with these paths would use.
func (a *app) settings(args []string) ([]setting, error) {
	where, err := a.sources(args)
	if err != nil {
		return nil, err
	}
	sources := where.sources
	for _, path := range where.stores {
		sources = append(sources, trace.Source{Path: path})
	}
	first, from := "", "found: no path was given"
	if len(args) > 0 {
		first, from = sources[0].Path, "named"
	}
	var out []setting
	add := func(name, value, from string) { out = append(out, setting{name, value, from}) }
	side := ""
	for _, s := range sources {
		add("source", s.Path, from)
		if s.Label != "" {
			add("side of "+s.Path, s.Label, "named")
		}
		if side == "" {
			side = s.Label
		}
	}
	l := a.findLedger(first)
	add("ledger", l.name(), a.cameFrom(l, a.opts.namedLedger, "$DRAINBOARD_LEDGER", "neither named nor found"))
	t, at, err := a.findTable(first)
	if err != nil {
		return nil, err
	}
	add("table", at.path, a.cameFrom(at, a.opts.namedTools, "", "neither named nor found: every tool is unclassified"))
	a.tableSettings(t, at, add)
	if a.opts.draining != "" {
		add("draining side", a.opts.draining, "--draining")
	} else if side != "" {
		add("draining side", side, "the first")
	}
	if !a.opts.since.IsZero() {
		add("since", a.opts.since.String(), "--since")
	}
	if !a.opts.now.IsZero() {
		add("clock", a.opts.now.String(), "--now")
	}
	if a.opts.match.word != "none" {
		add("match", a.opts.match.word, "--match")
	}
	if from := "$DRAINBOARD_REDACT"; a.opts.redact {
		if a.opts.namedRedact {
			from = "--redact"
		}
		add("redact", "yes", from)
	}
	add("longest line", a.opts.maxLine.String(), "--max-line, or what it is without")
	return out, nil
}

// tableSettings adds what the decision table sets, or what holds where it sets nothing.
func (a *app) tableSettings(t *table.Table, at place, add func(name, value, from string)) {
	usual := table.Default()
	of := func(same bool) string {
		if same {
			return "without a setting"
		}
		return at.path
	}
	switch {
	case a.opts.recipe != "":
		add("recipe", a.opts.recipe, "--recipe")
	case t.Recipe != "":
		add("recipe", t.Recipe, at.path)
	default:
		add("recipe", "", "the one that reproduces most rows of the ledger, else intent")
	}
	add("calls a run", fmt.Sprint(t.Budget.CallsPerRun), of(t.Budget.CallsPerRun == usual.Budget.CallsPerRun))
	for _, r := range t.Budget.Runs {
		add("calls of "+r.Glob, fmt.Sprint(r.Calls), at.path)
	}
	add("runaway", fmt.Sprintf("%d identical, %d errors", t.Runaway.Identical, t.Runaway.Errors), of(t.Runaway == usual.Runaway))
	add("timeout", t.Defaults.Timeout.String(), of(t.Defaults.Timeout == usual.Defaults.Timeout))
	add("retry window", t.Defaults.RetryWindow.String(), of(t.Defaults.RetryWindow == usual.Defaults.RetryWindow))
	add("rows of the table", fmt.Sprint(t.Rows()), of(t.Rows() == 0))
}

// cameFrom says in words how a file was come by, and what may not be done with it.
func (a *app) cameFrom(at place, flag bool, variable, none string) string {
	var words []string
	switch {
	case at.path == "" && flag:
		words = append(words, "not wanted")
	case at.path == "":
		words = append(words, none)
	case flag:
		words = append(words, "named")
	case at.found == working && variable != "":
		words = append(words, "found in the working directory")
	case at.found == working:
		words = append(words, "found in the working directory, or above it")
	case at.found == beside:
		words = append(words, "found beside the first path")
	default:
		words = append(words, variable)
	}
	if at.fixed != "" && at.found != beside {
		words = append(words, at.fixed)
	}
	if at.found == beside {
		words = append(words, "for reading only")
	}
	return strings.Join(words, "; ")
}
