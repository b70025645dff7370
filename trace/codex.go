package trace

import (
	"bytes"
	"strings"

	"drainboard/keys/pyjson"
)

// codexFormat is FORMATS.md §5: the rollouts of OpenAI's Codex CLI, the oldest generation (bare items) too.
func codexFormat() *Format {
	return &Format{
		Name:     "codex",
		Sign:     "`payload` with a `type` of its own, or a first line of id, timestamp and instructions",
		Title:    "Codex CLI rollouts (~/.codex/sessions)",
		Reach:    ReachEverywhere,
		Restates: true,
		Results:  RecordsAlways,
		Sniff:    sniffCodex,
		New:      newCodex,
	}
}

func sniffCodex(p *Probe) bool {
	v := p.Value
	if v.Get("record_type").IsText("state") {
		return true
	}
	if v.Get("payload").Kind() != pyjson.Object {
		return v.Get("id").Kind() == pyjson.String && v.Get("timestamp").Kind() == pyjson.String &&
			v.Get("instructions").Kind() != pyjson.Missing && v.Get("type").Kind() == pyjson.Missing
	}
	t := v.Get("type")
	for _, name := range [...]string{
		"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state",
	} {
		if t.IsText(name) {
			return true
		}
	}
	return false
}

// codexDecoder knows the run of its file and what the events that end a tool's work said before its output came.
type codexDecoder struct {
	run    []byte
	linked bool
	ends   map[string]Status // failures by call id; at most maxEnds
}

const maxEnds = 256

func newCodex(head []byte, path string) Decoder {
	d := &codexDecoder{ends: map[string]Status{}}
	var doc pyjson.Doc
	for line := range bytes.Lines(bytes.TrimPrefix(head, bom)) {
		if _, err := doc.Parse(line, 0); err != nil {
			continue
		}
		v := doc.Root()
		id := v.Get("id") // the oldest generation's first line
		if v.Get("type").IsText("session_meta") {
			id = v.Get("payload").Get("id")
		} else if v.Get("instructions").Kind() == pyjson.Missing || v.Get("type").Kind() != pyjson.Missing {
			continue
		}
		if id.Kind() == pyjson.String {
			d.run = []byte(id.Text())
			return d
		}
	}
	d.run = []byte(uuidIn(defaultRun(path)))
	return d
}

// uuidIn gives the uuid at the end of a name, or "".
func uuidIn(name string) string {
	const size = 36
	if len(name) < size {
		return ""
	}
	id := name[len(name)-size:]
	if strings.Count(id, "-") != 4 || strings.Trim(id, "0123456789abcdefABCDEF-") != "" {
		return ""
	}
	return id
}

// Decode reads one line, or a bare item of the oldest generation.
func (d *codexDecoder) Decode(v pyjson.Value, w *Scratch) {
	payload, t := v.Get("payload"), v.Get("type")
	at := w.Instant(v.Get("timestamp"))
	switch {
	case payload.Kind() != pyjson.Object:
		d.item(v, NoTime, w)
	case t.IsText("response_item"):
		d.item(payload, at, w)
	case t.IsText("event_msg"):
		d.ended(payload, w)
	case t.IsText("session_meta"):
		d.session(payload, w)
	}
}

// session links a fork or a sub-agent to the thread it came from. Sessions after the first are the parent's, copied with
// its history, or the same one resumed.
func (d *codexDecoder) session(meta pyjson.Value, w *Scratch) {
	if d.linked {
		return
	}
	d.linked = true
	parent := meta.Get("source").Get("subagent").Get("thread_spawn").Get("parent_thread_id")
	if parent.Kind() != pyjson.String {
		parent = meta.Get("forked_from_id")
	}
	e := w.Event(Link)
	e.Run, e.Parent = d.run, w.Text(parent)
	if len(e.Parent) > 0 && !bytes.Equal(e.Run, e.Parent) {
		w.Emit(e)
	}
}

func (d *codexDecoder) event(k Kind, item pyjson.Value, at int64, w *Scratch) *Event {
	e := w.Event(k)
	e.Run, e.Time = d.run, at
	e.CallID = w.Text(item.Get("call_id"))
	return e
}

func (d *codexDecoder) item(item pyjson.Value, at int64, w *Scratch) {
	switch t := item.Get("type"); {
	case t.IsText("function_call"):
		d.call(item, w.codexName(item), item.Get("arguments"), at, w)
	case t.IsText("custom_tool_call"):
		d.call(item, w.codexName(item), item.Get("input"), at, w)
	case t.IsText("local_shell_call"):
		d.call(item, []byte("local_shell"), item.Get("action"), at, w)
	case t.IsText("tool_search_call"):
		d.call(item, []byte("tool_search"), item.Get("arguments"), at, w)
	case t.IsText("web_search_call"):
		d.whole(item, "web_search", item.Get("action"), pyjson.Value{}, at, w)
	case t.IsText("image_generation_call"):
		d.whole(item, "image_generation", pyjson.Value{}, item.Get("result"), at, w)
	case t.IsText("function_call_output"), t.IsText("custom_tool_call_output"):
		e := d.event(Result, item, at, w)
		w.codexOutput(e, item.Get("output"))
		if end, ok := d.ends[string(e.CallID)]; ok {
			delete(d.ends, string(e.CallID))
			if e.Status == OK {
				e.Status = end
			}
		}
		w.Emit(e)
	case t.IsText("tool_search_output"):
		e := d.event(Result, item, at, w)
		e.Status = OK
		if e.Payload = item.Get("tools").Raw(); e.Payload == nil {
			e.Payload = item.Get("output").Raw()
		}
		w.Emit(e)
	}
}

// codexName gives the name of a tool; a connector's or an MCP server's with its namespace before it, as the model saw it.
func (w *Scratch) codexName(item pyjson.Value) []byte {
	name, space := w.Text(item.Get("name")), w.Text(item.Get("namespace"))
	if len(name) == 0 || len(space) == 0 {
		return name
	}
	n := len(w.arena)
	w.arena = append(w.arena, space...)
	if space[len(space)-1] != '_' && name[0] != '_' {
		w.arena = append(w.arena, "__"...)
	}
	w.arena = append(w.arena, name...)
	return w.arena[n:len(w.arena):len(w.arena)]
}

func (d *codexDecoder) call(item pyjson.Value, tool []byte, args pyjson.Value, at int64, w *Scratch) {
	if len(tool) == 0 {
		w.Bad("a call names its tool: expected a text as name, found none")
		return
	}
	e := d.event(Call, item, at, w)
	if len(e.CallID) == 0 {
		e.CallID = w.Text(item.Get("id"))
	}
	e.Tool, e.Args = tool, args.Raw()
	w.Emit(e)
}

// whole reads an item that is written when it is done: the call and its result.
func (d *codexDecoder) whole(item pyjson.Value, tool string, args, result pyjson.Value, at int64, w *Scratch) {
	d.call(item, []byte(tool), args, at, w)
	status := item.Get("status")
	if status.IsText("in_progress") {
		return
	}
	e := d.event(Result, item, at, w)
	if len(e.CallID) == 0 {
		e.CallID = w.Text(item.Get("id"))
	}
	e.Tool, e.Payload, e.Status = []byte(tool), result.Raw(), OK
	if status.IsText("failed") {
		e.Status = w.fault(result)
	}
	w.Emit(e)
}

// ended keeps the failure that an event reports for a call whose output comes later. The event itself repeats the call.
func (d *codexDecoder) ended(event pyjson.Value, w *Scratch) {
	id := event.Get("call_id")
	if id.Kind() != pyjson.String {
		return
	}
	status := OK
	switch t := event.Get("type"); {
	case t.IsText("patch_apply_end"):
		if event.Get("status").IsText("declined") {
			status = Refused
		} else if event.Get("success").Kind() == pyjson.False {
			status = w.fault(event.Get("stderr"))
		}
	case t.IsText("mcp_tool_call_end"):
		result := event.Get("result")
		if err := result.Get("Err"); present(err) {
			status = w.fault(err)
		} else if ok := result.Get("Ok"); ok.Get("isError").Kind() == pyjson.True || ok.Get("is_error").Kind() == pyjson.True {
			status = w.fault(ok.Get("content"))
		}
	case t.IsText("exec_command_end"):
		if code := event.Get("exit_code"); present(code) && string(code.Raw()) != "0" {
			status = w.exitStatus(code.Raw(), event.Get("aggregated_output"))
		}
	}
	if status == OK {
		return
	}
	if len(d.ends) >= maxEnds {
		clear(d.ends)
	}
	d.ends[id.Text()] = status
}
