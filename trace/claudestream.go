package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// claudeStreamFormat is FORMATS.md §3: what `claude -p --output-format stream-json` prints. A wrapper's prefix before a
// line's object is passed over.
func claudeStreamFormat() *Format {
	return &Format{
		Name:     "claude-stream",
		Sign:     "`session_id` and `uuid`, `type` is system, assistant, user, result, stream_event",
		Title:    "Claude Code and Agent SDK stream-json, as printed",
		Reach:    ReachEverywhere,
		Restates: true,
		Results:  RecordsAlways,
		Lacks:    []string{"times"},
		Sniff: func(p *Probe) bool {
			return sniffPrefixed(p, func(v pyjson.Value) bool {
				return v.Get("session_id").Kind() == pyjson.String && v.Get("uuid").Kind() == pyjson.String &&
					textIn(v.Get("type"), "system", "assistant", "user", "result", "stream_event")
			})
		},
		New: func([]byte, string) Decoder { return &claudeStream{} },
	}
}

// sniffPrefixed shows the value of a line to yes, or the one behind a prefix in brackets.
func sniffPrefixed(p *Probe, yes func(v pyjson.Value) bool) bool {
	if p.Value.Kind() != pyjson.Missing {
		return yes(p.Value)
	}
	var doc pyjson.Doc
	if off, _ := behindBrackets(p.Line); off > 0 {
		if _, err := doc.Parse(p.Line, off); err == nil {
			return yes(doc.Root())
		}
	}
	return false
}

// behindBrackets passes over a prefix such as "[+00:04] [stdout] "; a line that begins so and holds no object is noise.
func behindBrackets(line []byte) (off int, only bool) {
	if line = bytes.TrimLeft(line, " \t"); len(line) == 0 || line[0] != '[' {
		return 0, false
	}
	if off = bytes.IndexByte(line, '{'); off == 1 {
		return 0, false // an array
	}
	return off, false
}

// claudeStream knows which calls were answered, because the last line lists refusals that may have been told before.
type claudeStream struct{ answered idSet }

// Start finds the object of a line behind a wrapper's prefix.
func (*claudeStream) Start(line []byte) (off int, only bool) { return behindBrackets(line) }

// Decode reads an assistant's or user's message, or the refusals of the last line.
func (d *claudeStream) Decode(v pyjson.Value, w *Scratch) {
	l := claudeLine{run: v.Get("session_id"), uuid: v.Get("uuid"), time: v.Get("timestamp")}
	for block := range v.Get("message").Get("content").Elements() {
		if block.Get("type").IsText("tool_result") {
			d.answered.add(w.Text(block.Get("tool_use_id")))
		}
		l.block(block, w)
	}
	for denial := range v.Get("permission_denials").Elements() {
		id := denial.Get("tool_use_id")
		if !d.answered.add(w.Text(id)) {
			w.Pass()
			continue
		}
		e := l.event(Result, w)
		e.CallID, _, _ = w.ident(id)
		e.Tool, e.Status = w.Text(denial.Get("tool_name")), Refused
		w.Emit(e)
	}
}
