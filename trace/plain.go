package trace

import (
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
	on, in [plainNames]pyjson.Value
}

func (l *plainLine) read(v pyjson.Value) {
	fill(&l.on, v)
	if l.on[nCall].Kind() == pyjson.Object {
		fill(&l.in, l.on[nCall])
	}
}

func fill(to *[plainNames]pyjson.Value, v pyjson.Value) {
	for name, value := range v.Members() {
		i := plainNames
		if name.Escaped() {
			i = plainName([]byte(name.Text()))
		} else {
			raw := name.Raw()
			i = plainName(raw[1 : len(raw)-1])
		}
		if i < plainNames {
			to[i] = value
		}
	}
}

// pick gives the first member from first to last that has a value, else the first that is null, else Missing.
func pick(from *[plainNames]pyjson.Value, first, last int) pyjson.Value {
	null := pyjson.Value{}
	for i := first; i <= last; i++ {
		switch from[i].Kind() {
		case pyjson.Missing:
		case pyjson.Null:
			if null.Kind() == pyjson.Missing {
				null = from[i]
			}
		default:
			return from[i]
		}
	}
	return null
}

// pick2 looks on the line first, then in its call object.
func (l *plainLine) pick2(first, last int) pyjson.Value {
	v := pick(&l.on, first, last)
	if !present(v) {
		if in := pick(&l.in, first, last); in.Kind() != pyjson.Missing {
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
	for _, v := range [...]pyjson.Value{l.on[nType], l.on[nEvent]} {
		if k := plainKind(v); k != Other {
			return k
		}
		named = named || present(v)
	}
	if named {
		return Other
	}
	if present(l.on[nTool]) || present(l.on[nToolName]) || present(l.in[nTool]) || present(l.in[nToolName]) {
		return Call
	}
	if l.pick2(nName, nName).Kind() == pyjson.String && l.pick2(nArgs, nParameters).Kind() != pyjson.Missing {
		return Call
	}
	return Other
}

func plainKind(v pyjson.Value) Kind {
	for _, k := range [...]struct {
		word string
		kind Kind
	}{
		{"tool_call", Call},
		{"tool_result", Result},
		{"tool_use", Call},
		{"function_call", Call},
		{"call", Call},
		{"tool_response", Result},
		{"function_call_output", Result},
		{"result", Result},
		{"run_start", RunStart},
		{"run_end", RunEnd},
		{"run_resume", RunResume},
	} {
		if v.IsText(k.word) {
			return k.kind
		}
	}
	return Other
}

type plainDecoder struct{}

// Decode reads one plain line.
func (plainDecoder) Decode(v pyjson.Value, w *Scratch) {
	var l plainLine
	l.read(v)
	kind := l.kind()
	if kind == Other {
		return
	}
	e := w.Event(kind)
	var ok bool
	if e.Run, e.RunRaw, ok = w.ident(pick(&l.on, nRunID, nTraceID)); !ok {
		w.Bad("expected a text or a number as run id (run_id, session_id, ...), found another value")
		return
	}
	e.Time = w.Instant(pick(&l.on, nTS, nTime))
	switch kind {
	case RunStart:
		e.Parent, _, _ = w.ident(l.on[nParentRunID])
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
	e.Recorded, _, _ = w.ident(pick(&l.on, nIdempotencyKey, nKey))
	w.Emit(e)
}

func (l *plainLine) result(e *Event, w *Scratch) {
	fault := l.on[nError]
	payload := pick(&l.on, nResult, nResponse)
	e.Status = l.status(w)
	if e.Status == OK && l.on[nReplayed].Kind() == pyjson.True {
		e.Status = Replayed
	}
	failed := e.Status == Error || e.Status == Ambiguous || e.Status == Refused
	if failed && truthy(fault) {
		payload = fault
	}
	e.Payload, e.Value = payload.Raw(), payload
	if e.Status == Error && (w.ambiguous(payload) || ambiguousField("status", l.on[nStatus]) ||
		ambiguousField("exit_code", l.on[nExitCode]) || ambiguousField("code", l.on[nCode])) {
		e.Status = Ambiguous
	}
	w.Emit(e)
}

// status reads status, else is_error and error.
func (l *plainLine) status(w *Scratch) Status {
	switch v := l.on[nStatus]; v.Kind() {
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
	if l.on[nIsError].Kind() == pyjson.True || truthy(l.on[nError]) {
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
