package leftovers

import (
	"strings"
	"unicode"

	"drainboard/keys"
	"drainboard/keys/pyjson"
	"drainboard/keys/table"
)

// mark is one natural key that a call may have: what the object would be known by.
type mark struct {
	basis  Basis
	guess  bool
	kind   string
	fields []Field
	hash   string
}

// pointer is a JSON pointer of this package's own.
type pointer struct {
	text  string
	names []string
}

func pointers(names ...string) []pointer {
	out := make([]pointer, len(names))
	for i, n := range names {
		out[i] = pointer{"/" + n, []string{n}}
	}
	return out
}

// marker finds the marks of calls. One is for one goroutine.
type marker struct {
	args    keys.Args
	scratch keys.Scratch

	guesses, places, texts, titles []pointer
}

func newMarker() *marker {
	return &marker{
		// Where a table names none, these arguments are taken for names of objects.
		guesses: pointers("head", "branch", "title", "path", "name"),
		// These say where an object lies: equal names in two places are two names.
		places: pointers("repo", "repository", "repo_name", "owner", "org", "project", "project_id", "workspace", "bucket", "database", "collection", "table",
			"issue", "issue_number", "issue_id", "number", "pr", "pr_number", "pull_number", "pull_request", "ticket", "channel", "channel_id", "thread_ts", "thread",
			"conversation", "to", "url", "base_url"),
		texts:  pointers("body", "text", "comment", "message", "content"),
		titles: pointers("title", "summary", "subject"),
	}
}

// marks lists the natural keys of a call, the strongest first, and says where its object lies. parent is the start of the url that it was answered
// with, "" when there is none.
func (m *marker) marks(tool string, rule *table.Rule, raw []byte, parent string) (out []mark, where string) {
	if m.args.Parse(raw) != nil || m.args.Opaque() {
		return nil, ""
	}
	root := m.args.Root()
	if root.Kind() != pyjson.Object || rule.Effect == table.Write {
		return nil, "" // a write changes an object that is there: two of them make no second one
	}
	if k, ok := m.byTable(tool, rule); ok {
		out = append(out, k)
	}
	words := wordsOf(tool)
	places := m.named(root, m.places)
	for _, f := range places {
		where += f.At + "=" + f.Value + "\x00"
	}
	if has(words, "issue", "ticket", "bug") && !has(words, "comment", "reply", "note") {
		if f := m.named(root, m.titles); len(f) > 0 {
			out = append(out, newMark(ByTitle, true, kindOf(parent, tool), fold(f[:1]), places))
		}
	}
	if has(words, "comment", "reply", "note", "notify", "message", "post", "review") {
		if f := m.named(root, m.texts); len(f) > 0 {
			k := newMark(ByComment, true, kindOf(parent, tool), fold(f[:1]), places)
			k.fields[0].Value = "" // what was said is nobody's business here: its hash is enough
			return append(out, k), where
		}
	}
	if len(rule.NaturalKey) > 0 {
		return out, where
	}
	for _, p := range m.guesses {
		if f := m.named(root, []pointer{p}); len(f) > 0 && !(p.text == "/title" && len(out) > 0) {
			out = append(out, newMark(ByArgument, true, tool, f, places))
			if parent != "" && parent != tool {
				out = append(out, newMark(ByArgument, true, parent, f, nil))
			}
		}
	}
	return out, where
}

// byTable is the natural key that the table names; ok is false when an argument of it is missing.
func (m *marker) byTable(tool string, rule *table.Rule) (mark, bool) {
	if len(rule.NaturalKey) == 0 {
		return mark{}, false
	}
	var fields []Field
	var parts []string
	for _, p := range rule.NaturalKey {
		v := m.args.Lookup(p)
		if v.Kind() == pyjson.Missing || v.Kind() == pyjson.Null {
			return mark{}, false
		}
		sum := keys.ValueDigest(&m.scratch, v.Raw(), nil)
		parts = append(parts, p.String(), string(sum[:]))
		fields = append(fields, Field{p.String(), show(textOf(v))})
	}
	return mark{ByTable, false, tool, fields, digest(append([]string{string(ByTable), tool}, parts...)...)}, true
}

// textOf is a value's text, or its JSON where it is none.
func textOf(v pyjson.Value) string {
	if v.Kind() == pyjson.String {
		return v.Text()
	}
	return string(v.Raw())
}

// named lists the arguments of some names that hold a text or a number.
func (m *marker) named(root pyjson.Value, names []pointer) []Field {
	var out []Field
	for _, p := range names {
		v := root
		for _, n := range p.names {
			v = v.Get(n)
		}
		if v.Kind() != pyjson.String && v.Kind() != pyjson.Int {
			continue
		}
		if text := textOf(v); strings.TrimSpace(text) != "" {
			out = append(out, Field{p.text, text})
		}
	}
	return out
}

// fold writes texts so that they are equal for people: letters in one case, white space as one blank.
func fold(fields []Field) []Field {
	out := make([]Field, len(fields))
	for i, f := range fields {
		out[i] = Field{f.At, strings.ToLower(strings.Join(strings.Fields(f.Value), " "))}
	}
	return out
}

func newMark(basis Basis, guess bool, kind string, fields, places []Field) mark {
	all := append(append([]Field{}, fields...), places...)
	parts := []string{string(basis), kind}
	for i := range all {
		parts = append(parts, all[i].At, all[i].Value)
		all[i].Value = show(all[i].Value)
	}
	return mark{basis, guess, kind, all, digest(parts...)}
}

func kindOf(parent, tool string) string {
	if parent != "" {
		return parent
	}
	return tool
}

// wordsOf parts a tool's name into its words, in lower case: mcp__github__createIssue is mcp, github, create, issue.
func wordsOf(tool string) []string {
	var out []string
	start, runes := 0, []rune(tool)
	add := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			add(i)
			start = i + 1
		case unicode.IsUpper(r) && i > start && unicode.IsLower(runes[i-1]):
			add(i)
			start = i
		}
	}
	add(len(runes))
	return out
}

// has says whether one of the words, alone or in the plural, is among them.
func has(words []string, any ...string) bool {
	for _, w := range words {
		for _, a := range any {
			if w == a || w == a+"s" {
				return true
			}
		}
	}
	return false
}
