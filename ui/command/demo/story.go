package demo

import (
	"fmt"
	"strings"
)

// history is what lies before the drain: finished runs of the paid runtime, and the beginnings of those that go wrong later. A
// paid run that first calls after the drain began would be a finding, so each of them reads something first.
func (t *teller) history() {
	for n := range 12 {
		t.job(-1080+float64(n)*80, Paid, fmt.Sprintf("run-%02d", n+1), 3)
	}
	for n, what := range []string{
		"retry budget", "webhook handler", "status page", "crm import", "flaky deploy", "pager rota", "pager rota again", "changelog",
		"branch rules", "stream client", "issue labels", "release notes", "rate limits", "invoice batch", "refund policy", "metrics", "status texts", "order intake",
	} {
		t.read(-260+float64(n)*12, Paid, fmt.Sprintf("run-%d", n+22), what)
	}
	t.read(-40, Paid, "nightly-7", "orders without a row")
	t.read(-38, Paid, "nightly-8", "stale branches")
	// A file that was rotated away held the call of this result.
	t.result(-1000, intent{Paid, "run-20", "create_issue", ""}, t.id(), "ok", `{"issue": 70}`)
	t.read(-990, Paid, "run-20", "old issues")
}

// honest is the work of the runtime that takes over.
func (t *teller) honest() {
	for n := range 14 {
		t.job(1+float64(n)*3.6+t.rng.Float64(), Dest, fmt.Sprintf("run-%d", n+50), 0.7)
	}
}

// job is a run as it should be: it reads, writes, asks for a review, tells people, and ends. gap is the time between calls.
func (t *teller) job(at float64, side, run string, gap float64) {
	topics := []string{"retries", "timeouts", "invoices", "webhooks", "labels", "metrics", "budgets", "exports"}
	topic, ticket := topics[t.rng.IntN(len(topics))], 100+t.rng.IntN(900)
	name := fmt.Sprintf("%s-%d-%s", topic, ticket, strings.TrimPrefix(run, "run-"))
	path := fmt.Sprintf("src/%s/%s.go", topic, name)
	t.line(at-0.1, side, run, text("type", "run_start"))
	steps := []struct{ tool, args, payload string }{
		{"search_repo", fmt.Sprintf(`{"query": "%s %d"}`, topic, ticket), `{"hits": 4}`},
		{"get_file", fmt.Sprintf(`{"path": "src/%s/main.go"}`, topic), `{"bytes": 4096}`},
		{"put_file", fmt.Sprintf(`{"path": %q, "content": "package %s", "branch": %q}`, path, topic, name), fmt.Sprintf(`{"commit": "c%d"}`, ticket)},
		{"open_pr", fmt.Sprintf(`{"repo": "shop", "head": %q, "base": "main", "title": "Mend %s"}`, name, topic), fmt.Sprintf(`{"pr": %d}`, ticket)},
		{"post_status", fmt.Sprintf(`{"pr": %q, "state": "ready"}`, name), `{"ok": true}`},
		{"notify_slack", fmt.Sprintf(`{"channel": "#shop", "text": "%s is up for review"}`, name), `{"ok": true}`},
	}
	for n, s := range steps {
		t.done(at+float64(n)*gap, gap/2, intent{side, run, s.tool, s.args}, s.payload)
	}
	t.line(at+float64(len(steps))*gap, side, run, text("type", "run_end"))
}

// doubtful is a charge of which nobody knows how often it was made.
const doubtful = `{"amount": 4200, "currency": "EUR", "customer": "cus_7", "order": "A-1007"}`

// repeats are one intent and two calls or more, of every cause, outcome and class.
func (t *teller) repeats() {
	// The handler sent one call twice: the card is charged twice. Nothing but a refund helps.
	i := intent{Paid, "run-22", "charge_card", `{"amount": 1500, "currency": "NGN", "customer": "cus_42", "order": "A-1001"}`}
	id := t.done(2, 0.8, i, `{"charge": "ch_1"}`)
	t.result(4.9, i, id, "ok", `{"charge": "ch_2"}`)

	// The stream dropped and the model asked again: two pull requests from one branch. The third time the guard answers.
	i = intent{Paid, "run-22", "open_pr", `{"repo": "shop", "head": "feat/keys", "base": "main", "title": "meter retries"}`}
	t.done(6, 1, i, `{"pr": 41}`)
	t.again(7.5, 0.9, i, "ok", `{"pr": 42}`)
	t.again(9, 0.4, i, "replayed", `{"pr": 41}`)

	// A timeout is no failure: the issue may exist. The model asked again.
	i = intent{Paid, "run-23", "create_issue", `{"repo": "shop", "title": "Webhook posts twice"}`}
	t.claim(10, i)
	t.again(10, 0.8, i, "error", `"timed out after 30s waiting for the issue tracker"`)
	t.again(11.5, 0.5, i, "ok", `{"issue": 77}`)
	t.commit(12, i, `{"issue": 77}`)

	// The same with a card: nobody knows what was charged.
	i = intent{Paid, "run-36", "charge_card", doubtful}
	t.claim(12.5, i)
	t.again(12.5, 0.7, i, "error", `"connection reset by peer"`)
	t.again(14, 0.6, i, "ok", `{"charge": "ch_7"}`)
	t.commit(14.6, i, `{"charge": "ch_7"}`)

	// The guard at work.
	i = intent{Paid, "run-23", "put_file", `{"path": "docs/keys.md", "content": "A key is a function of what.", "branch": "feat/keys"}`}
	t.done(13, 0.4, i, `{"commit": "c77"}`)
	t.again(14.2, 0.1, i, "replayed", `{"commit": "c77"}`)

	// The handler dispatched one call id twice; the answers are equal, the row was written again.
	i = intent{Paid, "run-24", "post_status", `{"pr": "feat/keys", "state": "green"}`}
	id = t.done(15, 0.3, i, `{"ok": true}`)
	t.redo(16, 0.3, i, id, `{"ok": true}`)

	// Twice by the handler, once more by the model.
	i = intent{Paid, "run-24", "notify_slack", `{"channel": "#deploys", "text": "feat/keys is green"}`}
	id = t.done(17, 0.3, i, `{"ok": true}`)
	t.redo(18, 0.3, i, id, `{"ok": true}`)
	t.redo(19, 0.3, i, t.id(), `{"ok": true}`)

	// A helper of the vendor's that nobody has classified.
	i = intent{Paid, "run-25", "sync_crm", `{"account": "acme", "fields": ["owner", "stage"]}`}
	t.again(20, 0.5, i, "ok", `{"revision": 14}`)
	t.again(21, 0.5, i, "ok", `{"revision": 15}`)

	// A page that went out once, although it was asked for twice.
	i = intent{Paid, "run-25", "page_oncall", `{"service": "crm", "text": "import is stuck"}`}
	t.done(22, 0.4, i, `{"page": "p-3"}`)
	t.again(23, 0.1, i, "refused", `"already sent: give a human key to page again"`)

	// A definite failure, then success: nothing was done twice.
	i = intent{Paid, "run-26", "put_file", `{"path": "ci/deploy.yml", "content": "retries: 0", "branch": "fix/deploy"}`}
	t.claim(23.5, i)
	t.again(23.5, 0.3, i, "error", `"409 conflict: the branch moved"`)
	t.fail(23.8, i)
	t.redo(24.5, 0.3, i, t.id(), `{"commit": "c81"}`)

	// The second call has no answer yet.
	i = intent{Paid, "run-26", "create_issue", `{"repo": "shop", "title": "Deploy is flaky"}`}
	t.done(25, 0.4, i, `{"issue": 78}`)
	t.call(26, i, t.id())

	// Reading twice costs a little and changes nothing.
	for n := range 3 {
		t.again(26.5+float64(n), 0.2, intent{Paid, "run-26", "get_file", `{"path": "ci/deploy.yml"}`}, "ok", `{"bytes": 512}`)
	}

	// Two workers in a race, answered alike.
	i = intent{Paid, "run-37", "open_pr", `{"repo": "shop", "head": "feat/metrics", "base": "main", "title": "count retries"}`}
	one, two := t.id(), t.id()
	t.claim(28, i)
	t.call(28, i, one)
	t.call(28.4, i, two)
	t.result(29.5, i, one, "ok", `{"pr": 60}`)
	t.result(29.6, i, two, "ok", `{"pr": 60}`)
	t.commit(29.6, i, `{"pr": 60}`)

	t.export()
}

// again is one more call of an intent under a new id, answered after took seconds; the ledger is not touched.
func (t *teller) again(at, took float64, i intent, status, payload string) {
	id := t.id()
	t.call(at, i, id)
	t.result(at+took, i, id, status, payload)
}

// redo sends an intent once more under an id, and writes its row once more, as a helper without a claim does.
func (t *teller) redo(at, took float64, i intent, id, payload string) {
	t.claim(at, i)
	t.call(at, i, id)
	t.result(at+took, i, id, "ok", payload)
	t.commit(at+took, i, payload)
}

// export is what the vendor's own tool-trace export looks like: calls without ids, never a result. Nobody can say what came
// of them.
func (t *teller) export() {
	i := intent{Paid, "run-21", "create_issue", `{"repo": "shop", "title": "Meter the retries"}`}
	t.claim(-600, i)
	for _, at := range []float64{-600, -588} {
		t.append(at, Paid+"/vendor-export.jsonl", fmt.Sprintf(`{"time": %q, "sessionId": %q, "toolName": %q, "toolInput": %s}`+"\n",
			t.at(at).Format("2006-01-02T15:04:05.000Z07:00"), i.run, i.tool, i.args))
	}
	t.commit(-587, i, `{"issue": 71}`)
}
