package keys

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"drainboard/keys/pyjson"
)

// Args holds the arguments of one call. The zero Args is ready and holds {}.
type Args struct {
	outer, inner pyjson.Doc
	root         pyjson.Value
	decoded      []byte // text of arguments given as a string
	opaque       bool
	removed      []int // Index of each value left out, ascending

	w      writer
	shape  shape
	text   []byte // intentHead and the default form, when known is set
	known  bool
	reason string // why CPython refuses them
	summed bool
	sum16  [16]byte
	buf    []byte
}

// Parse reads arguments as they were recorded: one JSON value. nil, null and "" are {}. A string whose
// text is a whole JSON object or array, white space round it aside, is decoded once; any other string is
// opaque. The error wraps a *pyjson.SyntaxError; the Args then holds {}.
func (a *Args) Parse(raw []byte) error {
	if len(raw) == 0 {
		a.From(pyjson.Value{})
		return nil
	}
	err := a.outer.ParseWhole(raw)
	a.From(a.outer.Root()) // Missing after an error
	if err != nil {
		return fmt.Errorf("arguments are no JSON value: %w", err)
	}
	return nil
}

// From is Parse of a value that was parsed already; Missing is {}. The value is lent until the next Parse or From.
func (a *Args) From(v pyjson.Value) {
	a.opaque, a.known, a.summed = false, false, false
	a.removed = a.removed[:0]
	a.root = pyjson.Value{}
	switch v.Kind() {
	case pyjson.Null:
		return
	case pyjson.String:
		a.decoded = v.AppendText(a.decoded[:0])
		if len(a.decoded) == 0 {
			return
		}
		if !parseText(&a.inner, a.decoded) {
			a.opaque = true
			break
		}
		v = a.inner.Root()
	}
	a.root = v
}

// parseText says whether a text is a whole JSON object or array, and parses it into d.
func parseText(d *pyjson.Doc, text []byte) bool {
	for _, c := range text {
		switch c {
		case ' ', '\t', '\n', '\r':
			continue
		case '{', '[':
			return d.ParseWholeText(text) == nil
		}
		break
	}
	return false
}

// Opaque says whether the arguments are a string that is no whole JSON object or array.
func (a *Args) Opaque() bool { return a.opaque }

// Root is the arguments' value as recorded, decoded if they were a string that holds JSON; Missing when
// there were none (nil, null, ""), which counts as {}.
func (a *Args) Root() pyjson.Value { return a.root }

// Lookup follows a pointer through the arguments as recorded: what Ignore left out is still found.
func (a *Args) Lookup(p Pointer) pyjson.Value { return p.In(a.root) }

// Ignore leaves the values at the pointers out of whatever is written or hashed from now on until the
// next Parse, and gives the number of pointers that led to something. All pointers are followed in the
// arguments as recorded; elements behind one that is left out move up. All members with the last name of
// a pointer go, not only the one that counts. The root stays, and opaque arguments stay as they are.
func (a *Args) Ignore(pointers []Pointer) int {
	if a.opaque || len(pointers) == 0 {
		return 0
	}
	n := len(a.removed)
	found := 0
	for _, p := range pointers {
		before := len(a.removed)
		a.removed = p.remove(a.root, a.removed)
		if len(a.removed) > before {
			found++
		}
	}
	if len(a.removed) > n {
		slices.Sort(a.removed)
		a.known, a.summed = false, false
	}
	return found
}

// Restore takes back what Ignore left out.
func (a *Args) Restore() {
	if len(a.removed) > 0 {
		a.removed = a.removed[:0]
		a.known, a.summed = false, false
	}
}

// remove appends the Index of each value that p names in v.
func (p Pointer) remove(v pyjson.Value, to []int) []int {
	if len(p.names) == 0 {
		return to
	}
	last := len(p.names) - 1
	for _, name := range p.names[:last] {
		v = step(v, name)
	}
	if v.Kind() != pyjson.Object {
		if v = step(v, p.names[last]); v.Kind() != pyjson.Missing {
			to = append(to, v.Index())
		}
		return to
	}
	for name, value := range v.Members() {
		if name.IsText(p.names[last]) {
			to = append(to, value.Index())
		}
	}
	return to
}

// AppendDefault appends the arguments as json.dumps(A, sort_keys=True) writes them.
// The error is a *Refusal.
func (a *Args) AppendDefault(dst []byte) ([]byte, error) { return a.appendForm(dst, &defaultForm) }

// AppendCompact appends the arguments as json.dumps(A, sort_keys=True, separators=(",", ":")) writes
// them. The error is a *Refusal.
func (a *Args) AppendCompact(dst []byte) ([]byte, error) { return a.appendForm(dst, &compactForm) }

// AppendJCS appends the arguments as RFC 8785 writes them. The error is a *Refusal.
func (a *Args) AppendJCS(dst []byte) ([]byte, error) { return a.appendForm(dst, &jcsForm) }

func (a *Args) appendForm(dst []byte, f *form) ([]byte, error) {
	dst, reason := a.append(dst, f)
	if reason != "" {
		return dst, &Refusal{Reason: reason}
	}
	return dst, nil
}

// append writes the arguments in a form, and says why the form refuses them if it does.
func (a *Args) append(dst []byte, f *form) ([]byte, string) {
	if a.root.Kind() == pyjson.Missing {
		return append(dst, "{}"...), ""
	}
	return a.w.write(dst, f, a.root, a.removed)
}

// defaultText makes a.text, unless it is there, and gives the reason why CPython refuses it.
func (a *Args) defaultText() string {
	if !a.known {
		a.text = append(a.text[:0], intentHead...)
		a.w.marks, a.w.marking = a.w.marks[:0], true
		a.text, a.reason = a.append(a.text, &defaultForm)
		a.w.marking = false
		a.known = true
	}
	return a.reason
}

// Digest is a digest of the canonical arguments after Ignore. It is the same whatever the recipe, and is
// defined also for arguments that a recipe refuses; equal digests mean equal canonical arguments. It is for
// comparing arguments that this program read, and may be another in its next version.
func (a *Args) Digest() [16]byte {
	if !a.summed {
		a.defaultText()
		a.sum16, a.summed = sum(' ', a.text), true
	}
	return a.sum16
}

// intent is Intent's Derive.
func (a *Args) intent(run RunID, tool []byte) (_ Digest, reason string) {
	if reason = a.defaultText(); reason != "" {
		return Digest{}, reason
	}
	n := len(a.text)
	b, reason := intentTail(a.text, run, tool)
	a.text = b[:n]
	if reason != "" {
		return Digest{}, reason
	}
	return sha256.Sum256(b), ""
}
