package board

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"drainboard/ui/board/ink"
)

// ErrSignal is what Run returns when a signal ended the board; the terminal was restored.
var ErrSignal = errors.New("ended by a signal")

// Run shows the board until the operator quits, ctx ends, or a signal comes. It returns nil when the operator quit or ctx ended,
// ErrSignal, a *Fault, or why the board could not be shown.
func Run(ctx context.Context, eng Engine, opt Options) error {
	opt = opt.complete()
	theme, err := opt.theme()
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	g := &guard{cancel: cancel, dir: opt.Faults}
	screen := newTerminal(opt.Out)
	m := newModel(inner, eng, opt, theme, g, screen, time.Now)
	p := tea.NewProgram(m, opt.program(inner)...)

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(signals)
	defer opt.answerAtOnce()()
	m.stop = newStopper()
	defer m.stop.end()
	back := remember(opt.In, opt.Out)
	done := make(chan error, 1)
	screen.enter()
	defer screen.leave()
	g.Go("terminal", func() { screen.run(inner) })
	g.Go("pump", func() { pump(inner, eng, p.Send) })
	g.Go("program", func() {
		_, err := p.Run()
		done <- err
	})
	signalled := false
	for {
		select {
		case err = <-done:
			cancel()
			if opt.Remember != nil && g.first() == nil {
				opt.Remember(m.state())
			}
			return outcome(g, err, signalled, ctx)
		case sig := <-signals:
			if (sig == syscall.SIGINT || sig == syscall.SIGQUIT) && g.away.Load() { // typed at the pager
				continue
			}
			if signalled { // a second one does not wait for anything
				back()
				return ErrSignal
			}
			signalled = true
			cancel()
		case <-m.stop.came:
			if !m.stop.meant() {
				continue
			}
			if g.away.Load() {
				m.stop.now()
				continue
			}
			g.Go("stop", func() { p.Send(stopMsg{}) })
		case <-inner.Done():
			if f := g.first(); f != nil && f.Where == "program" { // the program's own goroutine is gone: nobody else restores
				back()
				return f
			}
			select {
			case err = <-done:
				if opt.Remember != nil && g.first() == nil {
					opt.Remember(m.state())
				}
				return outcome(g, err, signalled, ctx)
			case <-signals:
				back()
				return ErrSignal
			}
		}
	}
}

// outcome says what the end of the program means.
func outcome(g *guard, err error, signalled bool, ctx context.Context) error {
	switch {
	case g.first() != nil:
		return g.first()
	case signalled:
		return ErrSignal
	case err == nil, ctx.Err() != nil:
		return nil
	}
	return fmt.Errorf("the board cannot go on: %w", err)
}

func (o Options) complete() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	return o
}

// theme is the one asked for; without a wish, NO_COLOR and a terminal that can do nothing are respected.
func (o Options) theme() (*ink.Theme, error) {
	name := o.Theme
	if name == "" || name == "auto" {
		name = o.Settings.Theme
	}
	env := (&model{opt: o}).env
	if name == "" || name == "auto" {
		switch {
		case env("TERM") == "dumb":
			name = "none"
		case env("NO_COLOR") != "":
			name = "mono"
		}
	}
	return ink.New(name, o.ASCII)
}

func (o Options) program(ctx context.Context) []tea.ProgramOption {
	opts := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFPS(1), tea.WithOutput(silent(o.Out)),
	}
	switch in := o.In.(type) {
	case nil:
	case *os.File:
		if !term.IsTerminal(in.Fd()) { // a trace comes that way: keys come from the terminal itself
			opts = append(opts, tea.WithInputTTY())
			break
		}
		opts = append(opts, tea.WithInput(in))
	default:
		opts = append(opts, tea.WithInput(in))
	}
	if len(o.Env) > 0 {
		opts = append(opts, tea.WithEnvironment(o.Env))
	}
	return opts
}

// answerAtOnce lets a key be seen while the engine computes on every processor: with no more running goroutines than processors, one that
// wakes waits until another was preempted, ten milliseconds and more; with twice as many, the system gives its thread a processor at once
// (99 of 100 keys within 13 ms in place of 39, a million groups and 5,000 new calls a second on two cores). Who set GOMAXPROCS keeps it.
// The function that it returns takes it back.
func (o *Options) answerAtOnce() (back func()) {
	for _, kv := range o.Env {
		if strings.HasPrefix(kv, "GOMAXPROCS=") {
			return func() {}
		}
	}
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(2 * before)
	return func() { runtime.GOMAXPROCS(before) }
}

// pumpPause is how long the pump waits between two pieces of news.
const pumpPause = 25 * time.Millisecond

// pump tells the program of news, at most 40 times a second. It is the only one that waits for the program's loop.
func pump(ctx context.Context, eng Engine, send func(tea.Msg)) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-eng.Updates():
			if !ok {
				return
			}
		}
		send(newsMsg{eng.Snapshot(), eng.Progress()})
		select {
		case <-ctx.Done():
			return
		case <-time.After(pumpPause):
		}
	}
}

// remember notes how the terminal is set, and returns what sets it that way again.
func remember(in io.Reader, out io.Writer) func() {
	f, ok := out.(*os.File)
	if !ok {
		return func() {}
	}
	tty := f.Fd() // where nothing else is known, what is written to is also what is typed on
	if i, ok := in.(*os.File); ok && term.IsTerminal(i.Fd()) {
		tty = i.Fd()
	}
	state, err := term.GetState(tty)
	return func() {
		_, _ = io.WriteString(f, mouseOff+giveScreen)
		if err == nil {
			_ = term.Restore(tty, state)
		}
	}
}
