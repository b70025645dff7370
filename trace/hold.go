package trace

import (
	"cmp"
	"maps"
	"slices"

	"drainboard/keys/pyjson"
)

// held is an event that a decoder keeps for a while: its own copy of what an Event lends, and where it stands.
type held struct {
	event Event
	line  int    // in the file
	off   int64  // in the file
	own   []byte // what the event lends
}

// setRun gives the event the run that it did not have when it was held.
func (h *held) setRun(run string) {
	n := len(h.own)
	h.own = append(h.own, run...)
	h.event.Run = h.own[n:len(h.own):len(h.own)]
}

// Hold copies an event that is to be emitted later, by Release or never. It is numbered among the calls and results of the
// value that is being decoded, as if it had been emitted now.
func (w *Scratch) Hold(e *Event) *held {
	w.n++
	w.number++
	w.stats.Held++
	h := w.spare()
	h.event, h.line, h.off = *e, w.lines+w.line, w.off+int64(w.offset)
	h.event.Value = pyjson.Value{}
	texts := [...]*[]byte{
		&h.event.Run, &h.event.RunRaw, &h.event.Parent, &h.event.CallID, &h.event.Tool, &h.event.Args, &h.event.Recorded,
		&h.event.Conn, &h.event.Payload, &h.event.Span,
	}
	size := 0
	for _, p := range texts {
		size += len(*p)
	}
	own := slices.Grow(h.own[:0], size)
	for _, p := range texts {
		if n := len(own); *p != nil {
			own = append(own, *p...)
			*p = own[n:len(own):len(own)]
		}
	}
	h.event.N, h.own = w.number, own
	return h
}

func (w *Scratch) spare() *held {
	if n := len(w.spares); n > 0 {
		h := w.spares[n-1]
		w.spares = w.spares[:n-1]
		return h
	}
	return new(held)
}

// reuse gives the memory of an event that was released to one that will be held. Nobody must know the event any more.
func (w *Scratch) reuse(h *held) {
	const spares, size = 1 << 10, 4 << 10
	if len(w.spares) < spares && cap(h.own) <= size {
		w.spares = append(w.spares, h)
	}
}

// size gives the bytes that it holds, and some for itself.
func (h *held) size() int {
	if h == nil {
		return 0
	}
	e := &h.event
	return 512 + len(e.Run) + len(e.CallID) + len(e.Tool) + len(e.Args) + len(e.Payload) + len(e.Span)
}

// Release emits a held call or result where it stood.
func (w *Scratch) Release(h *held) {
	w.let(h)
	w.handle(&h.event)
}

// ReleaseLast is Release of an event that nobody knows any more and that lends nothing but its own copy. Of a block that others wait for it is
// handled when these may go on, and after all that the block's other events are.
func (w *Scratch) ReleaseLast(h *held) {
	w.let(h)
	if w.waited {
		w.last = append(w.last, h)
		return
	}
	w.handle(&h.event)
	w.reuse(h)
}

// let says where a held event stands as seen from the block at hand, and counts it.
func (w *Scratch) let(h *held) {
	e := &h.event
	e.Line, e.Offset = h.line-w.lines, int(h.off-w.off)
	w.stats.Held--
	if e.Kind == Call {
		w.stats.Calls++
	} else {
		w.stats.Results++
	}
}

// handleLast hands out what ReleaseLast put off.
func (w *Scratch) handleLast(handle func(*Event)) {
	for i, h := range w.last {
		handle(&h.event)
		w.reuse(h)
		w.last[i] = nil
	}
	w.last = w.last[:0]
}

// Drop gives up a held event, which turned out to restate another: it counts as Other.
func (w *Scratch) Drop(*held) {
	w.stats.Held--
	w.stats.Others++
}

// inOrder gives the names of a map in the order in which their events stand in the file.
func inOrder[V interface{ place() (int64, int) }](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		offA, nA := m[a].place()
		offB, nB := m[b].place()
		return cmp.Or(cmp.Compare(offA, offB), cmp.Compare(nA, nB), cmp.Compare(a, b))
	})
}

func (h *held) place() (off int64, n int) { return h.off, h.event.N }

// holding keeps calls that may be told more of, by name, within bounds: 64 MiB and some thousand calls.
type holding struct {
	open  map[string]*held
	bytes int
}

const maxHolding = 1 << 12

// add holds an event under that name. Beyond the bounds everything is let go of first.
func (s *holding) add(w *Scratch, name string, e *Event) *held {
	if len(s.open) >= maxHolding || s.bytes > maxHeld {
		s.Flush(w)
	}
	if s.open == nil {
		s.open = map[string]*held{}
	}
	h := w.Hold(e)
	s.open[name] = h
	s.bytes += h.size()
	return h
}

// take gives the event of that name, which is no longer kept; nil when there is none.
func (s *holding) take(name string) *held {
	h := s.open[name]
	if h != nil {
		delete(s.open, name)
		s.bytes -= h.size()
	}
	return h
}

// Flush lets go of all.
func (s *holding) Flush(w *Scratch) {
	for _, name := range inOrder(s.open) {
		w.Release(s.take(name))
	}
}
