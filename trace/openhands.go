package trace

import (
	"path/filepath"

	"drainboard/keys/pyjson"
)

// openHandsFormat is FORMATS.md §12: OpenHands' output.jsonl, one run a line, and the events of its SDK, one file each.
func openHandsFormat() *Format {
	return &Format{
		Name:      "openhands",
		Sign:      "`instance_id` and `history`, or `kind` is ActionEvent and the like",
		Title:     "OpenHands output.jsonl and conversation events",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"in flight"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			return has(v, "instance_id") && v.Get("history").Kind() == pyjson.Array ||
				textIn(v.Get("kind"), "ActionEvent", "ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
		},
		New: func(_ []byte, path string) Decoder {
			d := openHandsDecoder{}
			if dir := filepath.Dir(path); filepath.Base(dir) == "events" {
				d.run = folderOf(dir)
			}
			return d
		},
	}
}

// openHandsDecoder knows the conversation by the folder that holds its events.
type openHandsDecoder struct{ run []byte }

// Decode reads one run, or one event.
func (d openHandsDecoder) Decode(v pyjson.Value, w *Scratch) {
	if kind := v.Get("kind"); kind.Kind() == pyjson.String {
		d.event(v, kind, w)
		return
	}
	h := openHandsHistory{turn: turn{time: NoTime}, calls: map[string]pyjson.Value{}}
	h.run, h.raw, _ = w.ident(v.Get("instance_id"))
	for e := range v.Get("history").Elements() {
		if e.Kind() == pyjson.Array { // older files: an action and what came of it
			action, observation := e.At(0), e.At(1)
			h.action(action, w)
			h.observation(observation, action.Get("id"), w)
			continue
		}
		if has(e, "observation") {
			h.observation(e, e.Get("cause"), w)
		} else {
			h.action(e, w)
		}
	}
}

func (d openHandsDecoder) event(v, kind pyjson.Value, w *Scratch) {
	t := turn{run: d.run, time: w.Instant(v.Get("timestamp"))}
	id, tool := v.Get("tool_call_id"), w.Text(v.Get("tool_name"))
	switch {
	case kind.IsText("ActionEvent"):
		args := v.Get("tool_call").Get("arguments")
		if !present(args) {
			args = v.Get("tool_call").Get("function").Get("arguments")
		}
		if !present(args) {
			args = v.Get("action")
		}
		t.call(w, id, tool, args.Raw())
	case kind.IsText("ObservationEvent"):
		o := v.Get("observation")
		status, payload := OK, o
		if content := o.Get("content"); present(content) {
			payload = onlyText(content)
		}
		if o.Get("is_error").Kind() == pyjson.True {
			status = w.fault(payload)
		}
		t.result(w, id, tool, status, payload.Raw())
	case kind.IsText("AgentErrorEvent"): // the agent's call was not understood
		t.result(w, id, tool, Refused, v.Get("error").Raw())
	case kind.IsText("UserRejectObservation"):
		t.result(w, id, tool, Refused, v.Get("rejection_reason").Raw())
	}
}

// openHandsHistory is one run; calls holds the call id of each action by its event's id.
type openHandsHistory struct {
	turn
	calls map[string]pyjson.Value
}

func (h *openHandsHistory) action(e pyjson.Value, w *Scratch) {
	meta, action := e.Get("tool_call_metadata"), e.Get("action")
	known := textIn(action, "run", "run_ipython", "edit", "read", "write", "browse", "browse_interactive", "call_tool_mcp", "delegate")
	if !known && (!present(meta) || !present(action) || action.IsText("message")) || has(e, "source") && !e.Get("source").IsText("agent") {
		return
	}
	args := e.Get("args")
	tool, id, raw := w.Text(meta.Get("function_name")), meta.Get("tool_call_id"), w.without(args, "thought")
	if len(tool) == 0 {
		if tool = w.Text(action); action.IsText("call_tool_mcp") && present(args.Get("name")) {
			tool, raw = w.Text(args.Get("name")), args.Get("arguments").Raw()
		}
	}
	for choice := range meta.Get("model_response").Get("choices").Elements() {
		for c := range choice.Get("message").Get("tool_calls").Elements() {
			if string(w.Text(c.Get("id"))) == string(w.Text(id)) {
				raw = c.Get("function").Get("arguments").Raw()
			}
		}
	}
	if !present(id) {
		id = e.Get("id")
	}
	h.time = w.Instant(e.Get("timestamp"))
	h.call(w, id, tool, raw)
	h.calls[string(e.Get("id").Raw())] = id
}

func (h *openHandsHistory) observation(o, cause pyjson.Value, w *Scratch) {
	id, asked := h.calls[string(cause.Raw())]
	if !asked {
		return
	}
	h.time = w.Instant(o.Get("timestamp"))
	content := o.Get("content")
	extras := o.Get("extras")
	code := extras.Get("metadata").Get("exit_code")
	if !present(code) {
		code = extras.Get("exit_code")
	}
	status := OK
	switch {
	case o.Get("observation").IsText("user_rejected"):
		status = Refused
	case o.Get("observation").IsText("error"):
		status = w.fault(content)
	case string(code.Raw()) == "-1": // still running when it was looked at
		status = Ambiguous
	case code.Kind() == pyjson.Int && string(code.Raw()) != "0":
		status = w.exitStatus(code.Raw(), content)
	}
	h.result(w, id, nil, status, content.Raw())
}
