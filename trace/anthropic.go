package trace

import (
	"drainboard/keys/pyjson"
)

// anthropicFormat is FORMATS.md §6.4: logged streams of Anthropic's Messages API, as JSON lines or server-sent events.
func anthropicFormat() *Format {
	return &Format{
		Name:     "anthropic-stream",
		Sign:     "`type` is message_start, content_block_* and the like",
		Title:    "logged streams of Anthropic's Messages API",
		Reach:    ReachRun,
		Restates: true,
		Apart:    true,
		Results:  RecordsWhenSeen,
		Lacks:    []string{"times", "results", "errors"},
		Sniff: func(p *Probe) bool {
			return sniffEvent(p, func(v pyjson.Value) bool {
				return textIn(v.Get("type"), "message_start", "content_block_start", "content_block_delta", "content_block_stop",
					"message_delta", "message_stop")
			})
		},
		New: func([]byte, string) Decoder {
			return &anthropicDecoder{}
		},
	}
}

// anthropicDecoder puts the blocks of the message that is being streamed together.
type anthropicDecoder struct{ partials }

// Start finds the value of a server-sent event.
func (*anthropicDecoder) Start(line []byte) (off int, only bool) { return behindData(line) }

// Decode reads one event of a stream. A new message ends what the last one left open.
func (d *anthropicDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{time: w.Instant(firstOf(v, genericTime[:]))}
	index := string(v.Get("index").Raw()) + "/"
	switch kind := v.Get("type"); {
	case kind.IsText("message_start"):
		d.finish(w, "")
	case kind.IsText("content_block_start"):
		d.finish(w, index)
		block := v.Get("content_block")
		if textIn(block.Get("type"), "tool_use", "server_tool_use", "mcp_tool_use") {
			if len(w.Text(block.Get("name"))) == 0 {
				w.Bad(reasonNoTool)
				return
			}
			var whole []byte // a client that logs its own events may give the input at once
			if block.Get("input").Len() > 0 {
				whole = block.Get("input").Raw()
			}
			d.add(w, index, &t, w.Text(block.Get("id")), w.Text(block.Get("name")), whole)
			return
		}
		t.block(block, w)
	case kind.IsText("content_block_delta"):
		if d.open[index] != nil {
			d.add(w, index, &t, nil, nil, w.Text(v.Get("delta").Get("partial_json")))
		}
	case textIn(kind, "content_block_stop"):
		d.finish(w, index)
	case kind.IsText("message_stop"):
		d.finish(w, "")
	}
}
