package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"drainboard/ledger"
)

func TestOpenSaysWhatIsWrong(t *testing.T) {
	seven := "(idempotency_key TEXT PRIMARY KEY, tool_name TEXT NOT NULL, request_json TEXT NOT NULL, response_json TEXT, state TEXT NOT NULL, created_at %s NOT NULL, updated_at %s NOT NULL)"
	double := fmt.Sprintf(seven, "DOUBLE PRECISION", "DOUBLE PRECISION")
	tests := []struct {
		name  string
		setup []string
		kind  ledger.ProblemKind
		words string
	}{
		{"no table", nil, ledger.Empty, "expected a table tool_calls"},
		{"times of four bytes", []string{"CREATE TABLE tool_calls " + fmt.Sprintf(seven, "REAL", "REAL")}, ledger.OtherSchema, "created_at real"},
		{"a view", []string{"CREATE TABLE x " + double, "CREATE VIEW tool_calls AS SELECT * FROM x"}, ledger.OtherSchema, `kind "v"`},
		{"a column too many", []string{"CREATE TABLE tool_calls " + double, "ALTER TABLE tool_calls ADD COLUMN run TEXT"}, ledger.OtherSchema, "run text"},
		{"a newer drainboard", []string{"CREATE TABLE tool_calls " + double, "CREATE TABLE drainboard_log (id int)", "COMMENT ON TABLE drainboard_log IS 'drainboard schema 2'"}, ledger.NewerVersion, "found 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := database(t)
			c := connect(t, url)
			for _, q := range tt.setup {
				if _, err := c.Exec(context.Background(), q); err != nil {
					t.Fatal(err)
				}
			}
			_, err := OpenLooker(context.Background(), url, Options{})
			var p *ledger.Problem
			if !errors.As(err, &p) || p.Kind != tt.kind || !strings.Contains(err.Error(), tt.words) || p.Do == "" {
				t.Fatalf("got %v, want %s with %q", err, tt.kind, tt.words)
			}
		})
	}
	t.Run("no database", func(t *testing.T) {
		u := strings.Replace(database(t), "/t", "/none", 1)
		var p *ledger.Problem
		if _, err := OpenStore(context.Background(), u, StoreOptions{}); !errors.As(err, &p) || p.Kind != ledger.Missing {
			t.Fatalf("got %v", err)
		}
	})
}

// TestPasswordIsNeverShown goes through the errors that have a URL at hand.
func TestPasswordIsNeverShown(t *testing.T) {
	for _, u := range []string{
		"postgres://user:hunter2@127.0.0.1:1/db?connect_timeout=1",
		"postgres://user:hunter2@127.0.0.1:port/db",
		"postgres://user:hunter2@/db?host=/nowhere",
		"postgres://user:hunter2@127.0.0.1:1/db?sslmode=odd",
	} {
		_, err := OpenStore(context.Background(), u, StoreOptions{})
		_, err2 := OpenLooker(context.Background(), u, Options{})
		for _, err := range []error{err, err2} {
			if err == nil {
				t.Fatalf("%s opened", u)
			}
			for ; err != nil; err = errors.Unwrap(err) {
				if strings.Contains(err.Error(), "hunter2") || strings.Contains(fmt.Sprintf("%+v", err), "hunter2") {
					t.Fatalf("the password is shown: %v", err)
				}
			}
		}
	}
	u, err := url.Parse(database(t))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), "hunter2")
	s := openStore(t, u.String(), StoreOptions{})
	if strings.Contains(s.Where(), "hunter2") || !strings.Contains(s.Where(), u.User.Username()) {
		t.Fatal(s.Where())
	}
}

func TestClaimsAreDurable(t *testing.T) {
	url := database(t)
	c := connect(t, url)
	if _, err := c.Exec(context.Background(), "ALTER DATABASE "+c.Config().Database+" SET synchronous_commit = off"); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, url, StoreOptions{})
	var got string
	if err := s.pool.QueryRow(context.Background(), "SHOW synchronous_commit").Scan(&got); err != nil || got != "on" {
		t.Fatalf("synchronous_commit is %q, %v", got, err)
	}
}

func TestLogIsAppendOnly(t *testing.T) {
	url := database(t)
	s := openStore(t, url, StoreOptions{})
	if _, err := envelope(s).Begin(context.Background(), call("k")); err != nil {
		t.Fatal(err)
	}
	c := connect(t, url)
	for _, q := range []string{"UPDATE drainboard_log SET reason = 'x'", "DELETE FROM drainboard_log", "TRUNCATE drainboard_log"} {
		if _, err := c.Exec(context.Background(), q); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// TestLookOnly: a user who may only read looks, and is told what he lacks when he writes.
func TestLookOnly(t *testing.T) {
	u, err := url.Parse(database(t))
	if err != nil {
		t.Fatal(err)
	}
	s := openStore(t, u.String(), StoreOptions{})
	if _, err := envelope(s).Begin(context.Background(), call("k")); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		"DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN END $$",
		"GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
	} {
		if _, err := s.pool.Exec(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	u.User = url.User("reader")
	ch, err := openLooker(t, u.String(), Options{}).Look(context.Background())
	if err != nil || len(ch.Rows) != 1 || ch.Rows[0].Claim == nil {
		t.Fatalf("%+v %v", ch, err)
	}
	var p *ledger.Problem
	if _, err := envelope(openStore(t, u.String(), StoreOptions{})).Begin(context.Background(), call("l")); !errors.As(err, &p) || p.Kind != ledger.ReadOnly {
		t.Fatalf("got %v", err)
	}
}

// TestWaitIsWoken: an operator's action on one board wakes another that waits.
func TestWaitIsWoken(t *testing.T) {
	url := database(t)
	s := openStore(t, url, StoreOptions{})
	l := openLooker(t, url, Options{})
	woken := make(chan struct{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		defer close(woken)
		l.Wait(ctx, time.Minute)
	}()
	op := &ledger.Operator{Store: s, Now: time.Now, Actor: "op@host"}
	for {
		// It may not listen yet: acting again is what another operator would do.
		if err := op.Note(context.Background(), ledger.ActClassify, "open_pr", "", ""); err != nil {
			t.Fatal(err)
		}
		select {
		case <-woken:
			if ctx.Err() != nil {
				t.Fatal("it was not woken, its time was over")
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestLookMissesNothingOld: a row whose own clock is far behind is found by the minute's reading.
func TestLookMissesNothingOld(t *testing.T) {
	url := database(t)
	openStore(t, url, StoreOptions{})
	b := blind{connect(t, url)}
	now := time.Unix(1_800_000_000, 0)
	l := openLooker(t, url, Options{Now: func() time.Time { return now }})
	look := func() (keys []string) {
		t.Helper()
		ch, err := l.Look(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range ch.Rows {
			keys = append(keys, r.Key+" "+string(r.State))
		}
		return append(keys, ch.Gone...)
	}
	expect := func(want ...string) {
		t.Helper()
		if got := look(); strings.Join(got, ",") != strings.Join(want, ",") {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	b.Replace(t, ledger.Row{Key: "a", Tool: "t", State: ledger.Committed, Created: 5000, Updated: 5000})
	expect("a committed")
	b.Replace(t, ledger.Row{Key: "b", Tool: "t", State: ledger.Committed, Created: 4800, Updated: 4800})
	expect("b committed")
	b.Replace(t, ledger.Row{Key: "c", Tool: "t", State: ledger.InFlight, Created: 1, Updated: 1})
	expect("c inflight")
	b.Replace(t, ledger.Row{Key: "d", Tool: "t", State: ledger.Committed, Created: 1, Updated: 1})
	expect()
	b.Delete(t, "c")
	b.Delete(t, "a")
	expect("c")
	now = now.Add(time.Minute)
	expect("d committed", "a")
}
