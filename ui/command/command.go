// Package command is the command line: one file a command, text for people, JSON for programs, and the wiring of
// sources, table, ledger and book that every command shares.
//
// Contract. Standard output is data and nothing else; whatever is said about the data goes to standard error. Exit codes
// (PRODUCT.md "Commands"): 0 done, or GO; 1 NO-GO, refused, or a failed expectation; 2 it could not run. What a command
// takes from outside (streams, environment, clock, working directory) is in an Env, so that a test can be all of it. Text
// of traces, ledgers and tables reaches an output for people only through package safe; JSON output is escaped by
// encoding/json and holds it whole.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"strconv"
	"syscall"
	"time"

	"drainboard/ledger/run"

	"github.com/charmbracelet/x/term"
)

// Exit codes.
const (
	exitDone  = 0
	exitNo    = 1 // NO-GO, refused, a failed expectation
	exitError = 2 // it could not run
)

// Env is what a command takes from outside.
type Env struct {
	Args   []string // without the program's name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(name string) string
	// Environ is the whole environment, NAME=value, for the children of exec and for compensations.
	Environ func() []string
	User    string // user@host, for the log
	Dir     string // working directory, absolute
	Home    string // the user's, or ""
	Temp    string // where temporary folders are made
	Now     func() time.Time

	Interactive bool // standard input and output are a terminal: the board can be opened
	Coloured    bool // standard output is a terminal that may be coloured
	Width       int  // columns of standard output; 0 when it is no terminal
}

// Main runs the command line of this process and returns its exit code.
func Main() int {
	ctx, stop := untilSignal()
	defer stop()
	e := &Env{
		Args:   os.Args[1:],
		Stdin:  os.Stdin,
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Getenv: os.Getenv, Environ: os.Environ, User: userAtHost(),
		Temp: os.TempDir(),
		Now:  time.Now,
	}
	var err error
	if e.Dir, err = os.Getwd(); err != nil {
		fmt.Fprintf(e.Stderr, "drainboard: no working directory: %v\n", err)
		return exitError
	}
	e.Home, _ = os.UserHomeDir()
	out := term.IsTerminal(os.Stdout.Fd())
	e.Interactive = out && term.IsTerminal(os.Stdin.Fd()) && os.Getenv("TERM") != "dumb"
	e.Coloured = out && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	if out {
		if e.Width, _, err = term.GetSize(os.Stdout.Fd()); err != nil {
			e.Width = 0
		}
	}
	return Run(ctx, e)
}

// untilSignal is a context that a signal ends; its cause says which one, so that it can be passed on to a child. A second one ends the
// process at once, as without a handler.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-came:
			signal.Stop(came)
			cancel(run.Signal{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(came)
		cancel(nil)
	}
}

// userAtHost is who this process runs as, as the system knows it.
func userAtHost() string {
	name, host := "uid "+strconv.Itoa(os.Getuid()), "unknown"
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil && h != "" {
		host = h
	}
	return name + "@" + host
}

// Run runs one command line and returns its exit code. Errors are printed to Env.Stderr, in one line that says what to do.
func Run(ctx context.Context, e *Env) int {
	root := newRoot(e)
	root.SetArgs(e.Args)
	err := root.ExecuteContext(ctx)
	if end := (*exitWith)(nil); errors.As(err, &end) {
		if end.err != nil {
			complain(e, err)
		}
		return end.code
	}
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNo):
		return exitNo
	case ctx.Err() != nil:
		fmt.Fprintln(e.Stderr, "drainboard: interrupted")
		return exitError
	}
	complain(e, err)
	var no *refusal
	if errors.As(err, &no) {
		return exitNo
	}
	return exitError
}

// errNo ends a command with exit code 1 when its output has said why.
var errNo = errors.New("no")

// refusal is an error with exit code 1: the command ran, and what was asked for is refused.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// usage is an error in how a command was called; it is printed with the place where help is.
type usage struct {
	command string // "check", or "" for the program itself
	err     error
}

func (u *usage) Error() string { return u.err.Error() }
func (u *usage) Unwrap() error { return u.err }
