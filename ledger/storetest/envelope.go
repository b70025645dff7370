package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

func sendOnce(t *testing.T, b *bench) {
	hits := 0
	send := func(_ context.Context, key string) ledger.Reply {
		hits++
		if key != "k" {
			t.Errorf("the sender was handed %q, want the key", key)
		}
		return ledger.Reply{Outcome: ledger.Done, Response: `{"pr": 1}`, HasResponse: true}
	}
	for i := range 3 {
		a, err := b.env.Execute(context.Background(), call("k", table.Keyed), send)
		if err != nil {
			t.Fatal(err)
		}
		want := ledger.Replay
		if i == 0 {
			want = ledger.Send
		}
		if a.Ticket.Decision != want {
			t.Fatalf("call %d: %s, want %s", i, a.Ticket.Decision, want)
		}
		if want == ledger.Replay && a.Ticket.Row.Response != `{"pr": 1}` {
			t.Fatalf("replayed %q", a.Ticket.Row.Response)
		}
	}
	if hits != 1 {
		t.Fatalf("sent %d times", hits)
	}
	r := b.state(t, "k", ledger.Committed, `{"pr": 1}`)
	if r.Request != `{"n": 1}` || r.Tool != "open_pr" || r.Created >= r.Updated {
		t.Fatalf("row %+v", r)
	}
}

func decisions(t *testing.T, b *bench) {
	for _, c := range []struct {
		class table.Class
		want  map[string]string // by what was done with the key before
	}{
		{table.Unclassified, map[string]string{"nothing": "refuse unclassified tool", "committed": "refuse unclassified tool"}},
		{table.Pure, map[string]string{"nothing": "pass", "committed": "pass"}},
		{table.Keyed, map[string]string{"nothing": "send", "in flight": "refuse in flight", "committed": "replay", "failed": "send"}},
		{table.Compensate, map[string]string{"nothing": "send", "in flight": "refuse in flight", "committed": "replay", "failed": "refuse needs a human key"}},
	} {
		for before, want := range c.want {
			key := before + c.class.String()
			if before != "nothing" {
				k := b.expect(t, call(key, table.Keyed), "send")
				switch before {
				case "committed":
					b.commit(t, k, "1")
				case "failed":
					b.fail(t, k)
				}
			}
			b.expect(t, call(key, c.class), want)
		}
	}
	b.expect(t, call("", table.Keyed), "refuse no key")
	k := b.expect(t, call("who", table.Keyed), "send")
	in := b.expect(t, call("who", table.Keyed), "refuse in flight")
	if in.Row.Claim == nil || in.Row.Claim.PID != 1 || in.Row.Claim.Run != "r" || in.Row.Updated != k.Row.Updated {
		t.Fatalf("whose it is and since when: %+v", in.Row)
	}
}

func claimAnew(t *testing.T, b *bench) {
	first := b.expect(t, call("k", table.Keyed), "send")
	b.fail(t, first)
	failed := b.state(t, "k", ledger.Failed, "")
	second := b.expect(t, call("k", table.Keyed), "send")
	if second.Attempt != 2 {
		t.Fatalf("attempt %d", second.Attempt)
	}
	r := b.state(t, "k", ledger.InFlight, "")
	if r.Created <= failed.Created || r.Updated <= failed.Updated {
		t.Fatalf("times did not move: %+v after %+v", r, failed)
	}
	b.commit(t, second, "2")
	if s := b.commit(t, first, "1"); !s.Late {
		t.Fatal("the first worker's reply was taken")
	}
	b.state(t, "k", ledger.Committed, "2")
}

func keyReuse(t *testing.T, b *bench) {
	at, err := keys.ParsePointer("/at")
	if err != nil {
		t.Fatal(err)
	}
	c := call("k", table.Keyed)
	c.Request, c.Ignore = `{"n": 1, "at": 5}`, []keys.Pointer{at}
	b.commit(t, b.expect(t, c, "send"), "1")
	for _, q := range []struct{ tool, request, want string }{
		{c.Tool, `{"n": 1, "at": 5}`, "replay"},
		{c.Tool, `{"at":6,"n":1}`, "replay"},
		{c.Tool, `{"n": 2, "at": 5}`, "refuse key reuse"},
		{c.Tool, `not JSON`, "refuse key reuse"},
		{"other", `{"n": 1, "at": 5}`, "refuse key reuse"},
	} {
		c.Tool, c.Request = q.tool, q.request
		b.expect(t, c, q.want)
		c.Tool = "open_pr"
	}
}

func budget(t *testing.T, b *bench) {
	limited := func(key string, class table.Class) ledger.Call {
		c := call(key, class)
		c.Ceiling = 5
		return c
	}
	k := b.expect(t, limited("a", table.Keyed), "send")
	b.commit(t, k, "1")
	b.expect(t, limited("a", table.Keyed), "replay")
	b.expect(t, limited("p", table.Pure), "pass")
	b.expect(t, limited("u", table.Unclassified), "refuse unclassified tool")
	if k := b.expect(t, limited("b", table.Keyed), "send"); k.Calls != 5 {
		t.Fatalf("the run's calls: %d", k.Calls)
	}
	b.expect(t, limited("c", table.Keyed), "refuse over budget")
	b.expect(t, limited("p", table.Pure), "refuse over budget")
	b.expect(t, limited("a", table.Keyed), "refuse over budget")
	other := limited("d", table.Keyed)
	other.Run = "another run"
	b.expect(t, other, "send")
	if b.row(t, "c") != nil {
		t.Fatal("a refused call left a row")
	}
	var over []string
	for _, l := range b.log(t) {
		if strings.HasPrefix(l, "over budget") {
			over = append(over, l)
		}
	}
	if want := []string{"over budget c ->-", "over budget p ->-", "over budget a ->-"}; !slices.Equal(over, want) {
		t.Fatalf("the log says %q, want %q", over, want)
	}
}

func inDoubt(t *testing.T, b *bench) {
	a, err := b.env.Execute(context.Background(), call("k", table.Keyed), func(context.Context, string) ledger.Reply {
		return ledger.Reply{Why: "exit code 124"}
	})
	if err != nil || a.Settled.Row.Key != "" {
		t.Fatalf("%+v %v", a, err)
	}
	r := b.state(t, "k", ledger.InFlight, "")
	if r.Claim == nil {
		t.Fatal("the claim is gone")
	}
	b.expect(t, call("k", table.Keyed), "refuse in flight")
	if log := b.log(t); !slices.Contains(log, "in doubt k ->-") {
		t.Fatalf("log %q", log)
	}
	b.clock.Add(1e6) // no key expires by the clock
	b.expect(t, call("k", table.Keyed), "refuse in flight")
}

func lateReplies(t *testing.T, b *bench) {
	k := b.expect(t, call("k", table.Keyed), "send")
	r, err := b.op.MarkCommitted(context.Background(), *b.row(t, "k"), `{"a": 1}`, true, "seen at the remote")
	done(t, r, err)
	settled := *b.state(t, "k", ledger.Committed, `{"a": 1}`)
	if s := b.commit(t, k, `{"a":1.0}`); !s.Late || s.Row != settled {
		t.Fatalf("%+v", s)
	}
	if s := b.commit(t, k, `{"a":2}`); !s.Late {
		t.Fatalf("%+v", s)
	}
	if s := b.fail(t, k); !s.Late {
		t.Fatalf("%+v", s)
	}
	if now := b.state(t, "k", ledger.Committed, `{"a": 1}`); *now != settled {
		t.Fatal("a late reply changed the row")
	}
	late := b.facts(t).Late
	if len(late) != 3 {
		t.Fatalf("late %+v", late)
	}
	for i, want := range []bool{false, true, false} {
		if l := late[i]; l.Differs != want || l.Key != "k" || l.Tool != "open_pr" || l.Token == "" {
			t.Fatalf("late %d: %+v, want differs %v", i, l, want)
		}
	}
	// Nor does it count that somebody else has stored the very same text, or that only the claim is gone.
	k = b.expect(t, call("same", table.Keyed), "send")
	r, err = b.op.MarkCommitted(context.Background(), *b.row(t, "same"), "1", true, "seen at the remote")
	done(t, r, err)
	if s := b.commit(t, k, "1"); !s.Late {
		t.Fatalf("%+v", s)
	}
	k = b.expect(t, call("taken", table.Keyed), "send")
	err = b.Store.Update(context.Background(), func(tx ledger.Tx) error { return tx.SetClaim("taken", &ledger.Claim{}) })
	if err != nil {
		t.Fatal(err)
	}
	if s := b.commit(t, k, "1"); !s.Late {
		t.Fatalf("%+v", s)
	}
	// The answer of a commit that got lost is not a late reply.
	k = b.expect(t, call("twice", table.Keyed), "send")
	first, second := b.commit(t, k, "1"), b.commit(t, k, "1")
	if first.Late || second.Late || first.Row != second.Row {
		t.Fatalf("%+v %+v", first, second)
	}
}

func humanKey(t *testing.T, b *bench) {
	ctx := context.Background()
	k := b.expect(t, call("k", table.Compensate), "send")
	b.commit(t, k, `"first"`)
	b.expect(t, call("k", table.Compensate), "replay")
	r, err := b.op.GiveHumanKey(ctx, *b.row(t, "k"), table.Compensate, "again", rowKey("k", "again"), "customer asked")
	done(t, r, err)
	k = b.expect(t, call("k", table.Compensate), "send")
	if k.Key() != rowKey("k", "again") || k.Word != "again" {
		t.Fatalf("key %s word %q", k.Key(), k.Word)
	}
	b.expect(t, call("k", table.Compensate), "refuse in flight")
	b.commit(t, k, `"second"`)
	b.state(t, "k", ledger.Committed, `"first"`)
	b.state(t, rowKey("k", "again"), ledger.Committed, `"second"`)
	if k := b.expect(t, call("k", table.Compensate), "replay"); k.Row.Response != `"first"` {
		t.Fatalf("replayed %q", k.Row.Response)
	}
	h := b.facts(t).HumanKeys
	if len(h) != 1 || !h[0].Used || h[0].Key != "k" || h[0].RowKey != rowKey("k", "again") || h[0].UsedFor == "" {
		t.Fatalf("%+v", h)
	}
	// A failed intent is answered by the send that a word allowed, once that is committed.
	k = b.expect(t, call("f", table.Compensate), "send")
	b.fail(t, k)
	b.expect(t, call("f", table.Compensate), "refuse needs a human key")
	r, err = b.op.GiveHumanKey(ctx, *b.row(t, "f"), table.Compensate, "w", rowKey("f", "w"), "why")
	done(t, r, err)
	b.commit(t, b.expect(t, call("f", table.Compensate), "send"), `"done"`)
	if k := b.expect(t, call("f", table.Compensate), "replay"); k.Row.Response != `"done"` {
		t.Fatalf("replayed %q", k.Row.Response)
	}
}

func humanKeyRules(t *testing.T, b *bench) {
	ctx := context.Background()
	give := func(key, word string, class table.Class) (ledger.Result, error) {
		return b.op.GiveHumanKey(ctx, *b.row(t, key), class, word, rowKey(key, word), "why")
	}
	k := b.expect(t, call("k", table.Compensate), "send")
	r, err := give("k", "w", table.Compensate)
	refused(t, r, err, "in flight")
	b.fail(t, k)
	r, err = give("k", "w", table.Keyed)
	refused(t, r, err, "compensate")
	r, err = give("k", " ", table.Compensate)
	refused(t, r, err, "needs a word")
	r, err = give("k", "w", table.Compensate)
	done(t, r, err)
	r, err = give("k", "x", table.Compensate)
	refused(t, r, err, "waits for the next call")
	k = b.expect(t, call("k", table.Compensate), "send")
	r, err = give("k", "x", table.Compensate)
	refused(t, r, err, "is in flight")
	b.fail(t, k)
	r, err = give("k", "w", table.Compensate)
	refused(t, r, err, "used already")
	r, err = give("k", "x", table.Compensate)
	done(t, r, err)
	b.expect(t, call("k", table.Compensate), "send")
}

func forward(t *testing.T, b *bench) {
	k := b.expect(t, call("k", table.Keyed), "send")
	before := b.row(t, "k").Updated
	b.clock.Store(5) // the clock goes back
	b.commit(t, k, "1")
	if after := b.row(t, "k").Updated; after <= before || after > before+1e-5 {
		t.Fatalf("updated_at %v after %v", after, before)
	}
}
