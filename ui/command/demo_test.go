package command

import (
	"encoding/json"
	"testing"

	"drainboard/ledger/triage"
)

// TestDemo plays the whole drain at once and finds every kind of finding in it, every cause, outcome and class of repeat, and
// bad lines. Its exit code is not the verdict's.
func TestDemo(t *testing.T) {
	w := newWorld(t, "demo", "--json", "--dir", t.TempDir())
	if code := w.run(t); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, w.err.String())
	}
	var r triage.Report
	if err := json.Unmarshal(w.out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Verdict != "NO-GO" || r.BadLines < 2 || r.PartialTails != 1 || r.Copies < 1 || r.Ledger.Path == "" || r.Ledger.Foreign != 1 {
		t.Errorf("verdict %s, %d bad lines, %d partial tails, %d copies, ledger %+v", r.Verdict, r.BadLines, r.PartialTails, r.Copies, r.Ledger)
	}
	seen := map[string]int{}
	see := func(kind string, n int) { seen[kind] += n }
	for _, d := range r.Duplicates {
		see("cause "+d.Cause, 1)
		see("outcome "+d.Outcome, 1)
		see("class "+d.Class, 1)
		see("severity "+d.Severity, 1)
	}
	for _, x := range r.Runaway {
		see("runaway "+x.Kind, 1)
	}
	for _, x := range r.Unmatched {
		see("unmatched "+x.Why, 1)
	}
	for _, x := range r.InFlight {
		if x.Hung {
			see("hung", 1)
		} else {
			see("in flight", 1)
		}
	}
	for _, x := range r.Budget.Runs {
		if x.Over {
			see("over budget", 1)
		}
		if x.Tree > x.Calls {
			see("tree", 1)
		}
	}
	for _, x := range r.Blockers {
		see("blocker "+x.Kind, x.Count)
	}
	for kind, n := range map[string]int{
		"drift": len(r.Drift), "temporal key": len(r.TemporalKeys), "key conflict": len(r.KeyConflicts), "cross run": len(r.CrossRun),
		"after end": len(r.AfterEnd), "settled": len(r.Settled), "failed but done": len(r.FailedDone), "other response": len(r.OtherResponse),
		"overwritten": len(r.Overwritten), "late": len(r.LateReplies), "compensation": len(r.Compensations), "new run": len(r.NewWhileDrain),
		"lost": len(r.LostResults), "open": len(r.OpenCalls), "orphan": len(r.OrphanResults), "unkeyed": len(r.Unkeyed), "unclassified": len(r.Unclassified),
	} {
		see(kind, n)
	}
	for _, want := range []string{
		"cause handler", "cause model", "cause mixed", "cause unknown",
		"outcome unknown", "outcome extra", "outcome ambiguous", "outcome replayed", "outcome same", "outcome open", "outcome retried",
		"class pure", "class keyed", "class compensate", "class unclassified",
		"severity critical", "severity high", "severity medium", "severity low", "severity info",
		"runaway identical", "runaway errors", "unmatched no ledger row", "unmatched no key", "hung", "in flight", "over budget", "tree",
		"drift", "temporal key", "key conflict", "cross run", "after end", "settled", "failed but done", "other response", "overwritten", "late",
		"compensation", "new run", "lost", "open", "orphan", "unkeyed", "unclassified",
		"blocker inflight", "blocker unclassified", "blocker unmatched", "blocker critical", "blocker overwritten", "blocker compensation",
	} {
		if seen[want] == 0 {
			t.Errorf("the demo shows no %s", want)
		}
	}
}
