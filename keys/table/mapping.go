package table

import (
	"fmt"
	"reflect"
	"strings"

	"drainboard/keys"

	"go.yaml.in/yaml/v3"
)

// Format is the field mapping of a trace that no decoder knows (FORMATS.md §15). A line that Call fits is
// a call, one that Result fits is a result, one that both fit is a call and its result.
type Format struct {
	Name   string
	Call   *Fields // nil: none of its lines is a call
	Result *Fields // nil: the format records no results
	Line   int
}

// Fields says where in a line things stand: JSON pointers (RFC 6901), already checked, empty where the
// format has no such thing. A Call has at least Tool, a Result at least CallID or Tool.
type Fields struct {
	When []Test // all must fit; without any, the line fits when it has what the kind needs

	Tool, Args, CallID, Run, Time, Recorded string
	Result, Status, Error                   string // of Result only
}

// Test fits a line whose text at the pointer At matches Glob (`*` any run of characters, `?` one).
type Test struct{ At, Glob string }

// Match says whether the text fits the test's glob.
func (t Test) Match(text []byte) bool { return match(t.Glob, text) }

// Form is how arguments become text in a recipe of the table.
type Form string

// The forms.
const (
	Python       Form = "python"        // json.dumps(A, sort_keys=True, separators=(",", ":"))
	PythonSpaced Form = "python-spaced" // json.dumps(A, sort_keys=True)
	JCS          Form = "jcs"           // RFC 8785
)

// Part is one of the things that a recipe hashes.
type Part string

// The parts.
const (
	PartRun  Part = "run"
	PartTool Part = "tool"
	PartArgs Part = "args"
)

// Member is one name of the object that a recipe hashes, and what stands there.
type Member struct {
	Name string
	Part Part
}

// Recipe describes the keys of another system. It hashes either an object of Form, or Parts (arguments in
// Form, the rest as text) with Separator between them.
type Recipe struct {
	Name      string
	Form      Form
	Object    []Member // in the order of the file; the form sorts
	Parts     []Part
	Separator string
	Digest    string // md5, sha1 or sha256
	Length    int    // hexadecimal digits that are printed: the first ones, from 8 to all
	Print     string // how the whole key is spelled, as "{tool}#{digest}"; "": the digits alone
	Line      int

	made *keys.Recipe
}

var fieldNames = []string{"when", "tool", "args", "call_id", "run", "time", "recorded", "result", "status", "error"}

func (r *reader) formats(n *yaml.Node) []Format {
	var out []Format
	for name, v := range r.mapping(n, "formats", nil) {
		f := Format{Name: name.Value, Line: name.Line}
		for key, side := range r.mapping(v, "a format", []string{"call", "result"}) {
			if key.Value == "call" {
				f.Call = r.fields(side, fieldNames[:7])
			} else {
				f.Result = r.fields(side, fieldNames)
			}
		}
		switch {
		case f.Call == nil && f.Result == nil:
			r.fail(name, "expected call: or result: in format %q, found neither", name.Value)
		case f.Call != nil && f.Call.Tool == "":
			r.fail(name, "expected tool: in the call of format %q, found none", name.Value)
		case f.Result != nil && f.Result.Tool == "" && f.Result.CallID == "":
			r.fail(name, "expected call_id: or tool: in the result of format %q, found neither", name.Value)
		}
		out = append(out, f)
	}
	return out
}

func (r *reader) fields(n *yaml.Node, names []string) *Fields {
	f := &Fields{}
	at := map[string]*string{
		"tool": &f.Tool, "args": &f.Args, "call_id": &f.CallID, "run": &f.Run, "time": &f.Time,
		"recorded": &f.Recorded, "result": &f.Result, "status": &f.Status, "error": &f.Error,
	}
	for key, v := range r.mapping(n, "the fields of a format", names) {
		if key.Value == "when" {
			for p, glob := range r.mapping(v, "when", nil) {
				if _, ok := r.pointer(p); ok {
					f.When = append(f.When, Test{At: p.Value, Glob: r.text(glob, "a glob", true)})
				}
			}
			continue
		}
		r.pointer(v)
		*at[key.Value] = v.Value // a wrong one too: it has been named, and is not missing as well
	}
	return f
}

// digits is how many hexadecimal digits a digest has; 0 for one that is not known.
func digits(digest string) int {
	switch digest {
	case "md5":
		return 32
	case "sha1":
		return 40
	case "sha256":
		return 64
	default:
		return 0
	}
}

func (r *reader) recipes(n *yaml.Node) []Recipe {
	var out []Recipe
	for name, v := range r.mapping(n, "recipes", nil) {
		if _, builtin := keys.Lookup(name.Value); builtin {
			r.fail(name, "expected a name of its own, found %q, which is a built-in recipe", name.Value)
		}
		out = append(out, r.recipe(name, v))
	}
	return out
}

func (r *reader) recipe(name, n *yaml.Node) Recipe {
	c := Recipe{Name: name.Value, Form: Python, Digest: "sha256", Line: name.Line}
	var parts, object, separator, length, printed *yaml.Node
	for key, v := range r.mapping(n, "a recipe", []string{"form", "object", "parts", "separator", "digest", "length", "print"}) {
		switch key.Value {
		case "form":
			c.Form = Form(r.word(v, "form", string(Python), string(PythonSpaced), string(JCS)))
		case "digest":
			c.Digest = r.word(v, "digest", "md5", "sha1", "sha256")
		case "object":
			object = v
			for member, part := range r.mapping(v, "object", nil) {
				c.Object = append(c.Object, Member{Name: member.Value, Part: r.part(part)})
			}
		case "parts":
			parts = v
			for _, part := range r.list(v, "parts") {
				c.Parts = append(c.Parts, r.part(part))
			}
		case "separator":
			separator = v
			c.Separator = r.text(v, "a separator", true)
		case "length":
			length = v
		case "print":
			printed = v
			c.Print = r.text(v, "how the key is spelled", false)
		}
	}
	switch {
	case (len(c.Object) > 0) == (len(c.Parts) > 0):
		r.fail(name, "expected either object: or parts: in recipe %q, found %s", name.Value, either(object != nil && parts != nil))
	case separator != nil && len(c.Parts) == 0:
		r.fail(separator, "expected parts: beside separator:, found object:")
	case !c.uses(PartArgs):
		r.fail(name, "expected the part args in recipe %q, found none: such a key would not tell one intent from another", name.Value)
	}
	c.Length = digits(c.Digest)
	if length != nil && c.Length > 0 {
		c.Length = r.integer(length, "length", 8, c.Length)
	}
	if len(r.errs) > 0 || r.full {
		return c // told already
	}
	var err error
	if c.made, err = keys.Make(c.template()); err != nil {
		at := name
		if printed != nil {
			at = printed
		}
		r.fail(at, "recipe %q: %v", name.Value, err)
	}
	return c
}

// template is the recipe as package keys takes it.
func (c *Recipe) template() keys.Template {
	part := map[Part]keys.Part{PartRun: keys.PartRun, PartTool: keys.PartTool, PartArgs: keys.PartArgs}
	t := keys.Template{
		Name: c.Name, Form: map[Form]keys.Form{Python: keys.Compact, PythonSpaced: keys.Spaced, JCS: keys.RFC8785}[c.Form],
		Separator: c.Separator, Digest: c.Digest, Digits: c.Length, Print: c.Print,
	}
	for _, m := range c.Object {
		t.Object = append(t.Object, keys.Member{Name: m.Name, Part: part[m.Part]})
	}
	for _, p := range c.Parts {
		t.Parts = append(t.Parts, part[p])
	}
	return t
}

// KeyRecipes are all recipes that keys may be made by: the built-in ones in the order in which ties between them are settled, then
// the table's own in the order of the file.
func (t *Table) KeyRecipes() []*keys.Recipe {
	out := []*keys.Recipe{keys.Intent, keys.JCS, keys.Dedup16}
	for i := range t.Recipes {
		out = append(out, t.Recipes[i].made)
	}
	return out
}

// KeyRecipe finds one of KeyRecipes by its name.
func (t *Table) KeyRecipe(name string) (*keys.Recipe, error) {
	var names []string
	for _, r := range t.KeyRecipes() {
		if r.Name() == name {
			return r, nil
		}
		names = append(names, r.Name())
	}
	last := len(names) - 1
	return nil, fmt.Errorf("recipe %q is not known: expected %s or %s", name, strings.Join(names[:last], ", "), names[last])
}

func either(both bool) string {
	if both {
		return "both"
	}
	return "neither"
}

func (c *Recipe) uses(p Part) bool {
	for _, m := range c.Object {
		if m.Part == p {
			return true
		}
	}
	for _, q := range c.Parts {
		if q == p {
			return true
		}
	}
	return false
}

func (r *reader) part(n *yaml.Node) Part {
	return Part(r.word(n, "part", string(PartRun), string(PartTool), string(PartArgs)))
}

// Same says whether two recipes make the same keys.
func (c *Recipe) Same(o *Recipe) bool { return reflect.DeepEqual(c.template(), o.template()) }
