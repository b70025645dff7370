package run

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"drainboard/ledger"
)

// Proc is where processes are looked at: /proc, or a folder like it.
type Proc struct{ Root string }

// Self says who this process is, for its claims: host, boot, number and start.
func (p Proc) Self() (ledger.Owner, error) {
	host, err := os.Hostname()
	if err != nil {
		return ledger.Owner{}, fmt.Errorf("find this host's name: %w", err)
	}
	o := ledger.Owner{Host: host, BootID: p.boot(), PID: os.Getpid()}
	if start, ok := p.start(o.PID); ok {
		o.PIDStart = start
	}
	return o, nil
}

// Alive says whether the process of a claim still runs, as seen from the process self. What ran on another host is
// unknown; what ran before this host started is gone.
func (p Proc) Alive(self, o ledger.Owner) ledger.Liveness {
	switch {
	case o.Host != self.Host || o.PID <= 0 || o.PIDStart == 0 || self.PIDStart == 0:
		return ledger.Unknown
	case o.BootID != self.BootID:
		return ledger.Gone
	}
	if start, ok := p.start(o.PID); ok && start == o.PIDStart {
		return ledger.Alive
	}
	return ledger.Gone
}

func (p Proc) boot() string {
	b, err := os.ReadFile(filepath.Join(p.Root, "sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// start is field 22 of stat: when the process started, in clock ticks since boot. The fields after the command's name,
// which may hold anything, are counted from its closing bracket.
func (p Proc) start(pid int) (int64, bool) {
	b, err := os.ReadFile(filepath.Join(p.Root, strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, false
	}
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return 0, false
	}
	f := strings.Fields(string(b[i+1:]))
	const startTime = 22 - 3 // f[0] is field 3
	if len(f) <= startTime || f[0] == "Z" || f[0] == "X" {
		return 0, false
	}
	n, err := strconv.ParseInt(f[startTime], 10, 64)
	return n, err == nil
}
