package trace

import (
	"bytes"
	"strconv"

	"drainboard/keys/pyjson"
)

// otlpLog reads a log record of OTLP.
func (d *otel) otlpLog(l pyjson.Value, run string, w *Scratch) {
	d.span.read(d.index, l.Get("attributes"), w)
	name := w.Text(either(l, "eventName", "event_name"))
	if len(name) == 0 {
		name = w.Text(firstOf(l.Get("body"), []string{"stringValue", "string_value"}))
	}
	at := nanosOf(either(l, "timeUnixNano", "time_unix_nano"), w)
	if at == NoTime {
		at = nanosOf(either(l, "observedTimeUnixNano", "observed_time_unix_nano"), w)
	}
	d.event(name, at, run, w)
}

// event reads a log event that tells what became of a call (FORMATS.md §7.4, §5.9): of Claude Code, Codex, Gemini CLI and
// its like. The call began as long before as it lasted.
func (d *otel) event(name []byte, at int64, resourceRun string, w *Scratch) {
	a := &d.span
	if own := a.text(w, a.v[atEventName]); len(own) > 0 {
		name = own
	}
	if i := bytes.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	decided := a.text(w, a.v[atDecision])
	refused := string(decided) == "reject" || string(decided) == "denied" || string(decided) == "abort"
	switch {
	case string(name) == "tool_result", string(name) == "tool_call":
	case string(name) == "tool_decision" && refused:
	default:
		return
	}
	t := turn{run: a.firstText(w, atConversation, atRunTag), time: NoTime}
	if len(t.run) == 0 {
		t.run = []byte(resourceRun)
	}
	end := w.Instant(a.plain(a.v[atEventTime]))
	if end == NoTime {
		end = at
	}
	tool, id := a.firstText(w, atToolName, atFunctionName), a.firstText(w, atCallID, atLogCallID)
	if len(tool) == 0 {
		w.Bad(reasonNoTool)
		return
	}
	if len(id) > 0 {
		if d.traced.has(id) {
			return
		}
		d.logged.add(id)
	}
	span := a.logSpan(t.run, name, id, end, w)
	e := t.event(Call, w)
	e.Time, e.CallID, e.Tool, e.Args, e.Span = before(end, a.text(w, a.v[atDuration])), id, tool, a.toolArgs(w), span
	if e.NoArgs = e.Args == nil || truncated(e.Args); e.NoArgs {
		e.Args = nil
	}
	w.Emit(e)
	came := toolSpan{status: OK, payload: a.raw(w, a.v[atLogOutput])}
	if string(a.text(w, a.v[atSuccess])) == "false" || truthy(a.plain(a.v[atError])) {
		a.fault(&came, &otelSpan{}, w)
	}
	if refused {
		came.status = Refused
	}
	e = t.event(Result, w)
	e.Time, e.CallID, e.Tool, e.Status, e.Payload = end, id, tool, came.status, came.payload
	if len(span) > 0 {
		e.Span = w.join(span, []byte("#end"))
	}
	w.Emit(e)
}

// logSpan names a record, so that one which is exported again is a copy: by its number in the session, or by all that it is.
func (a *attributes) logSpan(run, name, id []byte, at int64, w *Scratch) []byte {
	if sequence := a.text(w, a.v[atSequence]); len(sequence) > 0 && len(run) > 0 {
		return w.join(run, []byte("#"), sequence)
	}
	if len(id) == 0 || at == NoTime {
		return nil
	}
	return w.join(run, []byte("#"), name, []byte("#"), id, []byte("#"), strconv.AppendInt(nil, at, 36))
}

// truncated says whether an exporter cut the arguments short: their key would make different calls equal.
func truncated(args []byte) bool {
	return bytes.Contains(args, []byte("[truncated")) || bytes.Contains(args, []byte("[TRUNCATED")) || bytes.Contains(args, []byte("...(truncated"))
}

// before gives the time so many milliseconds, given as text, before at.
func before(at int64, millis []byte) int64 {
	if at == NoTime {
		return NoTime
	}
	f := pyjson.ParseFloat(millis)
	if len(millis) == 0 || !(f >= 0 && f < 1e12) {
		return at
	}
	return at - int64(f*1e6)
}
