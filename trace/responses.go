package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// items reads the items of the Responses API (FORMATS.md §6.2), a response's output or a request's input.
func (t *turn) items(list pyjson.Value, w *Scratch) {
	for item := range list.Elements() {
		t.item(item, w)
	}
}

// item reads one: X_call is a call, X_call_output its result. What the API ran itself has no output item: it is its own result.
func (t *turn) item(item pyjson.Value, w *Scratch) {
	kind := w.Text(item.Get("type"))
	if bytes.HasSuffix(kind, []byte("_call_output")) {
		t.result(w, item.Get("call_id"), nil, OK, onlyText(item.Get("output")).Raw())
		return
	}
	short, ok := bytes.CutSuffix(kind, []byte("_call"))
	if !ok {
		return
	}
	tool := w.Text(item.Get("name"))
	if len(tool) == 0 && (string(kind) != "function_call" && string(kind) != "custom_tool_call") {
		tool = short
	}
	id := item.Get("call_id")
	own := !present(id)
	if own {
		id = item.Get("id")
	}
	args := firstOf(item, []string{"arguments", "input", "action", "operation", "queries", "code"})
	t.call(w, id, tool, args.Raw())
	status := item.Get("status")
	if !own || len(tool) == 0 || textIn(status, "in_progress", "searching", "interpreting", "generating") {
		return
	}
	payload := firstOf(item, []string{"output", "outputs", "results", "result"})
	ended := OK
	if fault := item.Get("error"); truthy(fault) {
		payload = faultText(fault)
		ended = w.fault(payload)
	} else if textIn(status, "failed", "incomplete") {
		ended = w.fault(payload)
	}
	t.result(w, id, tool, ended, payload.Raw())
}
