package command

import (
	"errors"
	"fmt"
	"os"

	"drainboard/keys/table"

	"github.com/spf13/cobra"
)

func newToolsSet(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "set TOOL CLASS",
		Short: "Give a tool its class in tools.yaml",
		Long: `set writes the class of a tool into the decision table: pure, keyed or compensate. A tool without a row
gets one. Everything else in the file stays as it is: comments, order, formatting.`,
		Example: "  drainboard tools set open_pr keyed",
		Args:    exactly(2, "a tool and its class: pure, keyed or compensate"),
		RunE: func(_ *cobra.Command, args []string) error {
			class, ok := table.ParseClass(args[1])
			if !ok {
				return &usage{"tools set", fmt.Errorf("expected pure, keyed or compensate, found %q%s", args[1], didYouMean(args[1], []string{"pure", "keyed", "compensate"}))}
			}
			return a.change(func(src []byte) ([]byte, error) { return table.SetClass(src, args[0], class) },
				fmt.Sprintf("%s is %s", args[0], class))
		},
	}
}

// change edits the decision table in place, unless it changed since it was read, and says what became of it.
func (a *app) change(edit func(src []byte) ([]byte, error), done string) error {
	if a.opts.readOnly {
		return &refusal{errors.New("refused: --read-only")}
	}
	_, at, err := a.findTable("")
	if err != nil {
		return err
	}
	old, err := readTable(at)
	if err != nil {
		return err
	}
	edited, err := edit(old)
	if err != nil {
		return fmt.Errorf("%s: %w", at.path, err)
	}
	if err := table.Replace(at.path, old, edited); err != nil {
		return fmt.Errorf("write %s: %w", at.path, err)
	}
	p := a.page()
	p.word(plain, "%s", done).word(dim, "  %s", at.path).line()
	return p.flush(a.env.Stderr)
}

// readTable reads the text of the table that a command is to change.
func readTable(at place) ([]byte, error) {
	switch {
	case at.path == "":
		return nil, errors.New("there is no decision table: name one with --tools, or write one with drainboard init")
	case at.fixed != "":
		return nil, &refusal{fmt.Errorf("%s is not changed: %s; name it with --tools if it is yours", at.path, at.fixed)}
	}
	return os.ReadFile(at.path)
}
