package board

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"
)

// Fault is a mistake in the program that ended the board. The terminal was restored before it is returned.
type Fault struct {
	Where string // the goroutine or command
	What  string
	Path  string // file with the trace; "" when it could not be written
}

// Error says where the trace is.
func (f *Fault) Error() string {
	text := fmt.Sprintf("the board stopped: a fault in %s: %s", f.Where, f.What)
	if f.Path != "" {
		text += "; the trace is in " + f.Path
	}
	return text
}

// faultMsg tells the loop that something else has faulted.
type faultMsg struct{}

// guard starts goroutines and commands so that a panic in any of them ends the board in good order: its trace goes to a file, the
// context is cancelled, and the terminal is restored by whoever owns it.
type guard struct {
	cancel context.CancelFunc
	dir    string
	mu     sync.Mutex
	fault  *Fault
	wait   sync.WaitGroup
	away   atomic.Bool // a pager has the terminal: what is typed there, ctrl-c too, is not for the board
}

// Go runs fn in a goroutine.
func (g *guard) Go(name string, fn func()) {
	g.wait.Add(1)
	go func() {
		defer g.wait.Done()
		defer g.recover(name)
		fn()
	}()
}

func (g *guard) recover(name string) {
	if v := recover(); v != nil {
		g.caught(name, v)
	}
}

// command makes a command whose panic is caught.
func (g *guard) command(name string, fn func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				g.caught(name, v)
				msg = faultMsg{}
			}
		}()
		return fn()
	}
}

// caught keeps the first fault and ends the program. It must be called while the panic's stack is still there.
func (g *guard) caught(name string, v any) {
	stack := debug.Stack()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault == nil {
		g.fault = &Fault{Where: name, What: fmt.Sprint(v), Path: writeTrace(g.dir, name, v, stack)}
	}
	g.cancel()
}

// first is the fault that ended the program, or nil.
func (g *guard) first() *Fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault
}

func writeTrace(dir, name string, v any, stack []byte) string {
	f, err := os.CreateTemp(dir, "drainboard-fault-*.txt")
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "fault in %s: %v\n\n%s", name, v, stack); err != nil {
		return ""
	}
	return f.Name()
}
