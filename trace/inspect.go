package trace

import (
	"strconv"

	"drainboard/keys/pyjson"
)

// inspectFormat is FORMATS.md §12: logs of Inspect AI, whole or one sample, of three generations: tools' events, the same
// inside a transcript, or messages only.
func inspectFormat() *Format {
	return &Format{
		Name:      "inspect",
		Sign:      "`eval.task`, or `epoch` with `messages` or `events`",
		Title:     "Inspect AI logs",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"in flight"},
		Sniff: func(p *Probe) bool {
			v := p.Value
			return present(v.Get("eval").Get("task")) || has(v, "epoch") && has(v, "id") && (has(v, "messages") || has(v, "events"))
		},
		New: func(_ []byte, path string) Decoder { return inspectDecoder{base: defaultRun(path)} },
	}
}

// inspectDecoder names samples without an id of their own after the file.
type inspectDecoder struct{ base string }

// Decode reads a log or a sample.
func (d inspectDecoder) Decode(v pyjson.Value, w *Scratch) {
	samples := v.Get("samples")
	if samples.Kind() != pyjson.Array {
		d.sample(v, d.base, w)
		return
	}
	name := v.Get("eval").Get("run_id").Text()
	if name == "" {
		name = d.base
	}
	for s := range samples.Elements() {
		d.sample(s, name, w)
	}
}

func (d inspectDecoder) sample(s pyjson.Value, eval string, w *Scratch) {
	t := turn{time: NoTime, run: w.Text(s.Get("uuid"))}
	if len(t.run) == 0 {
		id, _, _ := w.ident(s.Get("id"))
		epoch, _ := s.Get("epoch").Int64()
		t.run = w.join([]byte(eval), []byte("/"), id, []byte("/"), []byte(strconv.FormatInt(epoch, 10)))
	}
	events := s.Get("events")
	if events.Kind() != pyjson.Array {
		events = s.Get("transcript").Get("events")
	}
	found := false
	for e := range events.Elements() {
		if e.Get("event").IsText("tool") {
			found = true
			t.inspectTool(e, w)
		}
	}
	if !found {
		t.time = NoTime
		t.chats(s.Get("messages"), w)
	}
}

func (t *turn) inspectTool(e pyjson.Value, w *Scratch) {
	tool := w.Text(e.Get("function"))
	t.time = w.Instant(e.Get("timestamp"))
	t.call(w, e.Get("id"), tool, e.Get("arguments").Raw())
	if len(tool) == 0 || e.Get("pending").Kind() == pyjson.True {
		return
	}
	if at := w.Instant(e.Get("completed")); at != NoTime {
		t.time = at
	}
	status, payload := OK, onlyText(e.Get("result"))
	if fault := e.Get("error"); truthy(fault) {
		status, payload = w.inspectStatus(fault), faultText(fault)
	}
	t.result(w, e.Get("id"), tool, status, payload.Raw())
}

// inspectStatus reads an error of Inspect AI's: {type, message}, or a text.
func (w *Scratch) inspectStatus(fault pyjson.Value) Status {
	switch kind := fault.Get("type"); {
	case textIn(kind, "approval", "parsing"):
		return Refused
	case textIn(kind, "timeout", "cancelled"):
		return Ambiguous
	}
	return w.fault(faultText(fault))
}
