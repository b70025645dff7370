//go:build unix

package board

import (
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// stopper stops the board's process, when the operator says so and when somebody sends it SIGTSTP: the terminal is given back first. It
// stops with SIGSTOP, as Go's runtime goes on swallowing a SIGTSTP that was ever caught.
type stopper struct {
	came chan os.Signal
	own  atomic.Bool   // the next one comes from Run
	seen chan struct{} // it came
}

// newStopper begins to catch what is sent from outside.
func newStopper() *stopper {
	s := &stopper{came: make(chan os.Signal, 1), seen: make(chan struct{}, 1)}
	signal.Notify(s.came, syscall.SIGTSTP)
	return s
}

func (s *stopper) end() { signal.Stop(s.came) }

// meant says whether what came was sent from outside rather than by Run.
func (s *stopper) meant() bool {
	if s.own.CompareAndSwap(true, false) {
		s.seen <- struct{}{}
		return false
	}
	return true
}

// now stops this process at once, until it is continued.
func (*stopper) now() { _ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP) }

// Run stops the process group, as the shell expects of ctrl-z, and returns when it goes on.
func (s *stopper) Run() error {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	s.own.Store(true)
	_ = syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-s.seen:
	case <-time.After(time.Second): // the board ends just now
	}
	s.now()
	<-again
	return nil
}

// SetStdin is not needed.
func (*stopper) SetStdin(io.Reader) {}

// SetStdout is not needed.
func (*stopper) SetStdout(io.Writer) {}

// SetStderr is not needed.
func (*stopper) SetStderr(io.Writer) {}
