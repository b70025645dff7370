package trace

import (
	"strings"

	"drainboard/keys/pyjson"
)

// ampFormat is FORMATS.md §13.9: Amp's threads, one object that is rewritten.
func ampFormat() *Format {
	return &Format{
		Name:      "amp",
		Sign:      "`id` begins with T-, with `created` and `messages`",
		Title:     "Amp threads (~/.local/share/amp/threads)",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"times"},
		Sniff: func(p *Probe) bool {
			if !strings.HasPrefix(p.Value.Get("id").Text(), "T-") || !has(p.Value, "created") {
				return false
			}
			for m := range p.Value.Get("messages").Elements() {
				return m.Get("content").Kind() == pyjson.Array
			}
			return false
		},
		New: func([]byte, string) Decoder { return ampDecoder{} },
	}
}

type ampDecoder struct{}

// Decode reads a thread.
func (ampDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{time: NoTime}
	t.run, t.raw, _ = w.ident(v.Get("id"))
	for m := range v.Get("messages").Elements() {
		for block := range m.Get("content").Elements() {
			if block.Get("type").IsText("tool_result") && has(block, "run") {
				t.ampResult(block, w)
			} else {
				t.block(block, w)
			}
		}
	}
}

func (t *turn) ampResult(block pyjson.Value, w *Scratch) {
	ran := block.Get("run")
	payload, status := ran.Get("result"), OK
	switch s := ran.Get("status"); {
	case s.IsText("rejected-by-user"):
		status = Refused
	case s.IsText("cancelled"):
		status = Ambiguous
	case s.IsText("error"):
		payload = faultText(ran.Get("error"))
		status = w.fault(payload)
	case !s.IsText("done"):
		return
	}
	t.result(w, firstOf(block, []string{"toolUseID", "tool_use_id"}), nil, status, payload.Raw())
}
