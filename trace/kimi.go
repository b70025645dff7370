package trace

import (
	"bytes"
	"path/filepath"

	"drainboard/keys/pyjson"
)

// kimiFormat is FORMATS.md §13.8: the wire log of Kimi's CLI, in which a call's arguments may come in parts.
func kimiFormat() *Format {
	return &Format{
		Name:     "kimi",
		Sign:     "`timestamp` is a number, `message.type` is ToolCall and the like",
		Title:    "Kimi CLI wire logs (~/.kimi, ~/.kimi-code)",
		Reach:    ReachRun,
		Restates: true,
		Apart:    true,
		Results:  RecordsAlways,
		Sniff: func(p *Probe) bool {
			v := p.Value
			if k := v.Get("timestamp").Kind(); k != pyjson.Int && k != pyjson.Float {
				return false
			}
			return textIn(v.Get("message").Get("type"), "TurnBegin", "TurnEnd", "StepBegin", "ContentPart", "StatusUpdate",
				"ToolCall", "ToolCallPart", "ToolResult", "SubagentEvent", "ApprovalRequest")
		},
		New: func(_ []byte, path string) Decoder {
			return &kimiDecoder{run: kimiRun(path)}
		},
	}
}

// kimiRun names the session by its folder: .../SESSION/wire.jsonl, .../SESSION/agents/AGENT/wire.jsonl.
func kimiRun(path string) []byte {
	if filepath.Base(path) != "wire.jsonl" {
		return nil
	}
	if dir := filepath.Dir(filepath.Dir(path)); filepath.Base(dir) == "agents" {
		return folderOf(dir)
	}
	return folderOf(path)
}

// kimiDecoder holds back the last call of each agent until all of its arguments are there. Agents are named by the call
// that started them; "" is the session itself.
type kimiDecoder struct {
	partials
	run []byte
}

// Decode reads one event.
func (d *kimiDecoder) Decode(v pyjson.Value, w *Scratch) {
	d.message(v.Get("message"), "", w.Instant(v.Get("timestamp")), w)
}

func (d *kimiDecoder) message(m pyjson.Value, agent string, at int64, w *Scratch) {
	for m.Get("type").IsText("SubagentEvent") {
		m = m.Get("payload")
		agent = m.Get("task_tool_call_id").Text()
		m = m.Get("event")
	}
	payload := m.Get("payload")
	if m.Get("type").IsText("ToolCallPart") {
		if d.open[agent] != nil {
			d.add(w, agent, nil, nil, nil, w.Text(payload.Get("arguments_part")))
		}
		return
	}
	d.let(w, agent)
	t := turn{run: d.run, time: at}
	switch kind := m.Get("type"); {
	case kind.IsText("ToolCall"):
		f := payload.Get("function")
		if len(w.Text(f.Get("name"))) == 0 {
			w.Bad(reasonNoTool)
			return
		}
		d.add(w, agent, &t, w.Text(payload.Get("id")), w.Text(f.Get("name")), w.Text(f.Get("arguments")))
	case kind.IsText("ToolResult"):
		value := payload.Get("return_value")
		status, answer := OK, value.Get("output")
		if value.Get("is_error").Kind() == pyjson.True {
			if text := value.Get("message"); present(text) && !truthy(answer) {
				answer = text
			}
			if status = w.fault(answer); bytes.HasPrefix(w.Text(value.Get("message")), []byte("The tool call is rejected by the user")) {
				status = Refused
			}
		}
		t.result(w, payload.Get("tool_call_id"), nil, status, answer.Raw())
	}
}
