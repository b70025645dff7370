package board

import (
	"fmt"
	"strings"
	"testing"

	"drainboard/keys"
	"drainboard/ledger"
	"drainboard/ledger/triage"
)

// TestRedactOut: what is copied and exported holds no secrets either, the trace itself is not opened, and keys stay.
func TestRedactOut(t *testing.T) {
	f := newFake()
	opt := options()
	opt.Env = append(opt.Env, "PAGER=less")
	for _, redact := range []bool{false, true} {
		opt.Redact = redact
		b := newBoard(t, f, opt, 120, 40)
		x := subject{entry: &Entry{Key: "ghp_0123456789abcdefghij0123", Reason: "password: hunter2", Output: "Cookie: sid=k-1"}}
		row := rowJSON(x).masked(b.look)
		text := fmt.Sprint(row)
		if strings.Contains(text, "hunter2") == redact || strings.Contains(text, "k-1") == redact || row["key"] != x.entry.Key {
			t.Errorf("redact %v: %s", redact, text)
		}
		runs := fields{"runs": []string{"token=k-1"}, "keys": []string{"token=k-1"}}
		if got := fmt.Sprint(runs.masked(b.look)); strings.Count(got, "k-1") != map[bool]int{false: 2, true: 1}[redact] {
			t.Errorf("redact %v: %s", redact, got)
		}
		b.keys("enter")
		if why := b.whyTrace(); strings.Contains(why, "--redact") != redact {
			t.Errorf("redact %v: the trace is not opened because %q", redact, why)
		}
	}
}

// TestRedactDifference: two calls that differ in a secret alone are not called the same.
func TestRedactDifference(t *testing.T) {
	var a, b keys.Args
	for _, x := range []struct {
		args *keys.Args
		raw  string
	}{{&a, `{"token":"[hidden]"}`}, {&b, `{"token":"[hidden]"}`}} {
		if err := x.args.Parse([]byte(x.raw)); err != nil {
			t.Fatal(err)
		}
	}
	one, two := triage.CallView{Key: "1", Tool: "t"}, triage.CallView{Key: "2", Tool: "t"}
	for redact, want := range map[bool]string{true: "they differ in what is masked", false: "the arguments are the same"} {
		lines := differenceLines(&a, &b, &one, &two, 80, look{redact: redact}, nil)
		if got := spansText(lines[0].spans); got != want {
			t.Errorf("redact %v: %q, want %q", redact, got, want)
		}
	}
}

// TestRedact: with --redact no secret of arguments, results, rows and the log is shown; without, all are.
func TestRedact(t *testing.T) {
	for _, redact := range []bool{false, true} {
		f := newFake()
		for at := range f.args {
			f.args[at] = `{"amount":1500,"password":"hunter2"}`
		}
		for at := range f.replies {
			f.replies[at] = `{"charge":"ch_1","note":"Bearer abcdefgh12345"}`
		}
		key := key64("9b1c22d0a7f3")
		f.rows[key] = ledger.Row{Key: key, Tool: "charge_card", State: ledger.Committed, Response: `{"api_key":"k-123"}`, HasResponse: true}
		opt := options()
		opt.Redact = redact
		opt.Journal = &diary{all: []Entry{{ID: "1", Action: "compensated", Key: key, Reason: "ghp_0123456789abcdefghij0123", Output: "https://u:s3cret@host"}}}
		b := newBoard(t, f, opt, 120, 60)
		b.keys(split(`/ "9b1c22 enter enter`)...)
		page := b.frame()
		b.keys("6", "enter")
		page += b.frame()
		for _, secret := range []string{"hunter2", "abcdefgh12345", "k-123", "ghp_0123", "s3cret"} {
			if strings.Contains(page, secret) == redact {
				t.Errorf("redact %v: %s is shown: %v\n%s", redact, secret, !redact, page)
			}
		}
	}
}
