package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan is for packagers: it is not listed.
func newMan(a *app, root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages, one a command, into a folder",
		Hidden: true,
		Args:   exactly(1, "a folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the folder of the manual pages: %w", err)
			}
			var made time.Time // the same commands give the same pages: the date is that of --now, or none
			if made = a.opts.now.Time; made.IsZero() {
				made = time.Unix(0, 0).UTC()
			}
			if err := writeManual(root, args[0], made.Format("Jan 2006")); err != nil {
				return fmt.Errorf("write the manual pages: %w", err)
			}
			return nil
		},
	}
}

// writeManual writes the page of a command and of those below it. cobra's own writer would bring a Markdown library that costs every
// start of the program two milliseconds.
func writeManual(c *cobra.Command, dir, date string) error {
	for _, s := range c.Commands() {
		if s.IsAvailableCommand() {
			if err := writeManual(s, dir, date); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(manualPage(c, date)), 0o644)
}

// pageName is the name of a command's page: drainboard-ledger-ls.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manualPage is a command's manual page, as roff's man macros have it.
func manualPage(c *cobra.Command, date string) string {
	c.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".nh\n.ad l\n.TH %q \"1\" %q \"drainboard\" \"drainboard\"\n", strings.ToUpper(pageName(c)), date)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", roff(c.UseLine()))
	if c.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(c.Long))
	}
	flags := func(title string, set *pflag.FlagSet) {
		if !set.HasAvailableFlags() {
			return
		}
		fmt.Fprintf(&b, ".SH %s\n", title)
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value, what := pflag.UnquoteUsage(f)
			b.WriteString(".TP\n")
			if f.Shorthand != "" {
				fmt.Fprintf(&b, "\\fB\\-%s\\fP, ", f.Shorthand)
			}
			fmt.Fprintf(&b, "\\fB\\-\\-%s\\fP", roff(f.Name))
			if value != "" {
				fmt.Fprintf(&b, " \\fI%s\\fP", roff(value))
			}
			fmt.Fprintf(&b, "\n%s", roff(what))
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
				fmt.Fprintf(&b, " (default %s)", roff(f.DefValue))
			}
			b.WriteByte('\n')
		})
	}
	flags("OPTIONS", c.NonInheritedFlags())
	flags("OPTIONS OF EVERY COMMAND", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLE\n.nf\n%s\n.fi\n", roff(c.Example))
	}
	var also []string
	if c.HasParent() {
		also = append(also, "\\fB"+roff(pageName(c.Parent()))+"\\fP(1)")
	}
	for _, s := range c.Commands() {
		if s.IsAvailableCommand() {
			also = append(also, "\\fB"+roff(pageName(s))+"\\fP(1)")
		}
	}
	if len(also) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(also, ",\n"))
	}
	return b.String()
}

// roff is text in which nothing is an escape, a request or a typographical dash.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
