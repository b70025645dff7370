package trace

import (
	"strconv"

	"drainboard/keys/pyjson"
)

// chat reads one message of Chat Completions and of what is made like them (FORMATS.md §6.1, §12, §13.13): an assistant's
// calls, or the result that a tool's message holds; content made of Anthropic's blocks too.
func (t *turn) chat(m pyjson.Value, w *Scratch) {
	switch role := m.Get("role"); {
	case role.IsText("assistant"):
		t.toolCalls(m, w)
	case textIn(role, "tool", "function"):
		t.toolMessage(m, w)
		return
	}
	t.blocks(m.Get("content"), w)
}

// chats reads a list of messages; where calls may have no id each is known by its place in the list.
func (t *turn) chats(messages pyjson.Value, w *Scratch) {
	n, at := 0, t.time
	for m := range messages.Elements() {
		t.mark = strconv.Itoa(n)
		if t.time = w.Instant(m.Get("timestamp")); t.time == NoTime {
			t.time = at
		}
		t.chat(m, w)
		n++
	}
	t.time = at
}

// toolCalls reads what an assistant's message asks for.
func (t *turn) toolCalls(m pyjson.Value, w *Scratch) {
	n, mark := 0, t.mark
	for c := range m.Get("tool_calls").Elements() {
		if mark != "" {
			t.mark = mark + "." + strconv.Itoa(n)
		}
		t.toolCall(c, w)
		n++
	}
	t.mark = mark
	if f := m.Get("function_call"); f.Kind() == pyjson.Object && n == 0 {
		t.call(w, pyjson.Value{}, w.Text(f.Get("name")), f.Get("arguments").Raw())
	}
}

// toolCall reads {function: {name, arguments}}, {custom: {name, input}}, {name, args} and {function: NAME, arguments}.
func (t *turn) toolCall(c pyjson.Value, w *Scratch) {
	name, args := c.Get("name"), c.Get("args")
	switch f := c.Get("function"); f.Kind() {
	case pyjson.Object:
		name, args = f.Get("name"), f.Get("arguments")
	case pyjson.String:
		name = f
	}
	if custom := c.Get("custom"); custom.Kind() == pyjson.Object {
		name, args = custom.Get("name"), custom.Get("input")
	}
	if args.Kind() == pyjson.Missing {
		args = c.Get("arguments")
	}
	t.call(w, c.Get("id"), w.Text(name), args.Raw())
}

// toolMessage reads the result in a tool's message. One that answers several calls (SWE-agent's tool_call_ids) is the
// result of each.
func (t *turn) toolMessage(m pyjson.Value, w *Scratch) {
	tool := w.Text(m.Get("name"))
	payload := onlyText(m.Get("content"))
	status := w.chatStatus(m, payload)
	if fault := faultText(firstOf(m, []string{"error", "tool_error"})); status != OK && fault.Kind() == pyjson.String {
		payload = fault
	}
	ids := m.Get("tool_call_ids")
	if ids.Kind() == pyjson.Array && ids.Len() > 0 {
		for id := range ids.Elements() {
			t.result(w, id, tool, status, payload.Raw())
		}
		return
	}
	t.result(w, m.Get("tool_call_id"), tool, status, payload.Raw())
}

// chatStatus reads the flags that some writers add: LangChain's status, Inspect's error, mini-swe-agent's returncode. Without
// one a result is ok: Chat Completions have none.
func (w *Scratch) chatStatus(m, payload pyjson.Value) Status {
	fault := firstOf(m, []string{"error", "tool_error"})
	if truthy(fault) {
		return w.inspectStatus(fault)
	}
	if m.Get("status").IsText("error") || m.Get("is_error").Kind() == pyjson.True {
		return w.fault(payload)
	}
	extra := m.Get("extra")
	if truthy(extra.Get("exception_info")) {
		return w.fault(extra.Get("exception_info"))
	}
	if code := extra.Get("returncode"); code.Kind() == pyjson.Int && string(code.Raw()) != "0" {
		return w.exitStatus(code.Raw(), payload)
	}
	return OK
}

// faultText gives what an error says: itself, or its message.
func faultText(fault pyjson.Value) pyjson.Value {
	if text := fault.Get("message"); text.Kind() == pyjson.String {
		return text
	}
	return fault
}
