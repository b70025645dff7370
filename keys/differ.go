package keys

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// Difference is one place at which the arguments of two calls differ after Ignore.
type Difference struct {
	Pointer string // RFC 6901, WTF-8; "" when the arguments differ as a whole
	A, B    []byte // what stands there, raw JSON as recorded; nil: nothing
	// LooksA and LooksB say what kind of volatile leaf each looks like (see Leaf.Looks), "" for none.
	// "number spelling" is said when both are the same number.
	LooksA, LooksB string
	// Merges says whether an ignore rule with this pointer alone would make the two arguments equal.
	Merges bool
}

// Differences lists where the arguments of two calls differ, in canonical order: as few values as
// possible, a value that is an object in one and none in the other being one difference. atA and atB are
// the calls' times in nanoseconds since 1970, or NoTime. A and B are lent from the two Args.
func Differences(a, b *Args, atA, atB int64) []Difference {
	d := differ{a: a, b: b, atA: atA, atB: atB}
	if max(a.depth(), b.depth()) > maxDepth {
		if a.Digest() != b.Digest() {
			d.add(a.root, b.root)
		}
	} else {
		d.values(a.root, b.root)
	}
	if len(d.found) == 1 {
		d.found[0].Merges = d.found[0].Pointer != ""
	}
	return d.found
}

// depth is the deepest nesting of arrays and objects in the arguments.
func (a *Args) depth() int {
	var open []int // where each container that is open ends
	deepest := 0
	for i := a.root.Index(); i >= 0 && i < a.root.Past(); i++ {
		for len(open) > 0 && open[len(open)-1] <= i {
			open = open[:len(open)-1]
		}
		if v := a.root.Node(int32(i)); v.Kind() >= pyjson.Array {
			open = append(open, v.Past())
			deepest = max(deepest, len(open))
		}
	}
	return deepest
}

type differ struct {
	a, b     *Args
	atA, atB int64
	path     shape
	found    []Difference
	bufA     []byte
	bufB     []byte
	w        writer
}

// values compares two values that are not left out; a Missing one is there in one call only, but for the
// root, where it is {}.
func (d *differ) values(a, b pyjson.Value) {
	root := len(d.path.path) == 0
	isObject := func(v pyjson.Value) bool {
		return v.Kind() == pyjson.Object || root && v.Kind() == pyjson.Missing
	}
	switch {
	case isObject(a) && isObject(b):
		d.objects(a, b)
	case a.Kind() == pyjson.Array && b.Kind() == pyjson.Array:
		d.arrays(a, b)
	case a.Kind() == pyjson.Missing || b.Kind() == pyjson.Missing || !d.equal(a, b):
		d.add(a, b)
	}
}

// equal says whether json.dumps writes both values alike.
func (d *differ) equal(a, b pyjson.Value) bool {
	d.bufA, _ = d.w.write(d.bufA[:0], &defaultForm, a, d.a.removed)
	d.bufB, _ = d.w.write(d.bufB[:0], &defaultForm, b, d.b.removed)
	return bytes.Equal(d.bufA, d.bufB)
}

func (d *differ) objects(a, b pyjson.Value) {
	as, bs := d.a.members(a), d.b.members(b)
	for len(as)+len(bs) > 0 {
		order := 0
		switch {
		case len(as) == 0:
			order = 1
		case len(bs) == 0:
			order = -1
		default:
			order = bytes.Compare(as[0].text, bs[0].text)
		}
		var m, n named
		if order <= 0 {
			m, as = as[0], as[1:]
		}
		if order >= 0 {
			n, bs = bs[0], bs[1:]
		}
		name := m.text
		if order > 0 {
			name = n.text
		}
		d.path.push(segment{name: name, named: true})
		d.values(m.value, n.value)
		d.path.pop()
	}
}

// named is one member of an object: its name, decoded, and its value.
type named struct {
	text  []byte
	value pyjson.Value
}

// members gives the members of an object that count, in canonical order.
func (a *Args) members(v pyjson.Value) []named {
	w := writer{form: &defaultForm, removed: a.removed}
	w.gather(v)
	list := make([]named, len(w.members))
	for i, m := range w.members {
		list[i] = named{v.Node(m.Node).AppendText(nil), v.Node(m.Node + 1)}
	}
	return list
}

func (d *differ) arrays(a, b pyjson.Value) {
	as, bs := d.a.elements(a), d.b.elements(b)
	for i := range max(len(as), len(bs)) {
		var m, n element
		position := 0
		if i < len(bs) {
			n = bs[i]
			position = n.position
		}
		if i < len(as) {
			m = as[i]
			position = m.position
		}
		d.path.push(segment{position: position})
		d.values(m.value, n.value)
		d.path.pop()
	}
}

// element is one element of an array and its position as recorded.
type element struct {
	value    pyjson.Value
	position int
}

func (a *Args) elements(v pyjson.Value) []element {
	w := writer{removed: a.removed}
	var list []element
	position := 0
	for e := range v.Elements() {
		if !w.isRemoved(e) {
			list = append(list, element{e, position})
		}
		position++
	}
	return list
}

// add records a difference at the current path.
func (d *differ) add(a, b pyjson.Value) {
	name := d.path.name()
	found := Difference{
		Pointer: d.path.pointer(), A: a.Raw(), B: b.Raw(),
		LooksA: looks(a, name, d.atA), LooksB: looks(b, name, d.atB),
	}
	if isNumber(a) && isNumber(b) && bytes.Equal(appendExact(nil, a.Raw()), appendExact(nil, b.Raw())) {
		if found.LooksA == "" {
			found.LooksA = looksNumber
		}
		if found.LooksB == "" {
			found.LooksB = looksNumber
		}
	}
	d.found = append(d.found, found)
}

func isNumber(v pyjson.Value) bool { return v.Kind() == pyjson.Int || v.Kind() == pyjson.Float }

// looks says what kind of volatile leaf a value looks like by itself, "" if it does not.
func looks(v pyjson.Value, name []byte, at int64) string {
	if !v.IsLeaf() {
		return ""
	}
	if isTime(v, at) {
		return looksTimestamp
	}
	if n := volatileName(name); n != "" {
		return n
	}
	if _, found := appendPath(nil, v.AppendText(nil)); found {
		return looksPath
	}
	return ""
}
