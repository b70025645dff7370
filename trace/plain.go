package trace

import (
	"math/bits"

	"drainboard/keys/pyjson"
)

// plainFormat is FORMATS.md §0a: one JSON object a line, as drainboard's own record command, the seeds' recorder and
// people write it.
func plainFormat() *Format {
	return &Format{
		Name:      "plain",
		Sign:      "a kind as tool_call or tool_result, or a tool",
		Title:     "plain lines: one JSON object a line with tool, args, run_id, call_id, ts",
		Reach:     ReachRun,
		Stateless: true,
		Sniff: func(p *Probe) bool {
			var l plainLine
			l.read(p.Value)
			kind := l.kind()
			return kind != Other
		},
		New: func([]byte, string) Decoder { return plainDecoder{} },
	}
}

// plainLine is one line's members by name, and those of its call object.
type plainLine struct {
	on, in named
}

// named are the members of an object that have one of the names of plain lines, the last of those with one name. The sets tell
// which there are, so that no list of names has to be gone through for each thing that has several.
type named struct {
	of           pyjson.Value
	at           [plainNames]int32 // Index of each member's value
	valued, null uint64            // names whose value is something, and whose value is null: a bit for each
}

// read takes a line in; l may hold another one before.
func (l *plainLine) read(v pyjson.Value) {
	l.on.fill(v)
	l.in.valued, l.in.null = 0, 0
	if call := l.on.get(nCall); call.Kind() == pyjson.Object {
		l.in.fill(call)
	}
}

func (n *named) fill(v pyjson.Value) {
	n.of, n.valued, n.null = v, 0, 0
	for name, value := range v.Members() {
		i := plainNames
		if name.Escaped() {
			i = plainName([]byte(name.Text()))
		} else {
			raw := name.Raw()
			i = plainName(raw[1 : len(raw)-1])
		}
		if i == plainNames {
			continue
		}
		n.at[i] = int32(value.Index())
		bit := uint64(1) << i
		n.valued, n.null = n.valued|bit, n.null&^bit
		if value.Kind() == pyjson.Null {
			n.valued, n.null = n.valued&^bit, n.null|bit
		}
	}
}

// get gives the member with that name, Missing when there is none.
func (n *named) get(name int) pyjson.Value { return n.pick(name, name) }

// pick gives the first member from first to last that has a value, else the first that is null, else Missing.
func (n *named) pick(first, last int) pyjson.Value {
	mask := uint64(2)<<last - uint64(1)<<first
	found := n.valued & mask
	if found == 0 {
		if found = n.null & mask; found == 0 {
			return pyjson.Value{}
		}
	}
	return n.of.Node(n.at[bits.TrailingZeros64(found)])
}

// pick2 looks on the line first, then in its call object.
func (l *plainLine) pick2(first, last int) pyjson.Value {
	v := l.on.pick(first, last)
	if !present(v) {
		if in := l.in.pick(first, last); in.Kind() != pyjson.Missing {
			return in
		}
	}
	return v
}

// present says whether a value is there and not null.
func present(v pyjson.Value) bool { return v.Kind() > pyjson.Null }

// kind gives what the line is: Other is known to be neither, or unknown.
func (l *plainLine) kind() Kind {
	named := false
	for _, v := range [...]pyjson.Value{l.on.get(nType), l.on.get(nEvent)} {
		if k := plainKind(v); k != Other {
			return k
		}
		named = named || present(v)
	}
	if named {
		return Other
	}
	if present(l.on.get(nTool)) || present(l.on.get(nToolName)) || present(l.in.get(nTool)) || present(l.in.get(nToolName)) {
		return Call
	}
	if l.pick2(nName, nName).Kind() == pyjson.String && l.pick2(nArgs, nParameters).Kind() != pyjson.Missing {
		return Call
	}
	return Other
}

func plainKind(v pyjson.Value) Kind {
	if v.Kind() != pyjson.String {
		return Other
	}
	raw := v.Raw()
	word := raw[1 : len(raw)-1]
	if v.Escaped() {
		word = v.AppendText(nil)
	}
	switch string(word) {
	case "tool_call", "tool_use", "function_call", "call":
		return Call
	case "tool_result", "tool_response", "function_call_output", "result":
		return Result
	case "run_start":
		return RunStart
	case "run_end":
		return RunEnd
	case "run_resume":
		return RunResume
	}
	return Other
}

type plainDecoder struct{}

// Decode reads one plain line.
func (plainDecoder) Decode(v pyjson.Value, w *Scratch) {
	l := &w.plain
	l.read(v)
	kind := l.kind()
	if kind == Other {
		return
	}
	e := w.Event(kind)
	var ok bool
	if e.Run, e.RunRaw, ok = w.ident(l.on.pick(nRunID, nTraceID)); !ok {
		w.Bad("expected a text or a number as run id (run_id, session_id, ...), found another value")
		return
	}
	e.Time = w.Instant(l.on.pick(nTS, nTime))
	switch kind {
	case RunStart:
		e.Parent, _, _ = w.ident(l.on.get(nParentRunID))
		w.Emit(e)
	case Call, Result:
		if e.CallID, _, ok = w.ident(l.pick2(nCallID, nID)); !ok {
			w.Bad("expected a text or a number as call id (call_id, tool_call_id, ...), found another value")
			return
		}
		e.Tool = w.Text(l.pick2(nTool, nName))
		if kind == Call {
			l.call(e, w)
		} else {
			l.result(e, w)
		}
	default:
		w.Emit(e)
	}
}

func (l *plainLine) call(e *Event, w *Scratch) {
	if len(e.Tool) == 0 {
		w.Bad("a call names its tool: expected a text as tool, tool_name or name, found none")
		return
	}
	args := l.pick2(nArgs, nParameters)
	e.NoArgs = args.Kind() == pyjson.Missing
	e.Args, e.Value = args.Raw(), args
	e.Recorded, _, _ = w.ident(l.on.pick(nIdempotencyKey, nKey))
	w.Emit(e)
}

func (l *plainLine) result(e *Event, w *Scratch) {
	fault := l.on.get(nError)
	payload := l.on.pick(nResult, nResponse)
	e.Status = l.status(w)
	if e.Status == OK && l.on.get(nReplayed).Kind() == pyjson.True {
		e.Status = Replayed
	}
	failed := e.Status == Error || e.Status == Ambiguous || e.Status == Refused
	if failed && truthy(fault) {
		payload = fault
	}
	e.Payload, e.Value = payload.Raw(), payload
	if e.Status == Error && (w.ambiguous(payload) || ambiguousField("status", l.on.get(nStatus)) ||
		ambiguousField("exit_code", l.on.get(nExitCode)) || ambiguousField("code", l.on.get(nCode))) {
		e.Status = Ambiguous
	}
	w.Emit(e)
}

// status reads status, else is_error and error.
func (l *plainLine) status(w *Scratch) Status {
	switch v := l.on.get(nStatus); v.Kind() {
	case pyjson.Missing, pyjson.Null:
	case pyjson.String:
		if text := w.Text(v); len(text) > 0 {
			return StatusOf(text)
		}
	case pyjson.Array, pyjson.Object:
		return Ambiguous
	default:
		return StatusOf(v.Raw())
	}
	if l.on.get(nIsError).Kind() == pyjson.True || truthy(l.on.get(nError)) {
		return Error
	}
	return OK
}

// truthy says whether an error member says that there was one: null, false and what is empty do not.
func truthy(v pyjson.Value) bool {
	switch v.Kind() {
	case pyjson.Missing, pyjson.Null, pyjson.False:
		return false
	case pyjson.String:
		return len(v.Raw()) > 2
	case pyjson.Array, pyjson.Object:
		return v.Len() > 0
	}
	return true
}

// ident reads an id: a text, or a number, of which it gives Python's str() and the number itself. ok is false for what
// is neither; null and nothing are no id.
func (w *Scratch) ident(v pyjson.Value) (text, raw []byte, ok bool) {
	switch v.Kind() {
	case pyjson.Missing, pyjson.Null:
		return nil, nil, true
	case pyjson.String:
		return w.Text(v), nil, true
	case pyjson.Int:
		if raw := v.Raw(); string(raw) != "-0" {
			return raw, raw, true
		}
		return v.Raw()[1:], v.Raw(), true
	case pyjson.Float:
		n := len(w.arena)
		w.arena = pyjson.AppendFloat(w.arena, pyjson.ParseFloat(v.Raw()))
		return w.arena[n:len(w.arena):len(w.arena)], v.Raw(), true
	}
	return nil, nil, false
}
