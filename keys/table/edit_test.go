package table

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"drainboard/keys"
)

func pointer(t testing.TB, s string) keys.Pointer {
	t.Helper()
	p, err := keys.ParsePointer(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSetClass(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"flow row", "tools:\n  a: {class: pure} # x\n", "tools:\n  a: {class: keyed} # x\n"},
		{"flow row without a class", "tools:\n  a: {timeout: 3s} # x\n", "tools:\n  a: {class: keyed, timeout: 3s} # x\n"},
		{"empty flow row", "tools:\n  a: {} # x\n", "tools:\n  a: {class: keyed} # x\n"},
		{"block row", "tools:\n  a:\n    # x\n    class:   'pure'  # y\n\n    timeout: 3s\n", "tools:\n  a:\n    # x\n    class:   keyed  # y\n\n    timeout: 3s\n"},
		{"block row without a class", "tools:\n  a:\n    # x\n    timeout: 3s\n", "tools:\n  a:\n    # x\n    class: keyed\n    timeout: 3s\n"},
		{"empty row", "tools:\n  a: # 3 calls\n    # class: pure\n  b:\n", "tools:\n  a: # 3 calls\n    class: keyed\n    # class: pure\n  b:\n"},
		{"empty row at the end", "tools:\n  a:", "tools:\n  a:\n    class: keyed"},
		{"null row", "tools:\n  a: ~ # x\n", "tools:\n  a: {class: keyed} # x\n"},
		{"new row", "tools:\n  b: {class: pure} # x\n\n# end\nbudget: {}\n", "tools:\n  b: {class: pure} # x\n  a: {class: keyed}\n\n# end\nbudget: {}\n"},
		{"new row behind a block row", "tools:\n    b:\n        ignore:\n        - /x # y\n# end\n", "tools:\n    b:\n        ignore:\n        - /x # y\n    a: {class: keyed}\n# end\n"},
		{"new row behind an empty row with notes", "tools:\n  b: # x\n    # class: pure\n  # y\n", "tools:\n  b: # x\n    # class: pure\n  a: {class: keyed}\n  # y\n"},
		{"new row behind a literal", "tools:\n  b:\n    compensate:\n      run:\n      - |\n        x\n", "tools:\n  a: {class: keyed}\n  b:\n    compensate:\n      run:\n      - |\n        x\n"},
		{"new row behind a long flow row", "tools:\n  b: {class: pure,\n    ignore: [/x,\n      /y]} # z\n", "tools:\n  b: {class: pure,\n    ignore: [/x,\n      /y]} # z\n  a: {class: keyed}\n"},
		{"flow tools", "tools: {b: {class: pure}}\n", "tools: {b: {class: pure}, a: {class: keyed}}\n"},
		{"empty flow tools", "tools: {} # x\n", "tools: {a: {class: keyed}} # x\n"},
		{"empty tools", "recipe: jcs\ntools: # x\n# y\n", "recipe: jcs\ntools: # x\n  a: {class: keyed}\n# y\n"},
		{"no tools", "recipe: jcs # x\n\n# y", "recipe: jcs # x\ntools: {a: {class: keyed}}\n\n# y"},
		{"only comments", "# x\n\n# y\n", "# x\n\n# y\ntools:\n  a: {class: keyed}\n"},
		{"empty file", "", "tools:\n  a: {class: keyed}\n"},
		{"flow root", "{recipe: jcs}\n", "{recipe: jcs, tools: {a: {class: keyed}}}\n"},
		{"empty flow root", "{}\n", "{tools: {a: {class: keyed}}}\n"},
		{"JSON", "{\n \"tools\": {\n  \"b\": {\n   \"class\": \"pure\"\n  }\n }\n}\n", "{\n \"tools\": {\n  \"b\": {\n   \"class\": \"pure\"\n  },\n  \"a\": {\"class\": \"keyed\"}\n }\n}\n"},
		{"JSON row", "{\n \"tools\": {\n  \"a\": {\n   \"timeout\": \"3s\"\n  }\n }\n}\n", "{\n \"tools\": {\n  \"a\": {\n   \"class\": \"keyed\",\n   \"timeout\": \"3s\"\n  }\n }\n}\n"},
		{"JSON class", `{"tools":{"a":{"class":"pure"}}}`, `{"tools":{"a":{"class":"keyed"}}}`},
		{"empty JSON row", `{"tools": {"a": {}}}`, `{"tools": {"a": {"class": "keyed"}}}`},
		{"null in flow", "tools: {a, b: {class: pure}}\n", "tools: {a: {class: keyed}, b: {class: pure}}\n"},
		{"empty in flow", "tools: {a: , b: {class: pure}}\n", "tools: {a: {class: keyed} , b: {class: pure}}\n"},
		{"CRLF", "# x\r\ntools:\r\n  b: {class: pure}\r\n", "# x\r\ntools:\r\n  b: {class: pure}\r\n  a: {class: keyed}\r\n"},
		{"byte order mark", "\uFEFFtools:\n  a: {class: pure}\n", "\uFEFFtools:\n  a: {class: keyed}\n"},
		{"only a byte order mark", "\uFEFF", "\uFEFFtools:\n  a: {class: keyed}\n"},
		{"wide characters", "tools: {ключ: {class: pure}, 𝔘: {}, a: {class: pure}}\n", "tools: {ключ: {class: pure}, 𝔘: {}, a: {class: keyed}}\n"},
		{"own class over a merged one", "tools:\n  b: &b {class: pure}\n  a: {<<: *b, timeout: 2s}\n", "tools:\n  b: &b {class: pure}\n  a: {class: keyed, <<: *b, timeout: 2s}\n"},
		{"anchored row that nobody uses", "tools:\n  a: &a {class: pure}\n", "tools:\n  a: &a {class: keyed}\n"},
		{"class with a tag", "tools:\n  a: {class: !!str pure}\n", "tools:\n  a: {class: keyed}\n"},
		{"quotes and comments in flow", "tools: {b: {compensate: {run: [it's, \"}\\\"]\", '}''', x#y, # }\n  z]}}}\n", "tools: {b: {compensate: {run: [it's, \"}\\\"]\", '}''', x#y, # }\n  z]}}, a: {class: keyed}}\n"},
		{"document end", "tools:\n  b: {}\n...\n", "tools:\n  b: {}\n  a: {class: keyed}\n...\n"},
		{"covered by a glob", "tools:\n  a*: {class: pure, timeout: 3s, ignore: [/x]}\n", "tools:\n  a*: {class: pure, timeout: 3s, ignore: [/x]}\n  a: {class: keyed, ignore: [/x], timeout: 3s}\n"},
		{"covered by a merged row", "tools:\n  <<: {a: {class: pure, polling: true}}\n", "tools:\n  <<: {a: {class: pure, polling: true}}\n  a: {class: keyed, polling: true}\n"},
		{"as it is", "tools:\n  a: {class: keyed}\n", "tools:\n  a: {class: keyed}\n"},
	} {
		got, err := SetClass([]byte(c.src), "a", Keyed)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %q\nwant %q", c.name, err, got, c.want)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	for name, src := range map[string]string{
		"alias row":       "tools:\n  b: &b {class: pure}\n  a: *b\n",
		"anchored row":    "tools:\n  a: &a {class: pure}\n  b: *a\n",
		"alias class":     "tools:\n  b: {class: &c pure}\n  a: {class: *c}\n",
		"explicit key":    "tools:\n  ? a\n",
		"alias tools":     "formats: {}\nbudget: {runs: {}}\ntools:\n  b: &r {}\n  a: &x {<<: *r}\n  c: *x\n",
		"invalid table":   "tools:\n  a: {class: pur}\n",
		"two-line scalar": "tools:\n  a: {class: !!str\n    pure, x: y}\n",
	} {
		got, err := SetClass([]byte(src), "a", Keyed)
		if err == nil {
			t.Errorf("%s: no error, got %q", name, got)
		}
		var list Errors
		if !errors.Is(err, ErrEdit) && !errors.As(err, &list) {
			t.Errorf("%s: %v is neither ErrEdit nor the table's mistakes", name, err)
		}
	}
	if _, err := SetClass(nil, "a", Unclassified); err == nil {
		t.Error("a class of unclassified was taken")
	}
	if _, err := SetClass(nil, "*", Pure); err == nil {
		t.Error("a bare glob was made a row")
	}
	if _, err := SetClass(nil, "\xff", Pure); err == nil {
		t.Error("a name that is no UTF-8 was made a row")
	}
	if _, err := AddIgnore(nil, "a", keys.Pointer{}); err == nil {
		t.Error("all arguments may be ignored")
	}
}

func TestAddIgnore(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"flow list", "tools:\n  a: {ignore: [/x]} # y\n", "tools:\n  a: {ignore: [/x, /at]} # y\n"},
		{"flow list with a last comma", "tools:\n  a: {ignore: [/x,]}\n", "tools:\n  a: {ignore: [/x, /at]}\n"},
		{"flow list over lines", "tools:\n  a:\n    ignore: [\n      /x, # y\n    ]\n", "tools:\n  a:\n    ignore: [\n      /x,\n      /at # y\n    ]\n"},
		{"block list", "tools:\n  a:\n    ignore:\n      - /x # y\n      # z\n    class: pure\n", "tools:\n  a:\n    ignore:\n      - /x # y\n      - /at\n      # z\n    class: pure\n"},
		{"block list without indentation", "tools:\n  a:\n    ignore:\n    - /x", "tools:\n  a:\n    ignore:\n    - /x\n    - /at"},
		{"none in flow", "tools:\n  a: {class: pure} # y\n", "tools:\n  a: {class: pure, ignore: [/at]} # y\n"},
		{"none in block", "tools:\n  a:\n    class: pure # y\n    timeout: 3s\n", "tools:\n  a:\n    class: pure # y\n    ignore: [/at]\n    timeout: 3s\n"},
		{"none in block without a class", "tools:\n  a:\n    # y\n    timeout: 3s\n", "tools:\n  a:\n    # y\n    ignore: [/at]\n    timeout: 3s\n"},
		{"empty row", "tools:\n  a:\n", "tools:\n  a:\n    ignore: [/at]\n"},
		{"no row", "tools:\n  b: {}\n", "tools:\n  b: {}\n  a: {ignore: [/at]}\n"},
		{"there already", "tools:\n  a: {ignore: ['/at']}\n", "tools:\n  a: {ignore: ['/at']}\n"},
		{"JSON", "{\"tools\": {\"a\": {\"ignore\": [\"/x\"]}}}", "{\"tools\": {\"a\": {\"ignore\": [\"/x\", \"/at\"]}}}"},
		{"JSON without", "{\"tools\": {\"a\": {\"class\": \"pure\"}}}", "{\"tools\": {\"a\": {\"class\": \"pure\", \"ignore\": [\"/at\"]}}}"},
	} {
		got, err := AddIgnore([]byte(c.src), "a", pointer(t, "/at"))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %q\nwant %q", c.name, err, got, c.want)
		}
	}
	for _, p := range []string{"/a b", "/#", "/a, b", "/\u202e", "/]", "/~0~1", "/0", `/"\`, "/é", "/\U0001F600", "/null", "/:", "/a: b"} {
		got, err := AddIgnore(nil, "a", pointer(t, p))
		if err != nil {
			t.Errorf("%q: %v", p, err)
			continue
		}
		if have := texts(mustParse(t, string(got)).Lookup("a", nil).Ignore); have != p {
			t.Errorf("%q is written as %q", p, got)
		}
	}
}

func TestAddCase(t *testing.T) {
	c := Case{At: pointer(t, "/command"), Glob: "git push*", Class: Keyed, Effect: Write}
	for _, x := range []struct{ name, src, want string }{
		{"no row", "tools: {}", `tools: {Bash: {cases: [{at: /command, glob: "git push*", class: keyed, effect: write}]}}`},
		{
			"block list", "tools:\n  Bash:\n    cases:\n      - {at: /command, glob: 'x}', class: pure} # y\n    timeout: 3s\n",
			"tools:\n  Bash:\n    cases:\n      - {at: /command, glob: 'x}', class: pure} # y\n      - {at: /command, glob: \"git push*\", class: keyed, effect: write}\n    timeout: 3s\n",
		},
		{
			"block list of block cases", "tools:\n  Bash:\n    cases:\n      - at: /command\n        glob: x\n",
			"tools:\n  Bash:\n    cases:\n      - at: /command\n        glob: x\n      - {at: /command, glob: \"git push*\", class: keyed, effect: write}\n",
		},
		{
			"flow list", "tools:\n  Bash: {cases: [{at: /command, glob: x}]}\n",
			"tools:\n  Bash: {cases: [{at: /command, glob: x}, {at: /command, glob: \"git push*\", class: keyed, effect: write}]}\n",
		},
		{
			"there already", "tools:\n  Bash: {cases: [{glob: git push*, at: /command, effect: write, class: keyed}]}\n",
			"tools:\n  Bash: {cases: [{glob: git push*, at: /command, effect: write, class: keyed}]}\n",
		},
	} {
		got, err := AddCase([]byte(x.src), "Bash", c)
		if err != nil || string(got) != x.want {
			t.Errorf("%s: %v\n got %q\nwant %q", x.name, err, got, x.want)
		}
	}
	clash := "tools:\n  Bash: {cases: [{at: /command, glob: git push*, class: pure}]}\n"
	if got, err := AddCase([]byte(clash), "Bash", c); !errors.Is(err, ErrEdit) {
		t.Errorf("a case that can never fit was added: %q, %v", got, err)
	}
	got, err := AddCase([]byte("tools:\n  Bash: {class: pure}\n"), "Bash", Case{At: pointer(t, ""), Glob: "", Polling: true})
	if want := "tools:\n  Bash: {class: pure, cases: [{at: \"\", glob: \"\", polling: true}]}\n"; err != nil || string(got) != want {
		t.Errorf("polling case: %v\n got %q\nwant %q", err, got, want)
	}
}

// composer writes tables as people do: any style, comments everywhere, blank lines.
type composer struct {
	*rand.Rand
	bytes.Buffer
	nl   string
	note int
}

func (c *composer) one(of ...string) string { return of[c.IntN(len(of))] }

func (c *composer) comment() string {
	if c.IntN(3) > 0 {
		return ""
	}
	c.note++
	return fmt.Sprintf(" # note %d: it's {a} [b], \"c", c.note)
}

func (c *composer) line(format string, args ...any) {
	for c.IntN(6) == 0 {
		c.note++
		c.WriteString(c.one("", "# full "+fmt.Sprint(c.note), "  # deep "+fmt.Sprint(c.note), "   ") + c.nl)
	}
	fmt.Fprintf(&c.Buffer, format+c.comment()+c.nl, args...)
}

func (c *composer) flowRow() string {
	parts := []string{}
	for _, p := range []string{
		"class: " + c.one("pure", "keyed", "'compensate'", `"pure"`), "effect: write", "timeout: 30s", "polling: true",
		"ignore: [" + c.one("", "/x", "/x, '/y z'", "/x,/y,") + "]", "compensate: {run: [" + c.one("x", "'it''s', \"}\"", "a#b, c") + "]}",
		"cases: [{at: /x, glob: \"a*\", class: pure}]",
	} {
		if c.IntN(3) == 0 {
			parts = append(parts, p)
		}
	}
	c.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return c.one("{", "{ ") + strings.Join(parts, c.one(", ", " , ")) + "}"
}

func (c *composer) row(indent, name string) {
	switch c.IntN(4) {
	case 0:
		c.line("%s%s: %s", indent, name, c.flowRow())
	case 1:
		c.line("%s%s:", indent, name)
		if c.IntN(2) == 0 {
			fmt.Fprintf(&c.Buffer, "%s  # class: pure%s", indent, c.nl)
		}
	default:
		c.line("%s%s:", indent, name)
		in := indent + c.one(" ", "  ", "    ")
		parts := []func(){
			func() { c.line("%sclass: %s", in, c.one("pure", "keyed", `"compensate"`)) },
			func() { c.line("%stimeout: 3s", in) },
			func() { c.line("%signore: [%s]", in, c.one("/x", "'/x', /y", "")) },
			func() {
				c.line("%signore_result:", in)
				c.line("%s%s- /p", in, c.one("", "  "))
			},
			func() {
				c.line("%scases:", in)
				dash := in + c.one("", "  ")
				c.line("%s- {at: /x, glob: 'a*', class: pure}", dash)
				if c.IntN(2) == 0 {
					c.line("%s- at: /x", dash)
					c.line("%s  glob: b", dash)
					c.line("%s  class: keyed", dash)
				}
			},
		}
		c.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for _, p := range parts[:1+c.IntN(len(parts)-1)] {
			p()
		}
	}
}

func (c *composer) table() string {
	c.Reset()
	c.nl, c.note = c.one("\n", "\n", "\r\n"), 0
	if c.IntN(4) == 0 {
		c.WriteString("\uFEFF")
	}
	sections := []func(){
		func() { c.line("recipe: %s", c.one("intent", "jcs", "'dedup16'")) },
		func() { c.line("budget: {calls_per_run: 7, runs: {\"n-*\": 9}}") },
		func() { c.line("defaults:"); c.line("  timeout: 5s") },
		func() {
			switch c.IntN(8) {
			case 0:
			case 1:
				c.line("tools: {}")
			case 2:
				c.line("tools:")
			case 3:
				c.line("tools: {a: %s, \"b c\": %s}", c.flowRow(), c.flowRow())
			default:
				c.line("tools:")
				indent := c.one("  ", "    ", " ")
				for _, name := range []string{"a", `"b c"`, "mcp__x__get_*", "日本", "e"} {
					if c.IntN(4) > 0 {
						c.row(indent, name)
					}
				}
			}
		},
	}
	c.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
	for _, s := range sections {
		s()
	}
	if s := c.String(); c.IntN(4) > 0 {
		return s
	}
	return strings.TrimSuffix(c.String(), c.nl)
}

// One edit of a table that people wrote: it is a table again, the row says what was asked for, every other
// row and setting says what it said, and no byte is gone but those of a class that was replaced.
func TestEditsKeepTheRest(t *testing.T) {
	c := &composer{Rand: rand.New(rand.NewPCG(7, 11))}
	tools := []string{"a", "b c", "mcp__x__get_issue", "日本", "e", "new_tool", "null", "{x}"}
	for i := range 4000 {
		src := c.table()
		before, err := Parse([]byte(src), "t")
		if err != nil {
			t.Fatalf("the test's own table is wrong: %v\n%s", err, src)
		}
		tool := tools[c.IntN(len(tools))]
		was := before.Lookup(tool, nil)
		p := pointer(t, c.one("/x", "/new", "/a b"))
		var got []byte
		edit := c.IntN(3)
		gone := 0
		switch edit {
		case 0:
			got, err = SetClass([]byte(src), tool, Keyed)
			gone = len(`"compensate"`)
		case 1:
			got, err = AddIgnore([]byte(src), tool, p)
		default:
			got, err = AddCase([]byte(src), tool, Case{At: p, Glob: "g" + fmt.Sprint(i), Class: Pure})
		}
		if err != nil {
			t.Fatalf("edit %d of %q: %v\n%s", edit, tool, err, src)
		}
		if kept := common(src, string(got)); kept < len(src)-gone {
			t.Fatalf("edit %d of %q: %d of %d bytes were kept\n%s\n---\n%s", edit, tool, kept, len(src), src, got)
		}
		after := mustParse(t, string(got))
		is := after.Lookup(tool, nil)
		want := *was
		want.Name, want.Glob, want.ID, want.Line = is.Name, false, is.ID, is.Line
		wantCases := len(before.Row(tool).cases)
		switch edit {
		case 0:
			want.Class = Keyed
		case 1:
			if !strings.Contains(" "+texts(was.Ignore)+" ", " "+p.String()+" ") {
				want.Ignore = append(append([]keys.Pointer{}, was.Ignore...), p)
			}
		default:
			wantCases++
		}
		if show(is) != show(&want) || len(after.Row(tool).cases) != wantCases {
			t.Fatalf("edit %d of %q:\n got %s\nwant %s\n%s\n---\n%s", edit, tool, show(is), show(&want), src, got)
		}
		for _, other := range tools {
			if b, a := before.Lookup(other, nil), after.Lookup(other, nil); other != tool && show(a) != show(b) {
				t.Fatalf("edit %d of %q changed %q:\n got %s\nwant %s\n%s\n---\n%s", edit, tool, other, show(a), show(b), src, got)
			}
		}
		if after.Recipe != before.Recipe || after.Ceiling("n-1") != before.Ceiling("n-1") || after.Defaults != before.Defaults {
			t.Fatalf("edit %d of %q changed a setting\n%s\n---\n%s", edit, tool, src, got)
		}
	}
}

// show is a rule without its number and line.
func show(r *Rule) string {
	return fmt.Sprint(r.Class, r.Effect, r.Polling, texts(r.NaturalKey), "|", texts(r.Ignore), "|", texts(r.IgnoreResult), r.Timeout, r.Forever, r.InDoubtExit, r.Compensate)
}

// common counts the bytes of a that begin or end b.
func common(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	j := 0
	for j < len(a)-i && j < len(b)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	return i + j
}

func FuzzEdit(f *testing.F) {
	c := &composer{Rand: rand.New(rand.NewPCG(1, 2))}
	for range 50 {
		f.Add([]byte(c.table()), "a", "/x")
	}
	f.Add([]byte("tools: {a: {<<: &m {class: pure}}, b: *m}"), "b", "/x")
	f.Fuzz(func(t *testing.T, src []byte, tool, at string) {
		p, err := keys.ParsePointer(at)
		if err != nil {
			return
		}
		for i, edit := range []func() ([]byte, error){
			func() ([]byte, error) { return SetClass(src, tool, Keyed) },
			func() ([]byte, error) { return AddIgnore(src, tool, p) },
			func() ([]byte, error) { return AddCase(src, tool, Case{At: p, Glob: "g", Class: Pure}) },
		} {
			got, err := edit()
			if err != nil {
				continue
			}
			if kept := common(string(src), string(got)); i > 0 && kept < len(src)-len("null") || kept < len(src)-64 {
				t.Fatalf("edit %d of %q: %d of %d bytes kept\n%s\n---\n%s", i, tool, kept, len(src), src, got)
			}
			if _, err := Parse(got, "t"); err != nil {
				t.Fatalf("edit %d of %q: %v\n%s", i, tool, err, got)
			}
		}
	})
}
