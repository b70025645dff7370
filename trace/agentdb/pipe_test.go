package agentdb

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipeIsLeftAlone takes nothing out of a pipe: who reads it next finds all of it.
func TestPipeIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := os.OpenFile(path, os.O_RDWR, 0) // a reader and a writer, so that no opening waits
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	const text = `{"tool":"open_pr","args":{}}`
	if _, err := both.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if Is(path) {
		t.Error("a pipe is taken for a database")
	}
	left := make([]byte, len(text))
	if err := both.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if n, err := io.ReadFull(both, left); err != nil {
		t.Errorf("%d of %d bytes are left: %v", n, len(text), err)
	}
}
