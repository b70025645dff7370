package trace

import (
	"path/filepath"
	"strings"

	"drainboard/keys/pyjson"
)

// piFormat is FORMATS.md §10: the sessions of pi, and of OpenClaw, which writes the same.
func piFormat() *Format {
	return &Format{
		Name:      "pi",
		Sign:      "`type` is session, with `cwd` and `id`",
		Title:     "pi and OpenClaw sessions (~/.pi/agent/sessions, ~/.openclaw)",
		Reach:     ReachEverywhere,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			v := p.Value
			if v.Get("type").IsText("session") {
				return has(v, "cwd") && has(v, "id")
			}
			m := v.Get("message")
			return v.Get("type").IsText("message") && (m.Get("role").IsText("toolResult") || hasBlock(m.Get("content"), "toolCall"))
		},
		New: newPi,
	}
}

// piDecoder knows the session, which the first line tells, else the file's name.
type piDecoder struct{ run []byte }

func newPi(head []byte, path string) Decoder {
	d := piDecoder{run: []byte(uuidIn(defaultRun(path)))}
	firstValue(head, func(v pyjson.Value) bool {
		if !v.Get("type").IsText("session") {
			return false
		}
		d.run = []byte(v.Get("id").Text())
		return true
	})
	return d
}

// Decode reads one line: an assistant's message, a tool's result, or the session's head.
func (d piDecoder) Decode(v pyjson.Value, w *Scratch) {
	if v.Get("type").IsText("session") {
		d.link(v, w)
		return
	}
	m := v.Get("message")
	t := turn{run: d.run, time: w.Instant(m.Get("timestamp"))}
	if t.time == NoTime {
		t.time = w.Instant(v.Get("timestamp"))
	}
	switch role := m.Get("role"); {
	case role.IsText("assistant"):
		for block := range m.Get("content").Elements() {
			if block.Get("type").IsText("toolCall") {
				t.call(w, block.Get("id"), w.Text(block.Get("name")), block.Get("arguments").Raw())
			}
		}
	case role.IsText("toolResult"):
		content := m.Get("content")
		status := OK
		if m.Get("isError").Kind() == pyjson.True {
			status = claudeFault(w, content)
		}
		t.result(w, m.Get("toolCallId"), w.Text(m.Get("toolName")), status, onlyText(content).Raw())
	}
}

// link tells the session that this one was branched from: its file is named.
func (d piDecoder) link(session pyjson.Value, w *Scratch) {
	from := firstOf(session, []string{"branchedFrom", "parentSession"}).Text()
	if from == "" {
		return
	}
	name := strings.ReplaceAll(from, `\`, "/")
	parent := defaultRun(filepath.Base(name))
	if id := uuidIn(parent); id != "" {
		parent = id
	}
	if e := w.Event(Link); parent != string(d.run) {
		e.Run, e.Parent = d.run, []byte(parent)
		w.Emit(e)
	}
}
