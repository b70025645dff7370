package trace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// spool keeps what came from a stream (standard input, a pipe), so that it can be read again: in a private file that has
// no name where the system allows that, and is removed in any case.
type spool struct {
	file *os.File
	name string // to remove at the end; "" when that is done already
	size atomic.Int64
	done atomic.Bool
	err  error // why reading ended before its end; set before done is
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "drainboard-stdin-") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("make a file to keep standard input in: %w", err)
	}
	s := &spool{file: f, name: f.Name()}
	if os.Remove(s.name) == nil {
		s.name = ""
	}
	return s, nil
}

// fill copies from r until its end. It calls wake after each piece and at the end.
func (s *spool) fill(r io.Reader, wake func()) {
	buf := make([]byte, 256<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if _, werr := s.file.WriteAt(buf[:n], s.size.Load()); werr != nil {
				err = fmt.Errorf("keep standard input: %w", werr)
			} else {
				s.size.Add(int64(n))
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.err = err
			}
			s.done.Store(true)
			wake()
			return
		}
		wake()
	}
}

// pipe is a named pipe. It is opened by whoever reads it first: that waits for a writer, and nothing else is to wait with it.
type pipe struct {
	path string
	file *os.File
}

func (p *pipe) Read(b []byte) (int, error) {
	if p.file == nil {
		f, err := os.Open(p.path)
		if err != nil {
			return 0, err
		}
		p.file = f
	}
	n, err := p.file.Read(b)
	if err != nil {
		_ = p.file.Close()
	}
	return n, err
}

func (s *spool) close() error {
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}
