package trace

import (
	"hash/fnv"
	"strconv"

	"drainboard/keys/pyjson"
)

// turn is what the events of one line, message or item share.
type turn struct {
	run, raw []byte // Event.Run and RunRaw
	time     int64
	line     []byte // Event.Span of all, where a line may be written twice
	mark     string // names the message in its run, where calls may have no id; "" elsewhere
}

// turnOf begins a turn with a run id and a time as they stand in a line.
func turnOf(w *Scratch, run, at pyjson.Value) turn {
	t := turn{time: w.Instant(at)}
	t.run, t.raw, _ = w.ident(run)
	return t
}

func (t *turn) event(k Kind, w *Scratch) *Event {
	e := w.Event(k)
	e.Run, e.RunRaw, e.Time, e.Span = t.run, t.raw, t.time, t.line
	return e
}

// reasonNoTool is why a call is a bad line.
const reasonNoTool = "a call names its tool: expected a text as its name, found none"

// call emits a call. A call without an id is known again by its message's mark, its number there, its tool and arguments.
func (t *turn) call(w *Scratch, id pyjson.Value, tool, args []byte) {
	if len(tool) == 0 {
		w.Bad(reasonNoTool)
		return
	}
	e := t.event(Call, w)
	e.CallID, _, _ = w.ident(id)
	e.Tool, e.Args = tool, args
	if len(e.CallID) == 0 && t.mark != "" && len(t.run) > 0 {
		e.Span = t.span(w, tool, args)
	}
	w.Emit(e)
}

// result emits a result. status OK is that of a format which says no more.
func (t *turn) result(w *Scratch, id pyjson.Value, tool []byte, status Status, payload []byte) {
	e := t.event(Result, w)
	e.CallID, _, _ = w.ident(id)
	e.Tool, e.Status, e.Payload = tool, status, payload
	if len(e.CallID) == 0 && t.mark != "" && len(t.run) > 0 {
		e.Span = t.span(w, nil, payload)
	}
	w.Emit(e)
}

// span names an event without an id: its run, its message, its place in that, and a digest of what it holds.
func (t *turn) span(w *Scratch, tool, body []byte) []byte {
	h := fnv.New64a()
	h.Write(tool)
	h.Write([]byte{0})
	h.Write(body)
	n := len(w.arena)
	w.arena = append(w.arena, t.run...)
	w.arena = append(w.arena, '#')
	w.arena = append(w.arena, t.mark...)
	w.arena = append(w.arena, '.')
	w.arena = strconv.AppendUint(w.arena, h.Sum64(), 36)
	return w.arena[n:len(w.arena):len(w.arena)]
}

// join lends the texts one after the other.
func (w *Scratch) join(texts ...[]byte) []byte {
	n := len(w.arena)
	for _, text := range texts {
		w.arena = append(w.arena, text...)
	}
	return w.arena[n:len(w.arena):len(w.arena)]
}

// without gives the object as raw JSON with the members of that name left out; the value itself when it has none.
func (w *Scratch) without(v pyjson.Value, name string) []byte {
	if v.Get(name).Kind() == pyjson.Missing {
		return v.Raw()
	}
	n := len(w.arena)
	w.arena = append(w.arena, '{')
	for key, value := range v.Members() {
		if key.IsText(name) {
			continue
		}
		if len(w.arena) > n+1 {
			w.arena = append(w.arena, ',')
		}
		w.arena = append(w.arena, key.Raw()...)
		w.arena = append(w.arena, ':')
		w.arena = append(w.arena, value.Raw()...)
	}
	w.arena = append(w.arena, '}')
	return w.arena[n:len(w.arena):len(w.arena)]
}

// textIn says whether the value is one of the texts.
func textIn(v pyjson.Value, texts ...string) bool {
	for _, text := range texts {
		if v.IsText(text) {
			return true
		}
	}
	return false
}

// isPlain says whether a line is one of FORMATS.md §0a: what stands inside its arguments or result says nothing of it.
func isPlain(v pyjson.Value) bool {
	var l plainLine
	l.read(v)
	return l.kind() != Other
}

// has says whether the object has the member, be it null.
func has(v pyjson.Value, name string) bool { return v.Get(name).Kind() != pyjson.Missing }

// firstValue hands the values of a file's start to see, one after the other, elements of a top-level array too, until it says that it has
// seen enough.
func firstValue(head []byte, see func(v pyjson.Value) bool) {
	var doc pyjson.Doc
	for at := 0; at < len(head); {
		next, err := doc.Parse(head, at)
		if err != nil {
			return
		}
		at = next
		if see(doc.Root()) {
			return
		}
	}
}
