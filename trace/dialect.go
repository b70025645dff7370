package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// otelSpan is one span, from whatever writer.
type otelSpan struct {
	trace, id, parent []byte
	name              []byte
	kind              byte  // as spanRole has it
	start, end        int64 // NoTime: not recorded
	failed            bool  // its status says so
	message           pyjson.Value
	events            pyjson.Value
}

// toolSpan is what a span tells of a tool's call.
type toolSpan struct {
	tool, id, args, payload []byte
	weak                    bool // the id is JSON-RPC's, which other conventions do not know
	role                    spanRole
	start, end              int64
	status                  Status
}

// readTool reads a span as that of a tool's call; ok is false for any other span (FORMATS.md §7.2, §7.3).
func (a *attributes) readTool(s *otelSpan, w *Scratch) (t toolSpan, ok bool) {
	op := a.text(w, a.v[atOperation])
	name := s.name
	var dialect string
	switch {
	case string(op) == "execute_tool" || string(op) == "tool_call":
		dialect, name = "execute", bytes.TrimPrefix(name, []byte("execute_tool "))
	case bytes.EqualFold(a.text(w, a.v[atOpenInferenceKind]), []byte("TOOL")):
		dialect = "openinference"
	case string(a.text(w, a.v[atTraceloopKind])) == "tool":
		dialect, name = "traceloop", bytes.TrimSuffix(name, []byte(".tool"))
	case string(a.text(w, a.v[atVercelOperation])) == "ai.toolCall", bytes.HasPrefix(a.text(w, a.v[atOperationName]), []byte("ai.toolCall")):
		dialect = "vercel"
	case string(a.text(w, a.v[atMCPMethod])) == "tools/call":
		dialect, name = "mcp", bytes.TrimPrefix(name, []byte("tools/call "))
	case string(name) == "running tool", bytes.HasPrefix(name, []byte("running tool: ")):
		dialect, name = "execute", bytes.TrimPrefix(name, []byte("running tool: "))
	case string(name) == "claude_code.tool", string(name) == "claude_code.tool.execution":
		dialect = string(name)
	default:
		return t, false
	}
	if named := a.firstText(w, atToolName, atFunctionName); len(named) > 0 {
		name = named
	}
	t = toolSpan{tool: name, role: spanRole{s.kind, dialect}, start: s.start, end: s.end}
	t.id = a.firstText(w, atCallID, atLogCallID)
	if len(t.id) == 0 {
		t.id, t.weak = a.text(w, a.v[atRequestID]), true
	}
	t.args = a.toolArgs(w)
	t.payload = a.raw(w, a.first(atResult, atLogOutput))
	t.status = OK
	if s.failed || len(a.text(w, a.v[atErrorType])) > 0 || string(a.text(w, a.v[atSuccess])) == "false" {
		a.fault(&t, s, w)
	}
	return t, true
}

// toolArgs gives the arguments as JSON, nil when they were not recorded.
func (a *attributes) toolArgs(w *Scratch) []byte {
	v := a.first(atArguments, atLogArguments)
	if !present(v) {
		return nil
	}
	raw := a.raw(w, v)
	if present(a.v[atTraceloopInput]) && v.Offset() == a.v[atTraceloopInput].Offset() {
		return traceloopArgs(raw, a.text(w, v), w)
	}
	return raw
}

// traceloopArgs takes a decorator's wrapping away: {"args": [], "kwargs": {...}}, LangChain's {"input_str": ..., "inputs": {...}}.
func traceloopArgs(raw, text []byte, w *Scratch) []byte {
	v, ok := w.Parse(text)
	if !ok {
		return raw
	}
	if kwargs := v.Get("kwargs"); kwargs.Kind() == pyjson.Object && v.Get("args").Len() == 0 && v.Len() <= 2 {
		return kwargs.Raw()
	}
	if inputs := v.Get("inputs"); inputs.Len() > 0 {
		return inputs.Raw()
	}
	if text := v.Get("input_str"); present(text) {
		return text.Raw()
	}
	return raw
}

// fault reads what went wrong: the status' message, an exception's, or the kind of error.
func (a *attributes) fault(t *toolSpan, s *otelSpan, w *Scratch) {
	kind := a.text(w, a.v[atErrorType])
	text := w.Text(s.message)
	for e := range s.events.Elements() {
		if len(text) == 0 && e.Get("name").IsText("exception") {
			text = exceptionMessage(e.Get("attributes"), w)
		}
	}
	if len(text) == 0 {
		text = a.firstText(w, atError, atErrorMessage)
	}
	if len(text) == 0 && t.payload == nil {
		text = kind
	}
	t.status = Error
	if IsAmbiguous(text) || IsAmbiguous(kind) || isGatewayStatus(kind) || len(text) == 0 && IsAmbiguous(t.payload) {
		t.status = Ambiguous
	}
	if len(text) > 0 {
		t.payload = w.Quote(text)
	}
}

func exceptionMessage(list pyjson.Value, w *Scratch) []byte {
	for kv := range list.Elements() {
		if kv.Get("key").IsText("exception.message") {
			return w.Text(firstOf(kv.Get("value"), []string{"stringValue", "string_value"}))
		}
	}
	return w.Text(list.Get("exception.message"))
}

// run gives the conversation that the attributes name, nil when they name none.
func (a *attributes) run(w *Scratch) []byte {
	return a.firstText(w, atConversation, atRunTag)
}

// sameJSON says whether two raw values say the same: members in any order, and a text that holds JSON as what it holds.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var w Scratch
	return sameValue(&w, unpack(&w, a), unpack(&w, b), maxErrorDepth)
}

// unpack parses a raw value, and the JSON object or array in it when it is a text.
func unpack(w *Scratch, raw []byte) pyjson.Value {
	v, _ := w.Parse(raw)
	if v.Kind() == pyjson.String {
		if inner, ok := w.Parse(w.Text(v)); ok && inner.Kind() >= pyjson.Array {
			return inner
		}
	}
	return v
}

func sameValue(w *Scratch, a, b pyjson.Value, depth int) bool {
	if a.Kind() != b.Kind() || depth == 0 {
		return false
	}
	switch a.Kind() {
	case pyjson.String:
		return bytes.Equal(w.Text(a), w.Text(b))
	case pyjson.Object:
		if a.Len() != b.Len() {
			return false
		}
		for name, value := range a.Members() {
			if !sameValue(w, value, b.Get(name.Text()), depth-1) {
				return false
			}
		}
		return true
	case pyjson.Array:
		i := 0
		for e := range a.Elements() {
			if !sameValue(w, e, b.At(i), depth-1) {
				return false
			}
			i++
		}
		return i == b.Len()
	}
	return bytes.Equal(a.Raw(), b.Raw())
}
