package trace

import "drainboard/keys/pyjson"

// qwenFormat is FORMATS.md §9.3: Qwen Code's transcripts, Claude Code's envelope round Gemini's messages.
func qwenFormat() *Format {
	return &Format{
		Name:      "qwen",
		Sign:      "`sessionId` and `uuid`, with `message.parts`",
		Title:     "Qwen Code transcripts (~/.qwen)",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			v := p.Value
			return has(v, "sessionId") && has(v, "uuid") && (has(v.Get("message"), "parts") || v.Get("type").IsText("tool_result"))
		},
		New: func([]byte, string) Decoder { return qwenDecoder{} },
	}
}

type qwenDecoder struct{}

// Decode reads the calls and responses among a message's parts.
func (qwenDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turnOf(w, v.Get("sessionId"), v.Get("timestamp"))
	for part := range v.Get("message").Get("parts").Elements() {
		if f := part.Get("functionCall"); f.Kind() == pyjson.Object {
			t.call(w, f.Get("id"), w.Text(f.Get("name")), f.Get("args").Raw())
		}
		f := part.Get("functionResponse")
		if f.Kind() != pyjson.Object {
			continue
		}
		response := f.Get("response")
		payload := geminiOutput(response)
		status := OK
		switch s := v.Get("toolCallResult").Get("status"); {
		case s.IsText("cancelled"):
			status = Ambiguous
		case s.IsText("error"), truthy(response.Get("error")):
			status = w.fault(payload)
		}
		t.result(w, f.Get("id"), w.Text(f.Get("name")), status, payload.Raw())
	}
}
