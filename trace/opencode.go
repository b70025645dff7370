package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// opencodeFormat is FORMATS.md §13.1: what `opencode run --format json` prints, one line a call that is done, and the
// parts of its older store, one file each.
func opencodeFormat() *Format {
	return &Format{
		Name:      "opencode",
		Sign:      "`type` is tool_use, with `part` and `sessionID`",
		Title:     "opencode run --format json, and its stored parts",
		Reach:     ReachEverywhere,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"in flight"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			return has(v, "sessionID") && (has(v, "part") && has(v, "type") || v.Get("type").IsText("tool") && has(v, "state"))
		},
		New: func([]byte, string) Decoder { return opencodeDecoder{} },
	}
}

type opencodeDecoder struct{}

// Decode reads a part of a message that is a call, with its result when it is done.
func (opencodeDecoder) Decode(v pyjson.Value, w *Scratch) {
	part := v
	if p := v.Get("part"); present(p) {
		part = p
	}
	if !part.Get("type").IsText("tool") && !v.Get("type").IsText("tool_use") {
		if parent := w.Text(v.Get("parentID")); len(parent) > 0 && v.Get("type").IsText("session") {
			e := w.Event(Link)
			e.Run, e.Parent = w.Text(v.Get("id")), parent
			w.Emit(e)
		}
		return
	}
	state := part.Get("state")
	times := state.Get("time")
	t := turnOf(w, firstOf(part, []string{"sessionID"}), times.Get("start"))
	if len(t.run) == 0 {
		t.run = w.Text(v.Get("sessionID"))
	}
	tool := w.Text(part.Get("tool"))
	t.call(w, part.Get("callID"), tool, state.Get("input").Raw())
	status, payload := OK, state.Get("output")
	switch s := state.Get("status"); {
	case s.IsText("error"):
		payload = state.Get("error")
		if status = w.fault(payload); bytes.HasPrefix(w.Text(payload), []byte("The user rejected permission")) {
			status = Refused
		}
	case !s.IsText("completed"):
		return
	}
	if len(tool) == 0 {
		return
	}
	t.time = w.Instant(times.Get("end"))
	if t.time == NoTime {
		t.time = w.Instant(v.Get("timestamp"))
	}
	t.result(w, part.Get("callID"), tool, status, payload.Raw())
}
