// Package run starts the processes that a ledger's work needs: the child of exec, compensations, git. It is the only
// place that does.
//
// A command is an argument vector and never goes through a shell. It gets a process group of its own, an environment
// that is an allow-list, and a limit; at the limit, or when its context ends, the whole group is asked to end (TERM, or the
// signal that ended the context) and,
// after a grace, made to (KILL). Its output is streamed to whoever asked and kept as head and tail, with a count of all
// bytes. A command that ends by itself may leave others behind, as a daemon is started; whoever of them holds its output
// open is waited for no longer than the grace. After the limit nobody of the group is left.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Command is what to run. Argv[0] is a path, or a name that is looked for in Path.
type Command struct {
	Argv  []string
	Dir   string   // working directory; empty: the caller's
	Env   []string // NAME=value, all of it: nothing is inherited (see Allow)
	Stdin io.Reader
	// Stdout and Stderr are handed every byte as it comes; nil: it is only kept. A write that fails is not tried
	// again, the child goes on, and Result.Stream says so.
	Stdout, Stderr io.Writer
	Keep           int           // bytes of head, and of tail, kept of each stream; 0: 64 KiB
	Limit          time.Duration // 0: none
	Grace          time.Duration // from TERM to KILL; 0: five seconds
	// Foreground leaves the child in the caller's process group, so that it may read the terminal; the limit then
	// reaches only the child itself.
	Foreground bool
}

// Result is how a command ended.
type Result struct {
	Exit     int    // exit code; 128 + number for a signal, as shells say it
	Signal   string // name of the signal that ended it, empty when it ended by itself
	TimedOut bool   // the limit was reached
	Stopped  bool   // the context ended
	Stdout   Output
	Stderr   Output
	Stream   error // the first write to Command.Stdout or Stderr that failed
	Took     time.Duration
}

// Signal is the cause of a context that a signal ended: the child gets the same one in place of TERM.
type Signal struct{ os.Signal }

// Error names the signal.
func (s Signal) Error() string { return s.String() + " signal received" }

// NotStarted is the error of a command that could not be run: Exit is 127 when it was not found and 126 when it may not
// be executed, as shells say it.
type NotStarted struct {
	Exit int
	Err  error
}

// Error says what could not be started.
func (n *NotStarted) Error() string { return n.Err.Error() }

// Unwrap returns the cause.
func (n *NotStarted) Unwrap() error { return n.Err }

// Run runs a command to its end. The error is a *NotStarted, or one of the operating system; how the command ended is
// in the result.
func Run(ctx context.Context, c Command) (Result, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return Result{}, &NotStarted{127, errors.New("run a command: expected a program, found none")}
	}
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if c.Keep == 0 {
		c.Keep = 64 << 10
	}
	path, err := find(c.Argv[0], c.Dir, c.Env)
	if err != nil {
		return Result{}, err
	}
	outs, errs := newKeeper(c.Stdout, c.Keep), newKeeper(c.Stderr, c.Keep)
	cmd := &exec.Cmd{Path: path, Args: c.Argv, Dir: c.Dir, Env: c.Env, Stdin: c.Stdin, Stdout: outs, Stderr: errs}
	if c.Env == nil {
		cmd.Env = []string{} // nil would inherit everything
	}
	ownGroup(cmd, c.Foreground)
	// A grandchild that left the group may hold the output open: it is not waited for longer than this.
	cmd.WaitDelay = c.Grace
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Result{}, &NotStarted{126, fmt.Errorf("run %s: %w", c.Argv[0], err)}
	}
	r := Result{}
	err = r.wait(ctx, cmd, &c)
	r.Took = time.Since(start)
	r.Stdout, r.Stderr = outs.output(), errs.output()
	r.Stream = errors.Join(outs.failed(), errs.failed())
	r.Exit, r.Signal = ending(cmd.ProcessState)
	if gone := (*exec.ExitError)(nil); errors.As(err, &gone) || errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if err != nil {
		return r, fmt.Errorf("run %s: %w", c.Argv[0], err)
	}
	return r, nil
}

// wait waits for the command and ends its group when the limit or the context says so.
func (r *Result) wait(ctx context.Context, cmd *exec.Cmd, c *Command) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var limit <-chan time.Time
	if c.Limit > 0 {
		t := time.NewTimer(c.Limit)
		defer t.Stop()
		limit = t.C
	}
	select {
	case err := <-ended:
		return err
	case <-limit:
		r.TimedOut = true
	case <-ctx.Done():
		r.Stopped = true
	}
	terminate(cmd, c.Foreground, context.Cause(ctx))
	grace := time.NewTimer(c.Grace)
	defer grace.Stop()
	var err error
	for waited := false; !waited || left(cmd, c.Foreground); {
		select {
		case err = <-ended:
			waited, ended = true, nil
		case <-time.After(pollGroup):
		case <-grace.C:
			kill(cmd, c.Foreground)
			if !waited {
				err = <-ended
			}
			for n := 0; n < killTries && left(cmd, c.Foreground); n++ {
				time.Sleep(pollGroup)
			}
			return err
		}
	}
	return err
}

// killTries is how often it is looked whether a killed group has gone: the system takes a moment, and where nobody
// reaps orphans it never goes.
const killTries = 100

// pollGroup is how often it is looked whether the rest of a group has ended.
const pollGroup = 5 * time.Millisecond
