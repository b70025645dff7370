package filter

import (
	"math"

	"drainboard/ledger/triage"
	"drainboard/trace"
)

// since is the age in seconds at now of something that happened at then, or -1 when that is not known.
func since(then, now int64) float64 {
	if then == trace.NoTime {
		return -1
	}
	return max(float64(now-then)/1e9, 0)
}

// OfFinding makes the record of a finding, at a moment in nanoseconds.
func OfFinding(f *triage.Finding, now int64) Record {
	r := Record{
		Kind: f.Kind.String(), Tool: f.Tool, Run: f.Run, Class: f.Class.String(), Cause: string(f.Cause), Outcome: string(f.Outcome),
		Side: f.Side, Owner: f.Details().Owner, Why: f.Why, Key: f.Key, CallID: f.CallID, File: f.First.File, Sev: f.Severity, Calls: f.Calls,
		Age: since(f.Last, now),
	}
	if f.Kind == triage.InFlight || f.Kind == triage.Hung {
		r.Age = since(f.Started, now) // of its row
	}
	if len(f.Details().Recorded) > 0 {
		r.OtherKey = f.Details().Recorded[0]
	}
	return r
}

// OfRow makes the record of a ledger row.
func OfRow(v *triage.RowView, now int64) Record {
	age := -1.0
	if !math.IsNaN(v.Updated) {
		age = max(float64(now)/1e9-v.Updated, 0)
	}
	return Record{Tool: v.Tool, Run: v.Run, State: v.State, Owner: v.Owner, Key: v.Key, Age: age}
}

// OfRun makes the record of a run.
func OfRun(v *triage.RunView, now int64) Record {
	return Record{Run: v.Run, Side: v.Side, File: v.First.File, Calls: v.Calls, Age: since(v.Last, now)}
}

// OfTool makes the record of a tool.
func OfTool(v *triage.ToolView, now int64) Record {
	return Record{Tool: v.Tool, Class: v.Class, File: v.First.File, Calls: v.Calls, Age: since(v.Last, now)}
}

// OfCall makes the record of a call.
func OfCall(v *triage.CallView, now int64) Record {
	return Record{
		Tool: v.Tool, Run: v.Run, Class: v.Class.String(), Side: v.Side, Key: v.Key, OtherKey: v.Recorded, CallID: v.CallID,
		File: v.Pos.File, Age: since(v.Time, now),
	}
}
