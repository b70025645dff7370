package command

import (
	"context"
	"fmt"
	"strings"

	"drainboard/keys/table"
	"drainboard/ledger/triage"

	"github.com/spf13/cobra"
)

// toolsFlags are the flags of tools.
type toolsFlags struct {
	tag            string
	check, suggest bool
}

func newTools(a *app) *cobra.Command {
	var flags toolsFlags
	c := &cobra.Command{
		Use:   "tools [PATH | label=PATH | -]...",
		Short: "Calls by tool, unclassified first",
		Long: `tools is the inventory of what an agent really called: unclassified tools first, then by calls.

--check exits 1 when a trace holds a tool that the table does not classify, and prints the rows
to add. --suggest says what speaks for a class of each: its name, the agent whose own tool it is, what
its calls did (the same arguments with changing results, errors that something is there already), the
members that seem to name the object, and for tools that run commands the cases by what they ran. --tag FILE writes the calls of classified tools as JSONL: each record as it was recorded,
with "tag": pure, keyed or compensate. The traces themselves are never changed.`,
		Example: `  drainboard tools traces/
  drainboard tools --check --tools tools.yaml traces/
  drainboard tools --tag tagged.jsonl paid_tool_trace.jsonl
  drainboard tools set open_pr keyed`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.tools(c.Context(), args, &flags) },
	}
	c.Flags().StringVar(&flags.tag, "tag", "", "write the tagged calls to `FILE` as JSONL; - is standard output")
	c.Flags().BoolVar(&flags.check, "check", false, "exit 1 when a tool is unclassified, and print the rows to add")
	c.Flags().BoolVar(&flags.suggest, "suggest", false, "say what each tool's class might be, and why")
	c.AddCommand(newToolsSet(a))
	return c
}

// toolLine is one tool of `tools --json`.
type toolLine struct {
	Tool         string   `json:"tool"`
	Class        string   `json:"class"`
	Calls        int      `json:"calls"`
	Unclassified int      `json:"unclassified"` // calls in no class
	Repeats      int      `json:"repeats"`
	Errors       int      `json:"errors"`
	Open         int      `json:"open"`
	Sides        []string `json:"sides"`
	Suggested    string   `json:"suggested"`
	Why          string   `json:"why"`

	Evidence *evidence `json:"evidence,omitempty"` // with --suggest, of an unclassified tool
}

func (a *app) tools(ctx context.Context, args []string, flags *toolsFlags) error {
	s, err := a.open(ctx, args)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.list(ctx, s); err != nil {
		return err
	}
	if flags.tag != "" {
		return a.tag(ctx, s, flags.tag)
	}
	lines := toolLines(s.Snapshot())
	if flags.suggest {
		if err := s.gather(ctx, lines); err != nil {
			return err
		}
	}
	missing := lines[:0:0]
	for _, l := range lines {
		if l.Unclassified > 0 {
			missing = append(missing, l)
		}
	}
	switch {
	case a.opts.json:
		err = a.printJSON(map[string]any{"table": s.use.table, "tools": lines})
	case flags.check:
		p := a.page()
		p.rowsToAdd(missing, s.use)
		err = p.flush(a.env.Stdout)
	default:
		p := a.page()
		p.tools(lines, s.use, flags.suggest)
		for i := range lines {
			if lines[i].Evidence != nil {
				p.evidence(&lines[i])
			}
		}
		err = p.flush(a.env.Stdout)
	}
	if err == nil && flags.check && len(missing) > 0 {
		return errNo
	}
	return err
}

// gather finds what speaks for a class of the unclassified tools.
func (s *session) gather(ctx context.Context, lines []toolLine) error {
	notes := s.annotations(ctx)
	for i, v := range s.Snapshot().Tools.All {
		if v.Unclassified == 0 {
			continue
		}
		e, err := s.evidence(ctx, v, notes)
		if err != nil {
			return err
		}
		lines[i].Evidence = e
		lines[i].Suggested, lines[i].Why = e.Class, ""
		if len(e.Why) > 0 {
			lines[i].Why = strings.TrimPrefix(e.Why[0], e.Class+": ")
		}
	}
	return nil
}

// toolLines lists the tools in the order of the board.
func toolLines(s *triage.Snapshot) []toolLine {
	lines := make([]toolLine, 0, s.Tools.Len())
	for _, v := range s.Tools.All {
		l := toolLine{
			Tool: v.Tool, Class: v.Class, Calls: v.Calls, Unclassified: v.Unclassified, Repeats: v.Repeats, Errors: v.Errors, Open: v.Open,
			Sides: append([]string{}, v.Sides...),
		}
		if got := table.Suggest(v.Tool, table.Hint{}); v.Unclassified > 0 && (got.Class != table.Unclassified || got.Why != "") {
			l.Why = got.Why
			if got.Class != table.Unclassified {
				l.Suggested = got.Class.String()
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// tools prints the inventory.
func (p *page) tools(lines []toolLine, use inUse, suggest bool) {
	calls, open := 0, 0
	for _, l := range lines {
		calls += l.Calls
		if l.Unclassified > 0 {
			open++
		}
	}
	p.word(bold, "%s", plural(len(lines), "tool", "tools")).word(dim, "  %s  ", plural(calls, "call", "calls"))
	k := plain
	if open > 0 {
		k = red
	}
	p.word(k, "%d unclassified", open)
	if use.table != "" {
		p.word(dim, "  table ").word(plain, "%s", use.table).note(use.tableNote)
	} else {
		p.word(dim, "  no table: drainboard init writes one")
	}
	p.line()
	if len(lines) == 0 {
		p.word(dim, "  no call was seen").line()
		return
	}
	rows := make([][]cell, 0, len(lines))
	for _, l := range lines {
		k := plain
		if l.Unclassified > 0 {
			k = red
		}
		row := []cell{
			number(l.Calls), field(bold, l.Tool), field(k, l.Class), number(l.Repeats), number(l.Errors), number(l.Open),
			field(dim, strings.Join(l.Sides, " ")),
			{},
		}
		if suggest && l.Unclassified > 0 {
			words := l.Suggested + "?"
			if l.Suggested == "" {
				words = "no suggestion"
			}
			if l.Why != "" {
				words += " " + l.Why
			}
			row[7] = field(yellow, words)
		}
		rows = append(rows, row)
	}
	p.line()
	p.table([]column{
		{title: "CALLS", right: true},
		{title: "TOOL", most: 48},
		{title: "CLASS"},
		{title: "REPEATS", right: true},
		{title: "ERRORS", right: true},
		{title: "OPEN", right: true},
		{title: "SIDES", most: 24, spare: 1},
		{title: "SUGGESTED"},
	}, rows)
}

// rowsToAdd prints the rows that the table lacks, as YAML that can be pasted: without a class, which is for a person to say.
func (p *page) rowsToAdd(missing []toolLine, use inUse) {
	name := use.table
	if name == "" {
		name = table.Name
	}
	if len(missing) == 0 {
		p.word(green, "every tool is classified").word(dim, "  table %s", name).line()
		return
	}
	p.word(plain, "# add to tools: in %s; %s", name, plural(len(missing), "tool is unclassified", "tools are unclassified")).line()
	for _, l := range missing {
		hint := "pure, keyed or compensate"
		if l.Suggested != "" {
			hint = "suggested: " + l.Suggested + ", " + l.Why
		}
		p.word(plain, "  %s: {class: }", yamlName(l.Tool)).word(dim, "  # %s; %s", plural(l.Unclassified, "call", "calls"), hint).line()
	}
}

// yamlName writes a tool's name as a YAML key.
func yamlName(tool string) string {
	bare := tool != ""
	for _, c := range tool {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			bare = false
		}
	}
	if bare && !strings.ContainsAny(tool[:1], "-0123456789") {
		return tool
	}
	return fmt.Sprintf("%q", tool)
}
