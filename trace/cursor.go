package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// cursorFormat is FORMATS.md §13.5: Cursor's agent transcripts, which hold nothing but messages.
func cursorFormat() *Format {
	return &Format{
		Name:      "cursor",
		Sign:      "`role` and `message.content`, nothing else",
		Title:     "Cursor agent transcripts (~/.cursor/projects)",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsNever,
		Stateless: true,
		Lacks:     []string{"times", "results", "call ids", "errors", "in flight"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			return has(v, "role") && v.Get("message").Get("content").Kind() == pyjson.Array && v.Len() == 2
		},
		New: func([]byte, string) Decoder { return cursorDecoder{} },
	}
}

type cursorDecoder struct{}

// Decode reads one message.
func (cursorDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{time: NoTime}
	t.blocks(v.Get("message").Get("content"), w)
}

// cursorStreamFormat is FORMATS.md §13.5: what Cursor's CLI prints with --output-format stream-json.
func cursorStreamFormat() *Format {
	return &Format{
		Name:      "cursor-stream",
		Sign:      "`type` is tool_call, with `tool_call` and `session_id`",
		Title:     "Cursor CLI stream-json, as printed",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			return p.Value.Get("type").IsText("tool_call") && p.Value.Get("tool_call").Kind() == pyjson.Object
		},
		New: func([]byte, string) Decoder { return cursorStream{} },
	}
}

type cursorStream struct{}

// Decode reads the start or the end of a call; the call stands in both, under one name that says which tool it is of.
func (cursorStream) Decode(v pyjson.Value, w *Scratch) {
	if !v.Get("type").IsText("tool_call") {
		return
	}
	t := turnOf(w, v.Get("session_id"), v.Get("timestamp_ms"))
	tool, body := cursorTool(v.Get("tool_call"), w)
	if len(tool) == 0 {
		w.Bad(reasonNoTool)
		return
	}
	if v.Get("subtype").IsText("started") {
		args := firstOf(body, []string{"args", "arguments"})
		if inner := args.Get("args"); inner.Kind() == pyjson.Object && v.Get("tool_call").Get("mcpToolCall").Kind() == pyjson.Object {
			args = inner
		}
		t.call(w, v.Get("call_id"), tool, args.Raw())
		return
	}
	result := body.Get("result")
	payload, status := result, OK
	if ok := result.Get("success"); present(ok) {
		payload = ok
	} else if fault := result.Get("error"); present(fault) {
		payload = faultText(fault)
		status = w.fault(payload)
	} else if fault := result.Get("rejected"); present(fault) {
		payload, status = fault, Refused
	}
	t.result(w, v.Get("call_id"), tool, status, payload.Raw())
}

// cursorTool gives the tool's name and the object that belongs to it: {readToolCall: {...}}, {function: {name, ...}}, and
// the name inside for a tool of an MCP server.
func cursorTool(call pyjson.Value, w *Scratch) (tool []byte, body pyjson.Value) {
	for name, value := range call.Members() {
		if value.Kind() != pyjson.Object {
			continue
		}
		text := w.Text(name)
		if string(text) == "function" {
			return w.Text(value.Get("name")), value
		}
		cut, ok := bytes.CutSuffix(text, []byte("ToolCall"))
		if !ok {
			continue
		}
		if args := value.Get("args"); string(cut) == "mcp" {
			if inner := w.Text(firstOf(args, []string{"toolName", "name"})); len(inner) > 0 {
				return inner, value
			}
		}
		return cut, value
	}
	return nil, pyjson.Value{}
}
