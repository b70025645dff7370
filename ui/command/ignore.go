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
	var yes bool
	c := &cobra.Command{
		Use:   "ignore TOOL POINTER [PATH | label=PATH]...",
		Short: "Leave an argument out of a tool's keys, after a look at what that merges",
		Long: `ignore adds a JSON pointer to the ignore: rule of a tool in tools.yaml. Before that it shows which calls
of the traces would share a key: merging distinct intents deletes real work. It asks first; without a
terminal it writes only with --yes.`,
		Example: "  drainboard keys ignore post_status /at traces/",
		Args:    atLeast(2, "a tool and a JSON pointer, as /requested_at"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.ignore(c.Context(), args[0], args[1], args[2:], yes)
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "write without asking")
	return c
}

// ignored is what `keys ignore --json` prints.
type ignored struct {
	Tool    string  `json:"tool"`
	Pointer string  `json:"pointer"`
	Merges  []merge `json:"merges"`
	Unread  int     `json:"unread"`
	Written bool    `json:"written"`
}

func (a *app) ignore(ctx context.Context, tool, pointer string, paths []string, yes bool) error {
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
	if err := s.merges(ctx, tool, []keys.Pointer{at}, func(m merge) { answer.Merges = append(answer.Merges, m) }, &answer.Unread); err != nil {
		return err
	}
	p := a.page()
	if !a.opts.json {
		p.preview(tool, pointer, &answer)
		if err := p.flush(a.env.Stdout); err != nil {
			return err
		}
	}
	if answer.Written, err = a.agreed(yes, "Write it?"); err != nil {
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

// agreed asks a question on a terminal; only "y" or "yes" is yes. Without a terminal nobody can answer, and it is refused.
func (a *app) agreed(yes bool, question string) (bool, error) {
	switch {
	case yes:
		return true, nil
	case !a.env.Interactive:
		return false, &refusal{errors.New("nothing was written: there is no terminal to ask on; give --yes when you agree")}
	}
	p := a.page()
	p.word(bold, "%s", question).word(dim, " [y/N] ")
	if err := p.flush(a.env.Stderr); err != nil {
		return false, err
	}
	answer, err := bufio.NewReader(a.env.Stdin).ReadString('\n')
	if err != nil && answer == "" {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	default:
		return false, &refusal{errors.New("nothing was written")}
	}
}

// preview prints what an ignore rule would merge.
func (p *page) preview(tool, pointer string, a *ignored) {
	p.word(plain, "Without %s the calls of ", pointer).word(bold, "%s", tool).word(plain, " would share keys like this:").line()
	p.merged(a.Merges, a.Unread)
}

// merged lists sets of calls that would come under one key.
func (p *page) merged(list []merge, unread int) {
	if unread > 0 {
		p.word(yellow, "  %s could not be read again and is not in this preview", plural(unread, "call", "calls")).line()
	}
	if len(list) == 0 {
		p.word(green, "  nothing would be merged").line()
		return
	}
	const most, places = 10, 4
	for i, m := range list {
		if i == most {
			p.word(dim, "    and %d more; --json lists all", len(list)-most).line()
			break
		}
		at, end := m.At, ""
		if len(at) > places {
			at, end = at[:places], fmt.Sprintf(" and %d more", len(m.At)-places)
		}
		p.word(plain, "    %s: %s  ", m.Run, plural(len(m.Keys), "key", "keys")).word(dim, "%s", strings.Join(at, " ")+end).line()
	}
	p.word(plain, "  Merging distinct intents deletes real work: are these the same action?").line()
}
