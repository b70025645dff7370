package table

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"drainboard/keys"

	"go.yaml.in/yaml/v3"
)

func (r *reader) text(n *yaml.Node, what string, empty bool) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		r.fail(n, "expected %s, found %s", what, found(n))
	case n.Tag != "!!str":
		r.fail(n, "expected %s (text, so quote it), found %s", what, found(n))
	case n.Value == "" && !empty:
		r.fail(n, "expected %s, found an empty text", what)
	default:
		return n.Value
	}
	return ""
}

func (r *reader) word(n *yaml.Node, what string, words ...string) string {
	if n.Kind == yaml.ScalarNode && slices.Contains(words, n.Value) {
		return n.Value
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		r.unknown(n, what, words)
	} else {
		r.fail(n, "expected %s as %s, found %s", alternatives(words), what, found(n))
	}
	return ""
}

// unknown notes a word that is none of those known, and the one that was probably meant.
func (r *reader) unknown(n *yaml.Node, what string, known []string) {
	hint := ""
	if c := closest(n.Value, known); c != "" {
		hint = fmt.Sprintf("; did you mean %q?", c)
	}
	r.fail(n, "expected %s as %s, found %q%s", alternatives(known), what, n.Value, hint)
}

func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func (r *reader) integer(n *yaml.Node, what string, least, most int) int {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!int" {
		if i, err := strconv.Atoi(n.Value); err == nil && i >= least && i <= most {
			return i
		}
	}
	if most == maxCount {
		r.fail(n, "expected a whole number of %d or more as %s, found %s", least, what, found(n))
	} else {
		r.fail(n, "expected a whole number from %d to %d as %s, found %s", least, most, what, found(n))
	}
	return 0
}

func (r *reader) boolean(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		r.fail(n, "expected true or false, found %s", found(n))
	}
	return n.Value == "true"
}

func (r *reader) duration(n *yaml.Node) time.Duration {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if d, err := time.ParseDuration(n.Value); err == nil && d > 0 {
			return d
		}
	}
	r.fail(n, "expected a duration above zero such as 30s or 10m, found %s", found(n))
	return 0
}

func (r *reader) pointer(n *yaml.Node) (keys.Pointer, bool) {
	var none keys.Pointer
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		r.fail(n, "expected a JSON pointer such as /repo/name, found %s", found(n))
		return none, false
	}
	p, err := keys.ParsePointer(n.Value)
	if err != nil {
		r.fail(n, "expected a JSON pointer such as /repo/name, found %q: %v", n.Value, err)
		return none, false
	}
	return p, true
}

// pointers reads a list of pointers, none of which is the whole value.
func (r *reader) pointers(n *yaml.Node, what string) []keys.Pointer {
	var out []keys.Pointer
	for _, e := range r.list(n, what) {
		p, ok := r.pointer(e)
		if ok && e.Value == "" {
			r.fail(e, "expected a pointer to a part of the value in %s, found the empty one, which is all of it", what)
		}
		out = append(out, p)
	}
	return out
}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

func (r *reader) variable(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || !variableName().MatchString(n.Value) {
		r.fail(n, "expected the name of an environment variable, found %s", found(n))
	}
	return n.Value
}

// found says in a word or two what stands at a node.
func found(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "names and values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		if null(n) {
			return "nothing"
		}
		text := n.Value
		if len(text) > 60 {
			text = strings.ToValidUTF8(text[:60], "") + "…"
		}
		if n.Tag == "!!str" {
			return strconv.Quote(text)
		}
		return text
	default:
		return "an alias that leads nowhere"
	}
}
