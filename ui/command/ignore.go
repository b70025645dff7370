package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"drainboard/keys"
	"drainboard/keys/table"

	"github.com/spf13/cobra"
)

func newKeysIgnore(a *app) *cobra.Command {
	var flags ignoreFlags
	c := &cobra.Command{
		Use:   "ignore TOOL POINTER [PATH | label=PATH]...",
		Short: "Leave an argument out of a tool's keys, after a look at what that merges",
		Long: `ignore adds a JSON pointer to the ignore: rule of a tool in tools.yaml. Before that it shows which calls
of the traces would share a key: merging distinct intents deletes real work. It asks first; without a
terminal it writes only with --yes.

Where calls that would be merged were answered differently the rule is dangerous: then it is written only
when the tool's name is typed, or with --merge-different.`,
		Example: "  drainboard keys ignore post_status /at traces/",
		Args:    atLeast(2, "a tool and a JSON pointer, as /requested_at"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.ignore(c.Context(), args[0], args[1], args[2:], &flags)
		},
	}
	c.Flags().BoolVar(&flags.yes, "yes", false, "write without asking, unless it is dangerous")
	c.Flags().BoolVar(&flags.different, "merge-different", false, "write although calls that were answered differently become one intent")
	return c
}

// ignoreFlags are the flags of keys ignore.
type ignoreFlags struct{ yes, different bool }

// ignored is what `keys ignore --json` prints.
type ignored struct {
	Tool      string  `json:"tool"`
	Pointer   string  `json:"pointer"`
	Merges    []merge `json:"merges"`
	Dangerous bool    `json:"dangerous"` // calls that would be merged were answered differently
	Unread    int     `json:"unread"`
	Written   bool    `json:"written"`
}

func (a *app) ignore(ctx context.Context, tool, pointer string, paths []string, flags *ignoreFlags) error {
	at, err := keys.ParsePointer(pointer)
	if err != nil {
		return &usage{"keys ignore", err}
	}
	if a.opts.readOnly {
		return &refusal{errors.New("refused: --read-only")}
	}
	s, err := a.open(ctx, paths)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.list(ctx, s); err != nil {
		return err
	}
	old, err := readTable(s.tableAt)
	if err != nil {
		return err
	}
	edited, err := table.AddIgnore(old, tool, at)
	if err != nil {
		return fmt.Errorf("%s: %w", s.tableAt.path, err)
	}
	answer := ignored{Tool: tool, Pointer: pointer, Merges: []merge{}}
	list, unread, err := s.Merges(ctx, tool, []keys.Pointer{at})
	if err != nil {
		return err
	}
	answer.Unread = unread
	for i := range list {
		answer.Merges = append(answer.Merges, mergeOf(&list[i]))
	}
	answer.Dangerous = dangerous(answer.Merges)
	p := a.page()
	if !a.opts.json {
		p.preview(tool, pointer, &answer)
		if err := p.flush(a.env.Stdout); err != nil {
			return err
		}
	}
	switch {
	case !answer.Dangerous:
		answer.Written, err = a.agreed(flags.yes || flags.different, "Write it?", "")
	case flags.yes && !flags.different:
		err = &refusal{errors.New("nothing was written: calls that were answered differently would become one intent; --merge-different does it all the same")}
	default:
		answer.Written, err = a.agreed(flags.different, "Write it all the same? Type "+tool+":", tool)
	}
	if err != nil {
		return err
	}
	if answer.Written {
		if err := table.Replace(s.tableAt.path, old, edited); err != nil {
			return fmt.Errorf("write %s: %w", s.tableAt.path, err)
		}
		p.word(plain, "%s ignores %s", tool, pointer).word(dim, "  %s", s.tableAt.path).line()
		if err := p.flush(a.env.Stderr); err != nil {
			return err
		}
	}
	if a.opts.json {
		return a.printJSON(answer)
	}
	return nil
}

// agreed asks a question on a terminal; only "y" or "yes" is yes, or, where word is set, that word. Without a terminal nobody can
// answer, and it is refused.
func (a *app) agreed(yes bool, question, word string) (bool, error) {
	switch {
	case yes:
		return true, nil
	case !a.env.Interactive && word != "":
		return false, &refusal{errors.New("nothing was written: it is dangerous, and there is no terminal to ask on; give --merge-different when you agree")}
	case !a.env.Interactive:
		return false, &refusal{errors.New("nothing was written: there is no terminal to ask on; give --yes when you agree")}
	}
	p := a.page()
	if p.word(bold, "%s", question); word == "" {
		p.word(dim, " [y/N] ")
	} else {
		p.word(dim, " ")
	}
	if err := p.flush(a.env.Stderr); err != nil {
		return false, err
	}
	answer, err := bufio.NewReader(a.env.Stdin).ReadString('\n')
	if err != nil && answer == "" {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	answer = strings.TrimSpace(answer)
	if word != "" && answer == word || word == "" && (strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")) {
		return true, nil
	}
	return false, &refusal{errors.New("nothing was written")}
}

// preview prints what an ignore rule would merge.
func (p *page) preview(tool, pointer string, a *ignored) {
	p.word(plain, "Without %s the calls of ", pointer).word(bold, "%s", tool).word(plain, " would share keys like this:").line()
	p.merged(a.Merges, a.Unread)
}
