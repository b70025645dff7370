package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// Scratch is what one worker needs to decode blocks: memory that is used again, and the way out for events. The zero
// Scratch is ready. It is for one goroutine.
type Scratch struct {
	Prefix []byte // of the line that is being decoded: what a LineDecoder's Start passed over

	doc    pyjson.Doc    // the value being decoded
	ahead  ahead         // or of ahead
	nested []*pyjson.Doc // values in strings of it
	used   int           // of nested
	arena  []byte
	event  Event
	plain  plainLine // what plainDecoder makes of a line
	spares []*held   // released, to be used again
	waited bool      // others wait for the block at hand
	last   []*held   // of it, released and not handled yet

	handle func(*Event)
	stats  *Stats
	line   int
	offset int
	lines  int   // of the file before the block, known when its format is not Stateless
	off    int64 // of the block in the file
	n      int   // calls and results of the value so far
	number int   // ... and those that were passed over
	bad    int   // bad values of it
}

// Emit hands an event out. Its Line, Offset and N are set here; N counts the calls and results of one value from 1.
func (w *Scratch) Emit(e *Event) {
	e.Line, e.Offset, e.N = w.line, w.offset, 0
	switch e.Kind {
	case Call, Result:
		w.n++
		w.number++
		e.N = w.number
		if e.Kind == Call {
			w.stats.Calls++
		} else {
			w.stats.Results++
		}
	case Bad:
		w.bad++
		w.stats.Bad++
	case Other:
		return
	}
	w.handle(e)
}

// Pass passes over a call or result that the value holds and the decoder knows to be told already: what comes after it
// has the same number as if it were emitted, so that it is found again when the value is read alone.
func (w *Scratch) Pass() { w.number++ }

// Bad emits a Bad event with that reason.
func (w *Scratch) Bad(reason string) {
	w.event = Event{Kind: Bad, Time: NoTime, Reason: reason}
	w.Emit(&w.event)
}

// Event lends a cleared event of that kind, without a time, to be filled and emitted before the next one is asked for.
func (w *Scratch) Event(k Kind) *Event {
	w.event = Event{Kind: k, Time: NoTime}
	return &w.event
}

// Text gives the text of a String as WTF-8, lent until the value is done; nil for all else.
func (w *Scratch) Text(v pyjson.Value) []byte {
	if v.Kind() != pyjson.String {
		return nil
	}
	if !v.Escaped() {
		raw := v.Raw()
		return raw[1 : len(raw)-1]
	}
	n := len(w.arena)
	w.arena = v.AppendText(w.arena)
	return w.arena[n:len(w.arena):len(w.arena)]
}

// Quote gives the JSON string that says text, lent until the value is done.
func (w *Scratch) Quote(text []byte) []byte {
	n := len(w.arena)
	w.arena = pyjson.AppendQuote(w.arena, text)
	return w.arena[n:len(w.arena):len(w.arena)]
}

// Parse reads a text that is one whole JSON value. The value is lent until the value that holds the text is done. Its raw
// form is JSON like any other: surrogates, which a text may hold, are escapes in it.
func (w *Scratch) Parse(text []byte) (pyjson.Value, bool) {
	if w.used == len(w.nested) {
		w.nested = append(w.nested, new(pyjson.Doc))
	}
	d := w.nested[w.used]
	if d.ParseWholeText(w.escapeSurrogates(text)) != nil {
		return pyjson.Value{}, false
	}
	w.used++
	return d.Root(), true
}

// escapeSurrogates writes the surrogates in a WTF-8 text as JSON escapes; without any it gives the text itself.
func (w *Scratch) escapeSurrogates(text []byte) []byte {
	n, done := len(w.arena), 0
	for i := bytes.IndexByte(text, 0xED); i >= 0 && i+2 < len(text); {
		if text[i+1] >= 0xA0 {
			w.arena = append(w.arena, text[done:i]...)
			r, size := pyjson.DecodeRune(text[i:])
			w.arena = pyjson.AppendEscape(w.arena, r)
			i += size
			done = i
		} else {
			i++
		}
		k := bytes.IndexByte(text[i:], 0xED)
		if k < 0 {
			break
		}
		i += k
	}
	if done == 0 {
		return text
	}
	w.arena = append(w.arena, text[done:]...)
	return w.arena[n:len(w.arena):len(w.arena)]
}

func (w *Scratch) reset() {
	const keep = 1 << 20
	if cap(w.arena) > keep {
		w.arena = nil
	}
	w.arena, w.used, w.n, w.number, w.bad = w.arena[:0], 0, 0, 0, 0
}
