package trace

import (
	"bytes"
	"path/filepath"

	"drainboard/keys/pyjson"
)

// copilotFormat is FORMATS.md §8: GitHub Copilot CLI's session events.
func copilotFormat() *Format {
	return &Format{
		Name:      "copilot",
		Sign:      "`data`, `parentId`, and a dot in `type`",
		Title:     "GitHub Copilot CLI events (~/.copilot/session-state)",
		Reach:     ReachEverywhere,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			t := p.Value.Get("type")
			return p.Value.Get("data").Kind() == pyjson.Object && has(p.Value, "parentId") &&
				t.Kind() == pyjson.String && bytes.IndexByte(t.Raw(), '.') >= 0
		},
		New: newCopilot,
	}
}

// copilotDecoder knows the session, which is told once, or by the folder.
type copilotDecoder struct{ run []byte }

func newCopilot(head []byte, path string) Decoder {
	d := copilotDecoder{}
	firstValue(head, func(v pyjson.Value) bool {
		if v.Get("type").IsText("session.start") {
			d.run = []byte(v.Get("data").Get("sessionId").Text())
		}
		return len(d.run) > 0
	})
	if len(d.run) == 0 && filepath.Base(path) == "events.jsonl" {
		d.run = folderOf(path)
	}
	return d
}

// folderOf gives the name of the folder that a file lies in; nil when its path names none.
func folderOf(path string) []byte {
	name := filepath.Base(filepath.Dir(path))
	if name == "." || name == ".." || name == string(filepath.Separator) {
		return nil
	}
	return []byte(name)
}

// Decode reads one event: a tool's start, or its end.
func (d copilotDecoder) Decode(v pyjson.Value, w *Scratch) {
	data := v.Get("data")
	t := turn{run: d.run, time: w.Instant(v.Get("timestamp"))}
	switch kind := v.Get("type"); {
	case kind.IsText("tool.execution_start"):
		t.call(w, data.Get("toolCallId"), w.Text(data.Get("toolName")), data.Get("arguments").Raw())
	case kind.IsText("tool.execution_complete"):
		status, payload := OK, data.Get("result")
		if content := payload.Get("content"); present(content) {
			payload = content
		}
		if data.Get("success").Kind() == pyjson.False {
			fault := data.Get("error")
			payload = faultText(fault)
			if status = w.fault(payload); textIn(fault.Get("code"), "denied", "rejected") {
				status = Refused
			}
		}
		t.result(w, data.Get("toolCallId"), w.Text(data.Get("toolName")), status, payload.Raw())
	}
}
