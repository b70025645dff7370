package operate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"drainboard/keys/pyjson"
	"drainboard/ledger"
	"drainboard/ledger/run"
)

// keepOutput is how much of the head, and of the tail, of each stream of a script is kept in the log.
const keepOutput = 4 << 10

// Ended is how a compensation ended.
type Ended struct {
	Outcome
	Attempt int    `json:"attempt"`
	Ran     bool   `json:"ran"`    // the script was started, now
	Exit    int    `json:"exit"`   // of the script
	Signal  string `json:"signal"` // that ended it
	Bytes   int64  `json:"bytes"`  // of its output
}

// Run undoes one effect as it was planned, once whoever asks. again runs it although it was run before without success, or
// nobody knows how it ended. Output is written to out as it comes, from one goroutine at a time; out may be nil. When ctx ends
// the script and all that it started are ended, and its end is recorded.
func (d *Desk) Run(ctx context.Context, u Undoing, again bool, reason string, out io.Writer) (Ended, error) {
	e := Ended{Outcome: Outcome{Key: u.Key, Tool: u.Tool}}
	if err := d.writable(); err != nil {
		return e, err
	}
	if strings.TrimSpace(reason) == "" {
		e.Why = "it needs a reason"
		return e, nil
	}
	if err := d.unmoved(ctx, &u); err != nil {
		e.Why = err.Error()
		return e, ctx.Err()
	}
	c, r, err := d.Op.Start(ctx, u.Compensation, again, reason)
	e.Log, e.Attempt = r.Log, c.Attempt
	if err != nil || !r.Done {
		e.Why = r.Why
		return e, err
	}
	both := &shared{to: out}
	res, err := run.Run(ctx, run.Command{
		Argv: u.Argv, Dir: u.Dir, Env: d.env(&u, &c), Stdin: bytes.NewReader(u.row(reason, d.Op.Actor, c.Attempt)),
		Stdout: both, Stderr: both, Keep: keepOutput, Limit: u.Limit,
	})
	var never *run.NotStarted
	if errors.As(err, &never) {
		res.Exit = never.Exit
	}
	e.Ran, e.Exit, e.Signal, e.Bytes = never == nil, res.Exit, res.Signal, res.Stdout.Bytes+res.Stderr.Bytes
	end, lost := d.Op.End(context.WithoutCancel(ctx), c, res.Exit, report(&c, &res, err))
	switch {
	case lost != nil:
		return e, fmt.Errorf("%s ended with exit code %d, and that could not be recorded, so that its outcome is unknown to everybody else: %w", u.Argv[0], res.Exit, lost)
	case !end.Done:
		e.Why = end.Why
	case err != nil:
		e.Why = err.Error()
	default:
		e.Why = complaint(&u, &res)
	}
	e.Done = e.Why == ""
	return e, nil
}

// complaint says what was wrong with how a script ended; it is empty when nothing was.
func complaint(u *Undoing, r *run.Result) string {
	switch {
	case r.TimedOut:
		return fmt.Sprintf("%s was ended at its limit of %s: find out what it did, then run it again", u.Argv[0], u.Limit)
	case r.Stopped:
		return fmt.Sprintf("%s was ended because drainboard was: find out what it did, then run it again", u.Argv[0])
	case r.Signal != "":
		return fmt.Sprintf("%s was ended by %s: find out what it did, then run it again", u.Argv[0], r.Signal)
	case r.Exit != 0:
		return fmt.Sprintf("%s ended with exit code %d: see its output in the log, then run it again", u.Argv[0], r.Exit)
	}
	return ""
}

// unmoved plans again and says what is no longer as it was when the operator was asked: the effect, what is kept, the script.
func (d *Desk) unmoved(ctx context.Context, u *Undoing) error {
	now, err := d.Plan(ctx, u.Key, u.Side, u.Kept)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(now, func(v Undoing) bool { return v.ID == u.ID })
	switch {
	case at < 0:
		return errors.New("it is no longer an extra effect: look again")
	case !bytes.Equal(now[at].keep, u.keep):
		return errors.New("another effect is kept by now: look again")
	case !slices.Equal(now[at].Argv, u.Argv):
		return fmt.Errorf("the table names another compensation by now: %s", strings.Join(now[at].Argv, " "))
	}
	return nil
}

// row is what the script gets on standard input: one line.
func (u *Undoing) row(reason, actor string, attempt int) []byte {
	var b []byte
	text := func(name, value string) {
		b = append(b, `,"`...)
		b = append(append(b, name...), `":`...)
		b = pyjson.AppendQuote(b, []byte(value))
	}
	raw := func(name string, value []byte) {
		b = append(b, `,"`...)
		b = append(append(b, name...), `":`...)
		b = append(b, bytes.ReplaceAll(value, []byte("\n"), []byte(" "))...) // between the parts of a value; in a text it is escaped
	}
	text("key", u.Key)
	text("run", u.Run)
	text("tool", u.Tool)
	raw("args", u.args)
	raw("keep", u.keep)
	raw("extra", u.extra)
	text("reason", reason)
	text("actor", actor)
	b = append(b, `,"attempt":`...)
	b = append(strconv.AppendInt(b, int64(attempt), 10), "}\n"...)
	b[0] = '{'
	return b
}

// Row is what the script will get on standard input, for showing it.
func (u *Undoing) Row(reason, actor string) string {
	return strings.TrimSuffix(string(u.row(reason, actor, u.Attempt+1)), "\n")
}

// env is the environment of the script: what is allowed of this process's, and short names of what it is for.
func (d *Desk) env(u *Undoing, c *ledger.Compensation) []string {
	own := func(e string) bool { return strings.HasPrefix(e, "DRAINBOARD_") }
	env := slices.DeleteFunc(run.Allow(d.Environ, u.Names), own)
	for _, v := range [][2]string{
		{"KEY", u.Key}, {"TOOL", u.Tool}, {"RUN", u.Run}, {"ATTEMPT", strconv.Itoa(c.Attempt)}, {"IDEMPOTENCY_KEY", c.ID},
	} {
		env = append(env, "DRAINBOARD_"+v[0]+"="+brief(v[1]))
	}
	return env
}

// brief is a text of a trace as it may stand in an environment.
func brief(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
	if len(text) > 256 {
		text = strings.ToValidUTF8(text[:256], "")
	}
	return text
}

// report is what the log holds of how a script ended.
func report(c *ledger.Compensation, r *run.Result, err error) string {
	text := func(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
	m := map[string]any{
		"compensation": c.ID, "attempt": c.Attempt, "exit": r.Exit, "took_s": float64(r.Took.Milliseconds()) / 1000,
		"bytes": r.Stdout.Bytes + r.Stderr.Bytes,
	}
	set := func(name, value string) {
		if value != "" {
			m[name] = value
		}
	}
	set("head", text(r.Stdout.Head))
	set("tail", text(r.Stdout.Tail))
	set("stderr_head", text(r.Stderr.Head))
	set("stderr_tail", text(r.Stderr.Tail))
	set("signal", r.Signal)
	if r.TimedOut {
		m["timed_out"] = true
	}
	if r.Stopped {
		m["stopped"] = true
	}
	if err != nil {
		m["error"] = err.Error()
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "" // texts and numbers always marshal
	}
	return string(b)
}

// shared lets two streams write to one writer in turn.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to == nil {
		return len(p), nil
	}
	return s.to.Write(p)
}
