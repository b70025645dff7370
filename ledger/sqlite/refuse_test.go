package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"drainboard/ledger"
)

// TestRefusesAndWritesNothing claims on ledgers that may not or cannot be written: the error says what to do, and no byte
// of the file changes.
func TestRefusesAndWritesNothing(t *testing.T) {
	many := func(a *agent) {
		for i := range 200 {
			a.put(hexKey(i), "committed", 1, strings.Repeat("x", 2000))
		}
	}
	for _, tt := range []struct {
		name  string
		make  func(a *agent)
		kind  ledger.ProblemKind
		words string
	}{
		{"another schema", func(a *agent) { a.exec("ALTER TABLE tool_calls ADD COLUMN run TEXT") }, ledger.OtherSchema, "name another ledger"},
		{"a foreign trigger", func(a *agent) {
			a.exec("CREATE TRIGGER t AFTER INSERT ON tool_calls BEGIN DELETE FROM tool_calls; END")
		}, ledger.Foreign, "take these objects away"},
		{"a newer drainboard", func(a *agent) { a.exec(strings.Replace(createLog, "schema 1", "schema 2", 1)) }, ledger.NewerVersion, "open it with the newer drainboard"},
		{"a damaged header", func(a *agent) { a.damage(0, 100) }, ledger.NotALedger, "name the agents' replay file"},
		{"a damaged schema", func(a *agent) { a.damage(100, 3000) }, ledger.Broken, "restore it from a copy"},
		{"damaged pages", func(a *agent) { many(a); a.damage(2*4096, 1<<30) }, ledger.Broken, "restore it from a copy"},
		{"cut short", func(a *agent) {
			many(a)
			if err := os.Truncate(a.path, 3*4096); err != nil {
				a.t.Fatal(err)
			}
		}, ledger.Broken, "restore it from a copy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t)
			tt.make(a)
			if err := a.db.Close(); err != nil {
				t.Fatal(err)
			}
			before := sha(t, a.path)
			refused(t, claimOn(a.path), tt.kind, tt.words)
			if err := lookAt(a.path); tt.kind != ledger.Foreign {
				refused(t, err, tt.kind, tt.words)
			} else if err != nil {
				t.Fatalf("it is still looked at: %v", err)
			}
			if sha(t, a.path) != before {
				t.Fatal("the file changed")
			}
			for _, name := range []string{a.path + "-journal", a.path + "-wal"} {
				if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is left behind", name)
				}
			}
		})
	}
}

// damage writes nonsense over a part of the file.
func (a *agent) damage(from, n int64) {
	a.t.Helper()
	if err := a.db.Close(); err != nil {
		a.t.Fatal(err)
	}
	src, err := os.ReadFile(a.path)
	if err != nil {
		a.t.Fatal(err)
	}
	end := min(from+n, int64(len(src)))
	copy(src[from:end], bytes.Repeat([]byte{0xa5}, int(end-from)))
	if err := os.WriteFile(a.path, src, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// claimOn opens a ledger for writing and claims a key on it.
func claimOn(path string) error {
	s, err := OpenStore(context.Background(), path, StoreOptions{Patience: time.Millisecond})
	if err != nil {
		return err
	}
	_, err = envelope(s).Begin(context.Background(), keyed(hexKey(1)))
	return errors.Join(err, s.Close())
}

func lookAt(path string) error {
	l, err := OpenLooker(context.Background(), path, Options{Patience: time.Millisecond})
	if err != nil {
		return err
	}
	_, err = l.Look(context.Background())
	return errors.Join(err, l.Close())
}

func refused(t *testing.T, err error, kind ledger.ProblemKind, words string) {
	t.Helper()
	var p *ledger.Problem
	if !errors.As(err, &p) || p.Kind != kind || !strings.Contains(err.Error(), words) {
		t.Fatalf("got %v, want %q with %q", err, kind, words)
	}
}

// TestDiskIsFull fills a ledger's disk between a claim and its commit: the caller is told, nothing is half written, and
// when there is room again the same claim settles.
func TestDiskIsFull(t *testing.T) {
	t.Run("SQLite's own limit", func(t *testing.T) {
		a := newAgent(t, "PRAGMA journal_mode=WAL")
		s := openStore(t, a.path, StoreOptions{})
		pages := func(n string) {
			t.Helper()
			if err := s.do(context.Background(), func(x *tx) error { _, err := x.c.one("PRAGMA max_page_count = " + n); return err }); err != nil {
				t.Fatal(err)
			}
		}
		full(t, s, func() { pages("1") }, func() { pages("1000000") })
	})
	t.Run("a small disk", func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mount("none", dir, "tmpfs", 0, "size=512k"); err != nil {
			t.Skipf("only root may mount a small disk: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
		s := openStore(t, filepath.Join(dir, "l.sqlite"), StoreOptions{Create: true})
		fill := filepath.Join(dir, "fill")
		full(t, s, func() {
			f, err := os.Create(fill)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for _, size := range []int{4096, 1} {
				for err == nil {
					_, err = f.Write(make([]byte, size))
				}
				err = nil
			}
		}, func() {
			if err := os.Remove(fill); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func full(t *testing.T, s *Store, fill, free func()) {
	ctx := context.Background()
	env := envelope(s)
	held, err := env.Begin(ctx, keyed("held"))
	if err != nil || held.Decision != ledger.Send {
		t.Fatalf("%+v %v", held, err)
	}
	fill()
	big := `"` + strings.Repeat("x", 300_000) + `"`
	_, err = held.Commit(ctx, big, true)
	refused(t, err, ledger.Broken, "make room, then try again")
	if !strings.Contains(err.Error(), "stays in flight") {
		t.Fatalf("got %v", err)
	}
	sent := 0
	for i := range 50 {
		c := keyed(fmt.Sprint("k", i))
		c.Request = big
		_, err := env.Execute(ctx, c, func(context.Context, string) ledger.Reply { sent++; return ledger.Reply{} })
		refused(t, err, ledger.Broken, "make room, then try again")
	}
	if sent != 0 {
		t.Fatalf("sent %d times without a claim", sent)
	}
	states := func() (out []string) {
		t.Helper()
		err := s.View(ctx, func(x ledger.Tx) error {
			out = nil
			for _, k := range []string{"held", "k0"} {
				r, err := x.Row(k)
				if err != nil {
					return err
				}
				if r != nil {
					out = append(out, r.Key+" "+string(r.State))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := states(); !slices.Equal(got, []string{"held inflight"}) {
		t.Fatalf("while it was full: %q", got)
	}
	free()
	if out, err := held.Commit(ctx, "1", true); err != nil || out.Late {
		t.Fatalf("%+v %v", out, err)
	}
	if k, err := env.Begin(ctx, keyed("k0")); err != nil || k.Decision != ledger.Send || k.Attempt != 1 {
		t.Fatalf("%+v %v", k, err)
	}
	if got := states(); !slices.Equal(got, []string{"held committed", "k0 inflight"}) {
		t.Fatalf("with room again: %q", got)
	}
}
