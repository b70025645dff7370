//go:build !unix

package run

import (
	"os"
	"os/exec"
)

// Where there are no process groups the limit reaches the command itself and not what it started.
func ownGroup(*exec.Cmd, bool)               {}
func terminate(c *exec.Cmd, _ bool, _ error) { _ = c.Process.Kill() }
func kill(c *exec.Cmd, _ bool)               { _ = c.Process.Kill() }
func left(*exec.Cmd, bool) bool              { return false }

func ending(p *os.ProcessState) (exit int, signal string) {
	if p == nil {
		return -1, ""
	}
	return p.ExitCode(), ""
}
