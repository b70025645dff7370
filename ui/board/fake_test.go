package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// noon is the moment at which the fake world is looked at.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

const fakeTable = `
tools:
  search_repo: {class: pure}
  charge_card: {class: compensate, timeout: 30s, compensate: {run: [./scripts/refund.sh]}}
  open_pr: {class: keyed, natural_key: [/repo, /head], compensate: {run: [./scripts/close-pr.sh]}}
  put_file: {class: keyed, effect: write, natural_key: [/path]}
  create_issue: {class: keyed}
  post_status: {class: keyed, effect: write}
  notify_slack: {class: compensate}
  mcp__crm__*: {class: keyed}
`

// fake is an engine with a world that stands still: every kind of finding, three sides, long names.
type fake struct {
	snap    *triage.Snapshot
	prog    intake.Progress
	table   *table.Table
	calls   map[string][]triage.CallView // by what they are about: a key, "run "+name, "tool "+name
	args    map[int64]string             // by offset
	replies map[int64]string
	rows    map[string]ledger.Row
	updates chan struct{}
	err     error
	asked   int
}

func (f *fake) Updates() <-chan struct{}   { return f.updates }
func (f *fake) Snapshot() *triage.Snapshot { return f.snap }
func (f *fake) Progress() intake.Progress  { return f.prog }
func (f *fake) Table() *table.Table        { return f.table }

func (f *fake) Calls(_ context.Context, q intake.Query) ([]triage.CallView, int, error) {
	f.asked++
	var all []triage.CallView
	switch {
	case f.err != nil:
		return nil, 0, f.err
	case q.Finding != nil && len(q.Finding.Details().Keys) > 1:
		for _, k := range q.Finding.Details().Keys {
			all = append(all, f.calls[k]...)
		}
	case q.Finding != nil:
		all = f.calls[q.Finding.Key]
	case q.Key != "":
		all = f.calls[q.Key]
	case q.Run != "":
		all = f.calls["run "+q.Run]
	case q.Tool != "":
		all = f.calls["tool "+q.Tool]
	}
	n := len(all)
	all = all[min(q.From, n):]
	if q.Limit > 0 {
		all = all[:min(q.Limit, len(all))]
	}
	return all, n, nil
}

func (f *fake) Args(_ context.Context, at triage.Pos) ([]byte, error) {
	if s, ok := f.args[at.Offset]; ok {
		return []byte(s), nil
	}
	return nil, errors.New("the file is shorter than it was")
}

func (f *fake) Payload(_ context.Context, at triage.Pos) ([]byte, error) {
	if s, ok := f.replies[at.Offset]; ok {
		return []byte(s), nil
	}
	return nil, errors.New("the file is shorter than it was")
}

func (f *fake) Row(_ context.Context, key string) (ledger.Row, bool, error) {
	r, ok := f.rows[key]
	return r, ok, nil
}

// findingOrder is the order of a snapshot's findings.
func findingOrder(a, b *triage.Finding) bool {
	return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Started, b.Started), cmp.Compare(a.ID, b.ID)) < 0
}

// at is a moment so long before noon.
func at(before time.Duration) int64 { return noon.Add(-before).UnixNano() }

// key64 makes a key of 64 characters that begins with text.
func key64(text string) string {
	return (text + strings.Repeat("0123456789abcdef", 4))[:64]
}

// maker builds a fake; mess changes every text of the world.
type maker struct {
	*fake
	mess     func(string) string
	findings []*triage.Finding
	offset   int64
}

func newFake() *fake { return messed(func(s string) string { return s }) }

// messed is the world with every text of it changed.
func messed(mess func(string) string) *fake {
	t, err := table.Parse([]byte(fakeTable), "tools.yaml")
	if err != nil {
		panic(err)
	}
	m := &maker{mess: mess, fake: &fake{
		table: t, calls: map[string][]triage.CallView{}, args: map[int64]string{}, replies: map[int64]string{}, rows: map[string]ledger.Row{},
		updates: make(chan struct{}, 1),
	}}
	m.duplicates()
	m.others()
	m.snap = m.snapshot()
	return m.fake
}

func (m *maker) add(f *triage.Finding) *triage.Finding {
	f.Rule = m.table.Lookup(f.Tool, nil)
	f.Class = f.Rule.Class
	f.ID = f.Kind.String() + " " + f.Key + f.Tool + f.Run
	for _, s := range []*string{&f.Tool, &f.Run, &f.CallID, &f.Side, &f.Details().Owner, &f.First.File} {
		if *s != "" {
			*s = m.mess(*s)
		}
	}
	for _, list := range [][]string{f.Details().Pointers, f.Details().Looks, f.Details().Recorded, f.Details().Tools, f.Details().Runs} {
		for i := range list {
			list[i] = m.mess(list[i])
		}
	}
	if f.Last == 0 {
		f.Last = trace.NoTime
	}
	m.findings = append(m.findings, f)
	return f
}

// dispatch records calls of one finding, each with its results' payloads.
func (m *maker) dispatch(f *triage.Finding, key, args string, calls ...[]string) {
	seen := map[string]int{}
	for i, c := range calls {
		m.offset++
		pos := triage.Pos{File: f.First.File, Line: 41 + 3*i, N: 1, Offset: m.offset}
		view := triage.CallView{
			Pos: pos, Time: f.Started + int64(i)*30e9, Run: f.Run, Tool: f.Tool, CallID: f.CallID, Key: key, Class: f.Class, Rule: f.Rule, Side: f.Side,
			Repeat: i + 1,
		}
		if f.Cause == triage.CauseModel {
			view.CallID = f.CallID + string(rune('a'+i))
		}
		m.args[pos.Offset] = args
		for n, payload := range c {
			m.offset++
			status, text, _ := strings.Cut(payload, " ")
			if seen[text] == 0 {
				seen[text] = len(seen) + 1
			}
			m.replies[m.offset] = text
			view.Results = append(view.Results, triage.ResultView{
				Pos: triage.Pos{File: f.First.File, Line: pos.Line + n + 1, N: 1, Offset: m.offset}, Time: view.Time + 1e9, Status: status, Same: seen[text], Double: n > 0,
			})
		}
		for _, about := range []string{key, "run " + f.Run, "tool " + f.Tool} {
			m.calls[about] = append(m.calls[about], view)
		}
	}
}

func (m *maker) duplicates() {
	for i, d := range []struct {
		key, tool, run, id string
		sev                triage.Severity
		cause              triage.Cause
		outcome            triage.Outcome
		args               string
		calls              [][]string
	}{
		{
			"9b1c22d0a7f3", "charge_card", "run-22", "call_A1", triage.Critical, triage.CauseHandler, triage.OutcomeExtra, `{"amount": 1500, "currency": "NGN", "customer": "cus_42"}`,
			[][]string{{`ok {"charge":"ch_1"}`, `ok {"charge":"ch_2"}`}},
		},
		{
			"3f9a1c07b2e4", "open_pr", "run-22", "call_B", triage.Critical, triage.CauseModel, triage.OutcomeExtra, `{"repo": "shop", "head": "feat/keys", "title": "Keys", "labels": ["a", "b"], "meta": {"by": {"name": "agent"}}}`,
			[][]string{{`ok {"number":7,"url":"https://example.test/7"}`}, {`ok {"number":8,"url":"https://example.test/8"}`}, {`ok {"number":9,"url":"https://example.test/9"}`}},
		},
		{
			"e1d0550ab2c9", "notify_slack", "run-31", "call_C", triage.Critical, triage.CauseModel, triage.OutcomeAmbiguous, `{"text": "` + strings.Repeat("long ", 40) + `"}`,
			[][]string{{`ambiguous "deadline exceeded"`}, {`ok {"ts":"1"}`}},
		},
		{
			"5ac0be11f00d", "mcp__crm__merge_contact_with_a_very_long_name_indeed", "run-31-with-a-long-name/sub-agent-7", "toolu_01ABCDEFGHIJKLMNOP", triage.High, triage.CauseMixed, triage.OutcomeExtra, `"{\"id\": 5}"`,
			[][]string{{`ok {"id":1}`}, {`ok {"id":2}`}},
		},
		{"77ab01c94d20", "create_issue", "run-31", "call_D", triage.Medium, triage.CauseModel, triage.OutcomeSame, `{"title": "Leak"}`, [][]string{{`ok {"n":1}`}, {`ok {"n":1}`}}},
		{"0c4e9d21aa37", "create_issue", "run-40", "call_E", triage.Medium, triage.CauseModel, triage.OutcomeOpen, `{"title": "日本語のタイトル"}`, [][]string{{`ok {"n":1}`}, {}}},
		{"aa4e9d21aa37", "create_issue", "run-41", "", triage.Medium, triage.CauseUnknown, triage.OutcomeUnknown, `{}`, [][]string{{}, {}}},
		{"c0ffee12ab34", "put_file", "run-31", "call_F", triage.Low, triage.CauseHandler, triage.OutcomeReplayed, `"*** Begin Patch\n*** Update File: a.go\n-old\n+new\n"`, [][]string{{`ok "written"`}, {`replayed "written"`}}},
		{"b7720d9e31c4", "put_file", "run-18", "call_G", triage.Low, triage.CauseHandler, triage.OutcomeRetried, `{"path": "a.txt"}`, [][]string{{`error "429"`}, {`ok {"ok":true}`}}},
		{"36860bd86f04", "search_repo", "run-18", "call_H", triage.Info, triage.CauseModel, triage.OutcomeSame, `{"q": "keys"}`, [][]string{{`ok []`}, {`ok []`}, {`ok []`}}},
	} {
		f := m.add(&triage.Finding{
			Kind: triage.Duplicate, Severity: d.sev, Key: key64(d.key), Tool: d.tool, Run: d.run, Calls: len(d.calls), Results: len(d.calls), Cause: d.cause, Outcome: d.outcome,
			First: triage.Pos{File: "traces/paid/" + d.run + ".jsonl", Line: 41}, CallID: d.id, Side: []string{"paid", "dest", "shadow"}[i%3],
			Started: at(time.Duration(i+1) * time.Minute), Last: at(time.Duration(i*i)*30*time.Second + 12*time.Second),
		})
		if len(d.calls) == 1 {
			f.Doubles, f.Results = 1, 2
		}
		m.dispatch(f, f.Key, d.args, d.calls...)
		m.rows[f.Key] = ledger.Row{
			Key: f.Key, Tool: d.tool, Request: d.args, State: ledger.Committed, Response: `{"charge":"ch_1"}`, HasResponse: true, Created: 1.7e9, Updated: 1.7e9 + 1,
			Claim: &ledger.Claim{Token: "t", Host: "host-a", PID: 4120, Attempt: 1},
		}
	}
}

// others are all kinds of findings but duplicates.
func (m *maker) others() {
	for i, f := range []*triage.Finding{
		{Kind: triage.LateReply, Severity: triage.Critical, Tool: "charge_card"},
		{Kind: triage.Overwritten, Severity: triage.High, Tool: "open_pr"},
		{Kind: triage.Compensation, Severity: triage.High, Tool: "charge_card", Why: "outcome unknown"},
		{Kind: triage.Unmatched, Severity: triage.High, Tool: "put_file", Why: "no ledger row"},
		{Kind: triage.FailedButDone, Severity: triage.High, Tool: "open_pr"},
		{Kind: triage.OtherResponse, Severity: triage.High, Tool: "open_pr"},
		{Kind: triage.KeyConflict, Severity: triage.High, Tool: "charge_card", More: &triage.Details{Recorded: []string{"order-1002"}, Tools: []string{"charge_card", "charge_card"}}},
		{Kind: triage.Runaway, Severity: triage.High, Tool: "search_repo", Why: "identical", Calls: 40},
		{Kind: triage.Hung, Severity: triage.High, Tool: "charge_card", More: &triage.Details{Timeout: 30, Owner: "pid 4120 on host-a (gone)"}},
		{Kind: triage.InFlight, Severity: triage.Medium, Tool: "open_pr", More: &triage.Details{Timeout: 60, Owner: "pid 77 on host-a (alive)"}},
		{Kind: triage.SettledInTrace, Severity: triage.Medium, Tool: "open_pr"},
		{Kind: triage.LostResult, Severity: triage.Medium, Tool: "create_issue"},
		{Kind: triage.TemporalKey, Severity: triage.Medium, Tool: "post_status", More: &triage.Details{Recorded: []string{"k1", "k2", "k3"}}},
		{Kind: triage.Drift, Severity: triage.Medium, Tool: "post_status", More: &triage.Details{Pointers: []string{"/at"}, Looks: []string{"timestamp"}, Keys: []string{key64("d1"), key64("d2")}}},
		{Kind: triage.CrossRun, Severity: triage.Medium, Tool: "notify_slack", More: &triage.Details{Runs: []string{"run-22", "run-31"}}},
		{Kind: triage.NewWhileDraining, Severity: triage.Medium},
		{Kind: triage.AfterEnd, Severity: triage.Medium, Tool: "put_file"},
		{Kind: triage.OpenCall, Severity: triage.Medium, Tool: "review_agent"},
		{Kind: triage.OverBudget, Severity: triage.Medium, Calls: 31},
		{Kind: triage.UnclassifiedTool, Severity: triage.Medium, Tool: "mystery_tool", Calls: 41},
		{Kind: triage.OrphanResult, Severity: triage.Low},
	} {
		f.Run = "run-4" + string(rune('0'+i%10))
		f.First = triage.Pos{File: "traces/dest/" + f.Run + ".jsonl", Line: 60 + i}
		f.Side, f.Started, f.Last, f.CallID = "dest", at(time.Duration(i+1)*37*time.Second), at(time.Duration(i+1)*37*time.Second), "call_Z"
		f.Calls = max(f.Calls, 1)
		if f.Kind == triage.Drift || f.Kind == triage.CrossRun {
			f.Calls = 2
		}
		if f.Tool != "" && f.Kind != triage.Drift && f.Kind != triage.UnclassifiedTool {
			f.Key = key64(fmt.Sprintf("%02de7b04c19aa", i))
		}
		m.add(f)
		if f.Kind == triage.Drift {
			m.dispatch(f, f.Details().Keys[0], `{"at": "2026-03-14T11:50:00Z", "state": "ok"}`, []string{`ok {"n":1}`})
			m.dispatch(f, f.Details().Keys[1], `{"at": "2026-03-14T11:51:00Z", "state": "ok"}`, []string{`ok {"n":2}`})
			continue
		}
		if f.Key == "" {
			m.dispatch(f, "", `{"id": 1}`, []string{`ok {"id":1}`})
			continue
		}
		m.dispatch(f, f.Key, `{"id": 1}`, []string{`ok {"id":1}`})
		row := ledger.Row{Key: f.Key, Tool: f.Tool, Request: `{"id": 1}`, State: ledger.Failed, Updated: float64(f.Started) / 1e9, Created: float64(f.Started) / 1e9}
		if f.Kind == triage.Hung || f.Kind == triage.InFlight || f.Kind == triage.SettledInTrace {
			row.State = ledger.InFlight
		}
		m.rows[f.Key] = row
	}
}

func (m *maker) snapshot() *triage.Snapshot {
	s := &triage.Snapshot{
		Generation: 1, Now: noon.UnixNano(), Recipe: "intent", States: map[string]int{"committed": 1187, "failed": 9}, Draining: m.mess("paid"), Ceiling: 12, Suggest: 16,
		Totals:   triage.Totals{Bytes: 123_456_789, Lines: 4410, Bad: 2, Calls: 2204, Results: 2190, Runs: 12, Tools: 9, Copies: 3},
		Findings: triage.NewList(findingOrder, m.findings...), Foreign: 1,
		Bad: []triage.BadView{{File: m.mess("traces/dest/run-47.jsonl"), Line: 4, Reason: "not JSON: the value is cut off"}},
		Verdict: triage.Verdict{Rows: 12, Blockers: []triage.Blocker{
			{Kind: "inflight", Count: 3},
			{Kind: "unclassified", Count: 1},
			{Kind: "unmatched", Count: 1},
			{Kind: "critical", Count: 3},
			{Kind: "overwritten", Count: 2},
			{Kind: "compensation", Count: 1},
			{Kind: "unread", Count: 1},
		}},
	}
	for _, f := range m.findings {
		s.Kinds[f.Kind]++
		s.Levels[f.Severity]++
		for i := range s.Verdict.Blockers {
			b := &s.Verdict.Blockers[i]
			if b.Kind == "critical" && f.Severity == triage.Critical || b.Kind == "unmatched" && f.Kind == triage.Unmatched || b.Kind == "inflight" && (f.Kind == triage.Hung || f.Kind == triage.InFlight) {
				b.IDs = append(b.IDs, f.ID)
			}
		}
	}
	s.Rows = triage.NewList(func(a, b *triage.RowView) bool {
		return cmp.Or(cmp.Compare(b.State, a.State), cmp.Compare(a.Key, b.Key)) < 0
	}, m.rowViews(s)...)
	var runs []*triage.RunView
	for i, name := range []string{"run-22", "run-31", "run-40", "run-18", "run-31-with-a-long-name/sub-agent-7"} {
		v := &triage.RunView{Run: m.mess(name), Side: m.mess("paid"), Calls: 31 - 6*i, Tree: 44 - 6*i, Ceiling: 12, Over: 31-6*i > 12, Findings: 5 - i, Started: at(time.Hour), Last: at(time.Minute), First: triage.Pos{File: m.mess("traces/paid/a.jsonl"), Line: 1}}
		for j := range v.Spark {
			v.Spark[j] = uint16((j * (i + 3)) % 11)
		}
		runs = append(runs, v)
	}
	s.Runs = triage.NewList(func(a, b *triage.RunView) bool { return a.Calls > b.Calls }, runs...)
	var tools []*triage.ToolView
	for i, name := range []string{"mystery_tool", "search_repo", "put_file", "open_pr", "charge_card", "mcp__crm__merge_contact_with_a_very_long_name_indeed"} {
		r := m.table.Lookup(name, nil)
		v := &triage.ToolView{Tool: m.mess(name), Class: r.Class.String(), Rule: r.ID, Calls: 904 - 130*i, Repeats: 31 - i, Errors: i, Open: i % 2, Last: at(time.Minute), Sides: []string{m.mess("paid"), "dest"}}
		if i == 0 {
			v.Unclassified = v.Calls
		}
		tools = append(tools, v)
	}
	s.Tools = triage.NewList(func(a, b *triage.ToolView) bool { return a.Calls > b.Calls }, tools...)
	s.Sides = []triage.SideView{
		{Label: m.mess("paid"), Calls: 1204, Mutators: 311, InLedger: 309, Runs: 7, OnlyTools: []string{m.mess("mystery_tool")}, OnlyKeys: 3, Last: at(12 * time.Second), Draining: true},
		{Label: m.mess("dest"), Calls: 988, Mutators: 309, InLedger: 309, Runs: 5, Last: at(2 * time.Second)},
		{Label: m.mess("shadow"), Calls: 12, Last: trace.NoTime},
	}
	s.Sources = []triage.SourceView{
		{File: m.mess("traces/paid/run-22.jsonl"), Side: m.mess("paid"), Format: "plain", Lines: 2300, Calls: 1204, Last: at(12 * time.Second)},
		{File: m.mess("traces/dest/run-47.jsonl"), Side: m.mess("dest"), Format: "claude-code", Lines: 2110, Calls: 988, Bad: 2, Last: at(2 * time.Second), Note: "writing"},
	}
	return s
}

func (m *maker) rowViews(s *triage.Snapshot) (out []*triage.RowView) {
	for key, r := range m.rows {
		v := &triage.RowView{Key: key, Tool: m.mess(r.Tool), State: string(r.State), Run: m.mess("run-22"), Updated: float64(at(9*time.Second)) / 1e9, Created: 1.7e9, Timeout: 30, Met: 1, HasResponse: r.HasResponse}
		if r.State == ledger.InFlight {
			s.States["inflight"]++
			v.Owner = m.mess("pid 77 on host-a") + " (alive)"
		}
		for _, f := range m.findings {
			if f.Kind == triage.Hung && f.Key == key {
				v.Hung, v.Owner, v.Updated = true, m.mess("pid 4120 on host-a")+" (gone)", float64(at(372*time.Second))/1e9
			}
		}
		out = append(out, v)
	}
	return out
}

// crowd is a world with n groups, for benchmarks and for what must not depend on n.
func crowd(n int) *fake {
	f := newFake()
	list := make([]*triage.Finding, n)
	rule := f.table.Lookup("open_pr", nil)
	tools := []string{"charge_card", "open_pr", "put_file", "create_issue"}
	s := *f.snap
	s.Kinds, s.Levels = [len(s.Kinds)]int{}, [len(s.Levels)]int{}
	for i := range list {
		key := key64(fmt.Sprintf("%012x", uint64(i)*0x9E3779B97F4A7C15>>16))
		sev := triage.Severity(4 - min(4*i/n, 3))
		list[i] = &triage.Finding{
			ID: "duplicate " + key, Kind: triage.Duplicate, Severity: sev, Key: key, Tool: tools[i%4], Run: fmt.Sprintf("run-%d", i/8), Class: table.Keyed, Rule: rule,
			Calls: 2 + i%5, Results: 2, Cause: triage.CauseModel, Outcome: triage.OutcomeSame, First: triage.Pos{File: "traces/paid/run.jsonl", Line: i + 1},
			CallID: "call_1", Side: "paid", Started: at(time.Duration(n-i) * time.Second), Last: at(time.Duration(n-i) * time.Second),
		}
		s.Kinds[triage.Duplicate]++
		s.Levels[sev]++
	}
	s.Findings = triage.NewList(findingOrder, list...)
	f.snap = &s
	return f
}
