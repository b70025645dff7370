package table

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// editor makes one change of a file's text. Its edits are careful about where they write and careless
// about whether it means the right thing there: change checks that.
type editor struct {
	src     []byte
	lines   *lines
	newline string
}

func (e *editor) insert(at int, text string) {
	e.src = slices.Concat(e.src[:at], []byte(text), e.src[at:])
}

// indent is what stands before a node on its line when that is white space alone.
func (e *editor) indent(n *yaml.Node) (string, bool) {
	s := string(e.src[e.lines.offset(n.Line, 1):e.lines.offset(n.Line, n.Column)])
	return s, strings.Trim(s, " ") == ""
}

// afterLine writes a line behind the one that holds the offset at.
func (e *editor) afterLine(at int, text string) {
	line, _ := e.lines.position(at)
	e.insert(e.lines.end(line), e.newline+text)
}

// afterNotes is the offset of the last of the comment lines that follow the one that holds at and stand
// deeper than indent: they belong to what stands there. at itself when there are none.
func (e *editor) afterNotes(at int, indent string) int {
	line, _ := e.lines.position(at)
	for ; line < len(e.lines.starts); line++ {
		next := e.src[e.lines.starts[line]:]
		note := bytes.TrimLeft(next, " ")
		if !bytes.HasPrefix(note, []byte("#")) || len(next)-len(note) <= len(indent) {
			break
		}
		at = e.lines.starts[line]
	}
	return at
}

// first adds a member at the beginning of a mapping that is not an alias.
func (e *editor) first(n *yaml.Node, name string, v any) error {
	if len(n.Content) == 0 {
		return e.member(n, "", name, v)
	}
	k := n.Content[0]
	at := e.lines.offset(k.Line, k.Column)
	if n.Style&yaml.FlowStyle != 0 {
		e.insert(at, entry(name, v, quoted(k))+","+e.gap(n))
		return nil
	}
	indent, ok := e.indent(k)
	if !ok {
		return e.refuse(k, "something stands before it")
	}
	e.insert(at, entry(name, v, quoted(k))+e.newline+indent)
	return nil
}

// member adds a member to a mapping that is not an alias: in block style behind the member after, or
// the last one, and when their end cannot be told, at the beginning; in flow style at the end.
func (e *editor) member(n *yaml.Node, after, name string, v any) error {
	if n.Style&yaml.FlowStyle != 0 {
		return e.append(n, entry(name, v, len(n.Content) > 0 && quoted(n.Content[0]) || len(n.Content) == 0 && e.json()))
	}
	if len(n.Content) == 0 {
		return e.refuse(n, "it cannot be told where it ends")
	}
	k, value := pair(n, after)
	if k == nil {
		k, value = n.Content[len(n.Content)-2], n.Content[len(n.Content)-1]
		if after != "" {
			return e.first(n, name, v)
		}
	}
	end, ok := e.end(value)
	if !ok && null(value) && value.Value == "" {
		end, ok = e.end(k)
	}
	indent, plain := e.indent(k)
	if !ok || !plain {
		return e.first(n, name, v)
	}
	if after == "" {
		end = e.afterNotes(end, indent)
	}
	e.afterLine(end, indent+entry(name, v, false))
	return nil
}

// empty fills the value of a key that has none (null).
func (e *editor) empty(parent, key, value *yaml.Node, v members) error {
	if value.Value != "" { // null or ~ is written out
		return e.replace(key, value, v)
	}
	indent, ok := e.indent(key)
	if parent.Style&yaml.FlowStyle != 0 || !ok {
		return e.replace(key, value, v)
	}
	end, ok := e.end(key)
	if !ok {
		return e.refuse(key, "it cannot be told where the name ends")
	}
	for name, x := range v {
		e.afterLine(end, indent+"  "+entry(name, x, false))
	}
	return nil
}

// replace writes a value in the place of a scalar, or behind the key of an empty one.
func (e *editor) replace(key, value *yaml.Node, v any) error {
	text := render(v, quoted(value) || e.json())
	if value.Value == "" && null(value) {
		end, ok := e.end(key)
		if !ok {
			return e.refuse(key, "it cannot be told where the name ends")
		}
		colon := end
		for colon < len(e.src) && (e.src[colon] == ' ' || e.src[colon] == '\t') {
			colon++
		}
		if colon < len(e.src) && e.src[colon] == ':' {
			e.insert(colon+1, " "+text)
		} else {
			e.insert(end, ": "+text)
		}
		return nil
	}
	end, ok := e.end(value)
	if !ok || value.Kind != yaml.ScalarNode {
		return e.refuse(value, "it cannot be told where the value ends")
	}
	start := e.lines.offset(value.Line, value.Column)
	e.src = slices.Concat(e.src[:start], []byte(text), e.src[end:])
	return nil
}

// element adds an entry at the end of a list.
func (e *editor) element(n *yaml.Node, v any) error {
	json := quoted(n)
	if len(n.Content) > 0 {
		json = quoted(n.Content[0])
	}
	if n.Style&yaml.FlowStyle != 0 {
		return e.append(n, render(v, json || e.json()))
	}
	indent, ok := e.indent(n)
	if !ok || len(n.Content) == 0 {
		return e.refuse(n, "something stands before the list")
	}
	end, ok := e.end(n.Content[len(n.Content)-1])
	if !ok {
		return e.refuse(n.Content[len(n.Content)-1], "it cannot be told where the entry ends")
	}
	e.afterLine(end, indent+"- "+render(v, false))
	return nil
}

// append adds text at the end of a flow collection.
func (e *editor) append(n *yaml.Node, text string) error {
	f, ok := e.flow(e.start(n))
	switch {
	case !ok:
		return e.refuse(n, "it cannot be told where it ends")
	case len(n.Content) == 0:
		e.insert(f.open+1, text)
	case f.comma:
		e.insert(f.last, e.gap(n)+text)
	default:
		e.insert(f.last, ","+e.gap(n)+text)
	}
	return nil
}

// gap is the white space that separates the entries of a flow collection: that before the first one when
// it breaks the line, else a blank.
func (e *editor) gap(n *yaml.Node) string {
	c := n.Content[0]
	gap := string(e.src[min(e.start(n)+1, len(e.src)):e.lines.offset(c.Line, c.Column)])
	if strings.ContainsAny(gap, "\r\n") && strings.TrimSpace(gap) == "" {
		return gap
	}
	return " "
}

// json says whether the file is written as JSON: its names are in double quotes.
func (e *editor) json() bool {
	s := strings.TrimLeft(string(e.src[e.lines.starts[0]:]), " \t\r\n")
	rest, ok := strings.CutPrefix(s, "{")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), `"`)
}

func quoted(n *yaml.Node) bool { return n.Style&yaml.DoubleQuotedStyle != 0 }

// entry is `name: value` on one line.
func entry(name string, v any, json bool) string {
	if json {
		return quote(name) + ": " + render(v, json)
	}
	return plain(name) + ": " + render(v, json)
}

// render writes a meaning on one line; json puts all texts in double quotes.
func render(v any, json bool) string {
	switch v := v.(type) {
	case members:
		rank := func(name string) int { return slices.Index([]string{"at", "glob", "class"}, name) & 3 }
		names := slices.SortedFunc(maps.Keys(v), func(a, b string) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
		})
		parts := make([]string, len(names))
		for i, name := range names {
			parts[i] = entry(name, v[name], json)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = render(x, json)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case scalar:
		switch {
		case v.tag != "!!str":
			return v.value
		case json:
			return quote(v.value)
		default:
			return plain(v.value)
		}
	default:
		return "null"
	}
}

// plainText is what needs no quotes in YAML, as long as it is not one of its words.
var plainText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_/][A-Za-z0-9_/.~-]*|[0-9]+(ms|s|m|h))$`) })

// plain writes a text without quotes where YAML allows it.
func plain(s string) string {
	if !plainText().MatchString(s) {
		return quote(s)
	}
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return quote(s)
	}
	return s
}

// quote writes a text in double quotes, as YAML and JSON both read it; what cannot be seen is escaped.
func quote(s string) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	escape := func(c rune) {
		b.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			b.WriteByte(hex[c>>shift&15])
		}
	}
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c >= ' ' && c < 0x7F, c > 0x7F && c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsNumber(c)):
			b.WriteRune(c)
		case c > 0xFFFF:
			b.WriteRune(c) // JSON would need a surrogate pair, which YAML does not read
		default:
			escape(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
