package trace

import (
	"drainboard/keys/pyjson"
)

// droidFormat is FORMATS.md §13.6: the sessions of Factory's Droid.
func droidFormat() *Format {
	return &Format{
		Name:      "droid",
		Sign:      "`type` is session_start, with `cwd`",
		Title:     "Factory Droid sessions (~/.factory/sessions)",
		Reach:     ReachEverywhere,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			v := p.Value
			if v.Get("type").IsText("session_start") {
				return has(v, "cwd") && has(v, "id")
			}
			return v.Get("type").IsText("message") && hasBlock(v.Get("message").Get("content"), "tool_use", "tool_result")
		},
		New: func(head []byte, path string) Decoder {
			d := droidDecoder{run: []byte(defaultRun(path))}
			firstValue(head, func(v pyjson.Value) bool {
				if !v.Get("type").IsText("session_start") {
					return false
				}
				d.run = []byte(v.Get("id").Text())
				return true
			})
			return d
		},
	}
}

// droidDecoder knows the session, which the first line tells, else the file's name.
type droidDecoder struct{ run []byte }

// Decode reads one message's blocks.
func (d droidDecoder) Decode(v pyjson.Value, w *Scratch) {
	if !v.Get("type").IsText("message") {
		return
	}
	t := turn{run: d.run, time: w.Instant(v.Get("timestamp"))}
	t.blocks(v.Get("message").Get("content"), w)
}
