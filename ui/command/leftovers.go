package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drainboard/ledger/leftovers"
	"drainboard/ledger/operate"

	"github.com/spf13/cobra"
)

// leftoversFlags are the flags of leftovers.
type leftoversFlags struct {
	undoFlags
	git        string
	deliveries []string
	apply      bool
	limit      int
}

func newLeftovers(a *app) *cobra.Command {
	var flags leftoversFlags
	c := &cobra.Command{
		Use:   "leftovers [PATH | label=PATH | -]...",
		Short: "Objects with one natural key: what a drain leaves behind",
		Long: `leftovers hunts for two real objects with one natural key, across runs and sides: what the pointers of
natural_key: in tools.yaml name, issue titles, comments with one text within a retry window, and, as
guesses where the table names none, equal values at /head, /branch, /title, /path and /name. With
--git also commits with one patch or one subject and branches with one tree, since --since; with
--deliveries also webhook deliveries with one idempotency or delivery header.

It prints a cleanup plan: which object to keep (the one that the ledger stored), what undoes each
other one, and the command. It changes nothing. --apply runs the compensations of what is no guess,
each once whoever asks, as compensate does; what git or a hosting platform has to do stays yours.

Exit codes: 0 nothing found but guesses, or all of it undone; 1 leftovers found; 2 it could not run.`,
		Example: `  drainboard leftovers paid=traces/paid dest=traces/dest --ledger tool_replay.sqlite
  drainboard leftovers --git . --since 2026-09-06T00:00:00Z
  drainboard leftovers --deliveries deliveries.jsonl --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if flags.apply {
				if err := flags.need(c); err != nil {
					return err
				}
			}
			return a.leftovers(c.Context(), args, &flags)
		},
	}
	flags.bind(c, true)
	f := c.Flags()
	f.StringVar(&flags.git, "git", "", "look for repeated commits and branches in the repository `DIR` too")
	f.StringArrayVar(&flags.deliveries, "deliveries", nil, "look for repeated webhook deliveries in the export `FILE` too (JSONL or JSON); may be given again")
	f.BoolVar(&flags.apply, "apply", false, "run the compensations of the plan")
	f.BoolVar(&flags.quiet, "quiet", false, "do not show what the scripts print")
	limitVar(f, &flags.limit, 30, "list at most `N` groups; 0: all")
	return c
}

// leftovers hunts, prints the plan, and carries it out when it was asked to.
func (a *app) leftovers(ctx context.Context, args []string, flags *leftoversFlags) error {
	var found leftovers.Found
	var h *hands
	var stored map[string]bool
	if len(args) > 0 || flags.git == "" && len(flags.deliveries) == 0 || flags.apply {
		s, hands, err := a.leftoversOpen(ctx, args, flags)
		if err != nil {
			return err
		}
		if h = hands; h != nil {
			defer h.Close()
		} else {
			defer s.Close()
		}
		report, err := s.report(ctx)
		if err != nil {
			return err
		}
		found, stored, err = leftovers.Traces(ctx, s, leftovers.Options{
			RetryWindow: s.Table().Defaults.RetryWindow, Undo: []string{"drainboard", "compensate"}, With: a.undoArgs(args),
		})
		if err != nil {
			return err
		}
		for _, bad := range report.Unreadable {
			if bad.Line == 0 {
				fmt.Fprintln(a.env.Stderr, a.page().safe(fmt.Sprintf("drainboard: not read: %s: %s", bad.File, bad.Reason)))
			}
		}
	}
	if err := a.leftoversElsewhere(ctx, &found, stored, flags); err != nil {
		return err
	}
	if err := a.printLeftovers(&found, flags.limit); err != nil {
		return err
	}
	if flags.apply {
		return a.applyLeftovers(ctx, h, &found, flags)
	}
	if slices.ContainsFunc(found.Groups, func(g leftovers.Group) bool { return !g.Guess }) {
		return errNo
	}
	return nil
}

// leftoversOpen opens the traces, and, when something is to be done, the ledger for writing.
func (a *app) leftoversOpen(ctx context.Context, args []string, flags *leftoversFlags) (*session, *hands, error) {
	if !flags.apply {
		s, err := a.open(ctx, args)
		return s, nil, err
	}
	flags.from = args
	h, err := a.hands(ctx, &flags.handFlags, true)
	if err != nil {
		return nil, nil, err
	}
	if err := h.open(ctx); err != nil {
		return nil, nil, errors.Join(err, h.Close())
	}
	return h.session, h, nil
}

// leftoversElsewhere hunts where no trace leads.
func (a *app) leftoversElsewhere(ctx context.Context, found *leftovers.Found, stored map[string]bool, flags *leftoversFlags) error {
	if flags.git != "" {
		f, err := leftovers.Git(ctx, leftovers.Repository{Dir: flags.git, Since: a.opts.since.Time, Environ: a.environ(), Stored: stored})
		if err != nil {
			return err
		}
		found.Add(f)
	}
	for _, path := range flags.deliveries {
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("read the deliveries: %w; name an export of them, JSONL or JSON", err)
		}
		f, err := leftovers.Deliveries(file, path)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
		found.Add(f)
	}
	return nil
}

// undoArgs are the arguments that compensate needs to find the same traces, ledger and table.
func (a *app) undoArgs(args []string) []string {
	var out []string
	for _, arg := range args {
		out = append(out, "--from", arg)
	}
	if a.opts.namedLedger {
		out = append(out, "--ledger", a.identity(a.opts.ledger))
	}
	if a.opts.namedTools {
		out = append(out, "--tools", a.opts.tools)
	}
	return out
}

// applyLeftovers runs the compensations of the plan, but for guesses: a person looks at those.
func (a *app) applyLeftovers(ctx context.Context, h *hands, found *leftovers.Found, flags *leftoversFlags) error {
	var list []operate.Undoing
	left, sure := 0, 0 // what no compensation undoes; what of it is no guess
	seen := map[string]bool{}
	for gi := range found.Groups {
		g := &found.Groups[gi]
		for oi := range g.Objects {
			o := &g.Objects[oi]
			switch {
			case o.Action == leftovers.Keep:
				continue
			case o.Action != leftovers.Compensate || g.Guess:
				left++
				if !g.Guess {
					sure++
				}
				continue
			}
			key, side, kept, extra := o.Undoing()
			plan, err := h.Plan(ctx, key, side, kept)
			if err != nil {
				return &refusal{err}
			}
			if !kept {
				if extra >= len(plan) {
					return &refusal{fmt.Errorf("%s %s: it is no longer an extra effect: look again", o.Tool, prefix(key))}
				}
				plan = plan[extra : extra+1]
			}
			for _, u := range plan {
				if !seen[u.ID] {
					seen[u.ID] = true
					list = append(list, u)
				}
			}
		}
	}
	todo, done := due(list, false)
	if len(todo) > 0 {
		if err := h.askUndo(todo, false); err != nil {
			return err
		}
	}
	if err := h.run(ctx, todo, done, &flags.undoFlags); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(a.env.Stderr, "drainboard: %s to be looked at by a person\n", plural(left, "object is left", "objects are left"))
	}
	if sure > 0 {
		return errNo
	}
	return nil
}

// printLeftovers prints what was found.
func (a *app) printLeftovers(found *leftovers.Found, most int) error {
	if a.opts.json {
		if found.Groups == nil {
			found.Groups = []leftovers.Group{}
		}
		if found.Shared == nil {
			found.Shared = []leftovers.Group{}
		}
		return a.printJSON(found)
	}
	p := a.page()
	p.leftovers(found, most)
	return p.flush(a.env.Stdout)
}

// leftovers prints the cleanup plan.
func (p *page) leftovers(found *leftovers.Found, most int) {
	sure, guesses := 0, 0
	for _, g := range found.Groups {
		if g.Guess {
			guesses++
		} else {
			sure++
		}
	}
	if len(found.Groups) == 0 {
		p.word(green, "no leftovers").word(dim, " in %s", plural(found.Looked, "effect looked at", "effects looked at")).line()
	} else {
		p.word(red, "%s", plural(sure, "leftover", "leftovers")).word(yellow, "  %s", plural(guesses, "guess", "guesses"))
		p.word(dim, "  in %s", plural(found.Looked, "effect looked at", "effects looked at")).line()
	}
	if found.Unread > 0 {
		p.word(yellow, "  %s could not be read again", thousands(found.Unread)).line()
	}
	for i := range shown(found.Groups, most) {
		p.leftover(&found.Groups[i])
	}
	p.more(len(found.Groups), most)
	if len(found.Shared) > 0 {
		p.head("ONE OBJECT, SEVERAL INTENTS "+thousands(len(found.Shared)), "nothing to undo; who undoes one of them undoes it for all")
		for _, g := range shown(found.Shared, most) {
			p.word(plain, "    %s", g.Fields[0].Value).word(dim, "  %s", keysOf(g.Objects)).line()
		}
		p.more(len(found.Shared), most)
	}
}

func keysOf(list []leftovers.Object) string {
	var out []string
	for _, o := range list {
		out = append(out, strings.TrimSpace(o.Side+" "+o.Tool+" "+prefix(o.Key)))
	}
	return strings.Join(out, ", ")
}

// leftover prints one group: what its objects have in common, and each with what is to be done.
func (p *page) leftover(g *leftovers.Group) {
	p.line()
	if g.Guess {
		p.word(yellow, "guess  ")
	} else {
		p.word(red, "leftover  ")
	}
	p.word(bold, "%s", g.Kind).word(dim, "  one %s", string(g.Basis))
	for _, f := range g.Fields {
		if f.Value != "" {
			p.word(dim, "  %s ", f.At).word(plain, "%s", f.Value)
		}
	}
	p.word(dim, "  #%s", g.Hash).line()
	for i := range g.Objects {
		o := &g.Objects[i]
		k := red
		switch o.Action {
		case leftovers.Keep:
			k = green
		case leftovers.Look:
			k = yellow
		}
		p.word(k, "  %s", pad(string(o.Action), 10)).word(plain, "  %s", orElse(o.Name, "(unnamed)"))
		p.word(dim, "  %s", strings.Join(nonEmpty(o.Side, o.Run, o.Tool), " ")).word(cyan, " %s", prefix(o.Key))
		p.word(dim, " %s %s", placeText(p.file(o.File), o.Line), o.Time).line()
		p.word(dim, "              ").wrapped(14, o.Why).line()
		if len(o.Command) > 0 {
			p.word(plain, "              %s", commandLine(o.Command)).line()
		}
	}
}

func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-len(text)))
}

func nonEmpty(texts ...string) (out []string) {
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

func placeText(file string, line int) string {
	if line == 0 {
		return filepath.ToSlash(file)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// commandLine is a command as a shell takes it: what is not plain is quoted.
func commandLine(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = a
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r))
		}) {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
