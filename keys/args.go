package keys

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"

	"drainboard/keys/pyjson"
)

// Args holds the arguments of one call. The zero Args is ready and holds {}.
type Args struct {
	outer, inner pyjson.Doc
	doc          *pyjson.Doc // the one of root
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
	hash   hash.Hash
	key    Digest // where the hash puts its result
}

// Parse reads arguments as they were recorded: one JSON value. nil, null and "" are {}. A string whose
// text is a whole JSON object or array, white space round it aside, is decoded once; any other string is
// opaque. The error wraps a *pyjson.SyntaxError; the Args then holds {}.
func (a *Args) Parse(raw []byte) error {
	a.opaque, a.known, a.summed = false, false, false
	a.removed = a.removed[:0]
	a.root = pyjson.Value{}
	if len(raw) == 0 {
		return nil
	}
	if err := a.outer.ParseWhole(raw); err != nil {
		return fmt.Errorf("arguments are no JSON value: %w", err)
	}
	a.doc = &a.outer
	v := a.outer.Root()
	switch v.Kind() {
	case pyjson.Null:
		return nil
	case pyjson.String:
		a.decoded = v.AppendText(a.decoded[:0])
		if len(a.decoded) == 0 {
			return nil
		}
		if !parseText(&a.inner, a.decoded) {
			a.opaque = true
			break
		}
		a.doc = &a.inner
		v = a.inner.Root()
	}
	a.root = v
	return nil
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
		a.text, a.reason = a.append(a.text, &defaultForm)
		a.known = true
	}
	return a.reason
}

// Digest is a digest of the canonical arguments after Ignore. It is the same whatever the recipe, and is
// defined also for arguments that a recipe refuses; equal digests mean equal canonical arguments.
func (a *Args) Digest() [16]byte {
	if !a.summed {
		a.defaultText()
		d := a.sum(a.text)
		a.sum16 = [16]byte(d[:16])
		a.summed = true
	}
	return a.sum16
}

// intent is Intent's Derive: one pass of the hash gives the arguments' digest and the key.
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
	if a.summed {
		return a.sum(b), ""
	}
	d := a.sum(b[:n])
	a.sum16, a.summed = [16]byte(d[:16]), true
	a.hash.Write(b[n:])
	a.hash.Sum(a.key[:0])
	return a.key, ""
}

// sum hashes b; more may be written to a.hash afterwards.
func (a *Args) sum(b []byte) Digest {
	if a.hash == nil {
		a.hash = sha256.New()
	}
	a.hash.Reset()
	a.hash.Write(b)
	a.hash.Sum(a.key[:0])
	return a.key
}
