package keys

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"drainboard/keys/pyjson"
)

// Limits of CPython 3.11 at its defaults, measured from a program's top level (a deeper stack leaves
// less): json.dumps writes 995 levels, the object that Intent wraps around the arguments being one of
// them, and json.loads reads as many; int takes texts of up to 4,300 digits. CPython 3.12 writes about
// 1,500 levels, 3.13 about 10,000: arguments between the limits have a key there and none here.
const (
	pythonDepth  = 995
	pythonDigits = 4300
)

// maxDepth is how deep this package follows values, whatever the form. Deeper arguments have no key,
// and their Digest is that of the bytes as recorded.
const maxDepth = 10_000

// form is one way to write values canonically.
type form struct {
	spaced bool // a space behind commas and colons
	jcs    bool
	exact  bool // numbers by value, nothing refused: see ValueDigest
	json   bool // as exact, and JSON: see AppendValue
	depth  int  // levels of arrays and objects that may be written
}

var (
	defaultForm = form{spaced: true, depth: pythonDepth - 1}
	compactForm = form{depth: pythonDepth}
	jcsForm     = form{jcs: true, depth: maxDepth}
	exactForm   = form{exact: true, depth: maxDepth}
	valueForm   = form{json: true, depth: maxDepth}
)

// writer writes values in a form. It is kept for its memory.
type writer struct {
	*form
	dst     []byte
	removed []int
	members []pyjson.Name // of the objects being written, innermost last
	names   [2][]byte     // two of their names that are compared, decoded if they have escapes
	level   int
	deep    bool   // maxDepth was met: dst is not whole
	reason  string // the first reason to refuse
	marking bool
	marks   []mark // the leaves written that Shape must look at, while marking
	name    int32  // Index of the name of the member being written, -1 outside of members
	suspect bool   // that may be a volatile name
}

// mark says where a leaf was written.
type mark struct {
	node, name int32  // its Index, and that of the last member name above it, -1 when there is none
	from, to   uint32 // of writer.dst
	suspect    bool   // it may be volatile whatever the time: else it is a number
}

// write appends v in a form. What the form refuses is written all the same, as far as maxDepth.
func (w *writer) write(dst []byte, f *form, v pyjson.Value, removed []int) ([]byte, string) {
	w.form, w.dst, w.removed = f, dst, removed
	w.level, w.deep, w.reason, w.name, w.suspect = 0, false, "", -1, false
	w.value(v)
	if w.deep {
		w.dst = append(append(w.dst[:len(dst)], 0), v.Raw()...)
	}
	dst, w.dst = w.dst, nil
	return dst, w.reason
}

func (w *writer) refuse(reason string) {
	if w.reason == "" {
		w.reason = reason
	}
}

func (w *writer) value(v pyjson.Value) {
	from, mark := len(w.dst), w.suspect
	switch v.Kind() {
	case pyjson.String:
		w.str(v)
		mark = mark || w.marking && suspectText(v)
	case pyjson.Int, pyjson.Float:
		w.number(v)
		mark = w.marking
	case pyjson.Object:
		if w.enter() {
			w.object(v)
		}
		w.level--
		mark = mark && v.IsLeaf()
	case pyjson.Array:
		if w.enter() {
			w.array(v)
		}
		w.level--
		mark = mark && v.IsLeaf()
	default:
		w.dst = append(w.dst, v.Raw()...)
	}
	if mark {
		w.mark(v, from)
	}
}

// mark notes where a leaf was written, from an offset on.
func (w *writer) mark(v pyjson.Value, from int) {
	kind := v.Kind()
	only := !w.suspect && (kind == pyjson.Int || kind == pyjson.Float)
	w.marks = append(w.marks, mark{})
	m := &w.marks[len(w.marks)-1] // field by field: a whole mark would be put together in other memory first
	m.node, m.name, m.from, m.to, m.suspect = int32(v.Index()), w.name, uint32(from), uint32(len(w.dst)), !only
}

// enter goes one level down and says whether what is there is to be written.
func (w *writer) enter() bool {
	w.level++
	return w.level <= w.depth || w.tooDeep()
}

// tooDeep is called below the levels that may be written, and says whether what is there is written all the same.
func (w *writer) tooDeep() bool {
	w.refuse("expected at most " + strconv.Itoa(w.depth) + " levels of arrays and objects, found more")
	if w.level > maxDepth {
		w.deep = true
	}
	return !w.deep
}

// separate writes a comma or colon.
func (w *writer) separate(c byte) {
	if w.spaced {
		w.dst = append(w.dst, c, ' ')
	} else {
		w.dst = append(w.dst, c)
	}
}

func (w *writer) str(v pyjson.Value) {
	if w.jcs {
		w.jcsStr(v)
	} else {
		w.dst = v.AppendPython(w.dst)
	}
}

func (w *writer) jcsStr(v pyjson.Value) {
	var reason string
	if w.dst, reason = appendJCSRaw(w.dst, v.Raw()); reason != "" {
		w.refuse(reason)
	}
}

func (w *writer) number(v pyjson.Value) {
	var reason string
	raw := v.Raw()
	switch {
	case w.exact:
		w.dst = appendExact(w.dst, raw)
	case w.json:
		w.dst = appendDecimal(w.dst, raw)
	case w.jcs:
		w.dst, reason = appendES(w.dst, raw)
	case v.Kind() == pyjson.Int && len(raw) <= 20 && raw[0] != '-': // as nearly all are
		w.dst = append(w.dst, raw...)
	default:
		w.dst, reason = appendPython(w.dst, raw)
	}
	if reason != "" {
		w.refuse(reason)
	}
}

func (w *writer) array(v pyjson.Value) {
	w.dst = append(w.dst, '[')
	first := true
	for e := range v.Elements() {
		if len(w.removed) > 0 && w.isRemoved(e) {
			continue
		}
		if !first {
			w.separate(',')
		}
		first = false
		w.value(e)
	}
	w.dst = append(w.dst, ']')
}

func (w *writer) isRemoved(v pyjson.Value) bool {
	if len(w.removed) == 0 {
		return false
	}
	_, found := slices.BinarySearch(w.removed, v.Index())
	return found
}

func (w *writer) object(v pyjson.Value) {
	w.dst = append(w.dst, '{')
	outer, suspect := w.name, w.suspect
	start := len(w.members)
	w.gather(v)
	for i, end := start, len(w.members); i < end; i++ {
		if i > start {
			w.separate(',')
		}
		at := w.members[i].Node
		name := v.Node(at)
		w.str(name)
		w.separate(':')
		w.name, w.suspect = at, w.marking && suspectName(name)
		w.value(v.Node(at + 1))
	}
	w.name, w.suspect = outer, suspect
	w.members = w.members[:start]
	w.dst = append(w.dst, '}')
}

// inner is what stands between the quotes of a String: its text unless it is Escaped.
func inner(s pyjson.Value) []byte {
	raw := s.Raw()
	return raw[1 : len(raw)-1]
}

// gather appends to w.members those of v that count, in canonical order.
func (w *writer) gather(v pyjson.Value) {
	start := len(w.members)
	w.members = v.AppendNames(w.members)
	if len(w.removed) > 0 {
		kept := slices.DeleteFunc(w.members[start:], func(m pyjson.Name) bool { return w.isRemoved(v.Node(m.Node + 1)) })
		w.members = w.members[:start+len(kept)]
	}
	list := w.members[start:]
	if w.jcs {
		for i := range list {
			list[i].Prefix = unitsOrder(list[i].Prefix)
		}
	}
	if w.sort(v, list) {
		w.dedup(v, start)
	}
}

// unitsOrder makes the first eight bytes of a text compare as RFC 8785 orders names: by UTF-16 units, which
// differs from the order of bytes only where a character above U+FFFF (first byte F0 to F4, in UTF-16 a
// surrogate pair) meets one of U+E000 to U+FFFF (first byte EE or EF): these are made to change places.
func unitsOrder(p uint64) uint64 {
	if p&0x8080808080808080 == 0 {
		return p
	}
	var q uint64
	for i := 56; i >= 0; i -= 8 {
		q = q<<8 | uint64(unitOrder(byte(p>>i)))
	}
	return q
}

// unitOrder renumbers the bytes of UTF-8 so that their order is that of UTF-16.
func unitOrder(c byte) byte {
	switch {
	case c >= 0xF0:
		return c - 2
	case c >= 0xEE:
		return c + 5
	}
	return c
}

// compare compares the names of two members of v.
func (w *writer) compare(v pyjson.Value, a, b pyjson.Name) int {
	if a.Prefix != b.Prefix {
		return cmp.Compare(a.Prefix, b.Prefix)
	}
	x, y := w.text(v, a, 0), w.text(v, b, 1)
	if !w.jcs {
		return bytes.Compare(x, y)
	}
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return int(unitOrder(x[i])) - int(unitOrder(y[i]))
		}
	}
	return len(x) - len(y)
}

// text is the decoded name of a member of v, lent until the next one at the same place of w.names.
func (w *writer) text(v pyjson.Value, m pyjson.Name, place int) []byte {
	name := v.Node(m.Node)
	if !name.Escaped() {
		return inner(name)
	}
	w.names[place] = name.AppendText(w.names[place][:0])
	return w.names[place]
}

// sort orders members by name, those with one name as they stand in the source, and says whether there may be such.
func (w *writer) sort(v pyjson.Value, list []pyjson.Name) (twins bool) {
	if len(list) > 24 {
		slices.SortStableFunc(list, func(a, b pyjson.Name) int { return w.compare(v, a, b) })
		return true
	}
	for i := 1; i < len(list); i++ {
		m := list[i]
		k := i
		for k > 0 && m.Prefix <= list[k-1].Prefix {
			if m.Prefix == list[k-1].Prefix {
				if order := w.compare(v, m, list[k-1]); order >= 0 {
					twins = twins || order == 0
					break
				}
			}
			list[k] = list[k-1]
			k--
		}
		list[k] = m
	}
	return twins
}

// dedup leaves the last of the members with one name, from start on.
func (w *writer) dedup(v pyjson.Value, start int) {
	kept := start
	for i := start; i < len(w.members); i++ {
		m := w.members[i]
		if i+1 < len(w.members) && w.compare(v, m, w.members[i+1]) == 0 {
			if w.jcs {
				w.refuse("expected each member name once, found " + string(pyjson.AppendQuote(nil, w.text(v, m, 0))) + " twice")
			}
			continue
		}
		if kept < i {
			w.members[kept] = m
		}
		kept++
	}
	w.members = w.members[:kept]
}
