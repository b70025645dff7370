package leftovers

import (
	"net/url"
	"strings"

	"drainboard/keys"
	"drainboard/keys/pyjson"
)

// identity is what names an object in the payload that a call was answered with.
type identity struct {
	name   string // url or id; "" when nothing names it
	isURL  bool
	parent string // of a url: host and path without the last part, which is the kind of object; else ""
}

// Where urls and ids stand, the best first.
var (
	urlNames = []string{"html_url", "web_url", "permalink", "pr_url", "issue_url", "comment_url", "url", "uri", "link", "href", "weblink"}
	idNames  = []string{"id", "number", "iid", "node_id", "key", "sha", "commit", "uid", "uuid", "ts", "message_id"}
)

// identify finds the url, else the id, that a payload names its object by: at the top, then one level below, then the first url in any text.
func identify(args *keys.Args, payload []byte, words []string) identity {
	if args.Parse(payload) != nil {
		return identity{}
	}
	root := args.Root()
	level := []pyjson.Value{root}
	for depth := 0; depth < 3 && len(level) > 0; depth++ {
		var below []pyjson.Value
		for _, v := range level {
			if id, ok := namedURL(v); ok {
				return id
			}
		}
		for _, v := range level {
			if id, ok := namedID(v, words); ok {
				return id
			}
			below = append(below, children(v)...)
		}
		level = below
	}
	if text := firstURL(root, 4); text != "" {
		return ofURL(text)
	}
	return identity{}
}

// children are the objects in a value, a bounded number of them.
func children(v pyjson.Value) []pyjson.Value {
	var out []pyjson.Value
	switch v.Kind() {
	case pyjson.Object:
		for _, m := range v.Members() {
			if m.Kind() == pyjson.Object && len(out) < 16 {
				out = append(out, m)
			}
		}
	case pyjson.Array:
		for e := range v.Elements() {
			if e.Kind() == pyjson.Object && len(out) < 4 {
				out = append(out, e)
			}
		}
	}
	return out
}

func namedURL(v pyjson.Value) (identity, bool) {
	if v.Kind() != pyjson.Object {
		return identity{}, false
	}
	for _, n := range urlNames {
		if u := v.Get(n); u.Kind() == pyjson.String {
			if text := u.Text(); isURL(text) {
				return ofURL(text), true
			}
		}
	}
	for name, u := range v.Members() {
		if u.Kind() == pyjson.String && (strings.HasSuffix(name.Text(), "_url") || strings.HasSuffix(name.Text(), "Url")) && isURL(u.Text()) {
			return ofURL(u.Text()), true
		}
	}
	return identity{}, false
}

// namedID is the member of a well-known name, of the tool's own words (pr, of open_pr), or one that ends in id.
func namedID(v pyjson.Value, words []string) (identity, bool) {
	if v.Kind() != pyjson.Object {
		return identity{}, false
	}
	scalar := func(name string) (identity, bool) {
		if m := v.Get(name); m.Kind() == pyjson.String && m.Text() != "" || m.Kind() == pyjson.Int {
			return identity{name: name + " " + textOf(m)}, true
		}
		return identity{}, false
	}
	for _, n := range idNames {
		if id, ok := scalar(n); ok {
			return id, true
		}
	}
	for name := range v.Members() {
		n := name.Text()
		if has(words, strings.ToLower(n)) || strings.HasSuffix(n, "_id") || strings.HasSuffix(n, "Id") || strings.HasSuffix(n, "_number") {
			if id, ok := scalar(n); ok {
				return id, true
			}
		}
	}
	return identity{}, false
}

func isURL(text string) bool {
	return (strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")) && !strings.ContainsAny(text, " \n\t")
}

// firstURL is the first url in the texts of a value, down to a depth.
func firstURL(v pyjson.Value, depth int) string {
	switch {
	case v.Kind() == pyjson.String:
		return urlIn(v.Text())
	case depth == 0:
		return ""
	case v.Kind() == pyjson.Object:
		for _, m := range v.Members() {
			if u := firstURL(m, depth-1); u != "" {
				return u
			}
		}
	case v.Kind() == pyjson.Array:
		for e := range v.Elements() {
			if u := firstURL(e, depth-1); u != "" {
				return u
			}
		}
	}
	return ""
}

func urlIn(text string) string {
	i := strings.Index(text, "https://")
	if j := strings.Index(text, "http://"); j >= 0 && (i < 0 || j < i) {
		i = j
	}
	if i < 0 {
		return ""
	}
	text = text[i:]
	if end := strings.IndexAny(text, " \t\r\n\"'<>`\\|"); end >= 0 {
		text = text[:end]
	}
	return strings.TrimRight(text, ".,;:)]}!")
}

// ofURL is a url without what does not name the object, and the kind of object that it stands for.
func ofURL(text string) identity {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return identity{name: text, isURL: true}
	}
	u.User = nil
	path := strings.TrimRight(u.Path, "/")
	parent := ""
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		parent = strings.ToLower(u.Host) + path[:i]
	}
	return identity{name: u.String(), isURL: true, parent: parent}
}
