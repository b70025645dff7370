package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"drainboard/keys/table"

	"github.com/spf13/cobra"
)

func newInit(a *app) *cobra.Command {
	var pack, to string
	c := &cobra.Command{
		Use:   "init [PATH | label=PATH | -]...",
		Short: "Write a decision table from what a trace holds",
		Long: `init writes tools.yaml: every tool that was called, how often, and a suggested class as a comment. No
class is set, because a suggestion is not a decision. --pack NAME adds what is known of an agent's own
tools: arguments that change from call to call, and tools that poll.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.init(c.Context(), args, pack, to) },
	}
	c.Flags().StringVar(&pack, "pack", "", "also use what is known of the tools of `AGENT`: "+orList(table.PackNames()))
	c.Flags().StringVarP(&to, "output", "o", table.Name, "write to `FILE`; - is standard output")
	return c
}

func (a *app) init(ctx context.Context, args []string, packName, to string) error {
	var pack *table.Pack
	if packName != "" {
		var ok bool
		if pack, ok = table.PackFor(packName); !ok {
			return &usage{"init", fmt.Errorf("--pack: expected %s, found %q", orList(table.PackNames()), packName)}
		}
	}
	if to != "-" {
		if _, err := os.Lstat(to); err == nil {
			return &refusal{fmt.Errorf("%s is there already: name another with -o, or add to it what drainboard tools --check prints", to)}
		}
	}
	s, err := a.open(ctx, args)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.list(ctx, s); err != nil {
		return err
	}
	var seen []table.Seen
	notes := s.annotations(ctx)
	for _, v := range s.Snapshot().Tools.All {
		seen = append(seen, table.Seen{Tool: v.Tool, Calls: v.Calls, Suggestion: table.Suggest(v.Tool, notes.hint(v.Tool, pack))})
	}
	src := table.Init(seen, pack)
	if to == "-" {
		_, err := a.env.Stdout.Write(src)
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	p := a.page()
	p.word(plain, "%s: %s, none classified yet", to, plural(len(seen), "tool", "tools")).word(dim, "  next: give each its class, then drainboard tools --check").line()
	return p.flush(a.env.Stderr)
}
