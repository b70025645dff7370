package table

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"drainboard/keys"

	"go.yaml.in/yaml/v3"
)

// Case is a case of a row. An Unclassified one has the class of its row.
type Case struct {
	At      keys.Pointer
	Glob    string
	Class   Class
	Effect  Effect
	Polling bool
}

// Cases are the row's, in their order: the first that fits decides.
func (r *Row) Cases() []Case {
	out := make([]Case, len(r.cases))
	for i, c := range r.cases {
		out[i] = Case{At: c.at, Glob: c.glob, Class: c.rule.Class, Effect: c.rule.Effect, Polling: c.rule.Polling}
	}
	return out
}

// Fits says whether a text at the case's pointer fits its glob.
func (c *Case) Fits(text string) bool { return match(c.Glob, text) }

// is says whether a case of a row's meaning has the pointer and the glob of c.
func (c *Case) is(have any) bool {
	m, ok := have.(members)
	return ok && m["at"] == text(c.At.String()) && m["glob"] == text(c.Glob)
}

// meaning is what the case says in a file.
func (c *Case) meaning() members {
	m := members{"at": text(c.At.String()), "glob": text(c.Glob)}
	if c.Class != Unclassified {
		m["class"] = text(c.Class.String())
	}
	if c.Class == Keyed && c.Effect == Write {
		m["effect"] = text(c.Effect.String())
	}
	if c.Polling {
		m["polling"] = scalar{"!!bool", "true"}
	}
	return m
}

// AddCase adds a case at the end of a tool's row, as SetClass sets a class. When the row has a case with
// that pointer and glob already, src itself is returned if they say the same, else an error: the first
// case that fits decides, so the new one would change nothing.
func AddCase(src []byte, tool string, c Case) ([]byte, error) {
	added, clash := c.meaning(), false
	out, err := change(src, tool, "cases", func(row members) bool {
		list, _ := row["cases"].([]any)
		if i := slices.IndexFunc(list, c.is); i >= 0 {
			clash = !reflect.DeepEqual(list[i], any(added))
			return false
		}
		row["cases"] = append(list, added)
		return true
	})
	if clash {
		return nil, fmt.Errorf("%w: %q has a case for %s and %q already", ErrEdit, tool, c.At, c.Glob)
	}
	return out, err
}

// PutCase gives a case of a tool's row its class, as SetClass sets that of the row: the one with the same
// pointer and glob, which otherwise stays as it is, or a new one. A new one comes before the first case that
// would take from it, else at the end.
func PutCase(src []byte, tool string, c Case) ([]byte, error) {
	if c.Class == Unclassified {
		return nil, fmt.Errorf("expected pure, keyed or compensate as the class of the case %q of %q, found none", c.Glob, tool)
	}
	at, added := -1, false
	want := c.meaning()
	return changeBy(src, tool, func(row members) bool {
		list, _ := row["cases"].([]any)
		if _, has := row["effect"]; has && c.Class == Keyed { // it would be the row's
			want["effect"] = text(c.Effect.String())
		}
		if at = slices.IndexFunc(list, c.is); at < 0 {
			added, at = true, c.place(list)
			row["cases"] = slices.Insert(list, at, any(want))
			return true
		}
		m, _ := list[at].(members)
		was := clone(m)
		m["class"] = want["class"]
		if _, has := m["effect"]; has && c.Class == Keyed {
			want["effect"] = text(c.Effect.String())
		}
		if v, has := want["effect"]; has {
			m["effect"] = v
		}
		return !reflect.DeepEqual(was, any(m))
	}, func(e *editor, root *yaml.Node, row members) error {
		list := ownCases(root, tool)
		switch {
		case list == nil:
			return e.put(root, tool, "cases", row)
		case added:
			return e.insertElement(list, at, want)
		}
		if v, has := want["effect"]; has {
			if err := e.setMember(list.Content[at], "effect", v); err != nil {
				return err
			}
			if list = e.again(tool); list == nil {
				return fmt.Errorf("%w: the row of %q", ErrEdit, tool)
			}
		}
		return e.setMember(list.Content[at], "class", want["class"])
	})
}

// place is Place for the meanings of cases.
func (c *Case) place(list []any) int {
	have := make([]Case, len(list))
	for i := range list {
		m, _ := list[i].(members)
		at, _ := m["at"].(scalar)
		glob, _ := m["glob"].(scalar)
		have[i].At, _ = keys.ParsePointer(at.value)
		have[i].Glob = glob.value
	}
	return c.Place(have)
}

// Place is where a new case goes among others: before the first whose glob fits all that its own does, else at the end.
func (c *Case) Place(list []Case) int {
	for i := range list {
		if have := &list[i]; have.At.String() == c.At.String() && have.Glob != c.Glob && match(have.Glob, c.Glob) {
			return i
		}
	}
	return len(list)
}

// RemoveCase takes a case out of a tool's row, with what stands on its lines; comments on lines of their own stay. src itself is returned
// when the row has no such case.
func RemoveCase(src []byte, tool string, c Case) ([]byte, error) {
	at := -1
	return changeBy(src, tool, func(row members) bool {
		list, _ := row["cases"].([]any)
		if at = slices.IndexFunc(list, c.is); at < 0 {
			return false
		}
		row["cases"] = slices.Delete(list, at, at+1)
		return true
	}, func(e *editor, root *yaml.Node, row members) error {
		list := ownCases(root, tool)
		if list == nil {
			return fmt.Errorf("%w: the cases of %q stand in another row or behind an alias", ErrEdit, tool)
		}
		return e.removeElement(root, tool, list, at)
	})
}

// ownCases is the list of cases that a tool's row has itself, nil when it has none.
func ownCases(root *yaml.Node, tool string) *yaml.Node {
	if root == nil {
		return nil
	}
	_, tools := pair(root, "tools")
	if tools == nil {
		return nil
	}
	_, row := pair(tools, tool)
	if row == nil {
		return nil
	}
	_, list := pair(row, "cases")
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return nil
	}
	return list
}

// again reads the file anew after an edit, for the next one: the tool's own cases.
func (e *editor) again(tool string) *yaml.Node {
	_, root, err := parse(e.src, Name)
	if err != nil {
		return nil
	}
	e.lines = newLines(e.src)
	return ownCases(root, tool)
}

// setMember gives a member of a mapping its value.
func (e *editor) setMember(n *yaml.Node, name string, v any) error {
	if n.Kind != yaml.MappingNode {
		return e.refuse(n, "the case is an alias")
	}
	key, value := pair(n, name)
	switch {
	case key == nil:
		return e.member(n, "", name, v)
	case value.Kind == yaml.AliasNode:
		return e.refuse(value, name+": is an alias")
	case v == any(text(value.Value)):
		return nil
	}
	return e.replace(key, value, v)
}

// insertElement writes an entry at a place of a list that has some.
func (e *editor) insertElement(n *yaml.Node, at int, v any) error {
	if at == len(n.Content) {
		return e.element(n, v)
	}
	next := n.Content[at]
	json := quoted(n.Content[0]) || e.json()
	if n.Style&yaml.FlowStyle != 0 {
		e.insert(e.lines.offset(next.Line, next.Column), render(v, json)+","+e.gap(n))
		return nil
	}
	indent, ok := e.indent(n)
	if !ok {
		return e.refuse(n, "something stands before the list")
	}
	text := indent + "- " + render(v, false)
	if at == 0 {
		e.insert(e.lines.offset(next.Line, 1), text+e.newline)
		return nil
	}
	end, ok := e.end(n.Content[at-1])
	if !ok {
		return e.refuse(n.Content[at-1], "it cannot be told where the entry ends")
	}
	e.afterLine(end, text)
	return nil
}

// removeElement takes an entry out of a row's cases.
func (e *editor) removeElement(root *yaml.Node, tool string, n *yaml.Node, at int) error {
	start := e.lines.offset(n.Content[at].Line, n.Content[at].Column)
	end, ok := e.end(n.Content[at])
	if !ok || n.Content[at].Kind == yaml.AliasNode && n.Style&yaml.FlowStyle == 0 {
		return e.refuse(n.Content[at], "it cannot be told where the entry ends")
	}
	if n.Style&yaml.FlowStyle != 0 {
		switch {
		case at+1 < len(n.Content):
			next := e.lines.offset(n.Content[at+1].Line, n.Content[at+1].Column)
			return e.cut(start, next, n.Content[at], e.src[end:next])
		case at > 0:
			before, ok := e.end(n.Content[at-1])
			if !ok {
				return e.refuse(n.Content[at-1], "it cannot be told where the entry ends")
			}
			return e.cut(before, end, n.Content[at], e.src[before:start])
		}
		return e.cut(start, end, n.Content[at], nil)
	}
	if indent, ok := e.indent(n); !ok || strings.Trim(string(e.src[e.lines.offset(n.Content[at].Line, 1):start]), " ") != "-" || strings.Contains(indent, "-") {
		return e.refuse(n.Content[at], "something stands before it")
	}
	first := n.Content[at].Line
	last, _ := e.lines.position(end)
	for line := last; line >= first; line-- {
		if text := bytes.TrimSpace(e.src[e.lines.offset(line, 1):e.lines.end(line)]); len(text) > 0 && text[0] == '#' {
			continue
		}
		from, to := e.lines.offset(line, 1), e.lines.offset(line+1, 1)
		if line == len(e.lines.starts) && from > 0 { // the last line, which no line break ends
			from = e.lines.end(line - 1)
		}
		e.src = slices.Concat(e.src[:from], e.src[to:])
	}
	if len(n.Content) > 1 {
		return nil
	}
	_, tools := pair(root, "tools")
	_, row := pair(tools, tool)
	key, _ := pair(row, "cases")
	colon, ok := e.end(key)
	if !ok || colon >= len(e.src) || e.src[colon] != ':' {
		return e.refuse(key, "it cannot be told where the name ends")
	}
	e.insert(colon+1, " []")
	return nil
}

// cut takes the bytes from a place to another out, when the stretch of them that is no entry holds no comment.
func (e *editor) cut(from, to int, n *yaml.Node, between []byte) error {
	if len(bytes.Trim(between, ", \r\n\t")) > 0 {
		return e.refuse(n, "a comment stands beside it")
	}
	e.src = slices.Concat(e.src[:from], e.src[to:])
	return nil
}
