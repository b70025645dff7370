package table

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"drainboard/keys"

	"go.yaml.in/yaml/v3"
)

// SetClass gives a tool's row a class and adds the row when there is none: one that repeats what the glob
// or merge key that covers the tool so far says, so that nothing else changes. Every other byte stays. src
// must be a valid table (else the error is that of Parse); a row that is written in a way that cannot be
// edited, such as an alias, is an ErrEdit. The result is checked: it is a valid table which differs from
// src in that one class.
func SetClass(src []byte, tool string, class Class) ([]byte, error) {
	if class == Unclassified {
		return nil, fmt.Errorf("expected pure, keyed or compensate as the class of %q, found none", tool)
	}
	return change(src, tool, "class", func(row members) bool {
		if row["class"] == text(class.String()) {
			return false
		}
		row["class"] = text(class.String())
		return true
	})
}

// AddIgnore adds a pointer at the end of a tool's ignore: list, as SetClass sets a class. When it is
// there already, src itself is returned.
func AddIgnore(src []byte, tool string, p keys.Pointer) ([]byte, error) {
	if p.String() == "" {
		return nil, fmt.Errorf("expected a pointer to a part of the arguments of %q, found the empty one, which is all of them", tool)
	}
	return change(src, tool, "ignore", func(row members) bool {
		list, _ := row["ignore"].([]any)
		for _, have := range list {
			if have == text(p.String()) {
				return false
			}
		}
		row["ignore"] = append(list, text(p.String()))
		return true
	})
}

// change makes want of a row: it writes the value that the row then has under name, and checks that the
// file then means what it meant, but for that. want changes the row and says whether it did.
func change(src []byte, tool, name string, want func(row members) bool) ([]byte, error) {
	return changeBy(src, tool, want, func(e *editor, root *yaml.Node, row members) error { return e.put(root, tool, name, row) })
}

// changeBy is change with its own way to write the row.
func changeBy(src []byte, tool string, want func(row members) bool, write func(e *editor, root *yaml.Node, row members) error) ([]byte, error) {
	t, root, err := parse(src, Name)
	if err != nil {
		return nil, fmt.Errorf("the table must be valid before it is edited: %w", err)
	}
	after := meaning(root)
	tools, ok := after["tools"].(members)
	if !ok {
		tools = members{}
		after["tools"] = tools
	}
	row, ok := tools[tool].(members)
	if cover := t.Row(tool).own.Name; !ok && cover != "" {
		row, _ = clone(tools[cover]).(members)
	}
	if row == nil {
		row = members{}
	}
	if tools[tool] = row; !want(row) {
		return src, nil
	}
	e := &editor{src: src, lines: newLines(src), newline: "\n"}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		e.newline = "\r\n"
	}
	if err := write(e, root, row); err != nil {
		return nil, err
	}
	_, root, err = parse(e.src, Name)
	if err != nil || !reflect.DeepEqual(after, meaning(root)) {
		return nil, fmt.Errorf("%w: the row of %q", ErrEdit, tool)
	}
	return e.src, nil
}

// put writes row[name] into the row of a tool, or the whole row when there is none.
func (e *editor) put(root *yaml.Node, tool, name string, row members) error {
	if root == nil || null(root) {
		e.insert(len(e.src), e.onNewLine("tools:"+e.newline+"  "+entry(tool, row, false)))
		return nil
	}
	key, tools := pair(root, "tools")
	switch {
	case key == nil:
		return e.member(root, "", "tools", members{tool: row})
	case tools.Kind == yaml.AliasNode:
		return e.refuse(tools, "tools: is an alias")
	case null(tools):
		return e.empty(root, key, tools, members{tool: row})
	}
	rowKey, v := pair(tools, tool)
	switch {
	case rowKey == nil:
		return e.member(tools, "", tool, row)
	case v.Kind == yaml.AliasNode:
		return e.refuse(v, "the row is an alias")
	case null(v):
		return e.empty(tools, rowKey, v, row)
	}
	key, v = pair(v, name)
	_, row0 := pair(tools, tool)
	switch list, isList := row[name].([]any); {
	case key == nil && name == "class":
		return e.first(row0, name, row[name])
	case key == nil:
		return e.member(row0, "class", name, row[name])
	case v.Kind == yaml.AliasNode:
		return e.refuse(v, name+": is an alias")
	case !isList:
		return e.replace(key, v, row[name])
	default:
		return e.element(v, list[len(list)-1])
	}
}

// refuse says which line stands in the way of an edit.
func (e *editor) refuse(n *yaml.Node, why string) error {
	return fmt.Errorf("%w: line %d: %s", ErrEdit, n.Line, why)
}

// pair finds a name that a mapping has itself, and its value.
func pair(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Tag != "!!merge" && k.Value == name {
			return k, n.Content[i+1]
		}
	}
	return nil, nil
}

// A table's meaning: what its file says, whatever the style, comments, aliases and merge keys. Values are
// members, []any, scalar, or nil for null.
type (
	members map[string]any
	scalar  struct{ tag, value string }
)

func text(s string) scalar { return scalar{"!!str", s} }

// meaning reads the meaning of a file that parse accepted.
func meaning(root *yaml.Node) members {
	m := members{}
	if root != nil {
		m, _ = (&reader{}).meaning(root).(members)
	}
	if m == nil {
		return members{}
	}
	return m
}

func (r *reader) meaning(n *yaml.Node) any {
	n = follow(n)
	switch {
	case null(n):
		return nil
	case n.Kind == yaml.MappingNode:
		m := members{}
		for k, v := range r.mapping(n, "", nil) {
			m[k.Value] = r.meaning(v)
		}
		return m
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		for _, v := range r.list(n, "") {
			list = append(list, r.meaning(v))
		}
		return list
	default:
		return scalar{n.Tag, n.Value}
	}
}

// clone copies a meaning.
func clone(v any) any {
	switch v := v.(type) {
	case members:
		m := members{}
		for k, x := range v {
			m[k] = clone(x)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = clone(x)
		}
		return list
	default:
		return v
	}
}

// onNewLine is text for the end of the file: on a line of its own, and ending one.
func (e *editor) onNewLine(text string) string {
	if n := len(e.src); n > 0 && e.src[n-1] != '\n' && e.src[n-1] != '\r' && n != e.lines.starts[0] {
		text = e.newline + text
	}
	return strings.TrimSuffix(text, e.newline) + e.newline
}
