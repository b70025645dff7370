package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// What a table may be at most. A file within them is read in well under a second, however its aliases
// are laid out.
const (
	maxSource = 1 << 20 // bytes of the file
	maxVisits = 1 << 19 // names and entries read, aliases followed
	maxErrors = 100     // mistakes reported
	maxMerges = 16      // merge keys inside merged mappings
	maxCount  = 1 << 30 // any number of calls
)

// reader walks the nodes of one file and collects its mistakes.
type reader struct {
	file   string
	errs   Errors
	visits int
	full   bool // a limit was reached: nothing further is reported
}

// fail notes a mistake at a node, once.
func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	r.failAt(n.Line, n.Column, fmt.Sprintf(format, args...))
}

func (r *reader) failAt(line, column int, msg string) {
	e := &Error{File: r.file, Line: max(line, 1), Column: max(column, 1), Msg: msg}
	if r.full || slices.ContainsFunc(r.errs, func(x *Error) bool { return *x == *e }) {
		return
	}
	if len(r.errs) == maxErrors {
		e.Msg, r.full = fmt.Sprintf("more than %d mistakes, the rest is not listed", maxErrors), true
	}
	r.errs = append(r.errs, e)
}

// visit counts one node and says whether to go on.
func (r *reader) visit(n *yaml.Node) bool {
	if r.visits++; r.visits == maxVisits+1 {
		r.fail(n, "expected at most %d entries, aliases followed, found more", maxVisits)
		r.full = true
	}
	return r.visits <= maxVisits
}

// document parses the file and gives its root node; nil when there is none or it cannot be read.
func (r *reader) document(src []byte) *yaml.Node {
	if len(src) > maxSource {
		r.failAt(1, 1, fmt.Sprintf("expected at most %d bytes, found %d", maxSource, len(src)))
		return nil
	}
	if !r.characters(src) {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		if err = dec.Decode(&more); err == nil {
			r.failAt(more.Line, more.Column, "expected one document, found a second one")
			return nil
		}
		if errors.Is(err, io.EOF) {
			return doc.Content[0]
		}
	}
	r.syntax(src, err)
	return nil
}

// characters reports the first byte that YAML 1.2 (§5.1, §5.2) does not allow, or says that there is none.
func (r *reader) characters(src []byte) bool {
	for i := 0; i < len(src); {
		c, n := utf8.DecodeRune(src[i:])
		reason := ""
		switch {
		case c == utf8.RuneError && n == 1:
			reason = fmt.Sprintf("expected UTF-8, found the byte %#02x", src[i])
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r', c >= 0x7F && c < 0xA0 && c != 0x85:
			reason = fmt.Sprintf("expected text, found the control character U+%04X", c)
		}
		if reason != "" {
			line, column := newLines(src).position(i)
			r.failAt(line, column, reason)
			return false
		}
		i += n
	}
	return true
}

var (
	yamlLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })
	yamlParser = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^did not find expected (<|node|key|'-'|',')`) })
	yamlAnchor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unknown anchor '(.*)' referenced`) })
)

// syntax notes what the YAML library says, which names a line at most: 1-based when the scanner speaks,
// 0-based when the parser does, whose messages are few.
func (r *reader) syntax(src []byte, err error) {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	l := newLines(src)
	line, column := 1, 1
	if m := yamlLine().FindStringSubmatch(msg); m != nil {
		msg = msg[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
		if yamlParser().MatchString(msg) {
			line++
		}
		column = l.firstColumn(line)
	}
	if m := yamlAnchor().FindStringSubmatch(msg); m != nil {
		if at := bytes.Index(src, []byte("*"+m[1])); at >= 0 {
			line, column = l.position(at)
		}
	}
	r.failAt(line, column, "expected YAML, found: "+msg)
}

// follow resolves an alias.
func follow(n *yaml.Node) *yaml.Node {
	for i := 0; n.Kind == yaml.AliasNode && i < maxMerges; i++ {
		n = n.Alias
	}
	return n
}

// null says whether nothing stands there.
func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// mapping gives the names and values of a mapping, merged ones last; null is an empty one. names are those
// that are allowed, nil for any.
func (r *reader) mapping(n *yaml.Node, what string, names []string) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		seen := map[string]*yaml.Node{}
		r.pairs(n, what, 0, seen, func(k, v *yaml.Node) bool {
			if names != nil && !slices.Contains(names, k.Value) {
				r.unknown(k, "name in "+what, names)
				return true
			}
			return yield(k, v)
		})
	}
}

// pairs walks a mapping: its own names, then those of its merge keys that it has not itself.
func (r *reader) pairs(n *yaml.Node, what string, depth int, seen map[string]*yaml.Node, yield func(k, v *yaml.Node) bool) bool {
	n = follow(n)
	if null(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		r.fail(n, "expected names and values as %s, found %s", what, found(n))
		return true
	}
	own := map[string]*yaml.Node{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := follow(n.Content[i]), n.Content[i+1]
		if !r.visit(k) {
			return false
		}
		switch {
		case k.Tag == "!!merge":
			merges = append(merges, v)
			continue
		case k.Kind != yaml.ScalarNode || k.Value == "" || null(k):
			r.fail(k, "expected a name in %s, found %s", what, found(k))
			continue
		case own[k.Value] != nil:
			r.fail(k, "expected each name once in %s, found %q again: it stands in line %d", what, k.Value, own[k.Value].Line)
			continue
		}
		own[k.Value] = k
		if seen[k.Value] != nil {
			continue
		}
		seen[k.Value] = k
		if !yield(k, follow(v)) {
			return false
		}
	}
	for _, m := range merges {
		if !r.merge(m, what, depth, seen, yield) {
			return false
		}
	}
	return true
}

// merge walks what a merge key names: one mapping, or a list of them.
func (r *reader) merge(m *yaml.Node, what string, depth int, seen map[string]*yaml.Node, yield func(k, v *yaml.Node) bool) bool {
	if depth == maxMerges {
		r.fail(m, "expected at most %d merge keys inside each other, found more", maxMerges)
		return true
	}
	list := []*yaml.Node{m}
	if follow(m).Kind == yaml.SequenceNode {
		list = follow(m).Content
	}
	for _, one := range list {
		if !r.pairs(one, what, depth+1, seen, yield) {
			return false
		}
	}
	return true
}

// list gives the entries of a list, which is not empty.
func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "expected a list as %s, found %s", what, found(n))
		return nil
	}
	var out []*yaml.Node
	for _, e := range n.Content {
		if !r.visit(e) {
			break
		}
		out = append(out, follow(e))
	}
	return out
}
