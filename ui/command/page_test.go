package command

import (
	"strings"
	"testing"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 12: "12", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 1234567: "1.2 MB", 5e12: "5.0 TB", 5e15: "5000.0 TB"} {
		if got := bytesText(n); got != want {
			t.Errorf("bytesText(%d) = %q, want %q", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "0s", 119: "119s", 120: "2m", 7200: "2h", 172800: "2d", -30: "-30s"} {
		if got := ageText(s); got != want {
			t.Errorf("ageText(%v) = %q, want %q", s, got, want)
		}
	}
}

// TestTable lines columns up by what they take on the screen, leaves empty ones out, and ends no line with blanks.
func TestTable(t *testing.T) {
	p := &page{}
	p.table([]column{{title: "N", right: true}, {title: "NAME", most: 6}, {title: "NONE"}, {title: "END"}}, [][]cell{
		{field(plain, "7"), field(plain, "ab"), field(plain, ""), field(plain, "x")},
		{field(plain, "1,200"), field(plain, "abcdefgh"), field(plain, ""), field(plain, "")},
	})
	want := "      N  NAME    END\n      7  ab      x\n  1,200  abcde…\n"
	if got := p.buf.String(); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// TestColour paints only a page that may be coloured, and takes every colour back.
func TestColour(t *testing.T) {
	p := &page{colour: true}
	p.word(red, "a").word(plain, "b").word(badgeNo, "c").word(dim, "")
	if got, want := p.buf.String(), "\x1b[1;31ma\x1b[0mb\x1b[1;97;41mc\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestHostile keeps what a trace says from reaching the terminal raw.
func TestHostile(t *testing.T) {
	p := &page{}
	p.findings(&triage.Snapshot{}, each(&triage.Finding{
		Kind: triage.OpenCall, Severity: triage.Medium, Tool: "a\x1b[31m\nb", Run: "\u202er", First: triage.Pos{File: "x\ty", Line: 1},
	}), 0)
	if got := p.buf.String(); strings.ContainsAny(got, "\x1b\t\u202e") || strings.Count(got, "\n") != 4 {
		t.Errorf("got %q", got)
	}
}

func each(list ...*triage.Finding) func(func(int, *triage.Finding) bool) {
	return func(yield func(int, *triage.Finding) bool) {
		for i, f := range list {
			if !yield(i, f) {
				return
			}
		}
	}
}

// drain is a snapshot with something of everything that the verdict prints.
func drain() *triage.Snapshot {
	undo := &table.Rule{ID: 1, Name: "charge_card", Class: table.Compensate}
	create := &table.Rule{ID: 2, Name: "open_pr", Class: table.Keyed}
	at := func(line int) triage.Pos { return triage.Pos{File: "paid/run-22.jsonl", Line: line, N: 1} }
	key := func(c string) string { return strings.Repeat(c, 64) }
	s := &triage.Snapshot{
		Now: testNow.UnixNano(), Recipe: "intent", RecipeNote: "recipe dedup16 reproduces more rows of the ledger (8 of 9)",
		Totals:  triage.Totals{Bytes: 1_234_567, Lines: 4812, Bad: 7, Tails: 1, Calls: 2192, Copies: 3, Results: 2180, Runs: 43, Tools: 31},
		Verdict: triage.Verdict{Rows: 4, Blockers: []triage.Blocker{{Kind: "inflight", Count: 1, IDs: []string{"3"}}, {Kind: "unclassified", Count: 1, IDs: []string{"7"}}, {Kind: "critical", Count: 5, IDs: []string{"1", "2"}}}},
		Sides: []triage.SideView{
			{Label: "paid", Calls: 1204, Mutators: 310, InLedger: 305, Runs: 31, OnlyTools: []string{"sync_crm"}, OnlyKeys: 12, Last: testNow.UnixNano(), Draining: true},
			{Label: "dest", Calls: 988, Mutators: 200, InLedger: 200, Runs: 12, Last: trace.NoTime},
		},
	}
	s.Kinds[triage.Hung] = 1
	list := []*triage.Finding{
		{
			ID: "1", Kind: triage.Duplicate, Severity: triage.Critical, Key: key("9"), Tool: "charge_card", Run: "run-22", Rule: undo, Class: table.Compensate,
			Calls: 1, Results: 2, Doubles: 1, Cause: triage.CauseHandler, Outcome: triage.OutcomeExtra, First: at(41),
		},
		{
			ID: "2", Kind: triage.Duplicate, Severity: triage.Critical, Key: key("3"), Tool: "open_pr", Run: "run-22", Rule: create, Class: table.Keyed,
			Calls: 3, Results: 3, Cause: triage.CauseModel, Outcome: triage.OutcomeExtra, First: at(50), Overlap: true,
		},
		{ID: "3", Kind: triage.Hung, Severity: triage.High, Key: key("a"), Tool: "open_pr", Started: testNow.UnixNano() - 640e9, Rule: create, More: &triage.Details{Timeout: 30, Owner: "w-3 pid 71"}},
		{ID: "4", Kind: triage.Runaway, Severity: triage.High, Tool: "search_repo", Run: "nightly-8", Calls: 20, Why: "identical", First: at(60)},
		{ID: "5", Kind: triage.TemporalKey, Severity: triage.Medium, Key: key("7"), Tool: "create_row", Calls: 2, More: &triage.Details{Recorded: []string{"create_row:1", "create_row:2"}}},
		{ID: "6", Kind: triage.Drift, Severity: triage.Medium, Tool: "post_status", Run: "run-38", Calls: 3, More: &triage.Details{Pointers: []string{"/at"}, Looks: []string{"timestamp"}}},
		{ID: "7", Kind: triage.UnclassifiedTool, Severity: triage.Medium, Tool: "sync_crm", Calls: 2},
		{ID: "8", Kind: triage.Duplicate, Severity: triage.Low, Key: key("c"), Tool: "put_file", Run: "run-31", Rule: create, Calls: 2, Cause: triage.CauseHandler, Outcome: triage.OutcomeReplayed, First: at(70)},
		{ID: "9", Kind: triage.OrphanResult, Severity: triage.Low, Run: "run-20", CallID: "call_1", First: at(1)},
	}
	s.Findings = triage.NewList(func(a, b *triage.Finding) bool { return a.ID < b.ID }, list...)
	return s
}

// TestVerdict pins what check prints for people.
func TestVerdict(t *testing.T) {
	use := inUse{ledger: "tool_replay.sqlite", ledgerNote: "read only: found beside the trace", table: "tools.yaml"}
	bad := []triage.ReportBad{{File: "dest/run-47.jsonl", Line: 12, Reason: "not JSON: unexpected end"}, {File: "missing.jsonl", Reason: "no such file"}}
	for _, c := range []struct {
		file string
		page page
		most int
	}{{"verdict.txt", page{}, 0}, {"verdict-ascii-limit.txt", page{ascii: true}, 3}, {"verdict-colour.txt", page{colour: true, width: 80}, 0}} {
		s := drain()
		p := c.page
		p.verdict(s, use, s.Findings.All, c.most, bad)
		golden(t, c.file, p.buf.Bytes())
	}
	p := page{}
	s := &triage.Snapshot{Recipe: "intent", Verdict: triage.Verdict{Go: true, TracesOnly: true}, Totals: triage.Totals{Calls: 1204, Lines: 2000, Tools: 4}}
	p.verdict(s, inUse{}, s.Findings.All, 0, nil)
	golden(t, "verdict-go.txt", p.buf.Bytes())
}

// TestWords has words for every kind of finding, cause and outcome: a kind that is added gets some too.
func TestWords(t *testing.T) {
	for k := range triage.Kind(triage.OrphanResult + 1) {
		f := &triage.Finding{Kind: k, Tool: "t", Run: "r", Key: "k", Why: "why", More: &triage.Details{Pointers: []string{"/a"}, Recorded: []string{"x"}}}
		if d := describe(f, 0); d.what == "" {
			t.Errorf("%v is not described", k)
		}
		s, ok := nextStep(f, 0)
		if ok == (k == triage.OrphanResult) || ok && (s.words == "" || s.name == "") {
			t.Errorf("%v: next step %+v, %t", k, s, ok)
		}
	}
	words := map[string]bool{}
	for _, o := range []triage.Outcome{
		triage.OutcomeUnknown, triage.OutcomeExtra, triage.OutcomeAmbiguous, triage.OutcomeReplayed, triage.OutcomeSame, triage.OutcomeOpen, triage.OutcomeRetried,
	} {
		words[outcomeWords(&triage.Finding{Outcome: o})] = true
	}
	for _, c := range []triage.Cause{triage.CauseUnknown, triage.CauseHandler, triage.CauseModel, triage.CauseMixed} {
		words[causeWords(&triage.Finding{Cause: c, Calls: 2})] = true
	}
	if len(words) != 11 {
		t.Errorf("%d different sentences, want 11: %v", len(words), words)
	}
}
