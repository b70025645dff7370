package trace

import (
	"bytes"
	"path/filepath"

	"drainboard/keys/pyjson"
)

// clineFormat is FORMATS.md §13.4: the conversations of Cline and Roo, one array of messages that is rewritten. Results are
// mostly texts in the next message, which name their tool only.
func clineFormat() *Format {
	return &Format{
		Name:     "cline",
		Sign:     "the file is api_conversation_history.json",
		Title:    "Cline and Roo conversations (api_conversation_history.json)",
		Reach:    ReachRun,
		Restates: true,
		Apart:    true,
		Results:  RecordsAlways,
		Lacks:    []string{"times", "errors"},
		Sniff: func(p *Probe) bool {
			return filepath.Base(p.Path) == "api_conversation_history.json" && has(p.Value, "role") && has(p.Value, "content")
		},
		New: func(_ []byte, path string) Decoder { return &clineDecoder{run: folderOf(path)} },
	}
}

// clineDecoder knows the task by its folder, and the calls that nothing has answered yet, oldest first.
type clineDecoder struct {
	run  []byte
	open []clineCall
}

type clineCall struct{ id, tool []byte }

// Decode reads one message.
func (d *clineDecoder) Decode(v pyjson.Value, w *Scratch) {
	t := turn{run: d.run, time: w.Instant(v.Get("ts"))}
	for block := range v.Get("content").Elements() {
		switch kind := block.Get("type"); {
		case kind.IsText("tool_use"):
			if d.open = append(d.open, clineCall{id: []byte(block.Get("id").Text()), tool: []byte(block.Get("name").Text())}); len(d.open) > maxIDs {
				d.open = append([]clineCall{}, d.open[maxIDs/2:]...)
			}
		case kind.IsText("tool_result"):
			d.answered(w.Text(block.Get("tool_use_id")))
		case kind.IsText("text") && v.Get("role").IsText("user"):
			d.text(&t, block.Get("text"), w)
		}
		t.block(block, w)
	}
}

func (d *clineDecoder) answered(id []byte) {
	for i, c := range d.open {
		if bytes.Equal(c.id, id) {
			d.open = append(d.open[:i], d.open[i+1:]...)
			return
		}
	}
}

// text reads "[read_file for 'X'] Result:", and the result behind it.
func (d *clineDecoder) text(t *turn, text pyjson.Value, w *Scratch) {
	s := w.Text(text)
	head, body, ok := bytes.Cut(s, []byte("] Result:"))
	if !ok || len(head) == 0 || head[0] != '[' || bytes.IndexByte(head, '\n') >= 0 {
		return
	}
	tool := head[1:]
	if i := bytes.IndexByte(tool, ' '); i >= 0 {
		tool = tool[:i]
	}
	for i, c := range d.open {
		if !bytes.Equal(c.tool, tool) {
			continue
		}
		d.open = append(d.open[:i], d.open[i+1:]...)
		e := t.event(Result, w)
		e.CallID, e.Tool, e.Payload, e.Status = c.id, c.tool, w.Quote(trimSpace(body)), OK
		if bytes.HasPrefix(trimSpace(body), []byte("The user denied this operation")) {
			e.Status = Refused
		}
		w.Emit(e)
		return
	}
}
