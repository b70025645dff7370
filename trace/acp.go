package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// acpFormat is FORMATS.md §13.11: what an agent tells its editor over the Agent Client Protocol (Zed, Gemini CLI --acp, Grok's
// updates.jsonl). A call's arguments may come after its start.
func acpFormat() *Format {
	return &Format{
		Name:     "acp",
		Sign:     "`method` begins with `session/`, or a `sessionUpdate`",
		Title:    "Agent Client Protocol messages, Grok's updates.jsonl",
		Reach:    ReachRun,
		Restates: true,
		Apart:    true,
		Results:  RecordsAlways,
		Lacks:    []string{"times"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			if method := v.Get("method"); method.IsText("initialize") {
				return has(v.Get("params"), "clientCapabilities")
			} else if method.Kind() == pyjson.String {
				return bytes.HasPrefix([]byte(method.Text()), []byte("session/"))
			}
			return has(acpUpdate(v), "sessionUpdate")
		},
		New: func([]byte, string) Decoder { return &acpDecoder{} },
	}
}

// acpUpdate gives the update in a message: {params: {update}}, {update}, or the update itself.
func acpUpdate(v pyjson.Value) pyjson.Value {
	if u := v.Get("params").Get("update"); present(u) {
		return u
	}
	if u := v.Get("update"); present(u) {
		return u
	}
	return v
}

// acpDecoder holds a call back until its arguments are there, or its end.
type acpDecoder struct {
	holding
	done idSet
}

// Decode reads one message.
func (d *acpDecoder) Decode(v pyjson.Value, w *Scratch) {
	u := acpUpdate(v)
	start := u.Get("sessionUpdate").IsText("tool_call")
	if !start && !u.Get("sessionUpdate").IsText("tool_call_update") {
		return
	}
	session := v.Get("params").Get("sessionId")
	if !present(session) {
		session = v.Get("sessionId")
	}
	t := turnOf(w, session, firstOf(v, genericTime[:]))
	id := w.Text(u.Get("toolCallId"))
	key := string(t.run) + "\x00" + string(id)
	if start && d.open[key] == nil {
		e := t.event(Call, w)
		e.CallID, e.Tool, e.NoArgs = id, acpTool(u, w), true
		if len(e.Tool) == 0 {
			w.Bad(reasonNoTool)
			return
		}
		d.add(w, key, e)
	}
	status := u.Get("status")
	ended := textIn(status, "completed", "failed")
	if args := u.Get("rawInput"); args.Len() > 0 || args.Kind() == pyjson.String || ended {
		if h := d.take(key); h != nil {
			h.event.Args = args.Raw()
			h.event.NoArgs = h.event.Args == nil
			w.Release(h)
		}
	}
	if !ended || !d.done.add([]byte(key)) {
		return
	}
	payload := firstOf(u, []string{"rawOutput", "content"})
	outcome := OK
	if status.IsText("failed") {
		outcome = w.fault(payload)
	}
	t.result(w, u.Get("toolCallId"), nil, outcome, payload.Raw())
}

// acpTool names the tool: by the agent's own name for it where that is told, else by the kind of work; a title says what one
// call does, and is the last resort.
func acpTool(u pyjson.Value, w *Scratch) []byte {
	meta := u.Get("_meta")
	for _, v := range [...]pyjson.Value{
		meta.Get("claudeCode").Get("toolName"), meta.Get("toolName"), u.Get("toolName"), u.Get("kind"), u.Get("title"),
	} {
		if text := w.Text(v); len(text) > 0 && !v.IsText("other") {
			return text
		}
	}
	return w.Text(u.Get("kind"))
}
