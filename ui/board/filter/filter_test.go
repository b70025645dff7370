package filter

import (
	"strings"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC).UnixNano()

var finding = &triage.Finding{
	Kind: triage.Duplicate, Severity: triage.High, Key: "9b1c22d0a7f3", Tool: "open_pr", Run: "run-22", Class: table.Keyed, Calls: 3, Cause: triage.CauseModel,
	Outcome: triage.OutcomeExtra, First: triage.Pos{File: "traces/paid/run-22.jsonl"}, CallID: "call_A1", Side: "paid", Last: noon - 600e9, More: &triage.Details{Recorded: []string{"Recorded-1"}},
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", true},
		{"   ", true},
		{"open", true},
		{"OPEN_PR", true},
		{"pr", true},
		{"9b1c", true},
		{"22d0", false}, // keys match from their beginning
		{"recorded", true},
		{"call_a", true},
		{"paid/run", true},
		{"open 9b1c", true},
		{"open zzz", false},
		{"-zzz", true},
		{"-open", false},
		{"-", true}, // a word of its own
		{`"open_pr"`, true},
		{`"open pr"`, false},
		{"kind:duplicate", true},
		{"kind:drift", false},
		{"kind:drift,duplicate", true},
		{"kind:d*", true},
		{"-kind:duplicate", false},
		{"KIND:Duplicate", true},
		{"tool:open_pr", true},
		{"tool:open", true},
		{"tool:*_pr", true},
		{"tool:*_issue", false},
		{"run:run-2*", true},
		{"run:run-3*", false},
		{"class:keyed", true},
		{"class:pure,compensate", false},
		{"cause:model", true},
		{"outcome:extra", true},
		{"outcome:same", false},
		{"side:paid", true},
		{"side:pai", false}, // a side is the whole word
		{"side:pai*", true},
		{"key:9b", true},
		{"call:A1", true},
		{"file:run-22", true},
		{"sev:high", true},
		{"sev:high,low", true},
		{"sev=critical", false},
		{"sev>=medium", true},
		{"sev>=high", true},
		{"sev>high", false},
		{"sev<critical", true},
		{"sev<=medium", false},
		{"age>5m", true},
		{"age>10m", false},
		{"age>=10m", true},
		{"age<1d", true},
		{"age:5m", true}, // at least
		{"calls>2", true},
		{"calls:3", true},
		{"calls<3", false},
		{"kind:duplicate tool:open sev>=medium", true},
	} {
		f := Parse(c.text, Findings)
		if len(f.Problems) > 0 {
			t.Errorf("%q: %v", c.text, f.Problems)
			continue
		}
		r := OfFinding(finding, noon)
		if got := f.Match(&r); got != c.want {
			t.Errorf("%q matches: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		text       string
		on         Subject
		start, end int
		want       string
	}{
		{"kind:dirft", Findings, 0, 10, "did you mean drift?"},
		{"open kind:zzz", Findings, 5, 13, "expected duplicate"},
		{"kid:drift", Findings, 0, 9, "did you mean kind:?"},
		{"zzz:drift", Findings, 0, 9, "unknown name zzz: expected one of kind"},
		{"tool:", Findings, 0, 5, "expected a value after tool:"},
		{"tool>open", Findings, 0, 9, "tool can be compared with : only"},
		{"age>soon", Findings, 0, 8, "expected a duration"},
		{"calls>many", Findings, 0, 10, "expected a count"},
		{"sev>=bad", Findings, 0, 8, `unknown sev "bad"`},
		{"sev>=high,low", Findings, 0, 13, "expected one severity"},
		{`tool:"open`, Findings, 0, 10, `closing "`},
		{"cause:model", Tools, 0, 11, "says nothing about this list; here: tool, class"},
		{"sev>=high", Runs, 0, 9, "says nothing about this list"},
	} {
		f := Parse(c.text, c.on)
		if len(f.Problems) != 1 {
			t.Errorf("%q: problems %v, want one", c.text, f.Problems)
			continue
		}
		p := f.Problems[0]
		if p.Start != c.start || p.End != c.end || !strings.Contains(p.Message, c.want) {
			t.Errorf("%q: [%d,%d) %q, want [%d,%d) with %q in it", c.text, p.Start, p.End, p.Message, c.start, c.end, c.want)
		}
	}
}

// TestEverySubject: every name that a subject lists is read for it.
func TestEverySubject(t *testing.T) {
	values := map[string]string{"kind": "drift", "class": "pure", "cause": "model", "outcome": "same", "sev": "high", "age": "5m", "calls": "2"}
	for on := Findings; on <= Calls; on++ {
		for _, n := range Names(on) {
			v := values[n]
			if v == "" {
				v = "x"
			}
			if f := Parse(n+":"+v, on); len(f.Problems) > 0 || f.Empty() {
				t.Errorf("subject %d: %s:%s: %v", on, n, v, f.Problems)
			}
		}
	}
}

func TestRecords(t *testing.T) {
	row := OfRow(&triage.RowView{Key: "k1", Tool: "open_pr", State: "inflight", Run: "r", Updated: float64(noon)/1e9 - 90}, noon)
	run := OfRun(&triage.RunView{Run: "r", Calls: 14, Side: "paid", Last: trace.NoTime}, noon)
	hung := OfFinding(&triage.Finding{Kind: triage.Hung, Started: noon - 90e9, Last: trace.NoTime}, noon)
	lone := OfFinding(&triage.Finding{Kind: triage.InFlight, Started: trace.NoTime, Last: noon - 90e9}, noon)
	tool := OfTool(&triage.ToolView{Tool: "open_pr", Class: "keyed", Calls: 4, Last: noon}, noon)
	call := OfCall(&triage.CallView{Tool: "open_pr", CallID: "c1", Recorded: "rec", Time: noon - 60e9}, noon)
	for _, c := range []struct {
		text string
		on   Subject
		r    *Record
		want bool
	}{
		{"state:inflight age>1m", Rows, &row, true},
		{"age>2m", Rows, &row, false},
		{"age>1m", Findings, &hung, true}, // of the row, whatever its calls say
		{"age>2m", Findings, &hung, false},
		{"age>1m", Findings, &lone, false}, // a row without a time has no age
		{"calls>12 side:paid", Runs, &run, true},
		{"age>0s", Runs, &run, false}, // a run without times has no age
		{"age<1d", Runs, &run, false},
		{"class:keyed", Tools, &tool, true},
		{"key:rec call:c1", Calls, &call, true},
	} {
		f := Parse(c.text, c.on)
		if len(f.Problems) > 0 {
			t.Fatalf("%q: %v", c.text, f.Problems)
		}
		if got := f.Match(c.r); got != c.want {
			t.Errorf("%q matches: %v, want %v", c.text, got, c.want)
		}
	}
}

// FuzzParse: any text gives a filter whose problems lie within it, and which can be applied.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"kind:drift -tool:x", `a:"b c" sev>=`, "age>1d calls<", `"`, "-:", ":::", "é:x"} {
		f.Add(s)
	}
	r := OfFinding(finding, noon)
	f.Fuzz(func(t *testing.T, text string) {
		for on := Findings; on <= Calls; on++ {
			got := Parse(text, on)
			for _, p := range got.Problems {
				if p.Start < 0 || p.End > len(text) || p.Start >= p.End || p.Message == "" {
					t.Fatalf("problem %+v in %q", p, text)
				}
			}
			got.Match(&r)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	f := Parse("kind:duplicate sev>=medium open", Findings)
	for b.Loop() {
		r := OfFinding(finding, noon)
		f.Match(&r)
	}
}

// TestArgs looks at the arguments of a row's first call, and reads them only when everything else has passed.
func TestArgs(t *testing.T) {
	const raw = `{"head": "feat/Keys", "n": 1.50, "draft": false, "meta": {"by": {"name": "agent"}, "a.b": "dotted"}, "labels": ["one", {"name": "two"}], "none": null}`
	for _, c := range []struct {
		text, raw string
		want      bool
	}{
		{"arg.head=feat/keys", raw, true},
		{"arg.head=feat", raw, false},
		{"arg.head:feat", raw, true},
		{"arg.head=feat/*", raw, true},
		{"arg.head=main,feat/keys", raw, true},
		{"-arg.head=feat/keys", raw, false},
		{"-arg.head=main", raw, true},
		{"arg.n=1.50", raw, true},
		{"arg.draft=false", raw, true},
		{"arg.none=null", raw, true},
		{"arg.meta.by.name=agent", raw, true},
		{"arg.meta.a.b=dotted", raw, true},
		{"arg.meta=agent", raw, false},
		{"arg.labels=one", raw, true},
		{"arg.labels.0=one", raw, true},
		{"arg.labels.1.name=two", raw, true},
		{"arg.labels.name=two", raw, true},
		{"arg.head=feat/keys arg.n=2", raw, false},
		{"arg.head=x", `"{\"head\": \"x\"}"`, true},
		{"arg.head=x", "nonsense", false},
		{"-arg.head=x", "", true},
	} {
		r := OfFinding(finding, noon)
		r.Args = func() []byte { return []byte(c.raw) }
		if f := Parse(c.text, Findings); len(f.Problems) > 0 || f.Match(&r) != c.want {
			t.Errorf("%q on %s: %v, want %v (%v)", c.text, c.raw, !c.want, c.want, f.Problems)
		}
	}
	r := OfFinding(finding, noon)
	r.Args = func() []byte { t.Error("the arguments are read for nothing"); return nil }
	if Parse("arg.head=x tool:other", Findings).Match(&r) {
		t.Error("another tool passes")
	}
	for text, want := range map[string]string{"arg.head": "expected arg.NAME=value", "arg.=x": "expected arg.NAME=value", "arg.n>1": "with = and : only", "arg.n=": "expected a value"} {
		if f := Parse(text, Findings); len(f.Problems) != 1 || !strings.Contains(f.Problems[0].Message, want) {
			t.Errorf("%q: %v, want %q", text, f.Problems, want)
		}
	}
	if f := Parse("arg.head=x", Runs); len(f.Problems) != 1 {
		t.Error("runs have arguments")
	}
}
