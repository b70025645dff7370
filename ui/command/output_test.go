package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"drainboard/ledger/triage"
)

// TestEncoder prints JSON that means the same and holds nothing that a terminal would obey.
func TestEncoder(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain é 日本 😀", `"plain é 日本 😀"`},
		{"a\u009b31m\x7f", `"a\u009b31m\u007f"`},
		{"\u202eabc\u200b", `"\u202eabc\u200b"`},
		{"tag \U000e0041", `"tag \udb40\udc41"`},
		{"<b>&", `"<b>&"`},
	} {
		var b bytes.Buffer
		if err := (&app{opts: newOptions()}).encoder(&b).Encode(c.text); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != c.want+"\n" {
			t.Errorf("%q is printed as %s, want %s", c.text, got, c.want)
		}
		var back string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != c.text {
			t.Errorf("%q comes back as %q, %v", c.text, back, err)
		}
	}
}

// TestPrintReport holds the report that is printed in pieces to the one that is printed at once.
func TestPrintReport(t *testing.T) {
	long := make([]triage.ReportDuplicate, 3000)
	for i := range long {
		long[i] = triage.ReportDuplicate{Key: strings.Repeat("k\u202e", i%40), Calls: i, At: []triage.ReportPlace{{File: "f", Line: i}}}
	}
	for name, r := range map[string]*triage.Report{
		"zero":  {},
		"empty": {Duplicates: []triage.ReportDuplicate{}, Budget: triage.ReportBudget{Runs: []triage.ReportRun{}}, Ledger: triage.ReportLedger{States: map[string]int{}}},
		"full": {
			Verdict: "GO", RecipeNote: "a note <b>", Duplicates: long, Ledger: triage.ReportLedger{Path: "p", States: map[string]int{"b": 1, "a": 2}},
			Budget: triage.ReportBudget{Ceiling: 12, Runs: []triage.ReportRun{{Run: "r", Over: true}, {}}}, Window: &triage.ReportWindow{Need: 1.5},
			OpenCalls: []triage.ReportCall{{Run: "\xff"}}, TracesOnly: true,
		},
	} {
		var want, got bytes.Buffer
		if err := (&app{env: &Env{Stdout: &want}, opts: newOptions()}).printJSON(r); err != nil {
			t.Fatal(err)
		}
		if err := (&app{env: &Env{Stdout: &got}, opts: newOptions()}).printReport(r); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s: printed\n%.300s\nwant\n%.300s", name, got.Bytes(), want.Bytes())
		}
	}
}

// TestPrintReportFails has the writer fail in the middle of a list that several goroutines write: the reason comes back.
func TestPrintReportFails(t *testing.T) {
	r := &triage.Report{Duplicates: make([]triage.ReportDuplicate, 20*stretch)}
	reason := errors.New("full")
	for _, after := range []int{0, 1, 3} {
		a := &app{env: &Env{Stdout: &failing{after: after, err: reason}}, opts: newOptions()}
		if err := a.printReport(r); !errors.Is(err, reason) {
			t.Errorf("after %d writes: %v, want %v", after, err, reason)
		}
	}
}

// failing is a writer that takes so many writes.
type failing struct {
	after int
	err   error
}

func (f *failing) Write(b []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, f.err
	}
	return len(b), nil
}
