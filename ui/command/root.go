package command

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"drainboard/ui/safe"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// app is what the commands of one command line share.
type app struct {
	env    *Env
	opts   *options
	folder string // text for people shows paths in it without it
}

const rootHelp = `drainboard watches an agent's tool calls, so that no side effect happens twice.

It tails trace files, recomputes the key of every call, joins the calls with the
replay ledger, and shows what repeats, what hangs, what is unclassified and what
runs away. Without a terminal it prints the same as check.

A PATH is a file, a folder (new files in it are picked up), a glob, or - for
standard input; label=PATH puts it on a side. Without one it looks where known
agents keep traces, and in the working directory.

Exit codes: 0 done, or GO; 1 NO-GO, refused, or a failed expectation; 2 it could
not run.`

// newRoot builds the command tree.
func newRoot(e *Env) *cobra.Command {
	a := &app{env: e, opts: newOptions()}
	watch := newWatch(a)
	root := &cobra.Command{
		Use:           "drainboard [PATH | label=PATH | -]...",
		Short:         "A board for watching and triaging an agent's tool calls",
		Long:          rootHelp,
		Args:          cobra.ArbitraryArgs,
		RunE:          watch.RunE,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Example = `  drainboard demo
  drainboard paid=traces/paid dest=traces/dest --ledger tool_replay.sqlite
  drainboard check --json run-22.jsonl`
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Flags().AddFlagSet(watch.Flags())
	a.opts.bind(root.PersistentFlags())
	root.PersistentPreRun = func(c *cobra.Command, _ []string) {
		a.opts.namedLedger = c.Flags().Changed("ledger")
		a.opts.namedTools = c.Flags().Changed("tools")
		a.settleRedact(c)
		if ago := a.opts.since.ago; ago > 0 {
			a.opts.since.Time = a.clock().Add(-ago)
		}
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usage{name(c), err}
	})
	root.SetHelpCommand(newHelp(root))
	root.AddCommand(watch, newCheck(a), newKeys(a), newTools(a), newInit(a), newBudget(a), newLedger(a), newCompensate(a), newExec(a), newRecord(a), newReplay(a), newDrain(a), newLeftovers(a), newExport(a), newDemo(a), newFormats(a), newConfig(a), newVersion(a), newMan(a, root))
	completeChoices(root)
	return root
}

// completeChoices tells shells which words a flag of a few words takes.
func completeChoices(c *cobra.Command) {
	each := func(f *pflag.Flag) {
		if words, ok := f.Value.(*choice); ok {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words.words, cobra.ShellCompDirectiveNoFileComp)) // fails when it has one
		}
	}
	c.PersistentFlags().VisitAll(each)
	c.Flags().VisitAll(each) // before they are parsed: its own alone
	for _, s := range c.Commands() {
		completeChoices(s)
	}
}

// newHelp is cobra's help command, but for a topic that there is not: that is a mistake.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Help for a command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			c := root
			for _, word := range args {
				var known []string
				var next *cobra.Command
				for _, s := range c.Commands() {
					if s.Name() == word {
						next = s
					}
					if s.IsAvailableCommand() {
						known = append(known, s.Name())
					}
				}
				if next == nil {
					return &usage{name(c), fmt.Errorf("help: there is no command %q%s", strings.TrimSpace(name(c)+" "+word), didYouMean(word, known))}
				}
				c = next
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// name is how a command is called, without the program: "ledger ls", or "" for the program itself.
func name(c *cobra.Command) string {
	_, rest, _ := strings.Cut(c.CommandPath(), " ")
	return rest
}

// complain prints an error and what to do next.
func complain(e *Env, err error) {
	for i, line := range strings.Split(err.Error(), "\n") {
		if i == 0 {
			line = "drainboard: " + line
		}
		fmt.Fprintln(e.Stderr, safe.Line(line))
	}
	var u *usage
	if errors.As(err, &u) {
		fmt.Fprintln(e.Stderr, strings.TrimSuffix("see: drainboard "+u.command, " ")+" --help")
	}
}

// atLeast makes a cobra argument check whose error names the command.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return &usage{name(c), fmt.Errorf("%s: expected %s, found %s", name(c), what, plural(len(args), "argument", "arguments"))}
		}
		return nil
	}
}

// atMost makes a cobra argument check whose error names the command.
func atMost(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return &usage{name(c), fmt.Errorf("%s: expected %s, found %s", name(c), what, plural(len(args), "argument", "arguments"))}
		}
		return nil
	}
}

// exactly makes a cobra argument check whose error names the command.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return &usage{name(c), fmt.Errorf("%s: expected %s, found %s", name(c), what, plural(len(args), "argument", "arguments"))}
		}
		return nil
	}
}

// subcommand is the RunE of a command that only holds others.
func subcommand(c *cobra.Command, args []string) error {
	var known []string
	for _, s := range c.Commands() {
		known = append(known, s.Name())
	}
	if len(args) == 0 {
		return &usage{name(c), fmt.Errorf("%s: expected %s", name(c), orList(known))}
	}
	return &usage{name(c), fmt.Errorf("%s: there is no command %q%s", name(c), args[0], didYouMean(args[0], known))}
}

// mistaken says whether a path that does not exist was rather meant as a command.
func mistaken(root *cobra.Command, arg string) error {
	if strings.ContainsAny(arg, `/\.=*?[`) || arg == "-" {
		return nil
	}
	if _, err := os.Lstat(arg); err == nil {
		return nil
	}
	var known []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	hint := didYouMean(arg, known)
	if hint == "" {
		hint = "; commands are " + orList(known)
	}
	return &usage{"", fmt.Errorf("%q is neither a file nor a command%s", arg, hint)}
}

// didYouMean names the known words that are close to a word.
func didYouMean(word string, known []string) string {
	var near []string
	for _, k := range known {
		if d := distance(word, k); d <= 2 && d < len(k) || len(word) > 2 && strings.HasPrefix(k, word) {
			near = append(near, k)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance(word, a) - distance(word, b) })
	if len(near) == 0 {
		return ""
	}
	best := distance(word, near[0])
	near = slices.DeleteFunc(near, func(k string) bool { return distance(word, k) > best && !strings.HasPrefix(k, word) })
	return "; did you mean " + orList(near[:min(len(near), 3)]) + "?"
}

// distance counts the letters to add, take away, replace or swap with their neighbour to turn a into b.
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			row[j] = min(d, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
