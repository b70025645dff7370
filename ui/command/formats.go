package command

import (
	"strings"

	"drainboard/trace"

	"github.com/spf13/cobra"
)

// formatLine is one format of `formats --json`.
type formatLine struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Sign     string   `json:"sign"`
	Reach    string   `json:"reach"`
	Restates bool     `json:"restates"`
	Results  string   `json:"results"`
	Lacks    []string `json:"lacks"`
}

func newFormats(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "What is read, and how far a call id reaches in it",
		Long: `formats lists the trace formats in the order in which a file's first lines are tried on them. A file
that is of none of them is read as generic lines: an object with a tool's name and arguments or an
id. What a format cannot tell is never guessed: it is listed under LACKS.`,
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			lines := formatLines(trace.Formats())
			if a.opts.json {
				return a.printJSON(lines)
			}
			p := a.page()
			var rows [][]cell
			for _, l := range lines {
				again := "sent again"
				if l.Restates {
					again = "a restatement"
				}
				rows = append(rows, []cell{
					field(bold, l.Name), field(plain, l.Title), field(dim, strings.ReplaceAll(l.Sign, "`", "")), field(plain, l.Reach), field(plain, again), field(plain, l.Results),
					field(dim, strings.Join(l.Lacks, ", ")),
				})
			}
			p.table([]column{
				{title: "FORMAT"},
				{title: "WRITTEN BY", most: 56},
				{title: "RECOGNISED BY", most: 60, spare: 5},
				{title: "AN ID REACHES", spare: 1},
				{title: "AN ID TWICE IS", spare: 2},
				{title: "RESULTS", spare: 3},
				{title: "LACKS", spare: 4},
			}, rows)
			return p.flush(a.env.Stdout)
		},
	}
}

func formatLines(formats []*trace.Format) []formatLine {
	lines := make([]formatLine, 0, len(formats))
	for _, f := range formats {
		l := formatLine{Name: f.Name, Title: f.Title, Sign: f.Sign, Restates: f.Restates, Lacks: append([]string{}, f.Lacks...)}
		switch f.Reach {
		case trace.ReachEverywhere:
			l.Reach = "everywhere"
		case trace.ReachConn:
			l.Reach = "its connection"
		default:
			l.Reach = "its run"
		}
		switch f.Results {
		case trace.RecordsAlways:
			l.Results = "recorded"
		case trace.RecordsNever:
			l.Results = "never"
		default:
			l.Results = "when one was seen"
		}
		lines = append(lines, l)
	}
	return lines
}
