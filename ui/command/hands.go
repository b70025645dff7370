package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/operate"
	"drainboard/ui/safe"

	"github.com/spf13/cobra"
)

// hands are an operator's on the command line: a desk, and what it stands on.
type hands struct {
	*operate.Desk
	a       *app
	session *session     // nil: no traces are read
	at      place        // of the ledger
	rows    []ledger.Row // all of the ledger, as they were seen
	facts   *ledger.Facts
	answers *bufio.Reader
	yes     bool
}

// handFlags are the flags of commands that act.
type handFlags struct {
	yes    bool
	reason string
	from   []string
}

func (f *handFlags) bind(c *cobra.Command, asks bool) {
	if asks {
		c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	}
	c.Flags().StringVar(&f.reason, "reason", "", "why, for the log")
}

func (f *handFlags) bindFrom(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.from, "from", nil, "the traces: `PATH`, a file, a folder, a glob; may be given again")
}

// need refuses a command without a reason.
func (f *handFlags) need(c *cobra.Command) error {
	if strings.TrimSpace(f.reason) == "" {
		return &usage{name(c), fmt.Errorf("%s: give a --reason, for the log", name(c))}
	}
	return nil
}

// hands opens the ledger for reading and writing, and the traces when read is set.
func (a *app) hands(ctx context.Context, f *handFlags, read bool) (_ *hands, err error) {
	h := &hands{a: a, yes: f.yes, Desk: &operate.Desk{Environ: a.environ()}}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if read {
		if h.session, err = a.open(ctx, f.from); err != nil {
			return nil, err
		}
		if err := h.session.Wait(ctx); err != nil {
			return nil, err
		}
		h.Book, h.at = h.session, h.session.ledger
		h.setTable(h.session.table, h.session.tableAt)
		h.Recipe = h.session.Recipe
	} else {
		t, at, err := a.findTable("")
		if err != nil {
			return nil, err
		}
		h.setTable(t, at)
		recipe, err := a.recipe(t)
		if err != nil {
			return nil, err
		}
		h.Recipe, h.at = func() *keys.Recipe { return recipe }, a.findLedger("")
	}
	if h.at.path == "" {
		return nil, &usage{"", errNoLedger}
	}
	look, err := a.look(ctx, &h.at)
	if err != nil {
		return nil, err
	}
	changes, err := look.Look(ctx)
	h.rows, h.facts = changes.Rows, changes.Facts
	return h, errors.Join(err, look.Close())
}

func (h *hands) setTable(t *table.Table, at place) {
	h.Table = func() *table.Table { return t }
	if at.path != "" {
		if full, err := filepath.Abs(at.path); err == nil {
			h.Folder = filepath.Dir(full)
		}
	}
	h.NoRun = at.fixed
	if at.found == beside {
		h.NoRun = "the table " + at.path + " was found beside the trace; name it with --tools if it is yours"
	}
}

// open opens the ledger for writing.
func (h *hands) open(ctx context.Context) error {
	s, err := h.a.openStore(ctx, h.at, false)
	if err != nil {
		return err
	}
	if h.Op, err = h.a.operator(s); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// Close ends everything that was opened.
func (h *hands) Close() error {
	var errs []error
	if h.Op != nil {
		errs = append(errs, h.Op.Store.Close())
	}
	if h.session != nil {
		errs = append(errs, h.session.Close())
	}
	return errors.Join(errs...)
}

// recipe is the one in force where no traces say which one the ledger's keys were made by.
func (a *app) recipe(t *table.Table) (*keys.Recipe, error) {
	name := a.opts.recipe
	if name == "" {
		name = t.Recipe
	}
	if name == "" {
		return keys.Intent, nil
	}
	r, err := t.KeyRecipe(name)
	if err != nil {
		return nil, &usage{"", err}
	}
	return r, nil
}

func (a *app) environ() []string {
	if a.env.Environ == nil {
		return nil
	}
	return a.env.Environ()
}

// row finds the one row whose key is, or begins with, a text.
func (h *hands) row(begin string) (ledger.Row, error) { return rowOf(h.rows, begin, h.at.name()) }

// rowOf finds the one row whose key is, or begins with, a text.
func rowOf(rows []ledger.Row, begin, where string) (ledger.Row, error) {
	var found []*ledger.Row
	for i := range rows {
		if rows[i].Key == begin {
			return rows[i], nil
		}
		if strings.HasPrefix(rows[i].Key, begin) {
			found = append(found, &rows[i])
		}
	}
	switch {
	case len(found) == 0:
		return ledger.Row{}, &refusal{fmt.Errorf("no key in %s begins with %q: drainboard ledger ls --limit 0 lists them", where, begin)}
	case len(found) > 1:
		return ledger.Row{}, &refusal{fmt.Errorf("%d keys in %s begin with %q, as %s and %s: give more of it", len(found), where, begin, found[0].Key, found[1].Key)}
	}
	return *found[0], nil
}

// rowsOf finds the rows of several texts, each once.
func (h *hands) rowsOf(begins []string) ([]ledger.Row, error) {
	var out []ledger.Row
	for _, b := range begins {
		r, err := h.row(b)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(o ledger.Row) bool { return o.Key == r.Key }) {
			out = append(out, r)
		}
	}
	return out, nil
}

// ask asks a question whose answer is no unless it is yes, or, where word is set, that word. Without a terminal it refuses.
func (h *hands) ask(question, word string) error {
	if h.yes {
		return nil
	}
	e := h.a.env
	if !e.Interactive {
		return &refusal{fmt.Errorf("it asks first, and there is no terminal: add --yes to do it without being asked\n%s", question)}
	}
	if h.answers == nil {
		h.answers = bufio.NewReader(e.Stdin)
	}
	hint := "[y/N] "
	if word != "" {
		hint = "Type " + word + " to go on: "
	}
	for _, l := range safe.Block(question) {
		fmt.Fprintln(e.Stderr, l)
	}
	fmt.Fprint(e.Stderr, safe.Line(hint))
	text, err := h.answers.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	text = strings.TrimSpace(text)
	if word != "" && text == word || word == "" && (strings.EqualFold(text, "y") || strings.EqualFold(text, "yes")) {
		return nil
	}
	return &refusal{errors.New("cancelled: nothing was done")}
}

// told prints what became of an action and returns errNo when any of it was not done.
func (a *app) told(done string, all []operate.Outcome) error {
	failed := slices.ContainsFunc(all, func(o operate.Outcome) bool { return !o.Done })
	if a.opts.json {
		if err := a.printJSON(map[string]any{"done": !failed, "rows": all}); err != nil {
			return err
		}
	} else {
		p := a.page()
		for _, o := range all {
			k, words := green, done
			switch {
			case !o.Done:
				k, words = red, "left as it is: "+o.Why
			case o.Why != "":
				k, words = dim, o.Why
			}
			p.word(bold, "%s", o.Tool).word(plain, " ").word(cyan, "%s", prefix(o.Key)).word(plain, "  ").word(k, "%s", words)
			if o.Log > 0 {
				p.word(dim, "  log entry %d", o.Log)
			}
			p.line()
		}
		if err := p.flush(a.env.Stdout); err != nil {
			return err
		}
	}
	if failed {
		return errNo
	}
	return nil
}

// after is the error of an action whose outcomes were told: what ended it counts more than what was left as it is.
func after(told, err error) error {
	if err != nil {
		return err
	}
	return told
}

// argument reads the text of a flag: the text itself, @FILE, or - for standard input where that is allowed.
func (a *app) argument(text string, stdin bool) ([]byte, error) {
	switch {
	case stdin && text == "-":
		return io.ReadAll(a.env.Stdin)
	case strings.HasPrefix(text, "@"):
		return os.ReadFile(text[1:])
	}
	return []byte(text), nil
}

// called names what a question is about: the one, or how many of which tool.
func called(rows []ledger.Row) string {
	if len(rows) == 1 {
		return rows[0].Tool + " " + prefix(rows[0].Key)
	}
	var tools []string
	for i := range rows {
		if !slices.Contains(tools, rows[i].Tool) {
			tools = append(tools, rows[i].Tool)
		}
	}
	return fmt.Sprintf("%d rows of %s", len(rows), strings.Join(tools, ", "))
}
