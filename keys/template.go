package keys

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"drainboard/keys/pyjson"
)

// Form is how values become JSON text.
type Form uint8

// The forms.
const (
	Compact Form = iota // Python's json.dumps(A, sort_keys=True, separators=(",", ":"))
	Spaced              // Python's json.dumps(A, sort_keys=True)
	RFC8785             // the JSON canonicalization scheme
)

// Part is one of the things that a template is made of.
type Part uint8

// The parts.
const (
	PartRun Part = iota
	PartTool
	PartArgs
)

// Member is one name of an object that is hashed, and what stands there.
type Member struct {
	Name string
	Part Part
}

// Template describes the keys of another system, which Make turns into a Recipe. What is hashed is either an object of Form, whose
// members the form sorts, or parts with a separator between them: the arguments in Form, run and tool as text.
type Template struct {
	Name      string
	Form      Form
	Object    []Member
	Parts     []Part
	Separator string
	Digest    string // "md5", "sha1" or "sha256"
	Digits    int    // hexadecimal digits that are kept, from 8 to all
	// Print is how the key is spelled: text with {digest} in it once, and {run} or {tool} where they stand. "" is {digest} alone.
	Print string
}

// maxPrinted is how many digits a key may have beside other text: the rest of a Digest holds the index form of the whole text.
const maxPrinted = 32

// template is a Template, ready.
type template struct {
	Template
	form   *form
	sorted []Member
	before string // of Print, up to {digest}
	after  string
}

// Make gives the recipe of a template. The error says which part of it makes no recipe.
func Make(t Template) (*Recipe, error) {
	m := &template{Template: t, before: "", after: ""}
	all := map[string]int{"md5": 32, "sha1": 40, "sha256": 64}[t.Digest]
	switch {
	case all == 0:
		return nil, fmt.Errorf("expected the digest md5, sha1 or sha256, found %q", t.Digest)
	case t.Digits < 8 || t.Digits > all:
		return nil, fmt.Errorf("expected 8 to %d digits of %s, found %d", all, t.Digest, t.Digits)
	case len(t.Object) > 0 == (len(t.Parts) > 0):
		return nil, fmt.Errorf("expected either an object or parts to hash")
	case !t.holds(PartArgs):
		return nil, fmt.Errorf("expected the arguments among what is hashed: such a key would not tell one intent from another")
	}
	if t.Print != "" {
		var ok bool
		m.before, m.after, ok = strings.Cut(t.Print, "{digest}")
		rest := strings.NewReplacer("{run}", "", "{tool}", "").Replace(m.before + m.after)
		switch {
		case !ok || strings.ContainsAny(rest, "{}"):
			return nil, fmt.Errorf("expected {digest} once, and beside text only {run} and {tool}, found %q", t.Print)
		case t.Digits > maxPrinted && t.Print != "{digest}":
			return nil, fmt.Errorf("expected at most %d digits in a key with other text, found %d: set a shorter length", maxPrinted, t.Digits)
		}
	}
	m.form = map[Form]*form{Compact: &compactForm, Spaced: &defaultForm, RFC8785: &jcsForm}[t.Form]
	m.sorted = slices.Clone(t.Object)
	slices.SortFunc(m.sorted, func(a, b Member) int { return m.compare(a.Name, b.Name) })
	r := &Recipe{name: t.Name, digits: t.Digits, write: m.write, template: m}
	return r, nil
}

// compare orders member names as the form does: by code point, or by UTF-16 unit.
func (m *template) compare(a, b string) int {
	if m.Form != RFC8785 {
		return strings.Compare(a, b)
	}
	x, y := []rune(a), []rune(b)
	for i := 0; i < len(x) && i < len(y); i++ {
		if x[i] == y[i] {
			continue
		}
		// Surrogate pairs sort before U+E000 to U+FFFF.
		if high := func(r rune) bool { return r > 0xFFFF }; high(x[i]) != high(y[i]) && x[i] >= 0xD800 && y[i] >= 0xD800 {
			if high(x[i]) {
				return -1
			}
			return 1
		}
		return int(x[i] - y[i])
	}
	return len(x) - len(y)
}

func (t *Template) holds(p Part) bool {
	return slices.Contains(t.Parts, p) || slices.ContainsFunc(t.Object, func(m Member) bool { return m.Part == p })
}

// write appends the bytes to hash.
func (m *template) write(dst []byte, run RunID, tool []byte, a *Args) (_ []byte, reason string) {
	note := func(of, r string) {
		if r != "" && reason == "" {
			reason = of + r
		}
	}
	for i, p := range m.Parts {
		var r string
		if i > 0 {
			dst = append(dst, m.Separator...)
		}
		switch p {
		case PartArgs:
			dst, r = a.append(dst, m.form)
			note("", r)
		case PartRun:
			dst, r = appendRun(dst, run)
			note(ofRun, r)
		case PartTool:
			dst = append(dst, tool...)
			note(ofTool, loneSurrogate(tool))
		}
	}
	if len(m.Parts) > 0 {
		return dst, reason
	}
	dst = append(dst, '{')
	for i, member := range m.sorted {
		if i > 0 {
			dst = m.put(dst, ",")
		}
		dst, _ = m.quote(dst, []byte(member.Name))
		dst = m.put(dst, ":")
		var r string
		switch member.Part {
		case PartArgs:
			dst, r = a.append(dst, m.form)
			note("", r)
		case PartRun:
			switch {
			case run.Raw == nil:
				dst, r = m.quote(dst, run.Text)
			case m.Form == RFC8785:
				dst, r = appendES(dst, run.Raw)
			default:
				dst, r = appendPython(dst, run.Raw)
			}
			note(ofRun, r)
		case PartTool:
			dst, r = m.quote(dst, tool)
			note(ofTool, r)
		}
	}
	return append(dst, '}'), reason
}

// put appends a comma or colon as the form has it.
func (m *template) put(dst []byte, sign string) []byte {
	dst = append(dst, sign...)
	if m.form.spaced {
		dst = append(dst, ' ')
	}
	return dst
}

// quote appends a text as a JSON string of the form.
func (m *template) quote(dst, text []byte) ([]byte, string) {
	if m.Form == RFC8785 {
		return appendJCSText(dst, text)
	}
	return pyjson.AppendQuote(dst, text), ""
}

// appendRun writes a run id as text: a number as Python's str() does.
func appendRun(dst []byte, run RunID) ([]byte, string) {
	if run.Raw != nil {
		return appendStr(dst, run.Raw)
	}
	return append(dst, run.Text...), loneSurrogate(run.Text)
}

// sum hashes b. A key that is spelled with other text beside its digest has the index form of all of it in its last 16 bytes.
func (m *template) sum(b []byte, run RunID, tool []byte) (d Digest) {
	var h hash.Hash
	switch m.Digest {
	case "md5":
		h = md5.New()
	case "sha1":
		h = sha1.New()
	default:
		h = sha256.New()
	}
	h.Write(b)
	copy(d[:], h.Sum(nil))
	if m.spelled() {
		id := IDOf(m.spell(d, run, tool))
		copy(d[maxPrinted/2:], id[:])
	}
	return d
}

// spelled says whether other text than the digest stands in a key.
func (m *template) spelled() bool { return m != nil && m.before+m.after != "" }

func (m *template) spell(d Digest, run RunID, tool []byte) string {
	var room [64]byte
	name, _ := appendRun(room[:0], run)
	fill := strings.NewReplacer("{run}", string(name), "{tool}", string(tool))
	return fill.Replace(m.before) + hex.EncodeToString(d[:])[:m.Digits] + fill.Replace(m.after)
}

// Spelled says whether a key of this recipe has other text than its digest, so that Text alone is not all of it.
func (r *Recipe) Spelled() bool { return r.template.spelled() }

// Spell prints a whole key of this recipe, as other systems write it: Text, unless it is Spelled.
func (r *Recipe) Spell(d Digest, run RunID, tool []byte) string {
	if r.Spelled() {
		return r.template.spell(d, run, tool)
	}
	return r.Text(d)
}

// Doubts lists what a key of this recipe does not tell apart, for people: parts that are left out, and joined parts in which the
// separator may occur. None for the built-in recipes of whole JSON.
func (r *Recipe) Doubts() []string {
	var t Template
	switch {
	case r.template != nil:
		t = r.template.Template
	case r == Dedup16:
		t = Template{Parts: []Part{PartRun, PartTool, PartArgs}, Separator: "|"}
	default:
		return nil
	}
	var out []string
	if !t.holds(PartTool) && !strings.Contains(t.Print, "{tool}") {
		out = append(out, "the tool is no part of it: two tools with the same arguments have one key")
	}
	if !t.holds(PartRun) && !strings.Contains(t.Print, "{run}") {
		out = append(out, "the run is no part of it: the same in another run has the same key")
	}
	if t.joins() {
		if t.Separator == "" {
			out = append(out, `run and tool are joined without a separator: "a" and "bc" give the same bytes as "ab" and "c"`)
		} else {
			s := t.Separator
			out = append(out, "run and tool are joined by "+strconv.Quote(s)+", which may occur in them: "+
				strconv.Quote("a"+s+"b")+" and "+strconv.Quote("c")+" give the same bytes as "+strconv.Quote("a")+" and "+strconv.Quote("b"+s+"c"))
		}
	}
	return out
}

// joins says whether two texts are joined, so that where one ends is not told. JSON tells where it ends.
func (t *Template) joins() bool {
	return slices.Contains(t.Parts, PartRun) && slices.Contains(t.Parts, PartTool)
}

// Ambiguous says whether the bytes that are hashed for a call with this run and tool may be those of another run and tool as well:
// the separator of joined parts occurs in them.
func (r *Recipe) Ambiguous(run RunID, tool []byte) bool {
	separator := "|"
	switch {
	case r.template != nil && r.template.joins():
		separator = r.template.Separator
	case r != Dedup16:
		return false
	}
	if separator == "" {
		return true
	}
	name, _ := appendRun(nil, run)
	return bytes.Contains(name, []byte(separator)) || bytes.Contains(tool, []byte(separator))
}
