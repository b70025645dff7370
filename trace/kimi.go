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
		Title:    "Kimi CLI wire logs (~/.kimi, ~/.kimi-code)",
		Reach:    ReachRun,
		Restates: true,
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
			return &kimiDecoder{run: kimiRun(path), open: map[string]*kimiCall{}}
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

// kimiDecoder holds back the last call of each agent until all of its arguments are there.
type kimiDecoder struct {
	run  []byte
	open map[string]*kimiCall // by the call that started a sub-agent; "" the session itself
}

type kimiCall struct {
	*held
	args []byte // the text so far
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
		if c := d.open[agent]; c != nil {
			c.args = append(c.args, w.Text(payload.Get("arguments_part"))...)
		}
		return
	}
	d.finish(agent, w)
	switch t := m.Get("type"); {
	case t.IsText("ToolCall"):
		d.begin(payload, agent, at, w)
	case t.IsText("ToolResult"):
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
		t := turn{run: d.run, time: at}
		t.result(w, payload.Get("tool_call_id"), nil, status, answer.Raw())
	}
}

func (d *kimiDecoder) begin(payload pyjson.Value, agent string, at int64, w *Scratch) {
	f := payload.Get("function")
	tool := w.Text(f.Get("name"))
	if len(tool) == 0 {
		w.Bad(reasonNoTool)
		return
	}
	e := w.Event(Call)
	e.Run, e.Time, e.CallID, e.Tool = d.run, at, w.Text(payload.Get("id")), tool
	c := &kimiCall{held: w.Hold(e), args: append([]byte{}, w.Text(f.Get("arguments"))...)}
	if len(d.open) >= maxIDs {
		d.Flush(w)
	}
	d.open[agent] = c
}

// finish lets go of an agent's last call.
func (d *kimiDecoder) finish(agent string, w *Scratch) {
	c := d.open[agent]
	if c == nil {
		return
	}
	delete(d.open, agent)
	c.event.Args = w.Quote(c.args)
	w.Release(c.held)
}

// Flush lets go of the calls that nothing came after.
func (d *kimiDecoder) Flush(w *Scratch) {
	for _, agent := range inOrder(d.open) {
		d.finish(agent, w)
	}
}
