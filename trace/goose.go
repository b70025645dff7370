package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// gooseFormat is FORMATS.md §13.2: goose's messages, as its older session files hold them, one a line.
func gooseFormat() *Format {
	return &Format{
		Name:      "goose",
		Sign:      "`role` and content of toolRequest or toolResponse",
		Title:     "goose messages (~/.local/share/goose/sessions)",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			v := p.Value
			return has(v, "role") && has(v, "created") && v.Get("content").Kind() == pyjson.Array ||
				hasBlock(v.Get("content"), "toolRequest", "toolResponse")
		},
		New: func([]byte, string) Decoder { return gooseDecoder{} },
	}
}

type gooseDecoder struct{}

// Decode reads one message.
func (gooseDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turnOf(w, firstOf(v, genericRun[:]), firstOf(v, []string{"created", "created_timestamp"}))
	for item := range v.Get("content").Elements() {
		switch kind := item.Get("type"); {
		case kind.IsText("toolRequest"):
			call := item.Get("toolCall")
			value := call.Get("value")
			if call.Get("status").IsText("error") { // what the model wrote could not be read
				continue
			}
			t.call(w, item.Get("id"), w.Text(value.Get("name")), value.Get("arguments").Raw())
		case kind.IsText("toolResponse"):
			result := item.Get("toolResult")
			payload, status := result.Get("value"), OK
			if content := payload.Get("content"); present(content) {
				payload = content
			}
			payload = onlyText(payload)
			if result.Get("status").IsText("error") {
				payload = faultText(result.Get("error"))
				if status = w.fault(payload); bytes.Contains(w.Text(payload), []byte("declined to run this tool")) {
					status = Refused
				}
			} else if result.Get("value").Get("isError").Kind() == pyjson.True {
				status = w.fault(payload)
			}
			t.result(w, item.Get("id"), nil, status, payload.Raw())
		}
	}
}

// crushFormat is FORMATS.md §13.3: the messages of Crush's store, one a line.
func crushFormat() *Format {
	return &Format{
		Name:      "crush",
		Sign:      "`parts` of tool_call or tool_result with `data`",
		Title:     "Crush messages (.crush/crush.db)",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			return has(p.Value, "session_id") && has(p.Value, "role") && p.Value.Get("parts").Kind() == pyjson.Array
		},
		New: func([]byte, string) Decoder { return crushDecoder{} },
	}
}

type crushDecoder struct{}

// Decode reads one message, or the parent of a session.
func (crushDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turnOf(w, v.Get("session_id"), v.Get("created_at"))
	if parent := w.Text(v.Get("parent_session_id")); len(parent) > 0 {
		e := w.Event(Link)
		e.Run, e.Parent = t.run, parent
		w.Emit(e)
	}
	for part := range v.Get("parts").Elements() {
		data := part.Get("data")
		switch kind := part.Get("type"); {
		case kind.IsText("tool_call"):
			if data.Get("finished").Kind() != pyjson.False {
				t.call(w, data.Get("id"), w.Text(data.Get("name")), data.Get("input").Raw())
			}
		case kind.IsText("tool_result"):
			content, status := data.Get("content"), OK
			if data.Get("is_error").Kind() == pyjson.True {
				status = w.fault(content)
			}
			t.result(w, data.Get("tool_call_id"), w.Text(data.Get("name")), status, content.Raw())
		}
	}
}
