package trace

import (
	"bytes"
	"path/filepath"
	"strings"

	"drainboard/keys/pyjson"
)

// geminiFormat is FORMATS.md §9.1 and §9.2: Gemini CLI's chats, as JSON lines in which a message is written again whenever
// it changes, or as one object that is rewritten.
func geminiFormat() *Format {
	return &Format{
		Name:      "gemini-chat",
		Sign:      "`sessionId` and `projectHash`",
		Title:     "Gemini CLI chats (~/.gemini/tmp)",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"in flight"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			return has(v, "sessionId") && has(v, "projectHash") && !has(v, "uuid") || has(v, "$set") || has(v, "$rewindTo")
		},
		New: newGemini,
	}
}

// geminiDecoder knows the session, which the first record tells, and the one that started it, which the folder of a
// sub-agent's file is named after.
type geminiDecoder struct{ run, parent []byte }

func newGemini(head []byte, path string) Decoder {
	d := geminiDecoder{}
	firstValue(head, func(v pyjson.Value) bool {
		d.run = []byte(v.Get("sessionId").Text())
		return len(d.run) > 0
	})
	if dir := filepath.Dir(path); filepath.Base(filepath.Dir(dir)) == "chats" && strings.HasSuffix(path, ".jsonl") {
		d.parent = folderOf(path)
	}
	return d
}

// Decode reads one record: a message, a change of the session, or the whole session.
func (d geminiDecoder) Decode(v pyjson.Value, w *Scratch) {
	if id := v.Get("sessionId"); id.Kind() == pyjson.String {
		d.run = w.Text(id)
		d.link(v, w)
	}
	if set := v.Get("$set"); present(set) {
		v = set
	}
	d.message(v, w)
	for m := range v.Get("messages").Elements() {
		d.message(m, w)
	}
}

// link tells the parent of a sub-agent's session.
func (d geminiDecoder) link(header pyjson.Value, w *Scratch) {
	if len(d.parent) == 0 || header.Get("kind").IsText("main") || bytes.Equal(d.parent, d.run) {
		return
	}
	e := w.Event(Link)
	e.Run, e.Parent = d.run, d.parent
	w.Emit(e)
}

func (d geminiDecoder) message(m pyjson.Value, w *Scratch) {
	asked := w.Instant(m.Get("timestamp"))
	for c := range m.Get("toolCalls").Elements() {
		t := turn{run: d.run, time: asked}
		tool := w.Text(c.Get("name"))
		t.call(w, c.Get("id"), tool, c.Get("args").Raw())
		if len(tool) == 0 {
			continue
		}
		payload := geminiResponse(c.Get("result"))
		status := OK
		switch s := c.Get("status"); {
		case s.IsText("error"):
			status = w.fault(payload)
		case s.IsText("cancelled"):
			status = Ambiguous
		case !s.IsText("success"):
			continue
		}
		if at := w.Instant(c.Get("timestamp")); at != NoTime {
			t.time = at
		}
		t.result(w, c.Get("id"), tool, status, payload.Raw())
	}
}

// geminiResponse takes the wrapping of a function's response away: a list of parts, and an object with an output or an error.
func geminiResponse(result pyjson.Value) pyjson.Value {
	only := result
	if result.Kind() == pyjson.Array && result.Len() == 1 {
		only = result.At(0)
	}
	response := only.Get("functionResponse").Get("response")
	if !present(response) {
		return result
	}
	return geminiOutput(response)
}

func geminiOutput(response pyjson.Value) pyjson.Value {
	if text := firstOf(response, []string{"output", "error"}); present(text) && response.Len() == 1 {
		return text
	}
	return response
}

// geminiReplayFormat is FORMATS.md §9.2: recorded responses of the model, in which calls have no ids.
func geminiReplayFormat() *Format {
	return &Format{
		Name:      "gemini-responses",
		Sign:      "`method` is generateContentStream, with `response`",
		Title:     "Gemini CLI's recorded model responses",
		Reach:     ReachRun,
		Results:   RecordsNever,
		Stateless: true,
		Lacks:     []string{"times", "results", "call ids", "in flight", "errors"},
		Sniff: func(p *Probe) bool {
			return textIn(p.Value.Get("method"), "generateContentStream", "generateContent") && has(p.Value, "response")
		},
		New: func([]byte, string) Decoder { return geminiReplay{} },
	}
}

type geminiReplay struct{}

// Decode reads one response, or the list of those that a stream gave.
func (geminiReplay) Decode(v pyjson.Value, w *Scratch) {
	response := v.Get("response")
	geminiCandidates(response, w)
	for r := range response.Elements() {
		geminiCandidates(r, w)
	}
}

func geminiCandidates(response pyjson.Value, w *Scratch) {
	t := turn{time: NoTime}
	for c := range response.Get("candidates").Elements() {
		for part := range c.Get("content").Get("parts").Elements() {
			if f := part.Get("functionCall"); f.Kind() == pyjson.Object {
				t.call(w, f.Get("id"), w.Text(f.Get("name")), f.Get("args").Raw())
			}
		}
	}
}
