package keys

import (
	"bytes"
	"cmp"
	"encoding/binary"
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
	members []member // of the objects being written, innermost last
	names   []byte   // their names, decoded, if they have escapes
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
	w.names = w.names[:0]
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
		w.number(v.Raw())
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
	w.marks = append(w.marks, mark{int32(v.Index()), w.name, uint32(from), uint32(len(w.dst)), !only})
}

// enter goes one level down and says whether what is there is to be written.
func (w *writer) enter() bool {
	w.level++
	if w.level > w.depth {
		w.refuse("expected at most " + strconv.Itoa(w.depth) + " levels of arrays and objects, found more")
	}
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
	if v.AsPython() {
		w.dst = append(w.dst, v.Raw()...)
	} else {
		w.oddStr(v)
	}
}

func (w *writer) oddStr(v pyjson.Value) {
	var reason string
	switch {
	case w.jcs:
		if w.dst, reason = appendJCSRaw(w.dst, v.Raw()); reason != "" {
			w.refuse(reason)
		}
	default:
		w.dst = pyjson.AppendRequoted(w.dst, v.Raw())
	}
}

func (w *writer) number(raw []byte) {
	var reason string
	switch {
	case w.exact:
		w.dst = appendExact(w.dst, raw)
	case w.json:
		w.dst = appendDecimal(w.dst, raw)
	case w.jcs:
		w.dst, reason = appendES(w.dst, raw)
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
		if w.isRemoved(e) {
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
		name := v.Node(w.members[i].node)
		value := v.Node(w.members[i].node + 1)
		w.str(name)
		w.separate(':')
		w.name, w.suspect = w.members[i].node, w.marking && suspectName(name)
		w.value(value)
	}
	w.name, w.suspect = outer, suspect
	w.members = w.members[:start]
	w.dst = append(w.dst, '}')
}

// member is one member of an object, ready to be sorted.
type member struct {
	prefix uint64 // the first eight bytes of the name's text, so that they compare as the names do
	node   int32  // Index of the name; its value is the next
	off    int32  // where its text stands in writer.names, -1: as it is in the source
	length int32
}

// text is the decoded name of a member of v.
func (w *writer) text(v pyjson.Value, m member) []byte {
	if m.off < 0 {
		return inner(v.Node(m.node))
	}
	return w.names[m.off : m.off+m.length]
}

// inner is what stands between the quotes of a String: its text unless it is Escaped.
func inner(s pyjson.Value) []byte {
	raw := s.Raw()
	return raw[1 : len(raw)-1]
}

// gather appends to w.members those of v that count, in canonical order.
func (w *writer) gather(v pyjson.Value) {
	start := len(w.members)
	sorted := true
	for name, value := range v.Members() {
		if w.isRemoved(value) {
			continue
		}
		m := member{node: int32(name.Index()), off: -1}
		text := inner(name)
		if name.Escaped() {
			m.off = int32(len(w.names))
			w.names = name.AppendText(w.names)
			text = w.names[m.off:]
			m.length = int32(len(text))
		}
		m.prefix = w.prefix(text)
		if n := len(w.members); n > start && sorted {
			sorted = w.before(v, w.members[n-1], m)
		}
		w.members = append(w.members, m)
	}
	if !sorted {
		w.sort(v, w.members[start:])
		w.dedup(v, start)
	}
}

// prefix gives the first eight bytes of a text as a number. RFC 8785 orders names by UTF-16 units, which
// differs from the order of bytes only where a character above U+FFFF (first byte F0 to F4, in UTF-16 a
// surrogate pair) meets one of U+E000 to U+FFFF (first byte EE or EF): these are made to change places.
func (w *writer) prefix(text []byte) uint64 {
	var p uint64
	switch n := len(text); {
	case n >= 8:
		p = binary.BigEndian.Uint64(text)
	case n >= 4: // the last four bytes may be some of the first again
		p = uint64(binary.BigEndian.Uint32(text))<<32 | uint64(binary.BigEndian.Uint32(text[n-4:]))<<(64-8*n)
	case n > 0: // so may the middle one and the last
		p = uint64(text[0])<<56 | uint64(text[n/2])<<(56-8*(n/2)) | uint64(text[n-1])<<(64-8*n)
	}
	if w.jcs && p&0x8080808080808080 != 0 {
		var q uint64
		for i := 56; i >= 0; i -= 8 {
			q = q<<8 | uint64(unitOrder(byte(p>>i)))
		}
		return q
	}
	return p
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

// before says whether one member's name comes before another's and is not the same.
func (w *writer) before(v pyjson.Value, a, b member) bool {
	return a.prefix < b.prefix || a.prefix == b.prefix && w.compare(v, a, b) < 0
}

func (w *writer) compare(v pyjson.Value, a, b member) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	x, y := w.text(v, a), w.text(v, b)
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

// sort orders members by name, those with one name as they stand in the source.
func (w *writer) sort(v pyjson.Value, list []member) {
	if len(list) > 24 {
		slices.SortStableFunc(list, func(a, b member) int { return w.compare(v, a, b) })
		return
	}
	for i := 1; i < len(list); i++ {
		m := list[i]
		k := i
		for k > 0 && w.before(v, m, list[k-1]) {
			list[k] = list[k-1]
			k--
		}
		list[k] = m
	}
}

// dedup leaves the last of the members with one name, from start on.
func (w *writer) dedup(v pyjson.Value, start int) {
	kept := start
	for i := start; i < len(w.members); i++ {
		m := w.members[i]
		if i+1 < len(w.members) && w.compare(v, m, w.members[i+1]) == 0 {
			if w.jcs {
				w.refuse("expected each member name once, found " + string(pyjson.AppendQuote(nil, w.text(v, m))) + " twice")
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
