package trace

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// gather is all that a Reader said.
type gather struct {
	stats   Stats
	lines   map[*File][]string // text of the lines handed out
	notices []Notice
	files   []*File
	blocks  int
	seqs    map[*File]int
	offs    map[*File]int64
}

func newGather() *gather {
	return &gather{lines: map[*File][]string{}, seqs: map[*File]int{}, offs: map[*File]int64{}}
}

// take decodes and keeps an item, and checks that blocks come in order and without gaps.
func (g *gather) take(t testing.TB, it Item, w *Scratch) {
	t.Helper()
	if it.Notice != nil {
		n := *it.Notice
		g.notices = append(g.notices, n)
		return
	}
	b := it.Block
	g.blocks++
	if _, ok := g.seqs[b.File]; !ok {
		g.files = append(g.files, b.File)
		g.offs[b.File] = b.Off
	}
	if b.Seq != g.seqs[b.File] || b.Off != g.offs[b.File] {
		t.Errorf("%s: block %d at %d, expected %d at %d", b.File.Path, b.Seq, b.Off, g.seqs[b.File], g.offs[b.File])
	}
	g.seqs[b.File]++
	g.offs[b.File] += int64(len(b.Data)) + b.Skipped
	st := DecodeBlock(b, w, func(*Event) {})
	g.stats.Add(st)
	if len(b.Data) > 0 {
		g.lines[b.File] = append(g.lines[b.File], strings.Split(strings.TrimSuffix(string(b.Data), "\n"), "\n")...)
	}
	b.Release()
}

func (g *gather) told(what What) []Notice {
	var out []Notice
	for _, n := range g.notices {
		if n.What == what {
			out = append(out, n)
		}
	}
	return out
}

// readAll reads sources once.
func readAll(t testing.TB, c Config) *gather {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	g := newGather()
	var w Scratch
	for {
		it, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return g
		}
		if err != nil {
			t.Fatal(err)
		}
		g.take(t, it, &w)
	}
}

func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func sources(paths ...string) []Source {
	var s []Source
	for _, p := range paths {
		s = append(s, Source{Path: p})
	}
	return s
}

// TestSamplesReadAsTheyDecode reads every sample through a Reader and compares with decoding its bytes at once.
func TestSamplesReadAsTheyDecode(t *testing.T) {
	paths, err := filepath.Glob("../testdata/samples/*.[jlt]*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no samples", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, want := decodeAll(t, data, path)
		g := readAll(t, Config{Sources: sources(path)})
		if len(g.files) != 1 || g.files[0].Format().Name != f.Name || g.stats != want.Stats {
			t.Errorf("%s: got %+v, want %s %+v", path, g.stats, f.Name, want.Stats)
		}
		if !g.stats.accounted() {
			t.Errorf("%s: not accounted for: %+v", path, g.stats)
		}
	}
}
