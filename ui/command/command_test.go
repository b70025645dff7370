package command

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// moment of the tests' clock.
var testNow = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// world is a command line's surroundings in a test.
type world struct {
	Env
	out, err bytes.Buffer
}

func newWorld(t *testing.T, args ...string) *world {
	t.Helper()
	w := &world{Env: Env{
		Args: args, Stdin: strings.NewReader(""), Getenv: func(string) string { return "" }, Dir: t.TempDir(), Temp: t.TempDir(),
		Now: func() time.Time { return testNow },
	}}
	w.Stdout, w.Stderr = &w.out, &w.err
	return w
}

// run runs the command line and returns its exit code.
func (w *world) run(t *testing.T) int {
	t.Helper()
	return Run(t.Context(), &w.Env)
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; go test -update writes it anew\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestUsage holds mistakes in a command line to exit code 2, an empty standard output, and a next step.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // on standard error
	}{
		{"chek", "did you mean check?"},
		{"bugdet", "did you mean budget?"},
		{"frobnicate", `"frobnicate" is neither a file nor a command; commands are`},
		{"--leger x", "unknown flag: --leger"},
		{"check --fail-on worst", "expected info, low, medium, high or critical, found \"worst\""},
		{"check --filter sev>=awful x", "filter:"},
		{"check --now yesterday x", "expected RFC 3339"},
		{"check --recipe md5 x", "md5"},
		{"check --match all x", "expected none, run or intent"},
		{"check - -", "standard input (-) is named 2 times"},
		{"ledger", "ls, mark, prune, recover, show or undo"},
		{"ledger lst", "did you mean ls?"},
		{"ledger ls", "no ledger: name one with --ledger"},
		{"ledger show", "a key, or its beginning"},
		{"tools set open_pr", "expected tools and their class"},
		{"tools set open_pr keyd", "did you mean keyed?"},
		{"keys explain", "one or two calls"},
		{"demo --speed 0", "--speed"},
		{"version x", "expected no arguments"},
		{"init --pack vim x", "--pack"},
		{"check --max-line 0 x", "expected a number of bytes"},
		{"check --limit -1 x", "expected a number from 0 on"},
		{"ledger ls --limit -1", "expected a number from 0 on"},
		{"check --draining padi paid=x dest=y", "expected paid or dest; did you mean paid?"},
		{"check --draining paid x", "no source has a side"},
		{"check --draining paid", "no source has a side"},
		{"check paid=x dest=./x", "it is read once"},
		{"export -o report.txt x", "ends in .md, .json or .csv"},
		{"help chek", "did you mean check?"},
		{"help ledger lst", "did you mean ls?"},
	} {
		t.Run(c.args, func(t *testing.T) {
			w := newWorld(t, strings.Fields(c.args)...)
			if code := w.run(t); code != exitError {
				t.Errorf("exit code %d, want %d", code, exitError)
			}
			if !strings.Contains(w.err.String(), c.want) || !strings.HasPrefix(w.err.String(), "drainboard: ") {
				t.Errorf("standard error %q, want %q in it", w.err.String(), c.want)
			}
			if !strings.Contains(w.err.String(), "see: drainboard") {
				t.Errorf("standard error %q does not say where help is", w.err.String())
			}
			if w.out.Len() > 0 {
				t.Errorf("standard output %q", w.out.String())
			}
		})
	}
}

// TestNestedSides: a side in another one's folder would be read on both, whichever is named first and whatever it is named by.
func TestNestedSides(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "paid", "dest")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(inner, link); err != nil {
		t.Skip(err)
	}
	outer := "paid=" + filepath.Join(dir, "paid")
	for _, args := range [][]string{
		{"check", outer, "dest=" + inner},
		{"drain", "dest=" + inner, outer},
		{"keys", outer, "dest=" + link},
		{"leftovers", outer, "dest=" + filepath.Join(inner, "*.jsonl")},
		{"export", outer, "dest=" + inner},
		{"watch", outer, "dest=" + inner},
		{"budget", outer, "dest=" + inner},
		{"tools", outer, "dest=" + inner},
	} {
		w := newWorld(t, args...)
		if code := w.run(t); code != exitError || !strings.Contains(w.err.String(), "folders beside each other; move one of them") {
			t.Errorf("%s: exit code %d, %s", args[0], code, w.err.String())
		}
	}
	for _, fine := range [][]string{
		{"check", "paid=" + inner, "dest=" + inner + "2"},
		{"check", outer, inner}, // of no side
	} {
		w := newWorld(t, fine...)
		w.run(t)
		if strings.Contains(w.err.String(), "beside each other") {
			t.Errorf("%q: %s", fine, w.err.String())
		}
	}
}

// TestHelp shows that help is data: on standard output, with exit code 0, for every command.
func TestHelp(t *testing.T) {
	for _, c := range newRoot(&newWorld(t).Env).Commands() {
		w := newWorld(t, c.Name(), "--help")
		if code := w.run(t); code != exitDone || !strings.Contains(w.out.String(), "drainboard "+c.Name()) || w.err.Len() > 0 {
			t.Errorf("%s --help: exit code %d, %q, %q", c.Name(), code, w.out.String(), w.err.String())
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: short text %q", c.Name(), c.Short)
		}
	}
}

// TestHelpCommand shows that help X is X --help.
func TestHelpCommand(t *testing.T) {
	for _, topic := range []string{"", "check", "ledger ls"} {
		words := strings.Fields(topic)
		asked, flag := newWorld(t, append([]string{"help"}, words...)...), newWorld(t, append(words, "--help")...)
		if a, b := asked.run(t), flag.run(t); a != exitDone || b != exitDone || asked.out.String() != flag.out.String() {
			t.Errorf("help %s: exit code %d, %q; --help: %d, %q", topic, a, asked.out.String(), b, flag.out.String())
		}
	}
}

// TestNothingFound says where traces were looked for.
func TestNothingFound(t *testing.T) {
	w := newWorld(t, "check")
	w.Home = t.TempDir()
	if code := w.run(t); code != exitError {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"no traces were found", "looked in ./ (1 name", "Claude Code: ~/.claude/projects/*/*.jsonl, and ", "drainboard demo"} {
		if !strings.Contains(w.err.String(), want) {
			t.Errorf("standard error %q, want %q in it", w.err.String(), want)
		}
	}
}

// TestInterrupted ends a command whose context has ended, with code 2 and one line.
func TestInterrupted(t *testing.T) {
	w := newWorld(t, "check")
	path := filepath.Join(w.Dir, "a.jsonl")
	write(t, path, "{}\n")
	w.Args = append(w.Args, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code := Run(ctx, &w.Env); code != exitError || w.err.String() != "drainboard: interrupted\n" {
		t.Errorf("exit code %d, standard error %q", code, w.err.String())
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want size
		back string
	}{
		{"1", 1, "1"},
		{"1000", 1000, "1000"},
		{"64k", 1 << 16, "64k"},
		{"100M", 100 << 20, "100M"},
		{"2g", 2 << 30, "2G"},
		{"1024k", 1 << 20, "1M"},
		{"", 0, ""},
		{"k", 0, ""},
		{"-1", 0, ""},
		{"1kk", 0, ""},
		{"1e3", 0, ""},
		{"99999999999G", 0, ""},
	} {
		var z size
		err := z.Set(c.text)
		if z != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%q: %d, %v; want %d", c.text, z, err, c.want)
		}
		if c.want > 0 && z.String() != c.back {
			t.Errorf("%q is printed as %q, want %q", c.text, z.String(), c.back)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"check", "check", 0}, {"chek", "check", 1}, {"chekc", "check", 1}, {"bugdet", "budget", 1}, {"abc", "xyz", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
