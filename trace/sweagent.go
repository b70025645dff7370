package trace

import (
	"bytes"
	"strings"

	"drainboard/keys/pyjson"
)

// sweAgentFormat is FORMATS.md §12: SWE-agent's trajectories. Files of before 2025 hold no calls but the text of actions.
func sweAgentFormat() *Format {
	return &Format{
		Name:      "swe-agent",
		Sign:      "`trajectory`, or a `history` with `message_type`",
		Title:     "SWE-agent trajectories (*.traj)",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"times", "errors", "in flight"},
		Sniff: func(p *Probe) bool {
			if p.Value.Get("trajectory").Kind() == pyjson.Array {
				return true
			}
			for m := range p.Value.Get("history").Elements() {
				return has(m, "role") && (has(m, "message_type") || has(m, "agent"))
			}
			return false
		},
		New: func([]byte, string) Decoder { return sweAgent{} },
	}
}

type sweAgent struct{}

// Decode reads a trajectory.
func (sweAgent) Decode(v pyjson.Value, w *Scratch) {
	t := turn{time: NoTime}
	structured := false
	for m := range v.Get("history").Elements() {
		structured = structured || m.Get("tool_calls").Len() > 0
		t.chat(m, w)
	}
	if structured {
		return
	}
	for step := range v.Get("trajectory").Elements() {
		if action := step.Get("action"); len(w.Text(action)) > 0 {
			t.call(w, pyjson.Value{}, []byte("action"), action.Raw())
			t.result(w, pyjson.Value{}, []byte("action"), OK, step.Get("observation").Raw())
		}
	}
}

// miniFormat is FORMATS.md §12: mini-swe-agent's trajectories. The first version has a shell block in each answer and no calls.
func miniFormat() *Format {
	return &Format{
		Name:      "mini-swe-agent",
		Sign:      "`trajectory_format` begins with mini-swe-agent",
		Title:     "mini-swe-agent trajectories (*.traj.json)",
		Reach:     ReachRun,
		Restates:  true,
		Results:   RecordsAlways,
		Stateless: true,
		Lacks:     []string{"in flight"},
		Sniff: func(p *Probe) bool {
			return strings.HasPrefix(p.Value.Get("trajectory_format").Text(), "mini-swe-agent")
		},
		New: func([]byte, string) Decoder { return miniDecoder{} },
	}
}

type miniDecoder struct{}

// Decode reads a trajectory.
func (miniDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{time: NoTime}
	t.run, t.raw, _ = w.ident(v.Get("instance_id"))
	asked := false
	for m := range v.Get("messages").Elements() {
		t.time = w.Instant(m.Get("extra").Get("timestamp"))
		content := m.Get("content")
		switch role := m.Get("role"); {
		case m.Get("tool_calls").Len() > 0, role.IsText("tool"):
			t.chat(m, w)
			asked = false
		case role.IsText("assistant"):
			if command, ok := shellBlock(w.Text(content)); ok {
				t.call(w, pyjson.Value{}, []byte("bash"), w.Quote(command))
				asked = true
			}
		case role.IsText("user") && asked:
			t.result(w, pyjson.Value{}, []byte("bash"), w.miniStatus(content), content.Raw())
			asked = false
		}
	}
}

// shellBlock gives what stands in the one block of shell lines in a text.
func shellBlock(text []byte) (command []byte, ok bool) {
	_, rest, ok := bytes.Cut(text, []byte("```bash\n"))
	if !ok {
		return nil, false
	}
	command, rest, ok = bytes.Cut(rest, []byte("```"))
	return trimSpace(command), ok && !bytes.Contains(rest, []byte("```bash\n"))
}

func (w *Scratch) miniStatus(content pyjson.Value) Status {
	_, rest, _ := bytes.Cut(w.Text(content), []byte("<returncode>"))
	code, _, ok := bytes.Cut(rest, []byte("</returncode>"))
	if !ok || string(code) == "0" {
		return OK
	}
	return w.exitStatus(code, content)
}
