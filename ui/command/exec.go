package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/run"
	"drainboard/ui/safe"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
)

// exitRefused is the exit code of exec when nothing was run: refused, or something about the call is wrong. 126 and 127 are those
// of shells: the command may not be executed, or is not found.
const exitRefused = 125

// execFlags are the flags of exec.
type execFlags struct {
	tool, args string
	timeout    time.Duration
	quiet      bool
}

func newExec(a *app) *cobra.Command {
	var flags execFlags
	c := &cobra.Command{
		Use:   "exec --run R --tool T --args JSON|@FILE|- [--timeout D] -- COMMAND...",
		Short: "Run a command at most once a key",
		Long: `exec puts the envelope around a command: the key of run, tool and arguments is claimed in the ledger before the
command runs, and what it prints is stored when it ends well. The same intent again prints the same bytes and
runs nothing. In flight, over the run's ceiling, unclassified: refused. A failed call of a keyed tool runs again;
one of a compensate tool only after a person gave a human key.

Exit code 0: committed. A code of its own: failed. A signal, the time limit, 124, 137, 143, the codes of the
row's in_doubt_exit:, and more than 1 MiB of output: in doubt; the row stays in flight until somebody settles it.
The command gets the key in DRAINBOARD_IDEMPOTENCY_KEY, for remotes that take one.

exec ends with the command's exit code, or with that of the stored run; with 125 when it was refused or
could not run, 126 and 127 as shells do. Standard output is the command's and nothing else.`,
		Example: `  drainboard exec --run run-22 --tool open_pr --args '{"repo": "shop", "head": "feat/keys"}' -- ./open-pr.sh
  drainboard exec --run run-22 --tool charge_card --args @charge.json --timeout 30s -- curl -fsS https://pay.example/charge`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 0 || len(args) == 0 {
				return refuse(&usage{name(c), errors.New("exec: expected a command behind --")})
			}
			return a.exec(c.Context(), args, &flags)
		},
	}
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return refuse(&usage{name(c), err}) })
	f := c.Flags()
	f.StringVar(&flags.tool, "tool", "", "`NAME` of the tool")
	f.StringVar(&flags.args, "args", "", "arguments: `JSON`, @FILE, or - for standard input")
	f.DurationVar(&flags.timeout, "timeout", 0, "end the command after `DURATION`; the call is then in doubt; 0: never")
	f.BoolVar(&flags.quiet, "quiet", false, "no line on standard error for the decision")
	return c
}

// exitWith is the end of a command with an exit code of its own. err is printed; nil: all was said.
type exitWith struct {
	code int
	err  error
}

func (e *exitWith) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitWith) Unwrap() error { return e.err }

// refuse ends exec without anything having been run.
func refuse(err error) error { return &exitWith{exitRefused, err} }

func (a *app) exec(ctx context.Context, argv []string, flags *execFlags) error {
	// A reader that goes away must not end drainboard between the send and the commit: writing then fails instead.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	call, rule, err := a.callOf(flags)
	if err != nil {
		return refuse(err)
	}
	env := slices.DeleteFunc(a.environ(), func(e string) bool { return strings.HasPrefix(e, "DRAINBOARD_IDEMPOTENCY_KEY=") })
	if _, err := run.Find(argv[0], "", env); err != nil {
		return unfound(err)
	}
	at := a.findLedger("")
	if at.path == "" {
		at = place{path: ledgerName, found: working}
	}
	store, err := a.openStore(ctx, at, true)
	if err != nil {
		return refuse(err)
	}
	defer store.Close()
	op, err := a.operator(store)
	if err != nil {
		return refuse(err)
	}
	e := ledger.Envelope{Store: store, Now: a.env.Now, Random: rand.Reader, Owner: op.Owner, Actor: op.Actor}
	if !flags.quiet {
		e.Tell = a.tellDecision
	}
	t, err := e.Begin(ctx, *call)
	if err != nil {
		return refuse(err)
	}
	switch t.Decision {
	case ledger.Refuse:
		return refuse(refusalOf(call, t))
	case ledger.Replay:
		if t.Row.HasResponse {
			if _, err := a.env.Stdout.Write(ledger.PrintedOutput(t.Row.Response)); err != nil {
				return refuse(fmt.Errorf("print the stored output: %w", err))
			}
		}
		return nil
	case ledger.Send:
		env = append(env, "DRAINBOARD_IDEMPOTENCY_KEY="+t.Key())
	}
	return a.send(ctx, t, rule, argv, env, flags)
}

// unfound is the end of exec when its command cannot be run.
func unfound(err error) error {
	var n *run.NotStarted
	if errors.As(err, &n) {
		return &exitWith{n.Exit, err}
	}
	return refuse(err)
}

// callOf makes the call of the flags: its class, key, and request.
func (a *app) callOf(flags *execFlags) (*ledger.Call, *table.Rule, error) {
	for _, f := range [][2]string{{"--run", a.opts.run}, {"--tool", flags.tool}, {"--args", flags.args}} {
		if f[1] == "" {
			return nil, nil, &usage{"exec", fmt.Errorf("exec: %s is missing", f[0])}
		}
	}
	raw, err := a.argument(flags.args, true)
	if err != nil {
		return nil, nil, fmt.Errorf("read the arguments: %w", err)
	}
	var args keys.Args
	if err := args.Parse(raw); err != nil {
		return nil, nil, &usage{"exec", fmt.Errorf("exec: --args: %w", err)}
	}
	t, _, err := a.findTable("")
	if err != nil {
		return nil, nil, err
	}
	recipe, err := a.recipe(t)
	if err != nil {
		return nil, nil, err
	}
	rule := t.Lookup(flags.tool, &args)
	c := &ledger.Call{
		Run: a.opts.run, Tool: flags.tool, Class: rule.Class, Ignore: rule.Ignore, Ceiling: t.Ceiling(a.opts.run), Request: string(raw),
	}
	if text, err := args.AppendDefault(nil); err == nil {
		c.Request = string(text) // as the agents' helpers write it
	}
	args.Ignore(rule.Ignore)
	id := keys.RunID{Text: []byte(a.opts.run)}
	if rule.Forever {
		id = keys.RunID{}
	}
	if d, err := recipe.Derive(id, []byte(flags.tool), &args); err == nil {
		c.Key = recipe.Spell(d, id, []byte(flags.tool))
	} else if rule.Class != table.Pure && rule.Class != table.Unclassified {
		return nil, nil, fmt.Errorf("there is no key for these arguments: %w", err)
	}
	return c, rule, nil
}

// send runs the command and settles its claim.
func (a *app) send(ctx context.Context, t *ledger.Ticket, rule *table.Rule, argv, env []string, flags *execFlags) error {
	c := run.Command{
		Argv: argv, Env: env, Stdin: a.env.Stdin, Stdout: a.env.Stdout, Stderr: a.env.Stderr,
		Keep: ledger.MaxStored, Limit: flags.timeout, Foreground: isTerminal(a.env.Stdin),
	}
	if flags.args == "-" {
		c.Stdin = nil // the arguments were read from it
	}
	r, err := run.Run(ctx, c)
	var never *run.NotStarted
	switch {
	case t.Decision != ledger.Send && errors.As(err, &never):
		return unfound(err)
	case t.Decision != ledger.Send && err != nil:
		return refuse(err)
	case t.Decision != ledger.Send:
		return &exitWith{code: r.Exit}
	case errors.As(err, &never):
		_, lost := t.Fail(ctx, "not started: "+err.Error())
		return errors.Join(unfound(err), lost)
	}
	out, whole := r.Stdout.Whole()
	response, fits := ledger.StoredOutput(out)
	doubt := inDoubt(&r, rule, err)
	if doubt == "" && r.Exit == 0 && !(whole && fits) {
		doubt = fmt.Sprintf("its output of %d bytes is above 1 MiB and was not stored", r.Stdout.Bytes)
	}
	var s ledger.Settled
	var lost error
	switch {
	case doubt != "":
		lost = t.Doubt(ctx, doubt)
		a.warn("in doubt: %s; %s stays in flight: look at the effect, then drainboard ledger mark %s failed|committed", doubt, prefix(t.Key()), prefix(t.Key()))
	case r.Exit == 0:
		s, lost = t.Commit(ctx, response, true)
	default:
		s, lost = t.Fail(ctx, fmt.Sprintf("exit code %d", r.Exit))
	}
	if lost != nil {
		a.warn("%v", lost)
	}
	if s.Late {
		a.warn("the row was settled by somebody else meanwhile and stays as it is (%s); what came now is kept as a late reply", s.Row.State)
	}
	return &exitWith{code: r.Exit}
}

// inDoubt says why nobody knows whether the effect happened; it is empty when that is known.
func inDoubt(r *run.Result, rule *table.Rule, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case r.TimedOut:
		return fmt.Sprintf("the time limit ended it after %s", r.Took.Round(time.Millisecond))
	case r.Stopped:
		return "drainboard was interrupted and ended it"
	case r.Signal != "":
		return "it was ended by " + r.Signal
	case slices.Contains([]int{124, 137, 143}, r.Exit) || slices.Contains(rule.InDoubtExit, r.Exit):
		return fmt.Sprintf("exit code %d leaves open whether it happened", r.Exit)
	}
	return ""
}

// warn says something on standard error.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintln(a.env.Stderr, safe.Line("drainboard: "+fmt.Sprintf(format, args...)))
}

// tellDecision prints one line a decision.
func (a *app) tellDecision(l ledger.Line) {
	words := []string{l.Time.UTC().Format("2006-01-02T15:04:05.000Z"), l.Tool, prefix(l.Key), l.Run, string(l.Decision)}
	if l.Key == "" {
		words[2] = "-"
	}
	switch {
	case l.Reason != "":
		words = append(words, string(l.Reason))
	case l.Attempt > 0:
		words = append(words, fmt.Sprintf("attempt %d", l.Attempt))
	}
	fmt.Fprintln(a.env.Stderr, safe.Line(strings.Join(words, "  ")))
}

// refusalOf says in a sentence why a call was refused, and what to do.
func refusalOf(c *ledger.Call, t *ledger.Ticket) error {
	k := prefix(t.Row.Key)
	var text string
	switch t.Reason {
	case ledger.RefusedUnclassified:
		text = fmt.Sprintf("%s is in no class: drainboard tools set %s pure|keyed|compensate", c.Tool, c.Tool)
	case ledger.RefusedBudget:
		text = fmt.Sprintf("run %s is over its ceiling: this would be call %d of %d; stop the run, or raise budget: in the table", c.Run, t.Calls, c.Ceiling)
	case ledger.RefusedInFlight:
		who := "a writer that knows nothing of claims"
		if t.Row.Claim != nil {
			who = owner(t.Row.Claim)
		}
		text = fmt.Sprintf("%s %s is in flight since %s, held by %s: wait, or settle it with drainboard ledger mark", c.Tool, k, stamp(t.Row.Updated), who)
	case ledger.RefusedReuse:
		text = fmt.Sprintf("%s stands for another request: drainboard ledger show %s", k, k)
	case ledger.RefusedHumanKey:
		text = fmt.Sprintf("%s %s failed before, and only an undo helps against a second one: a person allows one more with drainboard ledger human-key %s WORD", c.Tool, k, k)
	case ledger.RefusedOverwritten:
		text = fmt.Sprintf("%s %s was overwritten by a writer that knows nothing of claims: look at it, then drainboard ledger ack %s", c.Tool, k, k)
	case ledger.RefusedState:
		text = fmt.Sprintf("%s is in the state %q, which means nothing here: settle it where it was written", k, t.Row.State)
	default:
		text = string(t.Reason)
	}
	return errors.New("refused: " + text)
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}
