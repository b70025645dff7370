package trace

import "drainboard/keys/pyjson"

// agentsFormat is FORMATS.md §14.3: traces and spans of the OpenAI Agents SDK.
func agentsFormat() *Format {
	return &Format{
		Name:    "openai-agents",
		Sign:    "`object` is trace or trace.span",
		Title:   "OpenAI Agents SDK traces and spans",
		Reach:   ReachRun,
		Results: RecordsAlways,
		Lacks:   []string{"call ids", "in flight"},
		Sniff:   func(p *Probe) bool { return textIn(p.Value.Get("object"), "trace.span", "trace") },
		New:     func([]byte, string) Decoder { return &agentsDecoder{groups: map[string]string{}} },
	}
}

// agentsDecoder knows which conversation a trace belongs to: a trace is written before its spans.
type agentsDecoder struct{ groups map[string]string }

// Decode reads a trace, or a span.
func (d *agentsDecoder) Decode(v pyjson.Value, w *Scratch) {
	if v.Get("object").IsText("trace") {
		if group := v.Get("group_id").Text(); group != "" && len(group) <= maxID {
			if len(d.groups) >= maxIDs {
				clear(d.groups)
			}
			d.groups[v.Get("id").Text()] = group
		}
		return
	}
	data := v.Get("span_data")
	if !data.Get("type").IsText("function") {
		return
	}
	id, tool := w.Text(v.Get("id")), w.Text(data.Get("name"))
	if len(tool) == 0 {
		w.Bad(reasonNoTool)
		return
	}
	t := turnOf(w, v.Get("trace_id"), v.Get("started_at"))
	if group := d.groups[string(t.run)]; group != "" {
		t.run = []byte(group)
	}
	input := data.Get("input")
	e := t.event(Call, w)
	e.CallID, e.Tool, e.Args, e.Span = id, tool, input.Raw(), id
	e.NoArgs = !present(input)
	w.Emit(e)
	if !present(v.Get("ended_at")) {
		return
	}
	t.time = w.Instant(v.Get("ended_at"))
	e = t.event(Result, w)
	e.CallID, e.Tool, e.Status, e.Payload = id, tool, OK, data.Get("output").Raw()
	e.Span = w.join(id, []byte("#end"))
	if fault := v.Get("error"); truthy(fault) {
		e.Payload, e.Status = faultText(fault).Raw(), w.fault(fault)
	}
	w.Emit(e)
}
