package sqlite

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"drainboard/ledger/storetest"
)

func TestOneKeyAtOneMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.sqlite")
	s := openStore(t, path, StoreOptions{Create: true})
	t.Run("64 goroutines", func(t *testing.T) { storetest.OneKey(t, s) })
	t.Run("8 processes", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "l.sqlite")
		openStore(t, path, StoreOptions{Create: true})
		var peers []storetest.Peer
		for range 8 {
			peers = append(peers, peer(t, path))
		}
		storetest.OneKeyOfProcesses(t, peers)
	})
}

// peer starts a process that takes part in rounds for one key. It ends with its test.
func peer(t *testing.T, path string) storetest.Peer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "DRAINBOARD_TEST_PROCESS=peer", "DRAINBOARD_TEST_LEDGER="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return storetest.Peer{In: in, Out: bufio.NewReader(out)}
}
