package trace

import "drainboard/keys/pyjson"

// hooksFormat is FORMATS.md §4: the payloads that Claude Code gives its hooks, logged one a line, and those of agents whose
// hooks are made like them. A logger may have put a payload into an object of its own.
func hooksFormat() *Format {
	return &Format{
		Name:     "hooks",
		Sign:     "`hook_event_name`",
		Title:    "hook payloads of Claude Code and its like, one a line",
		Reach:    ReachEverywhere,
		Restates: true,
		Results:  RecordsAlways,
		Lacks:    []string{"times"},
		Sniff: func(p *Probe) bool {
			return present(hookPayload(p.Value).Get("hook_event_name")) && (has(p.Value, "hook_event_name") || !isPlain(p.Value))
		},
		New: func([]byte, string) Decoder { return &hookDecoder{} },
	}
}

// hookPayload gives the payload: the value, or the member of it that is one.
func hookPayload(v pyjson.Value) pyjson.Value {
	if has(v, "hook_event_name") {
		return v
	}
	for _, m := range v.Members() {
		if has(m, "hook_event_name") {
			return m
		}
	}
	return v
}

// hookDecoder knows which calls it saw begin: where the hook before a tool is not logged, the one after it tells the call.
type hookDecoder struct {
	begun idSet
	any   bool // a beginning was seen: those without an id are told there, too
}

// Decode reads one payload.
func (d *hookDecoder) Decode(line pyjson.Value, w *Scratch) {
	v := hookPayload(line)
	when := firstOf(line, genericTime[:])
	if !present(when) {
		when = firstOf(v, genericTime[:])
	}
	t := turnOf(w, firstOf(v, genericRun[:]), when)
	switch event := v.Get("hook_event_name"); {
	case textIn(event, "PreToolUse", "preToolUse", "BeforeTool"):
		d.any = true
		if id := w.Text(v.Get("tool_use_id")); len(id) > 0 {
			d.begun.add(id)
		}
		t.call(w, v.Get("tool_use_id"), w.Text(v.Get("tool_name")), v.Get("tool_input").Raw())
	case textIn(event, "PostToolUse", "postToolUse", "AfterTool"):
		d.after(&t, v, hookStatus(v.Get("tool_response"), w), v.Get("tool_response"), w)
	case textIn(event, "PostToolUseFailure", "postToolUseFailure"):
		status := Ambiguous
		if v.Get("is_interrupt").Kind() != pyjson.True {
			status = claudeFault(w, v.Get("error"))
		}
		d.after(&t, v, status, v.Get("error"), w)
	case event.IsText("PermissionDenied"):
		d.after(&t, v, Refused, v.Get("reason"), w)
	}
}

// hookStatus knows the answer of a tool that failed without its hook saying so (Gemini CLI).
func hookStatus(response pyjson.Value, w *Scratch) Status {
	if fault := response.Get("error"); truthy(fault) {
		return w.fault(faultText(fault))
	}
	if response.Get("is_error").Kind() == pyjson.True || response.Get("isError").Kind() == pyjson.True {
		return w.fault(response)
	}
	return OK
}

func (d *hookDecoder) after(t *turn, v pyjson.Value, status Status, payload pyjson.Value, w *Scratch) {
	id, tool := v.Get("tool_use_id"), w.Text(v.Get("tool_name"))
	if text := w.Text(id); len(text) > 0 && d.begun.add(text) || len(text) == 0 && !d.any {
		t.call(w, id, tool, v.Get("tool_input").Raw())
	} else {
		w.Pass()
	}
	t.result(w, id, tool, status, payload.Raw())
}
