package trace

import "drainboard/keys/pyjson"

// langSmithFormat is FORMATS.md §14.1: runs exported from LangSmith, or as they are sent to it: at their start, and again
// when they are done.
func langSmithFormat() *Format {
	return &Format{
		Name:    "langsmith",
		Sign:    "`trace_id` and `run_type`, or `dotted_order`",
		Title:   "LangSmith runs, exported",
		Reach:   ReachRun,
		Results: RecordsAlways,
		Lacks:   []string{"in flight"},
		Sniff: func(p *Probe) bool {
			return has(p.Value, "trace_id") && has(p.Value, "run_type") || has(p.Value, "dotted_order")
		},
		New: func([]byte, string) Decoder { return &langSmith{} },
	}
}

// langSmith holds back the runs that have no end, until they are sent again.
type langSmith struct{ holding }

// Decode reads one run.
func (d *langSmith) Decode(v pyjson.Value, w *Scratch) {
	if !v.Get("run_type").IsText("tool") {
		return
	}
	id, tool := w.Text(v.Get("id")), w.Text(v.Get("name"))
	if len(tool) == 0 {
		w.Bad(reasonNoTool)
		return
	}
	t := turnOf(w, firstOf(v.Get("extra").Get("metadata"), []string{"session_id", "thread_id", "conversation_id"}), v.Get("start_time"))
	if len(t.run) == 0 {
		t.run = w.Text(v.Get("trace_id"))
	}
	outputs, fault := v.Get("outputs"), v.Get("error")
	output := outputs.Get("output")
	call := id
	if name := w.Text(output.Get("tool_call_id")); len(name) > 0 {
		call = name
	}
	e := t.event(Call, w)
	e.CallID, e.Tool, e.Args, e.Span = call, tool, onlyMember(v.Get("inputs"), "input").Raw(), id
	if h := d.take(string(id)); h != nil {
		w.Drop(h)
	}
	if !present(v.Get("end_time")) && !truthy(fault) {
		d.add(w, string(id), e)
		return
	}
	w.Emit(e)
	t.time = w.Instant(v.Get("end_time"))
	e = t.event(Result, w)
	e.CallID, e.Tool, e.Status, e.Span = call, tool, OK, w.join(id, []byte("#end"))
	payload := onlyMember(outputs, "output")
	if content := output.Get("content"); present(content) {
		payload = content
	}
	if truthy(fault) {
		payload = fault
		e.Status = w.fault(fault)
	} else if output.Get("status").IsText("error") {
		e.Status = w.fault(payload)
	}
	e.Payload = payload.Raw()
	w.Emit(e)
}

// onlyMember gives the member called name of an object that has no other; else the object.
func onlyMember(v pyjson.Value, name string) pyjson.Value {
	if inner := v.Get(name); present(inner) && v.Len() == 1 {
		return inner
	}
	return v
}
