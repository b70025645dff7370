package trace

import (
	"strings"

	"drainboard/keys/pyjson"
)

// langChainFormat is FORMATS.md §13.13: messages of LangChain and LangGraph as they serialise them, alone, in lists, or
// anywhere in a state or checkpoint. Checkpoints repeat the whole list.
func langChainFormat() *Format {
	return &Format{
		Name:      "langchain",
		Sign:      "messages with `tool_calls` or a `tool_call_id`, at any depth",
		Title:     "LangChain and LangGraph messages, serialised",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsWhenSeen,
		Stateless: true,
		Lacks:     []string{"times"},
		Sniff: func(p *Probe) bool {
			found := false
			eachLangChain(p.Value, langChainDepth, func(m, _ pyjson.Value) { found = found || m.Get("tool_calls").Len() > 0 || has(m, "tool_call_id") })
			return found
		},
		New: func([]byte, string) Decoder { return langChain{} },
	}
}

// langChainDepth is how deep in a value messages are looked for.
const langChainDepth = 6

// eachLangChain finds the messages in a value: {type: "ai", ...}, {type: "ai", data: {...}} or {lc: 1, id: [..., "AIMessage"], kwargs: {...}}.
func eachLangChain(v pyjson.Value, depth int, see func(m, kind pyjson.Value)) {
	if depth == 0 {
		return
	}
	for e := range v.Elements() {
		eachLangChain(e, depth-1, see)
	}
	kind := v.Get("type")
	if m := v.Get("kwargs"); has(v, "lc") && m.Kind() == pyjson.Object {
		if class := lastOf(v.Get("id")); strings.HasSuffix(class.Text(), "Message") || strings.HasSuffix(class.Text(), "MessageChunk") {
			see(m, class)
			return
		}
	}
	if textIn(kind, "ai", "tool", "human", "system", "AIMessage", "AIMessageChunk", "ToolMessage") {
		if m := v.Get("data"); m.Kind() == pyjson.Object && has(m, "content") {
			see(m, kind)
			return
		} else if has(v, "content") {
			see(v, kind)
			return
		}
	}
	for _, m := range v.Members() {
		if m.Kind() >= pyjson.Array {
			eachLangChain(m, depth-1, see)
		}
	}
}

func lastOf(list pyjson.Value) (last pyjson.Value) {
	for last = range list.Elements() {
	}
	return last
}

type langChain struct{}

// Decode reads the messages of a line.
func (langChain) Decode(v pyjson.Value, w *Scratch) {
	thread := []string{"thread_id", "session_id", "conversation_id", "threadId", "sessionId"}
	run := firstOf(v, thread)
	for _, from := range [...]pyjson.Value{v.Get("config").Get("configurable"), v.Get("configurable"), v.Get("metadata")} {
		if !present(run) {
			run = firstOf(from, thread)
		}
	}
	t := turnOf(w, run, firstOf(v, genericTime[:]))
	eachLangChain(v, langChainDepth, func(m, kind pyjson.Value) {
		switch {
		case textIn(kind, "tool", "ToolMessage", "ToolMessageChunk"):
			t.toolMessage(m, w)
		case textIn(kind, "ai", "AIMessage", "AIMessageChunk"):
			for c := range m.Get("tool_calls").Elements() {
				t.toolCall(c, w)
			}
			for c := range m.Get("invalid_tool_calls").Elements() {
				if t.toolCall(c, w); present(c.Get("name")) {
					t.result(w, c.Get("id"), w.Text(c.Get("name")), Refused, c.Get("error").Raw())
				}
			}
		}
	})
}
