package trace

import "drainboard/keys/pyjson"

// kiroFormat is FORMATS.md §13.10: conversations exported by Kiro's CLI, one a line.
func kiroFormat() *Format {
	return &Format{
		Name:      "kiro",
		Sign:      "`conversation_id` and `history`",
		Title:     "Kiro CLI conversations, exported",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"times"},
		Sniff: func(p *Probe) bool {
			return has(p.Value, "conversation_id") && p.Value.Get("history").Kind() == pyjson.Array
		},
		New: func([]byte, string) Decoder { return kiroDecoder{} },
	}
}

type kiroDecoder struct{}

// Decode reads a conversation.
func (kiroDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{time: NoTime}
	t.run, t.raw, _ = w.ident(v.Get("conversation_id"))
	for step := range v.Get("history").Elements() {
		for r := range step.Get("user").Get("content").Get("ToolUseResults").Get("tool_use_results").Elements() {
			content := r.Get("content")
			status := OK
			if r.Get("status").IsText("Error") {
				status = w.fault(content)
			}
			t.result(w, r.Get("tool_use_id"), nil, status, content.Raw())
		}
		for u := range step.Get("assistant").Get("ToolUse").Get("tool_uses").Elements() {
			t.call(w, u.Get("id"), w.Text(u.Get("name")), u.Get("args").Raw())
		}
	}
}
