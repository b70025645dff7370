package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"drainboard/ledger"
	"drainboard/ledger/operate"
	"drainboard/ledger/run"
	"drainboard/ledger/triage"
	"drainboard/ui/safe"

	"github.com/spf13/cobra"
)

// undoFlags are the flags of compensate.
type undoFlags struct {
	handFlags
	all, dry, kept, again, quiet bool
}

func newCompensate(a *app) *cobra.Command {
	var flags undoFlags
	c := &cobra.Command{
		Use:   "compensate KEY... --reason TEXT",
		Short: "Undo extra effects with the scripts of the decision table",
		Long: `compensate undoes what repeats of a key did beyond the effect that is kept (the one that the ledger stored, else the
first ok): the script of the tool's row in tools.yaml runs once for each, whoever asks and however often.
It is recorded as started before it runs and as ended after it; one whose end nobody knows is run again
only with --again. --all takes every confirmed extra effect of the traces. --kept undoes the stored effect itself.

The script gets one line of JSON on standard input: key, run, tool, args, keep, extra, reason, actor,
attempt; and in its environment PATH, HOME, LANG, TZ, what the row's env: names, and DRAINBOARD_KEY, _TOOL,
_RUN, _ATTEMPT and _IDEMPOTENCY_KEY. A first signal lets the script that runs end and starts no other one;
a second one ends it, and that is recorded.`,
		Example: `  drainboard compensate 9b1c22d0 --from traces/ --reason "charged twice, ticket 4711"
  drainboard compensate --all --from traces/ --dry-run
  drainboard compensate 9b1c22d0 --kept --reason "the order was cancelled"`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.check(args); err != nil {
				return &usage{name(c), fmt.Errorf("%s: %w", name(c), err)}
			}
			if !flags.dry {
				if err := flags.need(c); err != nil {
					return err
				}
			}
			return a.compensate(c.Context(), args, &flags)
		},
	}
	flags.bind(c, true)
	flags.bindFrom(c)
	f := c.Flags()
	f.BoolVar(&flags.all, "all", false, "every confirmed extra effect")
	f.BoolVar(&flags.dry, "dry-run", false, "print what would run, and run nothing")
	f.BoolVar(&flags.kept, "kept", false, "undo the effect that the ledger stored")
	f.BoolVar(&flags.again, "again", false, "run again what failed, or what nobody knows the end of")
	f.BoolVar(&flags.quiet, "quiet", false, "do not show what the scripts print")
	return c
}

func (f *undoFlags) check(args []string) error {
	switch {
	case f.all && len(args) > 0:
		return errors.New("--all takes no keys")
	case !f.all && len(args) == 0:
		return errors.New("expected keys, or --all")
	case f.all && f.kept:
		return errors.New("--kept is for keys that are named, not for --all")
	}
	return nil
}

// compensate plans, asks, and runs.
func (a *app) compensate(ctx context.Context, begins []string, flags *undoFlags) error {
	h, err := a.hands(ctx, &flags.handFlags, !flags.kept || len(flags.from) > 0)
	if err != nil {
		return err
	}
	defer h.Close()
	if !flags.dry {
		if err := h.open(ctx); err != nil {
			return err
		}
	}
	list, err := h.plan(ctx, begins, flags)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		a.warn("nothing to undo: the traces hold no confirmed extra effect, of a tool with a compensation in the table, that was not undone")
	}
	if flags.dry {
		return a.dryRun(list, flags.reason)
	}
	todo, left := due(list, flags.again)
	if len(todo) > 0 {
		if err := h.askUndo(todo, flags.again); err != nil {
			return err
		}
	}
	return h.run(ctx, todo, left, flags)
}

// plan lists what would be undone.
func (h *hands) plan(ctx context.Context, begins []string, flags *undoFlags) (list []operate.Undoing, err error) {
	type target struct{ key, side string }
	var targets []target
	if flags.all {
		for _, f := range h.session.Snapshot().Findings.All {
			if f.Kind == triage.Duplicate && f.Outcome == triage.OutcomeExtra && f.Undone < f.Extras && f.Rule != nil && f.Rule.Compensate != nil {
				targets = append(targets, target{f.Key, f.Side})
			}
		}
	}
	for _, b := range begins {
		key, err := h.key(ctx, b)
		if err != nil {
			return nil, err
		}
		side := ""
		if h.session != nil {
			for _, f := range h.session.Snapshot().Findings.All {
				if f.Kind == triage.Duplicate && f.Key == key {
					side = f.Side
					break
				}
			}
		}
		targets = append(targets, target{key, side})
	}
	for _, t := range targets {
		some, err := h.Plan(ctx, t.key, t.side, flags.kept)
		if err != nil {
			return nil, &refusal{err}
		}
		for _, u := range some {
			if !slices.ContainsFunc(list, func(o operate.Undoing) bool { return o.ID == u.ID }) {
				list = append(list, u)
			}
		}
	}
	return list, nil
}

// key finds the one key, of a call or of a row, that is, or begins with, a text.
func (h *hands) key(ctx context.Context, begin string) (string, error) {
	if h.session == nil {
		r, err := h.row(begin)
		return r.Key, err
	}
	found, err := h.session.Keys(ctx, begin, 1000)
	switch {
	case err != nil:
		return "", err
	case slices.Contains(found, begin):
		return begin, nil
	case len(found) == 0:
		return "", &refusal{fmt.Errorf("no key of the traces or the ledger begins with %q: drainboard keys lists them", begin)}
	case len(found) > 1:
		return "", &refusal{fmt.Errorf("%d keys begin with %q, as %s and %s: give more of it", len(found), begin, found[0], found[1])}
	}
	return found[0], nil
}

// due parts what is to be run from what is left alone, and says why.
func due(list []operate.Undoing, again bool) (todo []operate.Undoing, left []operate.Outcome) {
	for _, u := range list {
		why := ""
		switch {
		case u.State == ledger.CompensationEnded && u.Exit == 0:
			why = "this effect has been compensated already"
		case u.State == ledger.CompensationStarted:
			why = fmt.Sprintf("it is running: process %d on %s", u.Owner.PID, u.Owner.Host)
		case u.State == ledger.CompensationEnded && !again:
			why = fmt.Sprintf("it ran before and ended with exit code %d: see drainboard ledger log --output, then give --again", u.Exit)
		case u.State == ledger.CompensationUnknown && !again:
			why = "it was started before and its outcome is unknown: find out what it did, then give --again"
		}
		if why == "" {
			todo = append(todo, u)
		} else {
			left = append(left, operate.Outcome{Key: u.Key, Tool: u.Tool, Done: u.State == ledger.CompensationEnded && u.Exit == 0, Why: why})
		}
	}
	return todo, left
}

// askUndo names count, tool, keys, commands and environment, and asks: for more than one the tool's name is typed.
func (h *hands) askUndo(todo []operate.Undoing, again bool) error {
	for _, tool := range toolsOf(todo) {
		var b strings.Builder
		n, repeats := 0, 0
		for _, u := range todo {
			if u.Tool != tool {
				continue
			}
			n++
			fmt.Fprintf(&b, "\n  %s  %s  %s", prefix(u.Key), u.What(), strings.Join(u.Argv, " "))
			if u.State != "" {
				repeats++
			}
		}
		question := fmt.Sprintf("Compensate %s of %s? It runs once for each:%s\n  environment: %s", plural(n, "effect", "effects"), tool, b.String(), h.names(todo, tool))
		word := ""
		if n > 1 {
			word = tool
		}
		if err := h.ask(question, word); err != nil {
			return err
		}
		if repeats > 0 && again {
			question := fmt.Sprintf("%s of these ran before without a known good end. Run again? What it did then may be done twice.", plural(repeats, "script", "scripts"))
			if err := h.ask(question, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// names lists the environment that the scripts of a tool get.
func (h *hands) names(todo []operate.Undoing, tool string) string {
	for _, u := range todo {
		if u.Tool == tool {
			return strings.Join(append(append(run.Allowed(), u.Names...), "DRAINBOARD_*"), " ")
		}
	}
	return ""
}

func toolsOf(list []operate.Undoing) (out []string) {
	for _, u := range list {
		if !slices.Contains(out, u.Tool) {
			out = append(out, u.Tool)
		}
	}
	return out
}

// run runs what was confirmed, one after another, and tells what became of each.
func (h *hands) run(ctx context.Context, todo []operate.Undoing, done []operate.Outcome, flags *undoFlags) error {
	if done == nil {
		done = []operate.Outcome{}
	}
	scripts, end := lasting(ctx, func() {
		fmt.Fprintln(h.a.env.Stderr, "drainboard: no other script is started; the one that runs is waited for, a second signal ends it")
	})
	defer end()
	var failed error
	for _, u := range todo {
		if ctx.Err() != nil {
			failed = ctx.Err()
			break
		}
		out := &operate.Lines{To: func(line string) {
			if !flags.quiet {
				fmt.Fprintln(h.a.env.Stderr, safe.Line("  | "+line))
			}
		}}
		e, err := h.Run(scripts, u, flags.again, flags.reason, out)
		out.End()
		if err != nil {
			failed = err
			break
		}
		done = append(done, e.Outcome)
	}
	if failed == nil {
		failed = ctx.Err()
	}
	return after(h.a.told("compensated", done), failed)
}

// lasting is a context for scripts: the first signal that ends ctx leaves it as it is and calls first, the second ends it.
func lasting(ctx context.Context, first func()) (scripts context.Context, end func()) {
	scripts, cancel := context.WithCancel(context.WithoutCancel(ctx))
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-scripts.Done():
				return
			case <-signals:
			}
			if n > 0 {
				cancel()
				return
			}
			first()
		}
	}()
	return scripts, func() {
		cancel()
		<-ended
		signal.Stop(signals)
	}
}

// dryLine is one compensation of `compensate --dry-run --json`.
type dryLine struct {
	Key     string          `json:"key"`
	Tool    string          `json:"tool"`
	ID      string          `json:"idempotency_key"`
	State   string          `json:"state"` // "" when it was never started
	Attempt int             `json:"attempt"`
	Run     []string        `json:"run"`
	Folder  string          `json:"folder"`
	Env     []string        `json:"env"`
	Limit   float64         `json:"timeout_s"`
	Stdin   json.RawMessage `json:"stdin"`
}

// dryRun prints what would run.
func (a *app) dryRun(list []operate.Undoing, reason string) error {
	lines := []dryLine{}
	for _, u := range list {
		lines = append(lines, dryLine{
			u.Key, u.Tool, u.ID, string(u.State), u.Attempt + 1, u.Argv, u.Dir, append(append(run.Allowed(), u.Names...), "DRAINBOARD_*"), u.Limit.Seconds(),
			json.RawMessage(u.Row(reason, a.actor())),
		})
	}
	if a.opts.json {
		return a.printJSON(lines)
	}
	p := a.page()
	for _, l := range lines {
		state := "would run"
		switch ledger.CompensationState(l.State) {
		case "":
		case ledger.CompensationEnded:
			state = "ran before"
		default:
			state = l.State
		}
		p.word(bold, "%s", l.Tool).word(plain, " ").word(cyan, "%s", prefix(l.Key)).word(plain, "  %s", state).line()
		p.word(dim, "  command  ").word(plain, "%s", strings.Join(l.Run, " ")).line()
		p.word(dim, "  folder   ").word(plain, "%s", l.Folder).line()
		p.word(dim, "  limit    ").word(plain, "%s", ageText(l.Limit)).line()
		p.word(dim, "  env      ").word(plain, "%s", strings.Join(l.Env, " ")).line()
		p.word(dim, "  stdin    ").word(plain, "%s", a.mask(string(l.Stdin))).line()
	}
	return p.flush(a.env.Stdout)
}
