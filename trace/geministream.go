package trace

import "drainboard/keys/pyjson"

// geminiStreamFormat is FORMATS.md §9.2: what `gemini -o stream-json` prints.
func geminiStreamFormat() *Format {
	return &Format{
		Name:     "gemini-stream",
		Sign:     "`type` is init, with `session_id` and `timestamp`",
		Title:    "gemini -o stream-json, as printed",
		Reach:    ReachRun,
		Restates: true,
		Results:  RecordsAlways,
		Sniff: func(p *Probe) bool {
			v := p.Value
			switch t := v.Get("type"); {
			case t.IsText("init"):
				return has(v, "session_id") && has(v, "timestamp")
			case t.IsText("tool_use"):
				return has(v, "tool_id") && has(v, "tool_name")
			case t.IsText("tool_result"):
				return has(v, "tool_id")
			}
			return false
		},
		New: func([]byte, string) Decoder { return &geminiStream{} },
	}
}

// geminiStream knows the session that its lines belong to.
type geminiStream struct{ run []byte }

// Decode reads one event.
func (d *geminiStream) Decode(v pyjson.Value, w *Scratch) {
	t := turn{run: d.run, time: w.Instant(v.Get("timestamp"))}
	switch kind := v.Get("type"); {
	case kind.IsText("init"):
		d.run = append([]byte{}, w.Text(v.Get("session_id"))...)
	case kind.IsText("tool_use"):
		t.call(w, v.Get("tool_id"), w.Text(v.Get("tool_name")), v.Get("parameters").Raw())
	case kind.IsText("tool_result"):
		status, payload := OK, v.Get("output")
		if v.Get("status").IsText("error") {
			if fault := v.Get("error"); present(fault) {
				payload = faultText(fault)
			}
			status = w.fault(payload)
		}
		t.result(w, v.Get("tool_id"), nil, status, payload.Raw())
	}
}
