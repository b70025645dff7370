package trace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// following is a Reader that follows, and what it said so far.
type following struct {
	*gather
	t      *testing.T
	ctx    context.Context
	reader *Reader
	w      Scratch
}

func follow(t *testing.T, c Config) *following {
	t.Helper()
	return followFor(t, c, time.Minute)
}

func followFor(t *testing.T, c Config, long time.Duration) *following {
	t.Helper()
	c.Follow = true
	if c.Poll == 0 {
		c.Poll = 50 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), long)
	r, err := Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	f := &following{gather: newGather(), t: t, ctx: ctx, reader: r}
	t.Cleanup(func() {
		cancel()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	f.until("caught up", func() bool { return len(f.told(CaughtUp)) > 0 })
	return f
}

// until takes items until the condition holds.
func (f *following) until(what string, ok func() bool) {
	f.t.Helper()
	for !ok() {
		it, err := f.reader.Next(f.ctx)
		if err != nil {
			f.t.Fatalf("waiting for %s: %v\nlines %v\nnotices %v", what, err, f.all(), f.said())
		}
		f.take(f.t, it, &f.w)
	}
}

// all gives the lines of all files, sorted.
func (f *following) all() []string {
	var all []string
	for _, lines := range f.lines {
		all = append(all, lines...)
	}
	slices.Sort(all)
	return all
}

func (f *following) count() int {
	n := 0
	for _, lines := range f.lines {
		n += len(lines)
	}
	return n
}

func (f *following) said() []string {
	var said []string
	for _, n := range f.notices {
		gen := ""
		if n.File != nil {
			gen = fmt.Sprintf("#%d", n.File.ID)
		}
		said = append(said, fmt.Sprintf("%d:%s%s", n.What, filepath.Base(n.Path), gen))
	}
	return said
}

// expect waits until as many lines were handed out as are wanted, a little longer for what should not come, and
// compares.
func (f *following) expect(want ...string) {
	f.t.Helper()
	slices.Sort(want)
	f.until(fmt.Sprintf("%d lines", len(want)), func() bool { return len(f.all()) >= len(want) })
	f.settle()
	if got := f.all(); !slices.Equal(got, want) {
		f.t.Fatalf("lines:\n got %q\nwant %q\nnotices %v", got, want, f.said())
	}
}

// settle takes what comes until the reader has looked at everything twice more.
func (f *following) settle() {
	f.t.Helper()
	f.settleFor(4 * f.reader.cfg.Poll)
}

func (f *following) settleFor(d time.Duration) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.ctx, d)
	defer cancel()
	for {
		it, err := f.reader.Next(ctx)
		if errors.Is(err, context.DeadlineExceeded) && f.ctx.Err() == nil {
			return
		}
		if err != nil {
			f.t.Fatal(err)
		}
		f.take(f.t, it, &f.w)
	}
}

func (f *following) expectNotice(what What) Notice {
	f.t.Helper()
	f.until(fmt.Sprintf("notice %d", what), func() bool { return len(f.told(what)) > 0 })
	return f.told(what)[0]
}

// line is a plain line that no other call of line gives.
func line(n int) string {
	return fmt.Sprintf(`{"type":"tool_call","run_id":"r","call_id":"c%d","tool":"put","args":{"n":%d}}`, n, n)
}

func lines(from, to int) []string {
	var out []string
	for n := from; n < to; n++ {
		out = append(out, line(n))
	}
	return out
}

func text(lines []string) string { return strings.Join(lines, "\n") + "\n" }

func appendTo(t testing.TB, path, s string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(s); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFollow holds what happens to files against the exact lines that must be handed out: none lost, none twice.
func TestFollow(t *testing.T) {
	cases := []struct {
		name string
		run  func(t *testing.T, f *following, path string)
		want int // lines numbered from 0 that must have been handed out in the end
		tell []What
	}{
		{"append", func(t *testing.T, f *following, path string) {
			for n := 10; n < 20; n++ {
				appendTo(t, path, line(n)+"\n")
			}
		}, 20, nil},
		{"split writes", func(t *testing.T, f *following, path string) {
			s := text(lines(10, 13))
			for len(s) > 0 {
				k := min(len(s), 7)
				appendTo(t, path, s[:k])
				s = s[k:]
				if len(s)%5 == 0 {
					f.settle()
				}
			}
		}, 13, []What{Writing}},
		{"truncate", func(t *testing.T, f *following, path string) {
			must(t, os.Truncate(path, 0))
			f.expectNotice(Truncated)
			appendTo(t, path, text(lines(10, 15)))
		}, 15, []What{Truncated}},
		{"truncate and grow beyond", func(t *testing.T, f *following, path string) {
			write(t, path, text(lines(10, 40)))
		}, 40, nil},
		{"rename and recreate", func(t *testing.T, f *following, path string) {
			appendTo(t, path, text(lines(10, 12)))
			must(t, os.Rename(path, path+".1"))
			appendTo(t, path+".1", line(12)+"\n")
			write(t, path, text(lines(13, 15)))
		}, 15, []What{Renamed}},
		{"rename twice", func(t *testing.T, f *following, path string) {
			for k := range 5 {
				appendTo(t, path, line(10+2*k)+"\n")
				if k > 0 {
					must(t, os.Rename(path+".1", path+".2"))
				}
				must(t, os.Rename(path, path+".1"))
				write(t, path, line(11+2*k)+"\n")
				f.settle()
			}
		}, 20, []What{Renamed}},
		{"copy and truncate", func(t *testing.T, f *following, path string) {
			appendTo(t, path, text(lines(10, 12)))
			data, err := os.ReadFile(path)
			must(t, err)
			write(t, path+".1", string(data))
			must(t, os.Truncate(path, 0))
			appendTo(t, path, text(lines(12, 14)))
			f.expectNotice(Truncated)
		}, 14, []What{Truncated, Copy}},
		{"replace by a longer copy", func(t *testing.T, f *following, path string) {
			data, err := os.ReadFile(path)
			must(t, err)
			tmp := filepath.Join(filepath.Dir(path), ".tmp")
			write(t, tmp, string(data)+text(lines(10, 13)))
			must(t, os.Rename(tmp, path))
			f.expectNotice(Rewritten)
			appendTo(t, path, line(13)+"\n")
		}, 14, []What{Rewritten}},
		{"replace by other lines", func(t *testing.T, f *following, path string) {
			tmp := filepath.Join(filepath.Dir(path), ".tmp")
			write(t, tmp, text(lines(10, 13)))
			must(t, os.Rename(tmp, path))
		}, 13, []What{Rewritten}},
		{"remove and return", func(t *testing.T, f *following, path string) {
			must(t, os.Remove(path))
			f.expectNotice(Removed)
			write(t, path, text(lines(10, 13)))
			f.expectNotice(Returned)
			appendTo(t, path, line(13)+"\n")
		}, 14, []What{Removed, Returned}},
		{"new file and new directory", func(t *testing.T, f *following, path string) {
			dir := filepath.Dir(path)
			write(t, filepath.Join(dir, "b.jsonl"), text(lines(10, 12)))
			write(t, filepath.Join(dir, "x", "y", "c.jsonl"), text(lines(12, 14)))
			write(t, filepath.Join(dir, "x", "d.jsonl"), line(14)+"\n")
			write(t, filepath.Join(dir, ".hidden", "e.jsonl"), line(99)+"\n")
			write(t, filepath.Join(dir, "node_modules", "f.jsonl"), line(98)+"\n")
			write(t, filepath.Join(dir, "notes.txt"), line(97)+"\n")
			f.until("15 lines", func() bool { return len(f.all()) >= 15 })
			appendTo(t, filepath.Join(dir, "x", "y", "c.jsonl"), line(15)+"\n")
		}, 16, nil},
		{"directory removed and back", func(t *testing.T, f *following, path string) {
			dir := filepath.Dir(path)
			must(t, os.RemoveAll(dir))
			f.expectNotice(Removed)
			f.settle()
			write(t, path, text(lines(10, 12)))
			f.expectNotice(Returned)
			f.until("12 lines", func() bool { return len(f.all()) >= 12 })
			appendTo(t, path, line(12)+"\n")
		}, 13, []What{Removed, Returned}},
		{"rotate and compress", func(t *testing.T, f *following, path string) {
			appendTo(t, path, text(lines(10, 12)))
			must(t, os.Rename(path, path+".1"))
			write(t, path, line(12)+"\n")
			f.settle()
			gzipped1(t, path+".1")
			f.settle()
			must(t, os.Remove(path+".1"))
			f.expectNotice(Removed)
			appendTo(t, path, line(13)+"\n")
		}, 14, []What{Renamed, Copy, Removed}},
		{"copy, compress and truncate", func(t *testing.T, f *following, path string) {
			appendTo(t, path, text(lines(10, 12)))
			gzipped1(t, path)
			must(t, os.Truncate(path, 0))
			appendTo(t, path, text(lines(12, 14)))
			f.expectNotice(Truncated)
		}, 14, []What{Truncated, Copy}},
		{"a compressed file that is being written", func(t *testing.T, f *following, path string) {
			whole := zstd1(t, write(t, filepath.Join(t.TempDir(), "x.jsonl"), text(lines(10, 500))))
			data, err := os.ReadFile(whole)
			must(t, err)
			to := filepath.Join(filepath.Dir(path), "z.jsonl.zst")
			for k := 0; k < len(data); k += len(data)/5 + 1 {
				appendTo(t, to, string(data[k:min(len(data), k+len(data)/5+1)]))
				f.settle()
			}
		}, 500, nil},
		{"a document written anew", func(t *testing.T, f *following, path string) {
			doc := filepath.Join(filepath.Dir(path), "d.json")
			write(t, doc, "[\n"+line(10)+"\n]")
			f.until("the document", func() bool { return f.stats.Calls == 11 })
			write(t, doc, "[\n"+line(10)+",\n"+line(11)+"\n]\n")
			f.expectNotice(Rewritten)
			f.until("both values", func() bool { return f.stats.Calls == 13 })
			f.lines = map[*File][]string{nil: lines(0, 10)} // its lines are not what counts
		}, 10, []What{Rewritten}},
		{"cut, filled to the same length, renamed", func(t *testing.T, f *following, path string) {
			b := write(t, filepath.Join(filepath.Dir(path), "b.jsonl"), text(lines(10, 20)))
			f.until("20 lines", func() bool { return len(f.all()) >= 20 })
			write(t, b, text(lines(20, 30)))
			must(t, os.Rename(b, b+".1"))
		}, 30, []What{Rewritten, Renamed}},
		{"cut, put back longer, rotated, before a look", func(t *testing.T, f *following, path string) {
			b := write(t, filepath.Join(filepath.Dir(path), "b.jsonl"), text(lines(10, 20)))
			f.until("20 lines", func() bool { return len(f.all()) >= 20 })
			write(t, b, text(lines(20, 22)))
			tmp := write(t, filepath.Join(filepath.Dir(path), ".tmp"), text(lines(20, 23)))
			must(t, os.Rename(tmp, b))
			must(t, os.Rename(b, b+".1"))
			write(t, b, line(23)+"\n")
		}, 24, nil},
		{"copy of a copy that went on", func(t *testing.T, f *following, path string) {
			write(t, path+".1", text(lines(0, 10)))
			f.expectNotice(Copy)
			appendTo(t, path+".1", text(lines(10, 12)))
			f.until("12 lines", func() bool { return len(f.all()) >= 12 })
			write(t, path+".2", text(lines(0, 12)))
			f.until("both copies", func() bool { return len(f.told(Copy)) >= 2 })
		}, 12, nil},
		{"backup", func(t *testing.T, f *following, path string) {
			data, err := os.ReadFile(path)
			must(t, err)
			write(t, path+".bak", string(data))
			f.expectNotice(Copy)
			appendTo(t, path, line(10)+"\n")
		}, 11, []What{Copy}},
	}
	for _, c := range cases {
		for _, noWatch := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/looking only %v", c.name, noWatch), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "traces")
				path := write(t, filepath.Join(dir, "a.jsonl"), text(lines(0, 10)))
				f := follow(t, Config{Sources: sources(dir), NoWatch: noWatch})
				f.until("the start", func() bool { return len(f.all()) >= 10 })
				c.run(t, f, path)
				f.expect(lines(0, c.want)...)
				for _, what := range c.tell {
					if len(f.told(what)) == 0 {
						t.Errorf("notice %d was not told: %v", what, f.said())
					}
				}
			})
		}
	}
}

// TestCutWhileItIsRead cuts a file between the look at its length and the reading of it.
func TestCutWhileItIsRead(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), text(lines(0, 200)))
	fd, err := os.Open(path)
	must(t, err)
	defer fd.Close()
	info, err := fd.Stat()
	must(t, err)
	tail := &tail{fd: fd, size: info.Size(), off: info.Size() / 2}
	must(t, os.Truncate(path, 10))
	var p pool
	if c := tail.load(&p, DefaultMaxLine, false); !c.cut() || len(c.data()) > 0 || !c.end || c.err == nil {
		t.Errorf("cut %v, %d bytes, end %v, error %v: want it seen as cut, nothing, the end, an error", c.cut(), len(c.data()), c.end, c.err)
	}
}

// TestLongLineInPieces follows a line of many blocks that is written a piece at a time, without reading it over and over.
func TestLongLineInPieces(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), line(0)+"\n")
	f := follow(t, Config{Sources: sources(path)})
	long := `{"tool":"` + strings.Repeat("x", 6*blockSize) + `"}`
	for rest := long; rest != ""; {
		k := min(len(rest), 200_000)
		appendTo(t, path, rest[:k])
		rest = rest[k:]
		f.settleFor(time.Millisecond)
	}
	f.until("the whole of it held back", func() bool {
		held := f.told(Writing)
		return len(held) > 0 && held[len(held)-1].Bytes == int64(len(long))
	})
	appendTo(t, path, "\n"+line(1)+"\n")
	f.expect(line(0), line(1), long)
}

// TestNoGoroutineIsLeft closes a Reader that follows and counts.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("follow", func(t *testing.T) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.jsonl"), text(lines(0, 3)))
		follow(t, Config{Sources: sources(dir)}).expect(lines(0, 3)...)
	})
	deadline := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
}
