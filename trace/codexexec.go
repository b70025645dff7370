package trace

import (
	"strconv"

	"drainboard/keys/pyjson"
)

// codexExecFormat is FORMATS.md §5.6: what `codex exec --json` prints.
func codexExecFormat() *Format {
	return &Format{
		Name:     "codex-exec",
		Sign:     "`type` is thread.started, turn.*, item.*",
		Title:    "codex exec --json, as printed",
		Reach:    ReachRun,
		Restates: true,
		Results:  RecordsAlways,
		Lacks:    []string{"times"},
		Sniff: func(p *Probe) bool {
			return textIn(p.Value.Get("type"), "thread.started", "turn.started", "turn.completed", "turn.failed",
				"item.started", "item.updated", "item.completed")
		},
		New: func([]byte, string) Decoder { return &codexExec{} },
	}
}

// codexExec knows the thread. A thread that is resumed numbers its items from 0 again: from the second start on an id
// says which.
type codexExec struct {
	run    []byte
	starts int
	begun  idSet // items that are not done
}

// Decode reads one event.
func (d *codexExec) Decode(v pyjson.Value, w *Scratch) {
	switch t := v.Get("type"); {
	case t.IsText("thread.started"):
		d.run = append([]byte{}, w.Text(v.Get("thread_id"))...)
		d.starts++
		clear(d.begun)
	case t.IsText("item.started"):
		d.item(v.Get("item"), false, w)
	case t.IsText("item.completed"):
		d.item(v.Get("item"), true, w)
	}
}

func (d *codexExec) item(item pyjson.Value, done bool, w *Scratch) {
	i := codexItem{item: item}
	if !i.read(w) {
		return
	}
	id := w.Text(item.Get("id"))
	if d.starts > 1 && len(id) > 0 {
		id = append(w.join(id, []byte("@")), strconv.Itoa(d.starts)...)
	}
	e := w.Event(Call)
	e.Run, e.CallID, e.Tool, e.Args = d.run, id, i.tool, i.args
	if len(e.Tool) == 0 {
		w.Bad(reasonNoTool)
		return
	}
	if d.begun.add(id) {
		w.Emit(e)
	} else {
		w.Pass()
	}
	if !done {
		return
	}
	delete(d.begun, string(id))
	e = w.Event(Result)
	e.Run, e.CallID, e.Tool, e.Status, e.Payload = d.run, id, i.tool, i.status(w), i.payload.Raw()
	w.Emit(e)
}

// codexItem is an item of a thread as `codex exec` (snake case) and the app-server (camel case) write it.
type codexItem struct {
	item       pyjson.Value
	tool, args []byte
	payload    pyjson.Value
	fault      pyjson.Value
	exit       pyjson.Value
}

// read says whether the item is the work of a tool.
func (i *codexItem) read(w *Scratch) bool {
	v := i.item
	switch t := v.Get("type"); {
	case textIn(t, "command_execution", "commandExecution"):
		i.tool, i.args = []byte("command_execution"), w.object("command", v.Get("command"))
		i.payload = firstOf(v, []string{"aggregated_output", "aggregatedOutput"})
		i.exit = firstOf(v, []string{"exit_code", "exitCode"})
	case textIn(t, "mcp_tool_call", "mcpToolCall"):
		i.tool = w.Text(v.Get("tool"))
		if server := w.Text(v.Get("server")); len(server) > 0 && len(i.tool) > 0 {
			i.tool = w.join([]byte("mcp__"), server, []byte("__"), i.tool)
		}
		i.args, i.payload, i.fault = v.Get("arguments").Raw(), v.Get("result"), v.Get("error")
		if content := i.payload.Get("content"); present(content) {
			i.payload = onlyText(content)
		}
	case textIn(t, "file_change", "fileChange"):
		i.tool, i.args = []byte("file_change"), w.object("changes", v.Get("changes"))
	case textIn(t, "web_search", "webSearch"):
		i.tool, i.args = []byte("web_search"), w.object("query", v.Get("query"))
	case textIn(t, "collab_tool_call", "collabToolCall", "dynamicToolCall"):
		i.tool, i.args = w.Text(v.Get("tool")), v.Get("arguments").Raw()
		if i.args == nil {
			i.args = w.object("prompt", v.Get("prompt"))
		}
	default:
		return false
	}
	return true
}

func (i *codexItem) status(w *Scratch) Status {
	status := i.item.Get("status")
	if status.IsText("declined") {
		return Refused
	}
	code := i.exit.Raw()
	if present(i.fault) {
		i.payload = faultText(i.fault)
	}
	switch {
	case i.exit.Kind() == pyjson.Int && string(code) != "0":
		return w.exitStatus(code, i.payload)
	case status.IsText("failed"), present(i.fault):
		return w.fault(i.payload)
	}
	return OK
}

// object gives the raw object {name: value}, nil when there is no value.
func (w *Scratch) object(name string, value pyjson.Value) []byte {
	if value.Kind() == pyjson.Missing {
		return nil
	}
	return w.join([]byte(`{"`), []byte(name), []byte(`":`), value.Raw(), []byte("}"))
}
