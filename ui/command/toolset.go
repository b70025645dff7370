package command

import (
	"errors"
	"fmt"
	"strings"

	"drainboard/keys/table"

	"github.com/spf13/cobra"
)

func newToolsSet(a *app) *cobra.Command {
	effect := choice{"", []string{"create", "write"}}
	c := &cobra.Command{
		Use:   "set TOOL... CLASS",
		Short: "Give tools their class in tools.yaml",
		Long: `set writes the class of tools into the decision table: pure, keyed or compensate. A tool without a row
gets one. A glob with a literal prefix, as 'mcp__github__get_*', is a row for all tools that begin so;
rows with an exact name still win. Everything else in the file stays as it is: comments, order,
formatting.`,
		Example: `  drainboard tools set open_pr keyed
  drainboard tools set put_file update_status keyed --effect write
  drainboard tools set 'mcp__github__get_*' pure`,
		Args: atLeast(2, "tools and their class: pure, keyed or compensate"),
		RunE: func(_ *cobra.Command, args []string) error {
			tools, word := args[:len(args)-1], args[len(args)-1]
			class, ok := table.ParseClass(word)
			if !ok {
				return &usage{"tools set", fmt.Errorf("expected pure, keyed or compensate, found %q%s", word, didYouMean(word, []string{"pure", "keyed", "compensate"}))}
			}
			if effect.word != "" && class != table.Keyed {
				return &usage{"tools set", fmt.Errorf("--effect is for keyed tools, found %s", class)}
			}
			what := strings.TrimSuffix(class.String()+" "+effect.word, " ")
			return a.change(func(src []byte) ([]byte, error) { return setClass(src, tools, class, effect.word) },
				strings.Join(tools, ", ")+" "+isAre(len(tools))+" "+what)
		},
	}
	c.Flags().Var(&effect, "effect", "what a keyed tool does: `EFFECT` create (an object) or write (over one)")
	return c
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// setClass gives tools a class, and keyed ones an effect unless it is "".
func setClass(src []byte, tools []string, class table.Class, effect string) ([]byte, error) {
	for _, tool := range tools {
		if strings.HasPrefix(tool, "*") || strings.HasPrefix(tool, "?") {
			return nil, &usage{"tools set", fmt.Errorf("expected a tool, or a glob that begins with a literal prefix, found %q", tool)}
		}
		var err error
		if src, err = table.SetClass(src, tool, class); err != nil {
			return nil, err
		}
		if effect == "" {
			continue
		}
		to := table.Create
		if effect == table.Write.String() {
			to = table.Write
		}
		if src, err = table.SetEffect(src, tool, to); err != nil {
			return nil, err
		}
	}
	return src, nil
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
	return readRegular(at.path)
}
