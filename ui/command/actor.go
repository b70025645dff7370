package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"drainboard/ledger/operate"
	"drainboard/ledger/run"
	"drainboard/ui/board"
	"drainboard/ui/safe"
)

// actor carries out what the board's questions confirmed.
//
// A signal that ends the board does not end a compensation: its start stands in the log before its script runs, the board goes, and
// drainboard waits for the script, which has its own limit, and records its end. The next signal, while it waits, is passed on to the
// script as TERM (then KILL, to all that it started), and that end is recorded. Whoever kills drainboard itself leaves
// a compensation whose outcome is unknown.
type actor struct {
	a       *app
	s       *session
	acks    *ownAcks
	journal *operate.Journal // nil: there is no ledger

	signals chan os.Signal
	scripts context.Context // of compensations; it outlives the board
	end     context.CancelFunc
	busy    sync.WaitGroup

	mu      sync.Mutex
	desk    *operate.Desk // opened by the first action that writes
	running *pane         // of the compensation that is under way
}

// newActor makes the hands of a board. Close ends them.
func (a *app) newActor(ctx context.Context, s *session) *actor {
	x := &actor{a: a, s: s, signals: make(chan os.Signal, 8)}
	signal.Notify(x.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	x.scripts, x.end = context.WithCancel(context.WithoutCancel(ctx))
	if s.look != nil {
		x.journal = &operate.Journal{From: s.look}
	}
	if s.ledger.path == "" {
		x.acks = a.ownAcks(s)
		if list, err := x.acks.read(); err != nil {
			x.acks.err = err
		} else if len(list) > 0 {
			_ = s.Acknowledge(ctx, list) // it fails only when the engine has ended, which the board says
		}
	}
	return x
}

// Close waits for a compensation that is under way, and ends what was opened. signalled says that a signal ended the board.
func (x *actor) Close(signalled bool) error {
	done := make(chan struct{})
	go func() {
		x.busy.Wait()
		close(done)
	}()
	if signalled {
		select {
		case <-x.signals: // the one that ended the board
		default:
		}
	}
	x.mu.Lock()
	p := x.running
	x.mu.Unlock()
	if p != nil {
		x.a.warn("waiting for the compensation of %s to end, at most %s; another signal ends it", p.what, p.limit)
	}
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-x.signals:
			x.end()
		}
	}
	signal.Stop(x.signals)
	x.end()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.desk != nil && x.desk.Op != nil {
		return x.desk.Op.Store.Close()
	}
	return nil
}

// Can implements board.Actor.
func (x *actor) Can(act board.Action) string {
	if x.a.opts.readOnly {
		return "read-only: --read-only was given"
	}
	switch act {
	case board.ActClassify, board.ActIgnore:
		if x.s.tableAt.fixed != "" {
			return x.s.tableAt.path + " is not changed: " + x.s.tableAt.fixed
		}
		return ""
	case board.ActAck:
		if x.acks != nil {
			return x.acks.why()
		}
	case board.ActCompensate, board.ActKept:
		if why := x.noRun(); why != "" {
			return why
		}
	}
	return x.a.noWrite(x.s.ledger)
}

func (x *actor) noRun() string {
	switch at := x.s.tableAt; {
	case at.path == "":
		return "there is no decision table: drainboard init writes one"
	case at.fixed != "":
		return "nothing of the table is run: " + at.fixed
	}
	return ""
}

// open is the desk, with the ledger open for writing.
func (x *actor) open(ctx context.Context) (*operate.Desk, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.desk != nil {
		return x.desk, nil
	}
	store, err := x.a.openStore(ctx, x.s.ledger, false)
	if err != nil {
		return nil, err
	}
	op, err := x.a.operator(store)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	d := &operate.Desk{Op: op, Book: x.s, Table: x.s.Table, Recipe: x.s.Recipe, NoRun: x.noRun(), Environ: x.a.environ()}
	if full, err := filepath.Abs(x.s.tableAt.path); err == nil {
		d.Folder = filepath.Dir(full)
	}
	x.desk = d
	return d, nil
}

// Do implements board.Actor. What was begun is finished although the board ends.
func (x *actor) Do(ctx context.Context, in board.Intent) (string, error) {
	if why := x.Can(in.Action()); why != "" {
		return "", errors.New(why)
	}
	x.busy.Add(1)
	defer x.busy.Done()
	ctx = context.WithoutCancel(ctx)
	switch in := in.(type) {
	case board.Classify:
		return x.classify(ctx, in)
	case board.EditCases:
		return x.editCases(ctx, in)
	case board.AddIgnore:
		return x.ignore(ctx, in)
	case board.Acknowledge:
		return x.acknowledge(ctx, in)
	}
	d, err := x.open(ctx)
	if err != nil {
		return "", err
	}
	var done []operate.Outcome
	words := ""
	switch in := in.(type) {
	case board.MarkFailed:
		words = "marked failed"
		done, err = d.MarkFailed(ctx, in.Rows, in.Reason)
	case board.MarkCommitted:
		words = "marked committed"
		respond := operate.Response(d.FromTrace)
		if in.Response != nil {
			if respond, err = operate.Given(string(in.Response)); err != nil {
				return "", err
			}
		}
		done, err = d.MarkCommitted(ctx, in.Rows, respond, in.Reason)
	case board.GiveHumanKey:
		words = "may be sent once more"
		var o operate.Outcome
		o, err = d.HumanKey(ctx, in.Row, in.Word, in.Reason)
		done = []operate.Outcome{o}
	case board.UndoLast:
		words = "taken back"
		done, err = d.UndoLast(ctx, in.Keys, in.Reason)
	case board.RunCompensation:
		words = "compensated"
		done, err = x.compensate(ctx, d, in)
	default:
		return "", fmt.Errorf("%s is not known here", in.Action())
	}
	return said(words, done, err)
}

// said is the sentence about an action: an error when none of it was done.
func said(words string, done []operate.Outcome, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text := operate.Sentence(words, done)
	for i := range done {
		if done[i].Done {
			return text, nil
		}
	}
	return "", errors.New(text)
}

// Plan implements board.Planner.
func (x *actor) Plan(ctx context.Context, targets []board.Target) (*board.Plan, error) {
	d, err := x.open(ctx)
	if err != nil {
		return nil, err
	}
	var all []operate.Undoing
	for _, t := range targets {
		some, err := d.Plan(ctx, t.Key, t.Side, t.Kept)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	fresh, left := due(all, false)
	p := &board.Plan{}
	if len(fresh) == 0 {
		again, _ := due(all, true)
		if len(again) == 0 {
			return nil, errors.New(left[0].Why)
		}
		fresh, p.Again = again, true
	} else if len(left) > 0 {
		p.Left = plural(len(left), "effect is", "effects are") + " left out: " + left[0].Why
	}
	names := run.Allowed()
	for _, u := range fresh {
		p.Lines = append(p.Lines, x.a.mask(fmt.Sprintf("%s  %s  %s", prefix(u.Key), u.What(), strings.Join(u.Argv, " "))))
		names = append(run.Allowed(), u.Names...)
	}
	p.Effects, p.Env, p.Frozen = len(fresh), strings.Join(append(names, "DRAINBOARD_*"), " "), fresh
	return p, nil
}

// compensate runs what was planned, one after another; a signal lets the one that runs end and starts no other.
func (x *actor) compensate(ctx context.Context, d *operate.Desk, in board.RunCompensation) (done []operate.Outcome, err error) {
	if in.Plan == nil {
		return nil, errors.New("nothing was planned: ask again")
	}
	list, ok := in.Plan.Frozen.([]operate.Undoing)
	if !ok {
		return nil, errors.New("nothing was planned: ask again")
	}
	for _, u := range list {
		if x.scripts.Err() != nil || len(x.signals) > 0 {
			done = append(done, operate.Outcome{Key: u.Key, Tool: u.Tool, Why: "not started: the board was ended"})
			continue
		}
		p := &pane{what: u.Tool + " " + prefix(u.Key), key: u.Key, limit: u.Limit}
		x.show(p)
		e, err := d.Run(x.scripts, u, in.Plan.Again, in.Reason, p)
		x.show(nil)
		if err != nil {
			return done, err
		}
		done = append(done, e.Outcome)
	}
	return done, nil
}

func (x *actor) show(p *pane) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running = p
}

// board runs the board on a session with its hands.
func (a *app) board(ctx context.Context, s *session, set func(*board.Options)) (err error) {
	x := a.newActor(ctx, s)
	opt := a.boardOptions(s)
	set(&opt)
	opt.Actor = x
	if x.journal != nil {
		opt.Journal = x
	}
	if opt.Plain {
		err = board.RunPlain(ctx, s, opt)
	} else {
		err = board.Run(ctx, s, opt)
	}
	signalled := errors.Is(err, board.ErrSignal) || ctx.Err() != nil
	if x.acks != nil && x.acks.err != nil {
		fmt.Fprintln(a.env.Stderr, safe.Line("drainboard: "+x.acks.err.Error()))
	}
	return errors.Join(err, x.Close(signalled))
}
