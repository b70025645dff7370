package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"drainboard/keys/table"
	"drainboard/ledger"
)

func marks(t *testing.T, b *bench) {
	ctx := context.Background()
	for _, m := range []struct{ key, from, to, why string }{
		{"a", "in flight", "failed", ""},
		{"b", "in flight", "committed", ""},
		{"c", "failed", "committed", ""},
		{"d", "failed", "failed", "cannot be marked failed"},
		{"e", "committed", "failed", "cannot be marked failed"},
		{"f", "committed", "committed", "cannot be marked committed"},
	} {
		k := b.expect(t, call(m.key, table.Keyed), "send")
		switch m.from {
		case "failed":
			b.fail(t, k)
		case "committed":
			b.commit(t, k, "0")
		}
		was := *b.row(t, m.key)
		var r ledger.Result
		var err error
		if m.to == "failed" {
			r, err = b.op.MarkFailed(ctx, was, "looked")
		} else {
			r, err = b.op.MarkCommitted(ctx, was, "1", true, "looked")
		}
		if m.why != "" {
			refused(t, r, err, m.why)
			if *b.row(t, m.key) != was {
				t.Fatalf("%s: a refused mark changed the row", m.key)
			}
			continue
		}
		done(t, r, err)
		response := ""
		if m.to == "committed" {
			response = "1"
		}
		is := b.state(t, m.key, ledger.State(m.to), response)
		if is.Updated <= was.Updated || is.Created != was.Created || is.Claim != nil {
			t.Fatalf("%s: %+v after %+v", m.key, is, was)
		}
	}
	b.expect(t, call("n", table.Keyed), "send")
	r, err := b.op.MarkFailed(ctx, *b.row(t, "n"), "  ")
	refused(t, r, err, "needs a reason")
	b.expect(t, call("a", table.Keyed), "send")
	b.expect(t, call("b", table.Keyed), "replay")
}

func moved(t *testing.T, b *bench) {
	ctx := context.Background()
	k := b.expect(t, call("k", table.Keyed), "send")
	seen := *b.row(t, "k")
	b.fail(t, k)
	again := b.expect(t, call("k", table.Keyed), "send")
	r, err := b.op.MarkFailed(ctx, seen, "hung")
	r = refused(t, r, err, "moved")
	if r.Row.Claim == nil || r.Row.Updated != again.Row.Updated {
		t.Fatalf("what it became: %+v", r.Row)
	}
	seen = *b.row(t, "k")
	seen.Claim.Token = "another"
	r, err = b.op.MarkFailed(ctx, seen, "hung")
	refused(t, r, err, "moved")
	b.commit(t, again, "1")
	b.state(t, "k", ledger.Committed, "1")
	b.fail(t, b.expect(t, call("f", table.Keyed), "send"))
	seen = *b.row(t, "f")
	b.fail(t, b.expect(t, call("f", table.Keyed), "send"))
	r, err = b.op.MarkCommitted(ctx, seen, "1", true, "seen")
	refused(t, r, err, "moved")
	r, err = b.op.MarkFailed(ctx, ledger.Row{Key: "none", State: ledger.InFlight}, "hung")
	refused(t, r, err, "gone")
}

func undo(t *testing.T, b *bench) {
	ctx := context.Background()
	k := b.expect(t, call("k", table.Keyed), "send")
	r, err := b.op.MarkCommitted(ctx, *b.row(t, "k"), "1", true, "looked")
	mark := done(t, r, err)
	r, err = b.op.Undo(ctx, mark.Log, "wrong row")
	un := done(t, r, err)
	is := b.state(t, "k", ledger.InFlight, "")
	if is.Claim != nil || is.Updated <= mark.Row.Updated {
		t.Fatalf("after undo: %+v", is)
	}
	if s := b.commit(t, k, "2"); !s.Late {
		t.Fatal("undo gave the claim back")
	}
	r, err = b.op.Undo(ctx, mark.Log, "")
	refused(t, r, err, "no longer what the mark made of it")
	r, err = b.op.Undo(ctx, un.Log, "")
	refused(t, r, err, "only a mark or an acknowledgement")
	r, err = b.op.Undo(ctx, 99999, "")
	refused(t, r, err, "no log entry")
	r, err = b.op.MarkFailed(ctx, *is, "really")
	mark = done(t, r, err)
	b.expect(t, call("k", table.Keyed), "send")
	r, err = b.op.Undo(ctx, mark.Log, "")
	refused(t, r, err, "no longer")
}

func acknowledge(t *testing.T, b *bench) {
	ctx := context.Background()
	r, err := b.op.Acknowledge(ctx, ledger.Ack{Kind: "critical", Key: "k", Seen: "2 calls"}, "open_pr")
	refused(t, r, err, "needs a reason")
	r, err = b.op.Acknowledge(ctx, ledger.Ack{Kind: "critical", Key: "k", Seen: "2 calls", Reason: "known", Expires: 5}, "open_pr")
	first := done(t, r, err)
	a := b.facts(t).Acks
	if len(a) != 1 || a[0].ID != first.Log || a[0].Actor != "op@host" || a[0].Seen != "2 calls" || a[0].Expires != 5 || a[0].At == 0 {
		t.Fatalf("%+v", a)
	}
	r, err = b.op.Undo(ctx, first.Log, "not known")
	done(t, r, err)
	if a := b.facts(t).Acks; len(a) != 0 {
		t.Fatalf("%+v", a)
	}
	r, err = b.op.Undo(ctx, first.Log, "")
	refused(t, r, err, "undone before")
}

func compensation(t *testing.T, b *bench) {
	ctx := context.Background()
	c := ledger.Compensation{Key: "k", Tool: "open_pr", Extra: `{"pr": 2}`}
	life := ledger.Alive
	b.op.Alive = func(ledger.Owner) ledger.Liveness { return life }
	first, r, err := b.op.Start(ctx, c, false, "extra")
	done(t, r, err)
	_, r, err = b.op.Start(ctx, c, false, "extra")
	refused(t, r, err, "it is running")
	_, r, err = b.op.Start(ctx, c, true, "extra")
	refused(t, r, err, "it is running")
	life = ledger.Gone
	_, r, err = b.op.Start(ctx, c, false, "extra")
	refused(t, r, err, "outcome is unknown")
	if f := b.facts(t).Compensations; len(f) != 1 || f[0].Standing(b.op.Alive) != ledger.CompensationUnknown {
		t.Fatalf("%+v", f)
	}
	second, r, err := b.op.Start(ctx, c, true, "looked, nothing happened")
	done(t, r, err)
	if second.Attempt != 2 || second.ID != first.ID {
		t.Fatalf("%+v", second)
	}
	r, err = b.op.End(ctx, first, 0, "")
	refused(t, r, err, "no longer the one under way")
	r, err = b.op.End(ctx, second, 3, `{"bytes":0}`)
	done(t, r, err)
	r, err = b.op.End(ctx, second, 0, "")
	refused(t, r, err, "no longer the one under way")
	_, r, err = b.op.Start(ctx, c, false, "extra")
	refused(t, r, err, "exit code 3")
	third, r, err := b.op.Start(ctx, c, true, "once more")
	done(t, r, err)
	r, err = b.op.End(ctx, third, 0, "")
	done(t, r, err)
	_, r, err = b.op.Start(ctx, c, true, "extra")
	refused(t, r, err, "compensated already")
	c.Number = 1 // a later extra with the same payload is a new one
	other, r, err := b.op.Start(ctx, c, false, "extra")
	done(t, r, err)
	if other.ID == first.ID || other.Attempt != 1 {
		t.Fatalf("%+v", other)
	}
	f := b.facts(t).Compensations
	if len(f) != 2 || f[0].State != ledger.CompensationEnded || f[0].Exit != 0 || f[0].Attempt != 3 || f[1].State != ledger.CompensationStarted {
		t.Fatalf("%+v", f)
	}
}

func prune(t *testing.T, b *bench) {
	ctx := context.Background()
	b.commit(t, b.expect(t, call("a", table.Keyed), "send"), "1")
	b.expect(t, call("b", table.Keyed), "send")
	other := call("c", table.Keyed)
	other.Run = "other"
	b.commit(t, b.expect(t, other, "send"), "1")
	var rows []ledger.Row
	err := b.Store.View(ctx, func(tx ledger.Tx) (err error) { rows, err = tx.RowsOfRun("r"); return err })
	if err != nil || len(rows) != 2 || rows[0].Key != "a" || rows[1].Key != "b" {
		t.Fatalf("%+v %v", rows, err)
	}
	r, err := b.op.Prune(ctx, rows[0], "old")
	done(t, r, err)
	r, err = b.op.Prune(ctx, rows[1], "old")
	refused(t, r, err, "only a settled row")
	if b.row(t, "a") != nil || b.row(t, "b") == nil || b.row(t, "c") == nil {
		t.Fatal("the wrong rows are gone")
	}
	if o := b.facts(t).Overwritten; len(o) != 0 {
		t.Fatalf("a pruned row is not an overwritten one: %+v", o)
	}
}

func logged(t *testing.T, b *bench) {
	ctx := context.Background()
	k := b.expect(t, call("k", table.Keyed), "send")
	b.fail(t, k)
	k = b.expect(t, call("k", table.Keyed), "send")
	r, err := b.op.MarkCommitted(ctx, *b.row(t, "k"), "1", true, "looked")
	m := done(t, r, err)
	b.commit(t, k, "2")
	r, err = b.op.Undo(ctx, m.Log, "no")
	done(t, r, err)
	if err := b.op.Note(ctx, ledger.ActClassify, "open_pr", "review", `{"class":"keyed"}`); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"claim k ->inflight", "fail k inflight>failed", "claim k failed>inflight",
		"mark committed k inflight>committed", "undo k committed>inflight", "classify  ->-",
	}
	if got := b.log(t); !slices.Equal(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
	entries, err := ledger.Log(ctx, b.Store, m.Log-1, 1)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v %v", entries, err)
	}
	e := entries[0]
	if e.ID != m.Log || e.Actor != "op@host" || e.Reason != "looked" || e.Tool != "open_pr" || e.At == 0 || e.To.Response != "1" || *e.To != m.Row.Image() {
		t.Fatalf("%+v", e)
	}
}

func failedUpdate(t *testing.T, b *bench) {
	boom := errors.New("boom")
	err := b.Store.Update(context.Background(), func(tx ledger.Tx) error {
		if err := tx.Insert(&ledger.Row{Key: "k", Tool: "t", State: ledger.InFlight}); err != nil {
			return err
		}
		if _, err := tx.Log(&ledger.Entry{Action: ledger.ActClaim, Key: "k"}); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
	if b.row(t, "k") != nil || len(b.log(t)) != 0 {
		t.Fatal("a failed update wrote something")
	}
}

func givenUp(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.env.Begin(ctx, call("k", table.Keyed)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if b.row(t, "k") != nil {
		t.Fatal("a call that was given up left a claim")
	}
}
