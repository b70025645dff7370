package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
)

// blindRow is a row as the seeds' helper inserts it.
func blindRow(key string, at float64) ledger.Row {
	return ledger.Row{Key: key, Tool: "open_pr", Request: `{"n": 1}`, State: ledger.InFlight, Created: at, Updated: at}
}

// over is the overwritten rows as "key wrote>found".
func over(f *ledger.Facts) (out []string) {
	for _, o := range f.Overwritten {
		out = append(out, fmt.Sprintf("%s %s>%s", o.Key, o.Wrote.State, o.Found.State))
	}
	return out
}

func overwritten(t *testing.T, b *bench) {
	ctx := context.Background()
	later := func() float64 { return ledger.Seconds(b.now()) }
	check := func(what string, want ...string) {
		t.Helper()
		if got := over(b.facts(t)); !slices.Equal(got, want) {
			t.Fatalf("%s: got %q, want %q", what, got, want)
		}
	}
	b.commit(t, b.expect(t, call("committed", table.Keyed), "send"), "1")
	b.fail(t, b.expect(t, call("failed", table.Keyed), "send"))
	b.fail(t, b.expect(t, call("failed too", table.Keyed), "send"))
	b.expect(t, call("flying", table.Keyed), "send")
	check("drainboard's own rows")
	b.Blind.Replace(t, blindRow("its own", later()))
	b.Blind.Update(t, "its own", ledger.Committed, "1", later())
	check("a blind writer's own row")
	b.Blind.Replace(t, blindRow("failed", later()))
	check("a failed row claimed anew")
	b.Blind.Update(t, "failed", ledger.Committed, "1", later())
	check("and committed")
	b.Blind.Update(t, "failed too", ledger.Committed, "1", later())
	check("a late commit over a failed row", "failed too failed>committed")
	b.Blind.Update(t, "committed", ledger.Failed, nil, later())
	check("a late failure over a committed row", "committed committed>failed", "failed too failed>committed")
	b.Blind.Replace(t, blindRow("flying", later()))
	check("a replaced claim", "committed committed>failed", "failed too failed>committed", "flying inflight>inflight")
	b.Blind.Delete(t, "flying")
	check("a deleted row", "committed committed>failed", "failed too failed>committed", "flying inflight>")

	// What a blind writer calls failed is not sent again until somebody has acknowledged it.
	b.expect(t, call("committed", table.Keyed), "refuse overwritten")
	r, err := b.op.Acknowledge(ctx, ledger.Ack{
		Kind: ledger.AckOverwritten, Key: "committed", Seen: b.row(t, "committed").Image().Fingerprint(), Reason: "looked",
	}, "open_pr")
	done(t, r, err)
	b.expect(t, call("committed", table.Keyed), "send")
	check("and claimed anew", "failed too failed>committed", "flying inflight>")
}

func blindWriters(t *testing.T, b *bench) {
	at := ledger.Seconds(b.now())
	b.Blind.Replace(t, blindRow("k", at))
	k := b.expect(t, call("k", table.Keyed), "refuse in flight")
	if k.Row.Claim != nil {
		t.Fatalf("a blind writer has no claim: %+v", k.Row.Claim)
	}
	b.Blind.Update(t, "k", ledger.Committed, `{"a": 1}`, at+1)
	if k := b.expect(t, call("k", table.Keyed), "replay"); k.Row.Response != `{"a": 1}` {
		t.Fatalf("replayed %q", k.Row.Response)
	}
	b.Blind.Update(t, "k", ledger.Failed, nil, at+2)
	b.expect(t, call("k", table.Keyed), "send")

	// A claim that a blind writer replaced is gone: its reply is late and changes nothing.
	mine := b.expect(t, call("m", table.Keyed), "send")
	b.Blind.Replace(t, blindRow("m", ledger.Seconds(b.now())))
	if s := b.commit(t, mine, "1"); !s.Late {
		t.Fatalf("%+v", s)
	}
	b.state(t, "m", ledger.InFlight, "")

	b.Blind.Replace(t, ledger.Row{Key: "odd", Tool: "open_pr", Request: `{"n": 1}`, State: "paused", Created: at, Updated: at})
	b.expect(t, call("odd", table.Keyed), "refuse unknown state")
}

func looking(t *testing.T, b *bench) {
	ctx := context.Background()
	now := time.Unix(1_800_000_000, 0)
	l := b.Look(t, func() time.Time { return now })
	look := func() ledger.Changes {
		t.Helper()
		ch, err := l.Look(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return ch
	}
	expect := func(what string, ch ledger.Changes, want ...string) {
		t.Helper()
		var got []string
		for _, r := range ch.Rows {
			got = append(got, r.Key+" "+string(r.State))
		}
		for _, k := range ch.Gone {
			got = append(got, k+" gone")
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: got %q, want %q", what, got, want)
		}
	}
	ch := look()
	if !ch.All || len(ch.Rows) != 0 || ch.Facts == nil {
		t.Fatalf("an empty ledger: %+v", ch)
	}
	k := b.expect(t, call("k", table.Keyed), "send")
	ch = look()
	expect("a claim", ch, "k inflight")
	if c := ch.Rows[0].Claim; c == nil || c.PID != 1 || c.Attempt != 1 || c.Run != "r" {
		t.Fatalf("claim %+v", c)
	}
	expect("nothing", look())
	b.commit(t, k, "1")
	expect("a commit", look(), "k committed")
	if b.Blind == nil {
		return
	}
	b.Blind.Update(t, "k", ledger.Failed, nil, ledger.Seconds(b.now()))
	now = now.Add(time.Minute)
	ch = look()
	expect("a blind failure", ch, "k failed")
	if ch.Facts == nil || !slices.Equal(over(ch.Facts), []string{"k committed>failed"}) {
		t.Fatalf("facts %+v", ch.Facts)
	}
	r, err := b.op.MarkCommitted(ctx, *b.row(t, "k"), "1", true, "looked")
	done(t, r, err)
	ch = look()
	expect("a mark", ch, "k committed")
	if ch.Facts == nil || len(ch.Facts.Overwritten) != 0 {
		t.Fatalf("facts %+v", ch.Facts)
	}
	b.Blind.Update(t, "k", ledger.Committed, "2", ledger.Seconds(b.now()))
	ch = look()
	expect("a late commit over a mark is seen at once", ch, "k committed")
	if ch.Facts == nil || !slices.Equal(over(ch.Facts), []string{"k committed>committed"}) {
		t.Fatalf("facts %+v", ch.Facts)
	}
	got, ok, err := l.Row(ctx, "k")
	if err != nil || !ok || got.Response != "2" {
		t.Fatalf("row %+v %v %v", got, ok, err)
	}
}
