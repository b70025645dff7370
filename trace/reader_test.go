package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// gather is all that a Reader said.
type gather struct {
	stats   Stats
	lines   map[*File][]string // text of the lines handed out
	notices []told
	files   []*File
	blocks  int
	seqs    map[*File]int
	offs    map[*File]int64
}

// told is a Notice and how many lines had been handed out before it.
type told struct {
	Notice
	after int
}

func newGather() *gather {
	return &gather{lines: map[*File][]string{}, seqs: map[*File]int{}, offs: map[*File]int64{}}
}

// take decodes and keeps an item, and checks that blocks come in order and without gaps.
func (g *gather) take(t testing.TB, it Item, w *Scratch) {
	t.Helper()
	if it.Notice != nil {
		n := 0
		for _, lines := range g.lines {
			n += len(lines)
		}
		g.notices = append(g.notices, told{*it.Notice, n})
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
			out = append(out, n.Notice)
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

// TestBlocksAreTheFile reads a file of many blocks, with lines longer than one, and puts it together again.
func TestBlocksAreTheFile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var want bytes.Buffer
	for n := range 4000 {
		pad := rnd.IntN(1500)
		switch {
		case n%1000 == 999:
			pad = blockSize + rnd.IntN(3*blockSize)
		case n%100 == 0:
			pad = rnd.IntN(200_000)
		}
		fmt.Fprintf(&want, `{"tool":"t%d","args":{"pad":"%s"}}`+"\n", n, strings.Repeat("x", pad))
	}
	path := filepath.Join(t.TempDir(), "big.jsonl")
	for _, c := range []struct{ name, file, tail string }{
		{"whole", path, ""},
		{"unfinished", path, `{"tool":"last"`},
		{"unfinished whole value", path, `{"tool":"last"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := want.String() + c.tail
			write(t, path, text)
			for name, file := range map[string]string{"plain": path, "gzip": gzipped1(t, path), "zstd": zstd1(t, path)} {
				g := readAll(t, Config{Sources: sources(file)})
				if got := strings.Join(g.lines[g.files[0]], "\n"); got != strings.TrimSuffix(text, "\n") {
					t.Errorf("%s: the blocks are not the file: %d bytes, want %d", name, len(got), len(text))
				}
				_, all := decodeAll(t, []byte(text), path)
				if g.stats != all.Stats {
					t.Errorf("%s: got %+v, want %+v", name, g.stats, all.Stats)
				}
				if g.blocks < 10 {
					t.Errorf("%s: only %d blocks", name, g.blocks)
				}
			}
		})
	}
}

// TestDocumentBlocks reads a file of many values that span lines in several blocks, and one array in one.
func TestDocumentBlocks(t *testing.T) {
	var values []string
	for n := range 30_000 {
		values = append(values, fmt.Sprintf("{\n  \"tool\": \"t%d\",\n  \"args\": {\"text\": \"a } b { \\\" c ] %s\"}\n}", n, strings.Repeat("x", n%200)))
	}
	for name, c := range map[string]struct {
		in     string
		blocks int
	}{
		"values":       {strings.Join(values, "\n"), 4},
		"more values":  {strings.Join(values, "\n\n") + "\n", 4},
		"an array":     {"[" + strings.Join(values, ",\n") + "]", 1},
		"a value less": {strings.Join(values, "\n") + "\n{\n", 4},
	} {
		path := write(t, filepath.Join(t.TempDir(), "a.json"), c.in)
		for _, file := range []string{path, gzipped1(t, path)} {
			g := readAll(t, Config{Sources: sources(file)})
			_, want := decodeAll(t, []byte(c.in), file)
			if g.stats != want.Stats || g.stats.Calls != len(values) || g.blocks < c.blocks {
				t.Errorf("%s: %d blocks, got %+v, want %+v", name, g.blocks, g.stats, want.Stats)
			}
		}
	}
}

func gzipped1(t testing.TB, path string) string {
	t.Helper()
	return packTo(t, path, path+".gz", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func zstd1(t testing.TB, path string) string {
	t.Helper()
	return packTo(t, path, path+".zst", func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		must(t, err)
		return z
	})
}

func packTo(t testing.TB, from, to string, pack func(io.Writer) io.WriteCloser) string {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err)
	var buf bytes.Buffer
	z := pack(&buf)
	_, err = z.Write(data)
	must(t, err)
	must(t, z.Close())
	return write(t, to, buf.String())
}

// TestLongLines passes over lines above MaxLine and keeps what stands beside them.
func TestLongLines(t *testing.T) {
	const limit = 3 << 20
	long := func(n int) string { return `{"tool":"` + strings.Repeat("y", n-len(`{"tool":""}`)) + `"}` }
	for _, c := range []struct {
		name              string
		in                string
		lines, calls, bad int
	}{
		{"at the limit", line(0) + "\n" + long(limit) + "\n" + line(1) + "\n", 3, 3, 0},
		{"above it", line(0) + "\n" + long(limit+blockSize) + "\n" + line(1) + "\n", 3, 2, 1},
		{"far above it", line(0) + "\n" + long(5*limit) + "\n" + line(1) + "\n", 3, 2, 1},
		{"first", long(5*limit) + "\n" + line(0) + "\n" + line(1) + "\n", 3, 2, 1},
		{"last", line(0) + "\n" + line(1) + "\n" + long(5*limit), 3, 2, 1},
		{"twice", line(0) + "\n" + long(2*limit) + "\n" + long(2*limit) + "\n" + line(1) + "\n", 4, 2, 2},
		{"a document", "{\n\"a\": \"" + strings.Repeat("z", 2*limit) + "\"\n}\n", 1, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "long.jsonl"), c.in)
			for _, file := range []string{path, gzipped1(t, path)} {
				g := readAll(t, Config{Sources: sources(file), MaxLine: limit})
				if s := g.stats; s.Lines != c.lines || s.Calls != c.calls || s.Bad != c.bad || !s.accounted() || s.Bytes != int64(len(c.in)) {
					t.Errorf("%s: got %+v, want %d lines, %d calls, %d bad, %d bytes", filepath.Base(file), s, c.lines, c.calls, c.bad, len(c.in))
				}
			}
		})
	}
}

// TestSources holds what directories, globs, labels, links and things that cannot be read come to.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write(t, at("a.jsonl"), line(0)+"\n")
	write(t, at("sub/b.jsonl"), line(1)+"\n")
	write(t, at("sub/package.json"), `{"name":"x","version":"1"}`)
	write(t, at("sub/readme.md"), line(2)+"\n")
	write(t, at("sub/c.jsonl.1"), line(3)+"\n")
	write(t, at(".git/d.jsonl"), line(4)+"\n")
	write(t, at("sub/node_modules/e.jsonl"), line(5)+"\n")
	write(t, at("empty/none.txt"), "x")
	write(t, at("other/f.jsonl"), line(6)+"\n")
	write(t, at("other/unknown.jsonl"), "{\"x\":1}\n")
	must(t, os.Symlink(at("other"), at("sub/link")))
	must(t, os.Symlink(at("other/f.jsonl"), at("sub/link.jsonl")))
	must(t, os.Symlink(at("other/f.jsonl"), at("named")))
	must(t, os.Symlink(at("other"), at("nameddir")))
	must(t, syscall.Mkfifo(at("sub/pipe.jsonl"), 0o600))
	for _, c := range []struct {
		name  string
		in    []string
		files string // base names, sorted
		tells map[What]int
	}{
		{"a directory", []string{at("")}, "a.jsonl b.jsonl c.jsonl.1 f.jsonl unknown.jsonl", map[What]int{NotTrace: 1, Found: 6}},
		{"a link by name", []string{at("named")}, "named", nil},
		{"a linked directory by name", []string{at("nameddir")}, "f.jsonl unknown.jsonl", nil},
		{"a glob", []string{at("*/[bf].jsonl")}, "b.jsonl f.jsonl", nil},
		{"a glob of directories", []string{at("s*")}, "b.jsonl c.jsonl.1", map[What]int{NotTrace: 1}},
		{"twice", []string{at("a.jsonl"), at(""), at("named")}, "a.jsonl b.jsonl c.jsonl.1 f.jsonl unknown.jsonl", map[What]int{Same: 1}},
		{"nothing there", []string{at("missing.jsonl"), at("a.jsonl")}, "a.jsonl", map[What]int{Unreadable: 1}},
		{"no glob", []string{at("*.nope"), at("a.jsonl")}, "a.jsonl", map[What]int{Unreadable: 1}},
		{"no traces", []string{at("empty")}, "", map[What]int{NoTraces: 1}},
		{"labels", []string{"x=" + at("a.jsonl"), "y=" + at("sub")}, "x=a.jsonl y=b.jsonl y=c.jsonl.1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var from []Source
			for _, arg := range c.in {
				from = append(from, ParseSource(arg))
			}
			g := readAll(t, Config{Sources: from})
			var got []string
			for _, f := range g.files {
				name := filepath.Base(f.Path)
				if f.Label != "" {
					name = f.Label + "=" + name
				}
				got = append(got, name)
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != c.files {
				t.Errorf("files: got %q, want %q", s, c.files)
			}
			for what, n := range c.tells {
				if len(g.told(what)) != n {
					t.Errorf("notice %d: got %d, want %d: %+v", what, len(g.told(what)), n, g.notices)
				}
			}
			if n := g.told(CaughtUp); len(n) != 1 {
				t.Errorf("caught up %d times", len(n))
			}
		})
	}
}

// TestUnreadable names what cannot be read and goes on with the rest.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	good := write(t, filepath.Join(dir, "good.jsonl"), line(0)+"\n")
	cut := gzipped1(t, write(t, filepath.Join(dir, "cut.jsonl"), text(lines(0, 1000))))
	data, err := os.ReadFile(cut)
	must(t, err)
	write(t, cut, string(data[:len(data)/2]))
	noGzip := write(t, filepath.Join(dir, "no.jsonl.gz"), "\x1f\x8b rubbish")
	noZstd := write(t, filepath.Join(dir, "no.jsonl.zst"), "\x28\xb5\x2f\xfd rubbish")
	g := readAll(t, Config{Sources: sources(cut, noGzip, noZstd, good)})
	if n := g.told(Unreadable); len(n) != 3 {
		t.Errorf("unreadable: %+v", n)
	}
	if g.stats.Calls < 100 || g.stats.Calls >= 1000 || !g.stats.Tail {
		t.Errorf("what stood before the cut, and the good file: %+v", g.stats)
	}
	if os.Getuid() != 0 {
		must(t, os.Chmod(good, 0))
		g = readAll(t, Config{Sources: sources(good)})
		if n := g.told(Unreadable); len(n) != 1 || !errors.Is(n[0].Err, fs.ErrPermission) {
			t.Errorf("no permission: %+v", n)
		}
	}
}

// TestStandardInput reads a stream as it comes, keeps it, and leaves nothing behind.
func TestStandardInput(t *testing.T) {
	spool := t.TempDir()
	in, out := io.Pipe()
	ctx := t.Context()
	r, err := Open(ctx, Config{Sources: sources(Stdin), Stdin: in, SpoolDir: spool})
	must(t, err)
	g := newGather()
	var w Scratch
	next := func() {
		it, err := r.Next(ctx)
		must(t, err)
		g.take(t, it, &w)
	}
	for n := range 3 {
		_, err := io.WriteString(out, line(n)+"\n"+line(n + 100)[:20])
		must(t, err)
		for g.stats.Calls <= n {
			next()
		}
		_, err = io.WriteString(out, line(n + 100)[20:]+"\n")
		must(t, err)
		for g.stats.Calls <= n+1 {
			next()
		}
		g.stats.Calls--
	}
	_, err = io.WriteString(out, line(50)+"\n"+line(51)[:20])
	must(t, err)
	must(t, out.Close())
	for {
		it, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		g.take(t, it, &w)
	}
	if !g.stats.Tail || g.stats.Lines != 8 || g.files[0].DefaultRun() != "-" {
		t.Errorf("got %+v", g.stats)
	}
	v, err := r.ReadValue(g.files[0], int64(len(line(0))+1))
	if err != nil || string(v) != line(100) {
		t.Errorf("read again: %q, %v", v, err)
	}
	must(t, r.Close())
	if left, err := os.ReadDir(spool); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestCompressedInput reads a compressed stream, once it has ended, and a value of it again.
func TestCompressedInput(t *testing.T) {
	data, err := os.ReadFile(gzipped1(t, write(t, filepath.Join(t.TempDir(), "a"), text(lines(0, 1000)))))
	must(t, err)
	r, err := Open(t.Context(), Config{Sources: sources(Stdin), Stdin: iotest.OneByteReader(bytes.NewReader(data)), SpoolDir: t.TempDir()})
	must(t, err)
	g := newGather()
	var w Scratch
	for {
		it, err := r.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		g.take(t, it, &w)
	}
	if g.stats.Calls != 1000 || g.stats.Bad != 0 {
		t.Errorf("got %+v", g.stats)
	}
	if v, err := r.ReadValue(g.files[0], int64(len(line(0))+1)); err != nil || string(v) != line(1) {
		t.Errorf("read again: %q, %v", v, err)
	}
	must(t, r.Close())
}

// TestFollowedInput is caught up with a stream while that goes on.
func TestFollowedInput(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	f := follow(t, Config{Sources: sources(Stdin), Stdin: in, SpoolDir: t.TempDir()})
	for n := range 3 {
		_, err := io.WriteString(out, line(n)+"\n")
		must(t, err)
		f.expect(lines(0, n+1)...)
	}
	must(t, out.Close())
	f.until("the end", func() bool { return f.stats.Calls == 3 && f.seqs[f.files[0]] >= 4 })
}

// TestNamedPipe reads a pipe as a stream.
func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, _ = f.WriteString(text(lines(0, 5)))
			_ = f.Close()
		}
	}()
	g := readAll(t, Config{Sources: sources(path), SpoolDir: t.TempDir()})
	if g.stats.Calls != 5 {
		t.Errorf("got %+v", g.stats)
	}
}

// TestReadValue reads values again, and tells when they are no longer there.
func TestReadValue(t *testing.T) {
	dir := t.TempDir()
	big := `{"tool":"big","args":"` + strings.Repeat("b", 100_000) + `"}`
	in := line(0) + "\n" + big + line(1) + "\n"
	path := write(t, filepath.Join(dir, "a.jsonl"), in)
	second := int64(len(line(0)) + 1)
	for _, file := range []string{path, gzipped1(t, path), zstd1(t, path)} {
		r, err := Open(t.Context(), Config{Sources: sources(file)})
		must(t, err)
		g := newGather()
		var w Scratch
		for {
			it, err := r.Next(t.Context())
			if err != nil {
				break
			}
			g.take(t, it, &w)
		}
		f := g.files[0]
		for _, c := range []struct {
			off  int64
			want string
		}{{second, big}, {0, line(0)}, {second + int64(len(big)), line(1)}} {
			if v, err := r.ReadValue(f, c.off); err != nil || string(v) != c.want {
				t.Errorf("%s: at %d: %d bytes, %v", filepath.Base(file), c.off, len(v), err)
			}
		}
		if _, err := r.ReadValue(f, int64(len(in))); !errors.Is(err, ErrChanged) {
			t.Errorf("at the end: %v", err)
		}
		if file == path {
			write(t, path, strings.Repeat(" ", len(in)))
			if _, err := r.ReadValue(f, 0); !errors.Is(err, ErrChanged) {
				t.Errorf("written anew: %v", err)
			}
			must(t, os.Remove(path))
			if _, err := r.ReadValue(f, 0); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("removed: %v", err)
			}
			write(t, path, in)
		}
		must(t, r.Close())
	}
}

func TestLineEnd(t *testing.T) {
	const most = 3 * 4096
	data := bytes.Repeat([]byte("x"), most)
	if n := lineEnd(data); n != 0 {
		t.Errorf("%d without a line end", n)
	}
	for _, at := range []int{0, 1, 4095, 4096, 8191, 8192, most - 1} {
		data[at] = '\n'
		for _, size := range []int{0, at, at + 1, at + 4096, most} {
			d := data[:min(size, most)]
			if n, want := lineEnd(d), bytes.LastIndexByte(d, '\n')+1; n != want {
				t.Errorf("the last of %d bytes: %d, expected %d", len(d), n, want)
			}
		}
	}
}
