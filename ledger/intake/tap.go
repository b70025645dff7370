package intake

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// tap keeps what comes from standard input in a private file, so that it can be read again from the start. The file has no name: it is gone with the process.
type tap struct {
	mu   sync.Mutex
	more *sync.Cond
	file *os.File
	n    int64
	end  error // what ended the input, or the tap
}

func newTap(in io.Reader) (*tap, error) {
	f, err := os.CreateTemp("", "drainboard-stdin-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("keeping standard input: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, fmt.Errorf("keeping standard input: %w", err)
	}
	t := &tap{file: f}
	t.more = sync.NewCond(&t.mu)
	go t.fill(in)
	return t, nil
}

func (t *tap) fill(in io.Reader) {
	buf := make([]byte, 1<<16)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if _, werr := t.file.WriteAt(buf[:n], t.n); werr != nil {
				n, err = 0, fmt.Errorf("keeping standard input: %w", werr)
			}
		}
		t.mu.Lock()
		t.n += int64(n)
		if err != nil && t.end == nil {
			t.end = err
		}
		ended := t.end != nil
		t.more.Broadcast()
		t.mu.Unlock()
		if ended {
			return
		}
	}
}

// reader reads from the start and waits for what is still to come.
func (t *tap) reader() io.Reader { return &tapReader{t: t} }

// close wakes whoever waits. It may be called on nil.
func (t *tap) close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	if t.end == nil {
		t.end = io.EOF
	}
	t.more.Broadcast()
	t.mu.Unlock()
}

type tapReader struct {
	t  *tap
	at int64
}

func (r *tapReader) Read(p []byte) (int, error) {
	t := r.t
	t.mu.Lock()
	for r.at == t.n && t.end == nil {
		t.more.Wait()
	}
	n, end := t.n, t.end
	t.mu.Unlock()
	if r.at == n {
		return 0, end
	}
	p = p[:min(int64(len(p)), n-r.at)]
	got, err := t.file.ReadAt(p, r.at)
	r.at += int64(got)
	if got > 0 {
		err = nil
	}
	return got, err
}
