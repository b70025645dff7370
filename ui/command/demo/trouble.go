package demo

import (
	"fmt"

	"drainboard/ledger"
)

// keysGoneWrong are the faults in keys: made of the time, made of a volatile argument, scoped to a run that was rotated,
// and given twice.
func (t *teller) keysGoneWrong() {
	// The key is when it happened, so the guard guards nothing: two rows for one request.
	i := intent{Paid, "nightly-7", "create_row", `{"table": "orders", "id": 7}`}
	for n, at := range []float64{20.5, 24} {
		key := fmt.Sprintf("create_row:%.3f", seconds(t.at(at)))
		payload := fmt.Sprintf(`{"row": %d}`, 7001+n)
		t.claimKey(at, i, key)
		t.call(at, i, "", text("idempotency_key", key))
		t.result(at+0.6, i, "", "ok", payload)
		t.commitKey(at+0.6, key, payload)
	}

	// A timestamp in the arguments gives every call a key of its own.
	for n, at := range []float64{30, 31.5, 33} {
		args := fmt.Sprintf(`{"service": "checkout", "text": "orders are slow", "at": %q}`, t.at(at).Format("2006-01-02T15:04:05.000Z07:00"))
		t.done(at, 0.3, intent{Paid, "run-38", "post_status", args}, fmt.Sprintf(`{"status": %d}`, 300+n))
	}

	// The runtime restarted under a new run id and sent the page again.
	page := `{"service": "checkout", "text": "error rate above 5%"}`
	t.done(-180, 0.4, intent{Paid, "run-27", "page_oncall", page}, `{"page": "p-1"}`)
	t.done(34, 0.4, intent{Paid, "run-28", "page_oncall", page}, `{"page": "p-2"}`)

	// One key for two charges: the second customer gets the first one's answer.
	i = intent{Paid, "run-39", "charge_card", `{"amount": 900, "currency": "EUR", "customer": "cus_8", "order": "A-1002"}`}
	id := t.id()
	t.claimKey(35, i, "order-1002")
	t.call(35, i, id, text("idempotency_key", "order-1002"))
	t.result(35.5, i, id, "ok", `{"charge": "ch_9"}`)
	t.commitKey(35.5, "order-1002", `{"charge": "ch_9"}`)
	i.args = `{"amount": 1900, "currency": "EUR", "customer": "cus_9", "order": "A-1003"}`
	id = t.id()
	t.call(36.5, i, id, text("idempotency_key", "order-1002"))
	t.result(36.6, i, id, "replayed", `{"charge": "ch_9"}`)
}

// loops are runs that do not end by themselves.
func (t *teller) loops() {
	for n := range 20 { // the same question, the same answer
		t.again(26+float64(n)*0.25, 0.1, intent{Paid, "nightly-8", "search_repo", `{"query": "branches older than 90 days"}`}, "ok", `{"hits": 0}`)
	}
	for n := range 6 { // another file each time, the same refusal from the remote
		i := intent{Paid, "run-30", "put_file", fmt.Sprintf(`{"path": "release/%d.md", "content": "notes", "branch": "main"}`, n)}
		at := 31 + float64(n)*0.5
		t.claim(at, i)
		t.again(at, 0.2, i, "error", `"403 forbidden: the branch is protected"`)
		t.fail(at+0.2, i)
	}
	for n := range 14 { // fresh keys for ever: no repeat, and above the ceiling
		t.again(33+float64(n)*0.3, 0.1, intent{Paid, "run-29", "get_file", fmt.Sprintf(`{"path": "CHANGELOG/%d.md"}`, n)}, "ok", `{"bytes": 900}`)
	}
	for n := range 8 { // polling is no loop: the table says so
		t.again(22+float64(n), 0.1, intent{Paid, "run-27", "job_status", `{"job": "deploy-5"}`}, "ok", `{"state": "running"}`)
	}
}

// ledgerDisagrees is what only trace and ledger together show.
func (t *teller) ledgerDisagrees() {
	// Committed, and the stream dropped before the agent heard of it.
	i := intent{Paid, "run-31", "open_pr", `{"repo": "shop", "head": "fix/stream", "base": "main", "title": "reconnect"}`}
	t.claim(37, i)
	t.call(37, i, t.id())
	t.commit(37.9, i, `{"pr": 52}`)

	// The agent has its answer; the helper died before it could write it down.
	i = intent{Paid, "run-32", "create_issue", `{"repo": "shop", "title": "Labels are lost"}`}
	t.claim(38, i)
	t.again(38, 0.5, i, "ok", `{"issue": 79}`)

	// The helper calls it failed, the trace shows that it was done: the next retry would do it again.
	i = intent{Paid, "run-33", "put_file", `{"path": "notes/1.4.md", "content": "1.4", "branch": "release"}`}
	t.claim(39, i)
	t.again(39, 0.5, i, "ok", `{"commit": "c90"}`)
	t.fail(39.5, i)

	// The stored answer is not the one that was given.
	i = intent{Paid, "run-34", "open_pr", `{"repo": "shop", "head": "fix/limits", "base": "main", "title": "raise limits"}`}
	t.claim(40, i)
	t.again(40, 0.5, i, "ok", `{"pr": 54}`)
	t.commit(40.6, i, `{"pr": 53}`)

	// In flight for ten minutes, with a timeout of thirty seconds.
	i = intent{Paid, "run-34", "open_pr", `{"repo": "shop", "head": "fix/burst", "base": "main", "title": "smooth bursts"}`}
	t.claim(-620, i)
	t.call(-620, i, t.id())

	// In flight, as it should be: a merge takes minutes.
	i = intent{Paid, "run-35", "merge_pr", `{"repo": "shop", "pr": 41}`}
	t.claim(41, i)
	t.call(41, i, t.id())

	// A row of some other program.
	t.write(-500, rowOfAnother(seconds(t.at(-500))))
}

// operators is what people did in the ledger, and what became of it.
func (t *teller) operators() {
	// Ada thought the worker dead and marked the row failed. It was not, and knows nothing of claims: it wrote over her mark.
	i := intent{Paid, "run-32", "put_file", `{"path": "docs/labels.md", "content": "labels", "branch": "docs"}`}
	id := t.id()
	t.claim(-100, i)
	t.call(-100, i, id)
	t.operator(-60, i, ledger.ActFailed, "worker w-3 is gone", func(r *ledger.Row) { r.State = ledger.Failed })
	t.result(50.5, i, id, "ok", `{"commit": "c64"}`)
	t.commit(50.5, i, `{"commit": "c64"}`)

	// She settled this one with the answer that she found on the remote. The worker's own answer came later, and names another
	// issue.
	i = intent{Paid, "run-31", "create_issue", `{"repo": "shop", "title": "Reconnect loses events"}`}
	id = t.id()
	t.claim(-120, i)
	t.call(-120, i, id)
	t.operator(-50, i, ledger.ActCommitted, "issue 72 is there", func(r *ledger.Row) {
		r.State, r.Response, r.HasResponse = ledger.Committed, `{"issue": 72}`, true
	})
	t.result(51.5, i, id, "ok", `{"issue": 74}`)
	t.beats = append(t.beats, Beat{At: t.at(51.5), Late: &ledger.Late{
		Key: t.key(i), Tool: i.tool, State: ledger.Committed, Response: `{"issue": 74}`, HasResponse: true, At: seconds(t.at(51.5)),
	}})

	// A refund of the charge that nobody is sure of was started elsewhere, and its end was never written down.
	i = intent{Paid, "run-36", "charge_card", doubtful}
	key := t.key(i)
	t.beats = append(t.beats, Beat{At: t.at(53), Compensation: &ledger.Compensation{
		ID: ledger.CompensationID(key, "none", 0), Key: key, Tool: i.tool, Extra: "none", Attempt: 1, State: ledger.CompensationStarted,
		Started: seconds(t.at(53)), Owner: ledger.Owner{Host: "ops-2", PID: 4242},
	}})
}

// cutover is what the two sides do to each other.
func (t *teller) cutover() {
	// The run has ended, and still calls.
	t.line(42, Paid, "run-33", text("type", "run_end"))
	t.done(43, 0.3, intent{Paid, "run-33", "notify_slack", `{"channel": "#releases", "text": "1.4 is out"}`}, `{"ok": true}`)

	// New work on the side that should only finish its own.
	t.done(44, 0.4, intent{Paid, "run-41", "create_issue", `{"repo": "shop", "title": "Late order"}`}, `{"issue": 80}`)

	// The new runtime went around the envelope, once with arguments and once without.
	i := intent{Dest, "run-48", "merge_pr", `{"repo": "shop", "pr": 60}`}
	t.read(45, Dest, "run-48", "open reviews")
	t.again(46, 0.6, i, "ok", `{"merged": true}`)
	t.again(47, 0.3, intent{Dest, "run-48", "notify_slack", ""}, "ok", `{"ok": true}`)

	// A sub-agent: its calls count for its parent's tree.
	t.line(48, Dest, "run-48.review", text("type", "run_start"), text("parent_run_id", "run-48"))
	t.read(48.1, Dest, "run-48.review", "style of reviews")

	// In flight on the side that goes on: no blocker.
	i = intent{Dest, "run-49", "merge_pr", `{"repo": "shop", "pr": 42}`}
	t.claim(49, i)
	t.call(49, i, t.id())
}

// damage is what crashes and shippers leave in files.
func (t *teller) damage() {
	// A line that was sent twice by a log shipper: same id, same time. It counts once.
	t.read(50, Dest, "run-47", "audit")
	last := t.beats[len(t.beats)-2]
	t.append(51, last.File, last.Text)

	// A worker was killed in the middle of a line; the next one wrote on.
	t.append(52, Dest+"/run-47.jsonl", `{"ts": "2026-03-02T09:00:0`+"\n")
	t.append(52.5, Dest+"/run-47.jsonl", `{"type": "tool_call", "run_id": "run-47", "args": {"path": "a"}}`+"\n")
	t.read(53, Dest, "run-47", "audit of the audit")

	// The last line is still being written.
	t.append(54, Dest+"/run-49.jsonl", `{"ts": "2026-03-02T09:`)
}
