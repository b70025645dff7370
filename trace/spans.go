package trace

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// spanTree keeps what it must know of the spans of a file: whose child each is, the conversation that each names, and
// which of them are a tool's. Children end first: a tool's span is held back where an ancestor may name its conversation,
// and one of its ancestors may be the same call seen from outside.
type spanTree struct {
	traces traceIndex
	order  []*spanTrace // oldest first
	young  int          // traces in order before this one hold nothing back any more
	spans  int          // that are kept, long ones counted as several
	limit  int          // of these
	held   int          // bytes in events that are held back
	newest int64
	ready  []*spanNote // held spans whose run is known by now
	asked  int         // bytes of arguments in all traces
	// direct: a trace ended whose root names no conversation, so that this file's spans do not wait for one until some
	// ancestor does.
	direct bool
	names  map[string]string // texts that come again: conversations, tools
	// Made together, to be handed out one by one; of ids what is still to be written.
	noteRoom  []spanNote
	toolRoom  []toolNote
	traceRoom []spanTrace
	kinRoom   []kin
	ids       strings.Builder
}

// The bounds of what is remembered: spans, what is held back of them (bytes), how much later than the last of a trace
// others may end while its spans are held back (nanoseconds), the arguments that models asked for (bytes), and how many
// ancestors of a span are looked at.
const (
	maxSpans   = 1 << 16
	maxHeld    = 64 << 20
	maxHeldFor = int64(3600e9)
	maxAsked   = 16 << 20
	maxClimb   = 64 // ancestors
)

// spanTrace is what is kept of a trace. Most spans of a program that is traced for other reasons stand alone in theirs: the first one's note
// is a part of it, and there is room for more only when there is more.
type spanTrace struct {
	id    string
	last  int64    // end of its latest span
	first spanNote // of nothing: not there yet
	kin   *kin     // nil: none
	cost  int      // of spans, as spanTree.spans counts
	hash  uint32   // of id, as traceIndex has it
	known bool     // first is one of the trace's spans
}

// kin is what a trace has beyond its first span.
type kin struct {
	spans   few[string, *spanNote]
	byCall  few[spanCall, *spanNote] // a tool's first span by call id and tool
	waiting few[string, []*spanNote] // tools' spans by the ancestor that they wait for
	args    map[string][]byte        // of the calls that a model asked for, by call id
	asked   int                      // bytes of args
}

type spanCall struct{ id, tool string }

// spanRole is which part of a call a span covers: its kind, and the convention that it follows. Two spans of one role are two dispatches.
type spanRole struct {
	kind    byte // I(nternal), S(erver), C(lient), or what else stands there
	dialect string
}

// spanNote is what is kept of a span.
type spanNote struct {
	of         *spanTrace
	id, parent string
	run        string // the conversation that it names, or an ancestor
	otherwise  string // the run when none does
	*toolNote         // nil: the span is no tool's
}

// toolNote is what is kept of a tool's span beyond that. call and answer are its events while it is held back.
type toolNote struct {
	tool, name       string // name is the call's id
	role             spanRole
	weak             bool // the id is JSON-RPC's
	final            bool // the run is known, or as good as
	emitted, dropped bool
	steps            int // ancestors looked at
	call, answer     *held
}

func newSpanTree() spanTree { return spanTree{limit: maxSpans} }

// trace gives the trace, and makes room for it.
func (t *spanTree) trace(id []byte, w *Scratch) *spanTrace {
	hash := t.traces.hash(id)
	if tr := t.traces.get(hash, id); tr != nil {
		return tr
	}
	var tr *spanTrace
	for t.spans > t.limit && len(t.order) > 0 {
		tr = t.order[0]
		t.order = t.order[1:]
		t.young = max(t.young-1, 0)
		t.traces.remove(tr)
		t.wipe(tr, w)
	}
	if tr == nil {
		tr = handOut(&t.traceRoom)
	}
	*tr = spanTrace{id: t.keep(id), hash: hash}
	t.traces.add(tr)
	t.order = append(t.order, tr)
	return tr
}

// handOut gives one of some that are made together.
func handOut[T any](of *[]T) *T {
	const together = 64
	if len(*of) == 0 {
		*of = make([]T, together)
	}
	one := &(*of)[0]
	*of = (*of)[1:]
	return one
}

func (tr *spanTrace) clear() { *tr = spanTrace{id: tr.id, hash: tr.hash, last: tr.last} }

// more gives the room for what a trace has beyond its first span.
func (t *spanTree) more(tr *spanTrace) *kin {
	if tr.kin == nil {
		tr.kin = handOut(&t.kinRoom)
	}
	return tr.kin
}

// span gives a span by its id, or nil.
func (tr *spanTrace) span(id string) *spanNote {
	if tr.known && tr.first.id == id {
		return &tr.first
	}
	if tr.kin == nil {
		return nil
	}
	return tr.kin.spans.get(id)
}

// keep copies texts into memory that a few hundred ids share: those of one time are forgotten at one time, too.
func (t *spanTree) keep(parts ...[]byte) string {
	const together = 8 << 10
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if t.ids.Cap()-t.ids.Len() < size {
		t.ids.Reset()
		t.ids.Grow(max(together, size))
	}
	from := t.ids.Len()
	for _, p := range parts {
		t.ids.Write(p)
	}
	return t.ids.String()[from:]
}

// wipe lets go of what a trace holds back, and forgets its spans.
func (t *spanTree) wipe(tr *spanTrace, w *Scratch) {
	t.settleAll(tr)
	t.release(w)
	t.spans -= tr.cost
	if tr.kin != nil {
		t.asked -= tr.kin.asked
	}
	tr.clear()
}

// note makes the note of a span; call is the id of a tool's call.
func (t *spanTree) note(tr *spanTrace, s *otelSpan, tool bool, call []byte) *spanNote {
	n := &tr.first
	if n.of != nil {
		n = handOut(&t.noteRoom)
	}
	parent := s.parent
	if len(bytes.Trim(parent, "0")) == 0 {
		parent = nil
	}
	if !tool {
		call = nil
	}
	all := t.keep(s.id, parent, call)
	n.of, n.id, n.parent = tr, all[:len(s.id)], all[len(s.id):len(s.id)+len(parent)]
	if tool {
		n.toolNote = handOut(&t.toolRoom)
		n.name = all[len(s.id)+len(parent):]
	}
	return n
}

// maxNames is how many texts are interned before all are forgotten.
const maxNames = 1 << 12

// intern gives one string for equal texts.
func (t *spanTree) intern(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if s, ok := t.names[string(text)]; ok {
		return s
	}
	s := string(text)
	if len(s) > maxID {
		return s
	}
	if t.names == nil || len(t.names) >= maxNames {
		t.names = map[string]string{}
	}
	t.names[s] = s
	return s
}

// add notes a span that is not known. What waited for it goes on; a tool's own way up begins.
func (t *spanTree) add(n *spanNote, w *Scratch) {
	tr := n.of
	if tr.cost > t.limit {
		t.wipe(tr, w)
	}
	size := len(n.id) + len(n.parent) + len(n.run) + len(n.otherwise)
	if n.toolNote != nil {
		size += len(n.tool) + len(n.name)
	}
	tr.cost += 1 + size/256
	t.spans += 1 + size/256
	if n == &tr.first {
		tr.known = true
	} else {
		t.more(tr).spans.set(n.id, n)
	}
	if n.toolNote != nil && n.name != "" && !n.weak {
		key := spanCall{n.name, n.tool}
		if first := t.more(tr).byCall.get(key); first == nil {
			tr.kin.byCall.set(key, n)
		} else if first.role != n.role {
			t.merge(n, first, w)
		}
	}
	if tr.kin != nil {
		for _, child := range tr.kin.waiting.take(n.id) {
			t.climb(child, n.id, w)
		}
	}
	if n.toolNote != nil {
		t.climb(n, n.parent, w)
	}
}

// climb takes a tool's span up through its known ancestors, from the one called at on.
func (t *spanTree) climb(n *spanNote, at string, w *Scratch) {
	if n.run != "" {
		t.settle(n)
	}
	for ; !n.dropped; n.steps++ {
		if at == "" || n.steps >= maxClimb {
			t.direct = t.direct || n.steps > 0 && n.run == ""
			t.settle(n)
			return
		}
		up := n.of.span(at)
		if up == nil {
			if t.direct {
				t.settle(n)
			}
			waiting := &t.more(n.of).waiting
			waiting.set(at, append(waiting.get(at), n))
			return
		}
		if up != n && up.toolNote != nil && n.tool == up.tool && sameCall(n, up) {
			t.merge(n, up, w)
		}
		if n.run == "" && up.run != "" {
			n.run = up.run
			t.direct = false
			t.settle(n)
		}
		at = up.parent
	}
}

// settle says that a span's run is known, or never will be.
func (t *spanTree) settle(n *spanNote) {
	if !n.final && n.call != nil {
		t.ready = append(t.ready, n)
	}
	n.final = true
}

// sameCall says whether two spans of one tool, one inside the other, are one call: their ids or arguments do not differ.
func sameCall(a, b *spanNote) bool {
	if a.name != "" && b.name != "" && a.name != b.name && !a.weak && !b.weak {
		return false
	}
	if a.call == nil || b.call == nil || a.call.event.NoArgs || b.call.event.NoArgs {
		return true
	}
	return sameJSON(a.call.event.Args, b.call.event.Args)
}

// merge leaves one of two spans of one call: what was emitted already, else the one that says more.
func (t *spanTree) merge(a, b *spanNote, w *Scratch) {
	if a.dropped || b.dropped || a.emitted && b.emitted {
		return
	}
	keep, drop := a, b
	if b.emitted || !a.emitted && b.says() > a.says() {
		keep, drop = b, a
	}
	t.held -= keep.size()
	defer func() { t.held += keep.size() }()
	if keep.call != nil && drop.call != nil {
		if keep.name == "" || keep.weak && !drop.weak && drop.name != "" {
			keep.call.event.CallID, keep.name, keep.weak = drop.call.event.CallID, drop.name, drop.weak
			if keep.answer != nil {
				keep.answer.event.CallID = drop.call.event.CallID
			}
		}
		if keep.call.event.NoArgs {
			keep.call.event.Args, keep.call.event.NoArgs = drop.call.event.Args, drop.call.event.NoArgs
		}
	}
	if a, b := keep.answer, drop.answer; a != nil && b != nil && a.event.Status == OK && (b.event.Status != OK || a.event.Payload == nil) {
		a.event.Status, a.event.Payload = b.event.Status, b.event.Payload
	}
	if keep.run == "" && drop.run != "" {
		keep.run = drop.run
		t.settle(keep)
	}
	t.give(drop, w)
}

// size gives the bytes that a span's events hold.
func (n *spanNote) size() int { return n.call.size() + n.answer.size() }

// says weighs how much a span tells: arguments most, then an id of the call, then being the tool's own execution.
func (n *spanNote) says() int {
	score := 0
	if n.call != nil && !n.call.event.NoArgs {
		score += 4
	}
	if n.name != "" && !n.weak {
		score += 2
	}
	if strings.HasSuffix(n.role.dialect, "execute") {
		score++
	}
	return score
}

// give up a span that restates another.
func (t *spanTree) give(n *spanNote, w *Scratch) {
	n.dropped = true
	for _, h := range [...]*held{n.call, n.answer} {
		if h != nil {
			t.held -= h.size()
			w.Drop(h)
		}
	}
	n.call, n.answer = nil, nil
}

// release emits the held spans that are ready, in the order of the file.
func (t *spanTree) release(w *Scratch) {
	slices.SortStableFunc(t.ready, func(a, b *spanNote) int {
		if a.call == nil || b.call == nil {
			return 0
		}
		return cmp.Or(cmp.Compare(a.call.off, b.call.off), cmp.Compare(a.call.event.N, b.call.event.N))
	})
	for _, n := range t.ready {
		for _, h := range [...]*held{n.call, n.answer} {
			if h != nil {
				t.held -= h.size()
				h.setRun(cmp.Or(n.run, n.otherwise))
				w.ReleaseLast(h)
			}
		}
		n.emitted = n.emitted || n.call != nil
		n.call, n.answer = nil, nil
	}
	t.ready = t.ready[:0]
}

// settleAll gives up waiting in a trace.
func (t *spanTree) settleAll(tr *spanTrace) {
	if tr.kin == nil {
		return
	}
	for _, below := range tr.kin.waiting.list {
		for _, n := range below.value {
			t.settle(n)
		}
	}
}

// age gives up waiting in traces that ended long before the newest span, and in the oldest when too much is held back.
func (t *spanTree) age(end int64, w *Scratch) {
	t.newest = max(t.newest, end)
	for t.young < len(t.order) && (t.held > maxHeld || t.order[t.young].last < t.newest-maxHeldFor) {
		t.settleAll(t.order[t.young])
		t.young++
		if t.held > maxHeld {
			t.release(w)
		}
	}
	if t.held > maxHeld { // the young ones hold nothing back, but for what came to them since
		for _, tr := range t.order {
			t.settleAll(tr)
		}
		t.release(w)
	}
}

// Flush lets go of everything that is held back.
func (t *spanTree) Flush(w *Scratch) {
	for _, tr := range t.order {
		t.settleAll(tr)
	}
	t.release(w)
}
