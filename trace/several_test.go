package trace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readAndKeep reads one file to its end and keeps its calls and results with where they stand.
func readAndKeep(t *testing.T, path string) (r *Reader, f *File, events []Event, at []At) {
	t.Helper()
	r, err := Open(t.Context(), Config{Sources: sources(path)})
	must(t, err)
	t.Cleanup(func() { _ = r.Close() })
	var w Scratch
	for {
		it, err := r.Next(t.Context())
		if err != nil {
			return r, f, events, at
		}
		if b := it.Block; b != nil {
			f = b.File
			DecodeBlock(b, &w, func(e *Event) {
				if e.Kind == Call || e.Kind == Result {
					events = append(events, e.clone())
					at = append(at, At{b.Off + int64(e.Offset), e.N})
				}
			})
			b.Release()
		}
	}
}

// TestReadEvents reads all calls and results of the samples again, in one pass and packed too: they are what they were.
func TestReadEvents(t *testing.T) {
	files, err := filepath.Glob("../testdata/samples/*.jsonl")
	must(t, err)
	cases, err := filepath.Glob("../testdata/cases/*/trace.jsonl")
	must(t, err)
	compared := 0
	for n, path := range append(files, cases...) {
		name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
		paths := []string{path}
		if n < 2 {
			copied := write(t, filepath.Join(t.TempDir(), "a.jsonl"), string(read(t, path)))
			paths = append(paths, gzipped1(t, copied))
		}
		for _, path := range paths {
			r, f, events, at := readAndKeep(t, path)
			if f == nil || f.Format() == nil {
				continue
			}
			rising := true
			for i := 1; i < len(at); i++ {
				rising = rising && (at[i-1].Off < at[i].Off || at[i-1].Off == at[i].Off && at[i-1].N < at[i].N)
			}
			if !rising {
				continue
			}
			seen := 0
			err := r.ReadEvents(f, at, func(i int, e *Event) error {
				seen++
				was := &events[i]
				if e.Kind != was.Kind || e.N != was.N || !bytes.Equal(e.Args, was.Args) || e.Kind == Call && !bytes.Equal(e.Tool, was.Tool) {
					t.Errorf("%s at %+v: got %v %s %s, was %v %s %s", name, at[i], e.Kind, e.Tool, e.Args, was.Kind, was.Tool, was.Args)
				}
				return nil
			})
			if f.Format().Apart {
				if len(at) > 0 && !errors.Is(err, ErrApart) {
					t.Errorf("%s: %v, want that its events stand apart", name, err)
				}
				continue
			}
			if err != nil || seen != len(at) {
				t.Errorf("%s: %d of %d events, %v", name, seen, len(at), err)
			}
			compared += seen
		}
	}
	if compared < 500 {
		t.Errorf("only %d events were compared", compared)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

// TestReadEventsBig: values that are larger than the window, a few of many, and a file that changed.
func TestReadEventsBig(t *testing.T) {
	long := func(n int) string {
		return `{"tool":"big","args":"` + strings.Repeat(string(rune('a'+n)), 900_000*n) + `"}`
	}
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), line(0)+"\n"+long(1)+"\n"+line(1)+"\n"+long(3)+"\n"+line(2)+"\n")
	r, f, events, at := readAndKeep(t, path)
	if len(at) != 5 {
		t.Fatalf("%d events", len(at))
	}
	for _, pick := range [][]int{{0, 1, 2, 3, 4}, {1, 3}, {4}, {}} {
		var some []At
		for _, i := range pick {
			some = append(some, at[i])
		}
		seen := 0
		err := r.ReadEvents(f, some, func(i int, e *Event) error {
			if !bytes.Equal(e.Args, events[pick[i]].Args) {
				t.Errorf("event %d of %v has other arguments", i, pick)
			}
			seen++
			return nil
		})
		if err != nil || seen != len(pick) {
			t.Errorf("%v: %d events, %v", pick, seen, err)
		}
	}
	if err := r.ReadEvents(f, []At{{at[0].Off, 2}}, func(int, *Event) error { return nil }); !errors.Is(err, ErrChanged) {
		t.Errorf("an event that is not there: %v", err)
	}
	stop := errors.New("stop")
	if err := r.ReadEvents(f, at, func(int, *Event) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of handle: %v", err)
	}
	must(t, os.Truncate(path, at[3].Off+1000))
	if err := r.ReadEvents(f, at, func(int, *Event) error { return nil }); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that was cut: %v", err)
	}
}
