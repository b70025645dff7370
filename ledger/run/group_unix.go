//go:build unix

package run

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup gives the command a process group of its own.
func ownGroup(cmd *exec.Cmd, foreground bool) {
	if !foreground {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
}

// signal reaches the whole group. It fails when the group is gone, which is what it is for.
func signal(cmd *exec.Cmd, foreground bool, s syscall.Signal) {
	pid := cmd.Process.Pid
	if !foreground {
		_ = syscall.Kill(-pid, s)
		return
	}
	_ = cmd.Process.Signal(s) // refuses by itself once the child was waited for
}

// terminate asks the group to end: with TERM, or with the signal that is the cause.
func terminate(cmd *exec.Cmd, foreground bool, cause error) {
	with := syscall.SIGTERM
	if came := (Signal{}); errors.As(cause, &came) {
		if s, ok := came.Signal.(syscall.Signal); ok {
			with = s
		}
	}
	signal(cmd, foreground, with)
}

func kill(cmd *exec.Cmd, foreground bool) { signal(cmd, foreground, syscall.SIGKILL) }

// left says whether anybody of the group is still there.
func left(cmd *exec.Cmd, foreground bool) bool {
	return !foreground && syscall.Kill(-cmd.Process.Pid, 0) == nil
}

func ending(p *os.ProcessState) (exit int, signal string) {
	if p == nil {
		return -1, ""
	}
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal()), unix.SignalName(w.Signal())
	}
	return p.ExitCode(), ""
}
