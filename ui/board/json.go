package board

import (
	"slices"
	"strconv"
	"strings"

	"drainboard/keys"
	"drainboard/keys/pyjson"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// document is one JSON value of a trace or ledger, ready to be shown. A string that holds a whole object or array is shown as that,
// as keys are made of it.
type document struct {
	raw  []byte
	args keys.Args
	err  error // the value could not be read, or is no JSON
}

// newDocument reads a value; err is why its bytes are not there.
func newDocument(raw []byte, err error) *document {
	d := &document{raw: raw, err: err}
	if err == nil {
		d.err = d.args.Parse(raw)
	}
	return d
}

// empty says that there is nothing to show.
func (d *document) empty() bool {
	if d == nil || d.err != nil {
		return d == nil
	}
	return d.args.Root().Kind() == pyjson.Missing
}

// line is one line of a detail. fold numbers what can be folded on it, from 1; call the call that it is about, from 1.
type line struct {
	spans []span
	fold  int
	call  int
}

// folds says which foldable values are not as they are by default. A value is known by the number of its document and its index.
type folds map[int]bool

// foldBits leaves room for the values of one document.
const foldBits = 24

const (
	maxLines  = 5000 // of one document
	maxString = 60   // longer strings are folded by default
	maxNames  = 24   // columns that names are aligned within
)

// tree writes the document as folding lines. n is its number on the page, width what a line may take.
func (d *document) tree(n, width int, folded folds, g *ink.Glyphs) []line {
	if d.err != nil {
		return []line{{spans: []span{say(d.err.Error(), ink.Bad)}}}
	}
	root := d.args.Root()
	t := treeWriter{n: n, width: max(width, 8), folded: folded, g: g}
	switch {
	case root.Kind() == pyjson.Missing:
		return []line{{spans: []span{say("{}", ink.Faint)}}}
	case d.args.Opaque():
		t.text(root.Text(), 0)
	case root.Kind() == pyjson.Object || root.Kind() == pyjson.Array:
		if root.Len() == 0 {
			return []line{{spans: []span{say(string(root.Raw()), ink.Faint)}}}
		}
		t.children(root, 0)
	default:
		t.add(0, span{}, scalar(root), 0)
	}
	return t.lines
}

type treeWriter struct {
	n, width int
	folded   folds
	g        *ink.Glyphs
	lines    []line
}

// member is a name with its value.
type member struct {
	name  safe.Text
	sort  string
	value pyjson.Value
}

// members are a container's children in canonical order: names by code point, of equal names the last one.
func members(v pyjson.Value) (out []member) {
	if v.Kind() == pyjson.Array {
		i := 0
		for e := range v.Elements() {
			out = append(out, member{name: safe.Line(strconv.Itoa(i)), value: e})
			if i++; i > maxLines {
				break
			}
		}
		return out
	}
	for name, value := range v.Members() {
		text := name.Text()
		out = append(out, member{name: safe.Line(text), sort: text, value: value})
		if len(out) > maxLines {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b member) int { return strings.Compare(a.sort, b.sort) })
	last := out[:0]
	for i, m := range out {
		if i+1 == len(out) || out[i+1].sort != m.sort {
			last = append(last, m)
		}
	}
	return last
}

func (t *treeWriter) full() bool {
	if len(t.lines) == maxLines {
		t.lines = append(t.lines, line{spans: []span{say("more lines are not shown", ink.Faint)}})
	}
	return len(t.lines) > maxLines
}

func (t *treeWriter) children(v pyjson.Value, depth int) {
	all := members(v)
	names := 0
	for _, m := range all {
		names = max(names, min(safe.Width(m.name), maxNames))
	}
	for _, m := range all {
		if t.full() {
			return
		}
		name := span{m.name, ink.Accent}
		if w := safe.Width(m.name); w < names {
			name.text = safe.Pad(m.name, names)
		}
		fold := t.n<<foldBits | m.value.Index() + 1
		kind := m.value.Kind()
		switch {
		case (kind == pyjson.Object || kind == pyjson.Array) && m.value.Len() > 0:
			open := depth < 3 && m.value.Len() <= 64
			t.container(m, name, fold, open != t.folded[fold], depth)
		case kind == pyjson.String:
			t.str(m, name, fold, depth)
		default:
			t.add(depth, name, scalar(m.value), 0)
		}
	}
}

func (t *treeWriter) container(m member, name span, fold int, open bool, depth int) {
	size := "{" + strconv.Itoa(m.value.Len()) + "}"
	if m.value.Kind() == pyjson.Array {
		size = "[" + strconv.Itoa(m.value.Len()) + "]"
	}
	sign := t.g.Shut
	if open {
		sign = t.g.Open
	}
	t.add(depth, name, say(sign+" "+size, ink.Faint), fold)
	if open {
		t.children(m.value, depth+1)
	}
}

// str writes a string member: on one line when it is short, else folding.
func (t *treeWriter) str(m member, name span, fold, depth int) {
	text := m.value.Text()
	room := t.width - 2*depth - safe.Width(name.text) - 3
	if !strings.Contains(text, "\n") && len(text) <= max(maxString, room) {
		t.add(depth, name, quoted(text), 0)
		return
	}
	open := t.folded[fold]
	sign := t.g.Shut
	if open {
		sign = t.g.Open
	}
	note := say(sign+" "+strconv.Itoa(strings.Count(text, "\n")+1)+" lines, "+size(float64(len(text))), ink.Faint)
	if !open {
		head := quoted(text[:min(len(text), 400)])
		t.lines = append(t.lines, line{fold: fold, spans: []span{
			say(strings.Repeat("  ", depth), ink.Plain), name, say(" "+sign+" ", ink.Faint), head,
		}})
		return
	}
	t.add(depth, name, note, fold)
	t.text(text, depth+1)
}

// text writes a long text in lines.
func (t *treeWriter) text(text string, depth int) {
	for _, l := range safe.Block(text) {
		for _, part := range safe.Wrap(l, max(t.width-2*depth-1, 8)) {
			if t.full() {
				return
			}
			t.add(depth, span{}, span{part, ink.Plain}, 0)
		}
	}
}

func (t *treeWriter) add(depth int, name, value span, fold int) {
	l := line{fold: fold}
	if depth > 0 {
		l.spans = append(l.spans, say(strings.Repeat("  ", depth), ink.Plain))
	}
	if name.text != "" {
		l.spans = append(l.spans, name, span{" ", ink.Plain})
	}
	t.lines = append(t.lines, line{spans: append(l.spans, value), fold: fold})
}

// scalar is a value on one line.
func scalar(v pyjson.Value) span {
	if v.Kind() == pyjson.String {
		return quoted(v.Text())
	}
	raw := v.Raw()
	return span{safe.Line(raw[:min(len(raw), 400)]), ink.Plain}
}

func quoted(text string) span { return say(`"`+text+`"`, ink.Plain) }

// leaf is a value without members, and where it stands.
type leaf struct {
	pointer string
	value   string
}

const maxLeaves = 400

// leaves lists the leaves of the document in canonical order.
func (d *document) leaves() []leaf {
	if d.empty() || d.err != nil {
		return nil
	}
	var out []leaf
	var walk func(v pyjson.Value, path string)
	walk = func(v pyjson.Value, path string) {
		if len(out) >= maxLeaves {
			return
		}
		if v.IsLeaf() {
			value := string(v.Raw())
			if v.Kind() == pyjson.String {
				value = `"` + v.Text() + `"`
			}
			out = append(out, leaf{path, value})
			return
		}
		for i, m := range members(v) {
			name := m.sort
			if v.Kind() == pyjson.Array {
				name = strconv.Itoa(i)
			}
			walk(m.value, path+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
		}
	}
	walk(d.args.Root(), "")
	return out
}

// oneLine is the document on one line without white space between its parts, cut after a few hundred bytes.
func (d *document) oneLine() string {
	if d == nil {
		return ""
	}
	if d.err != nil {
		return d.err.Error()
	}
	raw := d.raw
	if v := d.args.Root(); v.Kind() != pyjson.Missing && !d.args.Opaque() {
		raw = v.Raw()
	}
	out := make([]byte, 0, min(len(raw), 400))
	inside, escaped := false, false
	for _, c := range raw {
		if len(out) >= 400 {
			break
		}
		if !inside && (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
			continue
		}
		out = append(out, c)
		switch {
		case escaped:
			escaped = false
		case inside && c == '\\':
			escaped = true
		case c == '"':
			inside = !inside
		}
	}
	return string(out)
}

// brief is the document in as few characters as say something: a value alone, or all of it on one line.
func (d *document) brief() string {
	if d == nil || d.err != nil {
		return d.oneLine()
	}
	if l := d.leaves(); len(l) == 1 {
		return strings.Trim(l[0].value, `"`)
	}
	return d.oneLine()
}

// marked is text with the part that differs from another text marked: whole words, and the middle only.
func marked(text, other string) []span {
	if text == other || other == "" {
		return []span{say(text, ink.Plain)}
	}
	from := 0
	for from < len(text) && from < len(other) && text[from] == other[from] {
		from++
	}
	to, end := len(text), len(other)
	for to > from && end > from && text[to-1] == other[end-1] {
		to--
		end--
	}
	for from > 0 && word(text[from-1]) {
		from--
	}
	for to < len(text) && word(text[to]) {
		to++
	}
	var out []span
	for _, s := range []span{say(text[:from], ink.Plain), say(text[from:to], ink.BadBold), say(text[to:], ink.Plain)} {
		if s.text != "" {
			out = append(out, s)
		}
	}
	return out
}

func word(c byte) bool {
	return c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}
