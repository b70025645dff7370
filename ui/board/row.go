package board

import (
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// fields are a row as JSON: without names that have nothing to say.
type fields map[string]any

func (f fields) text(name, v string) {
	if v != "" {
		f[name] = v
	}
}

func (f fields) list(name string, v []string) {
	if len(v) > 0 {
		f[name] = v
	}
}

func (f fields) count(name string, n int) {
	if n != 0 {
		f[name] = n
	}
}

func (f fields) moment(name string, t int64) {
	if t != trace.NoTime && t != 0 {
		f[name] = rfc3339(t)
	}
}

func (f fields) where(p triage.Pos) {
	f.text("file", p.File)
	f.count("line", p.Line)
}

// rowJSON is a row as the board shows it, with names as `check --json` has them where it has them.
func rowJSON(s subject) fields {
	out := fields{}
	switch {
	case s.finding != nil:
		out.finding(s.finding)
	case s.row != nil:
		out.row(s.row)
	case s.run != nil:
		out.run(s.run)
	case s.tool != nil:
		out.tool(s.tool)
	case s.call != nil:
		out.call(s.call)
	case s.entry != nil:
		out.entry(s.entry)
	}
	return out
}

func (f fields) finding(x *triage.Finding) {
	f.text("kind", x.Kind.String())
	f.text("severity", x.Severity.String())
	f.text("key", x.Key)
	f.text("tool", x.Tool)
	f.text("run", x.Run)
	f.text("side", x.Side)
	f.text("class", x.Class.String())
	f.text("cause", string(x.Cause))
	f.text("outcome", string(x.Outcome))
	f.text("call_id", x.CallID)
	f.text("why", x.Why)
	f.text("owner", x.Details().Owner)
	f.text("acknowledged", x.Ack)
	f.count("calls", x.Calls)
	f.count("results", x.Results)
	f["overlap"] = x.Overlap
	f.list("pointers", x.Details().Pointers)
	f.list("looks_like", x.Details().Looks)
	f.list("keys", x.Details().Keys)
	f.list("recorded", x.Details().Recorded)
	f.list("tools", x.Details().Tools)
	f.list("runs", x.Details().Runs)
	f.where(x.First)
	f.moment("first", x.Started)
	f.moment("last", x.Last)
}

func (f fields) row(x *triage.RowView) {
	f.text("key", x.Key)
	f.text("tool", x.Tool)
	f.text("state", x.State)
	f.text("run", x.Run)
	f.text("owner", x.Owner)
	f["hung"], f["timeout_s"] = x.Hung, x.Timeout
	f.moment("created", int64(x.Created*1e9))
	f.moment("updated", int64(x.Updated*1e9))
}

func (f fields) run(x *triage.RunView) {
	f.text("run", x.Run)
	f.text("side", x.Side)
	f.text("parent", x.Parent)
	f.count("calls", x.Calls)
	f.count("tree_calls", x.Tree)
	f.count("ceiling", x.Ceiling)
	f["over"] = x.Over
	f.count("findings", x.Findings)
	f.where(x.First)
	f.moment("first", x.Started)
	f.moment("last", x.Last)
}

func (f fields) tool(x *triage.ToolView) {
	f.text("tool", x.Tool)
	f.text("class", x.Class)
	f.count("calls", x.Calls)
	f.count("repeats", x.Repeats)
	f.count("errors", x.Errors)
	f.count("open", x.Open)
	f.list("sides", x.Sides)
	f.where(x.First)
	f.moment("last", x.Last)
}

func (f fields) call(x *triage.CallView) {
	f.text("key", x.Key)
	f.text("tool", x.Tool)
	f.text("run", x.Run)
	f.text("call_id", x.CallID)
	f.text("recorded", x.Recorded)
	f.text("side", x.Side)
	f.text("class", x.Class.String())
	f.count("repeat", x.Repeat)
	f["copy"] = x.Copy
	f.where(x.Pos)
	f.moment("time", x.Time)
}

func (f fields) entry(x *Entry) {
	f.moment("time", x.Time)
	f.text("actor", x.Actor)
	f.text("action", x.Action)
	f.text("tool", x.Tool)
	f.text("key", x.Key)
	f.text("from", x.From)
	f.text("to", x.To)
	f.text("reason", x.Reason)
	f.text("output", x.Output)
}
