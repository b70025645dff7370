package trace

import (
	"drainboard/keys/pyjson"
)

// genericFormat is FORMATS.md §15: lines of unknown make in which something names a tool and has arguments or an id.
func genericFormat() *Format {
	return &Format{
		Name:      "generic",
		Sign:      "two lines that name a tool with arguments or an id",
		Title:     "unknown lines that name a tool with arguments or a call id",
		Reach:     ReachRun,
		Stateless: true,
		Lines:     2,
		Sniff: func(p *Probe) bool {
			_, ok := findGeneric(p.Value)
			return ok
		},
		New: func([]byte, string) Decoder { return genericDecoder{} },
	}
}

const unknownName = "unknown"

// unknownFormat decodes a file in which nothing was recognised: what is readable is known to be neither call nor result,
// unless a plain line turns up after all.
func unknownFormat() *Format {
	f := plainFormat()
	f.Name, f.Title = unknownName, "nothing that looks like a tool call"
	return f
}

const genericDepth = 4

var (
	genericTool   = [...]string{"tool_name", "toolName", "tool", "function_name", "name"}
	genericArgs   = [...]string{"arguments", "args", "input", "tool_input", "toolInput", "parameters", "params", "kwargs", "tool_args"}
	genericID     = [...]string{"tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "call_id", "callId", "callID", "id"}
	genericRun    = [...]string{"run_id", "runId", "session_id", "sessionId", "conversation_id", "thread_id", "trace_id", "traceId"}
	genericTime   = [...]string{"timestamp", "ts", "time", "created_at", "start_time", "started_at", "startTime"}
	genericResult = [...]string{"result", "output", "response", "tool_response", "observation"}
	genericFault  = [...]string{"error", "is_error", "isError"}
)

// firstOf gives the first member of the list that is there and not null.
func firstOf(v pyjson.Value, names []string) pyjson.Value {
	for _, name := range names {
		if m := v.Get(name); present(m) {
			return m
		}
	}
	return pyjson.Value{}
}

// genericCall is the object that a call was found in, the objects round it, and what of it decides.
type genericCall struct {
	path           [genericDepth + 1]pyjson.Value
	depth          int
	tool, args, id pyjson.Value
}

// outer looks for a member on the call's object and then on those round it.
func (c *genericCall) outer(names []string) pyjson.Value {
	for i := c.depth; i >= 0; i-- {
		if m := firstOf(c.path[i], names); present(m) {
			return m
		}
	}
	return pyjson.Value{}
}

// findGeneric searches the value, outer objects first, for one that names a tool and has arguments or an id.
func findGeneric(v pyjson.Value) (genericCall, bool) {
	var c genericCall
	return c, c.search(v, 0)
}

func (c *genericCall) search(v pyjson.Value, depth int) bool {
	if depth > genericDepth {
		return false
	}
	c.path[depth], c.depth = v, depth
	if c.matches(v) {
		return true
	}
	for _, m := range v.Members() {
		if m.Kind() >= pyjson.Array && c.search(m, depth+1) {
			return true
		}
	}
	for m := range v.Elements() {
		if m.Kind() >= pyjson.Array && c.search(m, depth+1) {
			return true
		}
	}
	return false
}

func (c *genericCall) matches(v pyjson.Value) bool {
	if v.Kind() != pyjson.Object {
		return false
	}
	tool := firstOf(v, genericTool[:])
	args := firstOf(v, genericArgs[:])
	if f := v.Get("function"); tool.Kind() != pyjson.String && f.Kind() == pyjson.Object {
		tool, args = f.Get("name"), firstOf(f, genericArgs[:])
	}
	if tool.Kind() != pyjson.String || len(tool.Raw()) == 2 {
		return false
	}
	id := firstOf(v, genericID[:])
	if k := id.Kind(); k != pyjson.String && k != pyjson.Int {
		id = pyjson.Value{}
	}
	c.tool, c.args, c.id = tool, args, id
	if present(args) {
		return true
	}
	// An object with a name and an id may be anything; a call's own words are wanted in one of the two.
	return present(id) && (tool.Offset() != v.Get("name").Offset() || id.Offset() != v.Get("id").Offset())
}

type genericDecoder struct{}

// Decode reads a call, and the result beside it when there is one; or the result of a call named by its id alone.
func (genericDecoder) Decode(v pyjson.Value, w *Scratch) {
	c, ok := findGeneric(v)
	if !ok {
		c = genericCall{}
		c.path[0] = v
		if c.id = firstOf(v, genericID[:len(genericID)-1]); present(c.id) {
			c.result(w)
		}
		return
	}
	e := c.event(Call, w)
	e.Tool, e.Args = w.Text(c.tool), c.args.Raw()
	e.NoArgs = e.Args == nil
	w.Emit(e)
	c.result(w)
}

func (c *genericCall) event(k Kind, w *Scratch) *Event {
	e := w.Event(k)
	e.CallID, _, _ = w.ident(c.id)
	e.Run, e.RunRaw, _ = w.ident(c.outer(genericRun[:]))
	e.Time = w.Instant(c.outer(genericTime[:]))
	return e
}

func (c *genericCall) result(w *Scratch) {
	v := c.path[c.depth]
	payload := firstOf(v, genericResult[:])
	fault := firstOf(v, genericFault[:])
	status := v.Get("status")
	failed := truthy(fault) || v.Get("success").Kind() == pyjson.False || status.IsText("error") || status.IsText("failed")
	code := v.Get("exit_code")
	if !failed && code.Kind() == pyjson.Int && string(code.Raw()) != "0" {
		failed = true
	}
	if !present(payload) && !failed {
		return
	}
	e := c.event(Result, w)
	e.Tool = w.Text(c.tool)
	e.Status = OK
	if failed {
		if truthy(fault) && fault.Kind() != pyjson.True {
			payload = fault
		}
		e.Status = w.fault(payload)
		if ambiguousField("exit_code", code) {
			e.Status = Ambiguous
		}
	}
	e.Payload = payload.Raw()
	w.Emit(e)
}
