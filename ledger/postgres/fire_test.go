package postgres

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	"drainboard/ledger/storetest"
)

func TestOneKeyAtOneMoment(t *testing.T) {
	t.Run("64 goroutines", func(t *testing.T) { storetest.OneKey(t, openStore(t, database(t), StoreOptions{})) })
	t.Run("8 processes", func(t *testing.T) {
		url := database(t)
		openStore(t, url, StoreOptions{}) // makes the tables
		var peers []storetest.Peer
		for range 8 {
			peers = append(peers, peer(t, url))
		}
		storetest.OneKeyOfProcesses(t, peers)
	})
}

// servePeer is a process that takes part in rounds for one key.
func servePeer(url string) error {
	s, err := OpenStore(context.Background(), url, StoreOptions{Connections: 4})
	if err != nil {
		return err
	}
	return errors.Join(storetest.ServePeer(s, os.Stdin, os.Stdout), s.Close())
}

// peer starts such a process. It ends with its test.
func peer(t *testing.T, url string) storetest.Peer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "DRAINBOARD_TEST_PEER="+url)
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
