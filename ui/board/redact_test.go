package board

import (
	"strings"
	"testing"

	"drainboard/ledger"
)

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
