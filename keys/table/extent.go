package table

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// start is the byte offset of a node's value, behind its anchor and tag.
func (e *editor) start(n *yaml.Node) int {
	at := e.lines.offset(n.Line, n.Column)
	for at < len(e.src) && (e.src[at] == '&' || e.src[at] == '!') {
		for at < len(e.src) && !space(e.src[at]) {
			at++
		}
		for at < len(e.src) && space(e.src[at]) {
			at++
		}
	}
	return at
}

// end is the byte offset behind a node; false when it cannot be told.
func (e *editor) end(n *yaml.Node) (int, bool) {
	at := e.start(n)
	switch n.Kind {
	case yaml.AliasNode:
		return at + 1 + len(n.Value), bytes.HasPrefix(e.src[at:], []byte("*"+n.Value))
	case yaml.ScalarNode:
		return e.scalarEnd(n, at)
	}
	if n.Style&yaml.FlowStyle != 0 {
		f, ok := e.flow(at)
		return f.end, ok
	}
	if len(n.Content) == 0 {
		return 0, false
	}
	last := n.Content[len(n.Content)-1]
	if n.Kind == yaml.MappingNode && null(last) && last.Value == "" {
		return e.end(n.Content[len(n.Content)-2])
	}
	return e.end(last)
}

func (e *editor) scalarEnd(n *yaml.Node, at int) (int, bool) {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0, n.Style&yaml.SingleQuotedStyle != 0:
		if at < len(e.src) && (e.src[at] == '"' || e.src[at] == '\'') {
			return quoteEnd(e.src, at)
		}
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0, n.Value == "":
	case bytes.HasPrefix(e.src[at:], []byte(n.Value)) && !strings.ContainsAny(n.Value, "\r\n"):
		return at + len(n.Value), true
	}
	return 0, false
}

// quoteEnd is the offset behind the quoted scalar that begins at at.
func quoteEnd(src []byte, at int) (int, bool) {
	for i := at + 1; i < len(src); i++ {
		switch {
		case src[at] == '"' && src[i] == '\\':
			i++
		case src[i] != src[at]:
		case src[at] == '\'' && i+1 < len(src) && src[i+1] == '\'':
			i++
		default:
			return i + 1, true
		}
	}
	return 0, false
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// extent is where a flow collection stands.
type extent struct {
	open, end int  // of the opening sign; behind the closing one
	last      int  // behind the last thing in it that is neither white space nor comment
	comma     bool // that thing is a comma
}

// flow finds the end of the flow collection that begins at open. It reads YAML's flow context: quotes
// count where a scalar may begin, a comment begins behind white space.
func (e *editor) flow(open int) (extent, bool) {
	f := extent{open: open}
	depth, token := 0, true // token: a scalar may begin here
	for i := open; i < len(e.src); {
		c, comma := e.src[i], false
		next := i + 1
		switch {
		case space(c):
			i++
			continue
		case c == '#' && i > open && space(e.src[i-1]):
			for i < len(e.src) && e.src[i] != '\n' && e.src[i] != '\r' {
				i++
			}
			continue
		case c == '{' || c == '[':
			depth, token = depth+1, true
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				f.end = next
				return f, true
			}
			token = false
		case c == ',':
			token, comma = true, true
		case c == ':':
			token = token || i+1 < len(e.src) && (space(e.src[i+1]) || strings.IndexByte(",[]{}", e.src[i+1]) >= 0) || e.src[i-1] == '"' || e.src[i-1] == '\''
		case token && (c == '"' || c == '\''):
			end, ok := quoteEnd(e.src, i)
			if !ok {
				return f, false
			}
			next, token = end, false
		case token && (c == '&' || c == '!'):
			for next < len(e.src) && !space(e.src[next]) {
				next++
			}
		default:
			token = false
		}
		f.last, f.comma = next, comma
		i = next
	}
	return f, false
}
