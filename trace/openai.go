package trace

import (
	"bytes"
	"strings"

	"drainboard/keys/pyjson"
)

// openAIFormat is FORMATS.md §6: logged answers of OpenAI's interfaces: Chat Completions, Responses, and the streams of
// both, as JSON lines or as server-sent events.
func openAIFormat() *Format {
	return &Format{
		Name:     "openai",
		Sign:     "`object` is response or chat.completion, or `type` begins with response.",
		Title:    "logged OpenAI responses and streams",
		Reach:    ReachRun,
		Restates: true,
		Apart:    true,
		Results:  RecordsWhenSeen,
		Lacks:    []string{"results", "errors"},
		Sniff: func(p *Probe) bool {
			return sniffEvent(p, func(v pyjson.Value) bool {
				return textIn(v.Get("object"), "chat.completion", "chat.completion.chunk", "response") ||
					strings.HasPrefix(v.Get("type").Text(), "response.")
			})
		},
		New: func([]byte, string) Decoder {
			return &openAIDecoder{runs: map[string]string{}}
		},
	}
}

// sniffEvent shows the value of a line to yes, or the one behind "data:".
func sniffEvent(p *Probe, yes func(v pyjson.Value) bool) bool {
	if p.Value.Kind() != pyjson.Missing {
		return yes(p.Value)
	}
	if off, _ := behindData(p.Line); off > 0 {
		var doc pyjson.Doc
		if _, err := doc.Parse(p.Line, off); err == nil {
			return yes(doc.Root())
		}
	}
	return false
}

// behindData passes over the field's name of a server-sent event; the other fields, comments and [DONE] hold no value.
func behindData(line []byte) (off int, only bool) {
	for _, field := range [...]string{"event:", "id:", "retry:", ":"} {
		if hasPrefix(line, field) {
			return -1, false
		}
	}
	if hasPrefix(line, "data:") {
		off = len("data:")
	}
	if bytes.HasPrefix(bytes.TrimLeft(line[off:], " "), []byte("[DONE]")) {
		return -1, false
	}
	return off, false
}

// openAIDecoder puts streams together, and knows which response goes on from which.
type openAIDecoder struct {
	partials
	run  []byte            // of the stream that is being read
	runs map[string]string // by response
	done idSet             // items that the stream gave whole
}

// Start finds the value of a server-sent event.
func (*openAIDecoder) Start(line []byte) (off int, only bool) { return behindData(line) }

// Decode reads one answer, or one event of a stream.
func (d *openAIDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{time: w.Instant(firstOf(v, []string{"timestamp", "created", "created_at"}))}
	switch object := v.Get("object"); {
	case object.IsText("chat.completion"):
		t.response(v, w)
	case object.IsText("chat.completion.chunk"):
		d.chunk(v, &t, w)
	case object.IsText("response"):
		t.run = d.chain(v, w)
		t.items(v.Get("input"), w)
		t.items(v.Get("output"), w)
	default:
		d.event(v, &t, w)
	}
}

// chunk adds a piece of a Chat Completions stream; a choice's calls are whole when it has its reason to finish.
func (d *openAIDecoder) chunk(v pyjson.Value, t *turn, w *Scratch) {
	id := v.Get("id").Text()
	for c := range v.Get("choices").Elements() {
		choice := id + "/" + string(c.Get("index").Raw()) + "/"
		for piece := range c.Get("delta").Get("tool_calls").Elements() {
			f := piece.Get("function")
			name := choice + string(piece.Get("index").Raw())
			d.add(w, name, t, w.Text(piece.Get("id")), w.Text(f.Get("name")), w.Text(f.Get("arguments")))
		}
		if f := c.Get("delta").Get("function_call"); present(f) {
			d.add(w, choice, t, nil, w.Text(f.Get("name")), w.Text(f.Get("arguments")))
		}
		if present(c.Get("finish_reason")) {
			d.finish(w, choice)
		}
	}
}

// event reads one event of a Responses stream: items count when they are done, or in the whole response when they never
// were.
func (d *openAIDecoder) event(v pyjson.Value, t *turn, w *Scratch) {
	response := v.Get("response")
	if present(response) {
		d.run = append([]byte{}, d.chain(response, w)...)
	}
	t.run = d.run
	switch kind := v.Get("type"); {
	case kind.IsText("response.output_item.done"):
		item := v.Get("item")
		d.done.add(w.Text(item.Get("id")))
		t.item(item, w)
	case textIn(kind, "response.completed", "response.incomplete"):
		for item := range response.Get("output").Elements() {
			if !d.done.has(w.Text(item.Get("id"))) {
				t.item(item, w)
			}
		}
	}
}

// chain names the run of a response: its conversation, the run of the one it goes on from, or itself. One that is not
// stored cannot be gone on from: it belongs to the file's run.
func (d *openAIDecoder) chain(v pyjson.Value, w *Scratch) []byte {
	conversation := v.Get("conversation")
	if conversation.Kind() == pyjson.Object {
		conversation = conversation.Get("id")
	}
	id, before := v.Get("id").Text(), v.Get("previous_response_id").Text()
	run := conversation.Text()
	switch known, ok := d.runs[before]; {
	case run != "":
	case before != "" && ok:
		run = known
	case before != "":
		run = before
	case v.Get("store").Kind() == pyjson.False:
		return nil
	default:
		run = id
	}
	if len(d.runs) >= maxIDs {
		clear(d.runs)
	}
	if len(id) <= maxID {
		d.runs[id] = run
	}
	return []byte(run)
}
