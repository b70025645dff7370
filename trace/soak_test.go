package trace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// soak does to the files of a directory what happens to logs, at random, and writes every line once.
type soak struct {
	t    *testing.T
	rnd  *rand.Rand
	dir  string
	next int
	open map[string]*os.File // writers that keep their descriptor, as loggers do
	log  []string

	files  int           // how many are written at once
	apart  time.Duration // how long after a turn (a rotation, a copy, a cut) the next one may come
	copies map[string][]string

	seen   atomic.Int64 // lines that were handed out
	turned int          // lines that were written when the last turn was made
}

// turn waits until what was written before the last turn was handed out: what happens to one file several times between two
// looks at it cannot all be told apart, and a reader that gets no time to look is not what is tried here.
func (s *soak) turn() {
	for end := time.Now().Add(time.Minute); s.seen.Load() < int64(s.turned); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return // lines were lost, which check tells
		}
	}
	s.turned = s.next
}

func (s *soak) did(what, path string) {
	s.log = append(s.log, fmt.Sprintf("%d %s %s", s.next, what, filepath.Base(path)))
}

func (s *soak) file() string {
	return filepath.Join(s.dir, "agent-"+strconv.Itoa(s.rnd.IntN(s.files))+".jsonl")
}

// write appends lines, in pieces that end anywhere; the last is always whole.
func (s *soak) write(path string) {
	f := s.open[path]
	if f == nil {
		var err error
		f, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		must(s.t, err)
		s.open[path] = f
	}
	s.did("write", path)
	n := 1 + s.rnd.IntN(20)
	data := text(lines(s.next, s.next+n))
	s.next += n
	for len(data) > 0 {
		k := min(len(data), 1+s.rnd.IntN(len(data)))
		_, err := f.WriteString(data[:k])
		must(s.t, err)
		data = data[k:]
		if s.rnd.IntN(4) == 0 {
			time.Sleep(time.Duration(s.rnd.IntN(3)) * time.Millisecond) // a slow writer
		}
	}
}

func (s *soak) closeFile(path string) {
	if f := s.open[path]; f != nil {
		must(s.t, f.Close())
		delete(s.open, path)
	}
}

// rotate renames path, path.1, ... one on; the writer goes on in the renamed file for a while.
func (s *soak) rotate(path string) {
	const keep = 10
	s.turn()
	s.did("rotate", path)
	_ = os.Remove(path + "." + strconv.Itoa(keep+1))
	for k := keep; k > 0; k-- {
		from := path + "." + strconv.Itoa(k)
		if _, err := os.Stat(from); err == nil {
			must(s.t, os.Rename(from, path+"."+strconv.Itoa(k+1)))
		}
	}
	if os.Rename(path, path+".1") != nil {
		return
	}
	if s.rnd.IntN(2) == 0 && s.open[path] != nil {
		s.write(path)
	}
	s.closeFile(path)
}

// replace puts a copy with more lines in the file's place.
func (s *soak) replace(path string) {
	s.turn()
	s.did("replace", path)
	s.closeFile(path)
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	n := 1 + s.rnd.IntN(5)
	tmp := filepath.Join(s.dir, ".tmp")
	write(s.t, tmp, string(data)+text(lines(s.next, s.next+n)))
	s.next += n
	must(s.t, os.Rename(tmp, path))
}

// copyTruncate rotates as logrotate does for writers that cannot be told: no line is written meanwhile.
// Old copies are removed.
func (s *soak) copyTruncate(path string) {
	const keep = 3
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return
	}
	s.turn()
	s.did("copy and truncate", path)
	to := fmt.Sprintf("%s-%d", path, s.next)
	write(s.t, to, string(data))
	must(s.t, os.Truncate(path, 0))
	s.copies[path] = append(s.copies[path], to)
	if old := s.copies[path]; len(old) > keep {
		must(s.t, os.Remove(old[0]))
		s.copies[path] = old[1:]
	}
}

func (s *soak) step() {
	path := s.file()
	switch n := s.rnd.IntN(100); {
	case n < 80:
		s.write(path)
	case n < 85:
		s.rotate(path)
		time.Sleep(s.apart)
	case n < 90:
		s.replace(path)
		time.Sleep(s.apart)
	case n < 95:
		s.copyTruncate(path)
		time.Sleep(s.apart)
	case n < 97:
		s.closeFile(path)
	case n < 99:
		sub := filepath.Join(s.dir, "sub"+strconv.Itoa(s.next))
		n := 1 + s.rnd.IntN(5)
		write(s.t, filepath.Join(sub, "x.jsonl"), text(lines(s.next, s.next+n)))
		s.next += n
	default:
		time.Sleep(20 * time.Millisecond) // an idle spell
	}
}

// TestSoak writes, rotates, cuts, copies and replaces at random while a Reader follows, and wants every line once.
// DRAINBOARD_SOAK=10m makes it longer than its two seconds, on 50 files in place of 4, DRAINBOARD_SEED gives it another seed.
func TestSoak(t *testing.T) {
	long := 2 * time.Second
	if s := os.Getenv("DRAINBOARD_SOAK"); s != "" {
		d, err := time.ParseDuration(s)
		must(t, err)
		long = d
	}
	seed := uint64(1)
	if s := os.Getenv("DRAINBOARD_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		must(t, err)
		seed = n
	}
	t.Run("watching", func(t *testing.T) { soakFor(t, Config{Poll: 200 * time.Millisecond}, seed, long, 20*time.Millisecond) })
	t.Run("looking", func(t *testing.T) {
		soakFor(t, Config{NoWatch: true, Poll: 5 * time.Millisecond}, seed, long, 60*time.Millisecond)
	})
}

func soakFor(t *testing.T, c Config, seed uint64, long, apart time.Duration) {
	c.Sources = sources(t.TempDir())
	s := &soak{
		t: t, rnd: rand.New(rand.NewPCG(seed, 1)), dir: c.Sources[0].Path, open: map[string]*os.File{}, copies: map[string][]string{}, apart: apart, files: 4,
	}
	if long > 10*time.Second {
		s.files = 50
	}
	f := followFor(t, c, 2*long+2*time.Minute)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for end := time.Now().Add(long); time.Now().Before(end); {
			s.step()
		}
	}()
	t.Cleanup(func() {
		for path := range s.open {
			s.closeFile(path)
		}
	})
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
			f.settleFor(20 * time.Millisecond)
			s.seen.Store(int64(f.count()))
		}
	}
	for end := time.Now().Add(long/2 + 30*time.Second); f.count() < s.next && time.Now().Before(end); {
		f.settle()
	}
	f.settle()
	s.check(f)
}

// check wants every line once, and tells what was done to the file of the first that is wrong.
func (s *soak) check(f *following) {
	in := map[string][]*File{}
	for file, lines := range f.lines {
		for _, l := range lines {
			in[l] = append(in[l], file)
		}
	}
	wrong := 0
	for n := range s.next {
		files := in[line(n)]
		delete(in, line(n))
		if len(files) == 1 {
			continue
		}
		if wrong++; wrong > 1 {
			continue
		}
		s.t.Errorf("line %d: %d times", n, len(files))
		for _, file := range files {
			s.t.Errorf("  in %s #%d, by now %s", filepath.Base(file.Path), file.ID, filepath.Base(file.Now()))
		}
		name := ""
		for _, op := range s.log {
			var at int
			var base string
			if k, _ := fmt.Sscanf(op, "%d write %s", &at, &base); k == 2 && at <= n {
				name = base
			}
		}
		s.t.Errorf("what happened to %s and what was told:\n%s\n%s", name, s.around(name, n), strings.Join(f.about(name, n, files), "\n"))
	}
	for l := range in {
		s.t.Errorf("never written: %s", l)
	}
	if wrong > 0 {
		s.t.Errorf("%d of %d lines wrong", wrong, s.next)
	}
}

func (s *soak) around(name string, n int) string {
	var out []string
	for _, op := range s.log {
		var at int
		_, _ = fmt.Sscanf(op, "%d", &at)
		if strings.HasSuffix(op, " "+name) && at > n-300 && at < n+300 {
			out = append(out, op)
		}
	}
	return strings.Join(out, "\n")
}

// about gives what was told of the files that are called so, or were once.
// Of the files that hold a line twice all is told.
func (f *following) about(name string, near int, files []*File) []string {
	var out []string
	for _, n := range f.notices {
		if n.File == nil || n.What == Writing {
			continue
		}
		called := strings.HasPrefix(filepath.Base(n.File.Path), name) && n.after > near-300 && n.after < near+300
		if !called && !slices.Contains(files, n.File) && !slices.Contains(files, n.Of) {
			continue
		}
		of := ""
		if n.Of != nil {
			of = fmt.Sprintf(" of #%d", n.Of.ID)
		}
		out = append(out, fmt.Sprintf("after %d lines: notice %d %s #%d%s %d %v", n.after, n.What, filepath.Base(n.Path), n.File.ID, of, n.Bytes, n.Err))
	}
	return out
}
