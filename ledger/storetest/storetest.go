// Package storetest holds every store against the rules of LEDGER.md: one suite, which a store's own tests run on
// fresh ledgers. It owns nothing and starts goroutines that end with their test.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
)

// Ledger is one fresh ledger of the store under test, with everything that writes or reads it.
type Ledger struct {
	Store ledger.Store
	// Again opens the same ledger once more, as another process would; nil when only one store can hold it.
	Again func(t *testing.T) ledger.Store
	// Look opens a Looker; nil when nothing else can look at it.
	Look func(t *testing.T, now func() time.Time) ledger.Looker
	// Blind is a writer that knows nothing of claims; nil when there can be none.
	Blind Blind
}

// Blind writes as the seeds' helper does.
type Blind interface {
	Replace(t *testing.T, r ledger.Row)                                        // INSERT OR REPLACE
	Update(t *testing.T, key string, s ledger.State, response any, at float64) // by key alone
	Delete(t *testing.T, key string)
}

// Run holds a store against the rules. open makes a fresh ledger that ends with its test. Rules about others are left out for a ledger that
// nobody else can open, look at or write.
func Run(t *testing.T, open func(t *testing.T) Ledger) {
	can := open(t)
	for _, s := range []rule{
		{"send once and replay", sendOnce},
		{"decisions by state and class", decisions},
		{"failed keyed is claimed anew", claimAnew},
		{"key reuse", keyReuse},
		{"budget", budget},
		{"in doubt", inDoubt},
		{"late replies", lateReplies},
		{"human key", humanKey},
		{"human key rules", humanKeyRules},
		{"marks", marks},
		{"a row that moved is not touched", moved},
		{"undo", undo},
		{"acknowledge", acknowledge},
		{"compensation", compensation},
		{"prune", prune},
		{"log", logged},
		{"times move forward", forward},
		{"failed update writes nothing", failedUpdate},
		{"given up before it began", givenUp},
		{"race for one key", raceOneKey},
		{"race for many keys", raceManyKeys},
		{"race to settle", raceSettle},
	} {
		s.hold(t, open)
	}
	if can.Again != nil {
		rule{"race of stores", raceStores}.hold(t, open)
	}
	if can.Blind != nil {
		rule{"overwritten", overwritten}.hold(t, open)
		rule{"blind writers", blindWriters}.hold(t, open)
	}
	if can.Look != nil {
		rule{"looking", looking}.hold(t, open)
	}
}

// rule is one part of the suite.
type rule struct {
	name string
	f    func(t *testing.T, b *bench)
}

func (r rule) hold(t *testing.T, open func(t *testing.T) Ledger) {
	t.Run(r.name, func(t *testing.T) { r.f(t, newBench(t, open(t))) })
}

// bench is one ledger with a clock that moves a second a look.
type bench struct {
	Ledger
	clock atomic.Int64
	env   *ledger.Envelope
	op    *ledger.Operator
}

func newBench(t *testing.T, l Ledger) *bench {
	t.Helper()
	b := &bench{Ledger: l}
	b.clock.Store(1_700_000_000)
	b.env = b.envelope(l.Store, 1)
	b.op = &ledger.Operator{Store: l.Store, Now: b.now, Actor: "op@host", Owner: ledger.Owner{Host: "h", BootID: "b", PID: 7, PIDStart: 70}}
	return b
}

func (b *bench) now() time.Time { return time.Unix(b.clock.Add(1), 0) }

func (b *bench) envelope(s ledger.Store, pid int) *ledger.Envelope {
	return &ledger.Envelope{
		Store: s, Now: b.now, Random: rand.Reader, Actor: "me@host",
		Owner: ledger.Owner{Host: "h", BootID: "b", PID: pid, PIDStart: int64(10 * pid)},
	}
}

// call is one call of a key in run r.
func call(key string, class table.Class) ledger.Call {
	return ledger.Call{Key: key, Run: "r", Tool: "open_pr", Request: `{"n": 1}`, Class: class}
}

func (b *bench) begin(t *testing.T, c ledger.Call) *ledger.Ticket {
	t.Helper()
	k, err := b.env.Begin(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// expect begins a call and checks the decision, as "decision reason".
func (b *bench) expect(t *testing.T, c ledger.Call, want string) *ledger.Ticket {
	t.Helper()
	k := b.begin(t, c)
	if got := says(k); got != want {
		t.Fatalf("%s %s: got %q, want %q", c.Key, c.Class, got, want)
	}
	return k
}

func says(k *ledger.Ticket) string {
	s := string(k.Decision)
	if k.Reason != "" {
		s += " " + string(k.Reason)
	}
	return s
}

func (b *bench) commit(t *testing.T, k *ledger.Ticket, response string) ledger.Settled {
	t.Helper()
	s, err := k.Commit(context.Background(), response, true)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (b *bench) fail(t *testing.T, k *ledger.Ticket) ledger.Settled {
	t.Helper()
	s, err := k.Fail(context.Background(), "no")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// row reads a row, nil when there is none.
func (b *bench) row(t *testing.T, key string) *ledger.Row {
	t.Helper()
	var r *ledger.Row
	err := b.Store.View(context.Background(), func(tx ledger.Tx) (err error) {
		r, err = tx.Row(key)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// state checks a row's state and response.
func (b *bench) state(t *testing.T, key string, s ledger.State, response string) *ledger.Row {
	t.Helper()
	r := b.row(t, key)
	if r == nil {
		t.Fatalf("row %s is gone, want %s", key, s)
	}
	if r.State != s || r.Response != response || r.HasResponse != (response != "") {
		t.Fatalf("row %s is %s %q, want %s %q", key, r.State, r.Response, s, response)
	}
	return r
}

func (b *bench) facts(t *testing.T) *ledger.Facts {
	t.Helper()
	var f *ledger.Facts
	err := b.Store.View(context.Background(), func(tx ledger.Tx) (err error) {
		f, err = tx.Facts()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// log is the log as "action key from>to".
func (b *bench) log(t *testing.T) (out []string) {
	t.Helper()
	entries, err := ledger.Log(context.Background(), b.Store, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Action == ledger.ActFence {
			continue // it stands in the ledgers that are tried behind a fence
		}
		out = append(out, fmt.Sprintf("%s %s %s>%s", e.Action, e.Key, stateOf(e.From), stateOf(e.To)))
	}
	return out
}

func stateOf(im *ledger.Image) string {
	if im == nil {
		return "-"
	}
	return string(im.State)
}

// done checks that an action was done; refused that it was not, and says why.
func done(t *testing.T, r ledger.Result, err error) ledger.Result {
	t.Helper()
	if err != nil || !r.Done || r.Log == 0 {
		t.Fatalf("not done: %+v %v", r, err)
	}
	return r
}

func refused(t *testing.T, r ledger.Result, err error, why string) ledger.Result {
	t.Helper()
	if err != nil || r.Done || !contains(r.Why, why) {
		t.Fatalf("got %+v %v, want it refused with %q", r, err, why)
	}
	return r
}

func rowKey(key, word string) string { return ledger.HumanRowKey(keys.Intent, key, word) }
