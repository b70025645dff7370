package trace

import "drainboard/keys/pyjson"

// langfuseFormat is FORMATS.md §14.2: observations exported from Langfuse, alone or inside their trace.
func langfuseFormat() *Format {
	return &Format{
		Name:      "langfuse",
		Sign:      "`traceId`, `startTime`, and a `type` as SPAN or TOOL",
		Title:     "Langfuse observations, exported",
		Reach:     ReachRun,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"in flight", "call ids"},
		Sniff: func(p *Probe) bool {
			for o := range p.Value.Get("observations").Elements() {
				return isObservation(o)
			}
			return isObservation(p.Value)
		},
		New: func([]byte, string) Decoder { return langfuse{} },
	}
}

func isObservation(v pyjson.Value) bool {
	return has(v, "traceId") && has(v, "startTime") &&
		textIn(v.Get("type"), "SPAN", "GENERATION", "EVENT", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL")
}

type langfuse struct{}

// Decode reads an observation, or a trace with its observations.
func (langfuse) Decode(v pyjson.Value, w *Scratch) {
	observe(v, w.Text(v.Get("sessionId")), w)
	for o := range v.Get("observations").Elements() {
		observe(o, w.Text(v.Get("sessionId")), w)
	}
}

func observe(v pyjson.Value, session []byte, w *Scratch) {
	if !v.Get("type").IsText("TOOL") || !has(v, "traceId") {
		return
	}
	tool, id := w.Text(v.Get("name")), v.Get("id")
	if len(tool) == 0 {
		w.Bad(reasonNoTool)
		return
	}
	t := turn{run: session, time: w.Instant(v.Get("startTime"))}
	if own := w.Text(v.Get("sessionId")); len(own) > 0 {
		t.run = own
	}
	if len(t.run) == 0 {
		t.run = w.Text(v.Get("traceId"))
	}
	input := v.Get("input")
	e := t.event(Call, w)
	e.CallID, e.Tool, e.Args, e.Span = w.Text(id), tool, input.Raw(), w.Text(id)
	e.NoArgs = !present(input)
	w.Emit(e)
	if !present(v.Get("endTime")) {
		return
	}
	t.time = w.Instant(v.Get("endTime"))
	e = t.event(Result, w)
	e.CallID, e.Tool, e.Status, e.Payload = w.Text(id), tool, OK, v.Get("output").Raw()
	e.Span = w.join(w.Text(id), []byte("#end"))
	if v.Get("level").IsText("ERROR") {
		fault := v.Get("statusMessage")
		if !truthy(fault) {
			fault = v.Get("output")
		}
		e.Status, e.Payload = w.fault(fault), fault.Raw()
	}
	w.Emit(e)
}
