package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
)

// proxy stands between a store and the server and cuts the connection at the first message that holds a mark: before it
// reaches the server, or after the server has answered and before the answer gets through. It is to be armed.
type proxy struct {
	url    string
	mark   []byte
	answer bool // the server gets the message and answers
	cuts   atomic.Int32
	wg     sync.WaitGroup
}

func newProxy(t *testing.T, to, mark string, answer bool) *proxy {
	t.Helper()
	dir := t.TempDir()
	ln, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery = url.Values{"host": {dir}}.Encode()
	p := &proxy{url: u.String(), mark: []byte(mark), answer: answer}
	p.cuts.Store(unarmed)
	p.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("unix", filepath.Join(shared.dir, ".s.PGSQL.5432"))
			if err != nil {
				_ = c.Close()
				continue
			}
			p.serve(c, s)
		}
	})
	t.Cleanup(func() { _ = ln.Close(); p.wg.Wait() })
	return p
}

const unarmed = -1

func (p *proxy) arm() { p.cuts.Store(0) }

func (p *proxy) serve(client, server net.Conn) {
	var swallow atomic.Bool
	end := func() { _ = client.Close(); _ = server.Close() }
	p.wg.Go(func() {
		defer end()
		buf := make([]byte, 1<<16)
		for {
			n, err := client.Read(buf)
			if err != nil {
				return
			}
			if bytes.Contains(buf[:n], p.mark) && p.cuts.CompareAndSwap(0, 1) {
				if !p.answer {
					return
				}
				swallow.Store(true)
			}
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
		}
	})
	p.wg.Go(func() {
		defer end()
		buf := make([]byte, 1<<16)
		for {
			n, err := server.Read(buf)
			if err != nil || swallow.Load() {
				return
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	})
}

func envelope(s ledger.Store) *ledger.Envelope {
	return &ledger.Envelope{Store: s, Now: time.Now, Random: rand.Reader, Actor: "me@host", Owner: ledger.Owner{Host: "h", PID: 1, PIDStart: 1}}
}

func call(key string) ledger.Call {
	return ledger.Call{Key: key, Run: "r", Tool: "open_pr", Request: "{}", Class: table.Keyed}
}

func row(t *testing.T, s *Store, key string) *ledger.Row {
	t.Helper()
	var r *ledger.Row
	if err := s.View(context.Background(), func(tx ledger.Tx) (err error) { r, err = tx.Row(key); return err }); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestClaimThatIsCutOff(t *testing.T) {
	for _, answer := range []bool{false, true} {
		url := database(t)
		direct := openStore(t, url, StoreOptions{})
		p := newProxy(t, url, "cut-this-key", answer)
		s := openStore(t, p.url, StoreOptions{})
		p.arm()
		k, err := envelope(s).Begin(context.Background(), call("cut-this-key"))
		if err != nil || k.Decision != ledger.Send || k.Attempt != 1 {
			t.Fatalf("answered %v: %+v %v", answer, k, err)
		}
		if p.cuts.Load() != 1 {
			t.Fatal("nothing was cut: the test tries nothing")
		}
		r := row(t, direct, "cut-this-key")
		if r == nil || r.State != ledger.InFlight || r.Claim == nil || r.Updated != k.Row.Updated {
			t.Fatalf("answered %v: row %+v", answer, r)
		}
		// What the server had answered is found by its token, and counted once.
		if again, err := envelope(direct).Begin(context.Background(), call("other")); err != nil || again.Calls != 2 {
			t.Fatalf("answered %v: the run's calls are %d, %v", answer, again.Calls, err)
		}
		if out, err := k.Commit(context.Background(), "1", true); err != nil || out.Late {
			t.Fatalf("answered %v: %+v %v", answer, out, err)
		}
	}
}

// TestClaimAnewThatIsCutOff cuts the transaction that claims a failed key.
func TestClaimAnewThatIsCutOff(t *testing.T) {
	for _, answer := range []bool{false, true} {
		url := database(t)
		direct := openStore(t, url, StoreOptions{})
		k, err := envelope(direct).Begin(context.Background(), call("k"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Fail(context.Background(), "no"); err != nil {
			t.Fatal(err)
		}
		p := newProxy(t, url, "commit", answer)
		s := openStore(t, p.url, StoreOptions{})
		p.arm()
		k, err = envelope(s).Begin(context.Background(), call("k"))
		if err != nil || k.Decision != ledger.Send || k.Attempt != 2 {
			t.Fatalf("answered %v: %+v %v", answer, k, err)
		}
		if p.cuts.Load() != 1 {
			t.Fatal("nothing was cut: the test tries nothing")
		}
		if out, err := k.Commit(context.Background(), "1", true); err != nil || out.Late {
			t.Fatalf("answered %v: %+v %v", answer, out, err)
		}
	}
}

func TestCommitThatIsCutOff(t *testing.T) {
	for _, answer := range []bool{false, true} {
		url := database(t)
		p := newProxy(t, url, "cut-this-response", answer)
		s := openStore(t, p.url, StoreOptions{})
		p.arm()
		k, err := envelope(s).Begin(context.Background(), call("k"))
		if err != nil {
			t.Fatal(err)
		}
		out, err := k.Commit(context.Background(), `"cut-this-response"`, true)
		if err != nil || out.Late || out.Row.State != ledger.Committed {
			t.Fatalf("answered %v: %+v %v", answer, out, err)
		}
		if p.cuts.Load() != 1 {
			t.Fatal("nothing was cut: the test tries nothing")
		}
		var f *ledger.Facts
		if err := s.View(context.Background(), func(tx ledger.Tx) (err error) { f, err = tx.Facts(); return err }); err != nil || len(f.Late) != 0 {
			t.Fatalf("answered %v: %+v %v", answer, f, err)
		}
	}
}

// TestUpdateThatIsCutOff: an operator's action whose commit was cut off is told as not known.
func TestUpdateThatIsCutOff(t *testing.T) {
	p := newProxy(t, database(t), "commit", true)
	s := openStore(t, p.url, StoreOptions{})
	p.arm()
	err := s.Update(context.Background(), func(tx ledger.Tx) error { _, err := tx.Raise("r"); return err })
	var unknown *ledger.CommitUnknown
	if !errors.As(err, &unknown) {
		t.Fatalf("got %v", err)
	}
}

func TestServerRestarts(t *testing.T) {
	url := database(t)
	s := openStore(t, url, StoreOptions{Patience: 30 * time.Second})
	l := openLooker(t, url, Options{})
	k, err := envelope(s).Begin(context.Background(), call("before"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Look(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := shared.ctl("-m", "fast", "restart"); err != nil {
		t.Fatal(err)
	}
	if out, err := k.Commit(context.Background(), "1", true); err != nil || out.Late {
		t.Fatalf("%+v %v", out, err)
	}
	if k, err := envelope(s).Begin(context.Background(), call("after")); err != nil || k.Decision != ledger.Send {
		t.Fatalf("%+v %v", k, err)
	}
	ch, err := l.Look(context.Background())
	if err != nil || len(ch.Rows) != 2 {
		t.Fatalf("%+v %v", ch, err)
	}
}
