package table

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drainboard/keys"
)

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
		edit := c.IntN(5)
		gone := 0
		switch edit {
		case 0:
			got, err = SetClass([]byte(src), tool, Keyed)
			gone = len(`"compensate"`)
		case 1:
			got, err = AddIgnore([]byte(src), tool, p)
		case 2:
			got, err = AddCase([]byte(src), tool, Case{At: p, Glob: "g" + fmt.Sprint(i), Class: Pure})
		default:
			putOrRemove(t, c, src, tool, edit == 3)
			continue
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

// putOrRemove gives a case a class or takes one out: the row's cases are those that were asked for in that order, all other rows say
// what they said, and every comment that stands on a line of its own is there.
func putOrRemove(t *testing.T, c *composer, src, tool string, put bool) {
	t.Helper()
	before := mustParse(t, src)
	was := before.Row(tool).Cases()
	one := Case{At: pointer(t, "/x"), Glob: c.one("a*", "b", "new*", "a b*"), Class: []Class{Pure, Keyed, Compensate}[c.IntN(3)]}
	if one.Class == Keyed && c.IntN(2) == 0 {
		one.Effect = Write
	}
	at := slices.IndexFunc(was, func(o Case) bool { return o.At.String() == one.At.String() && o.Glob == one.Glob })
	want := slices.Clone(was)
	var got []byte
	var err error
	if put {
		got, err = PutCase([]byte(src), tool, one)
		switch {
		case at >= 0:
			want[at].Class = one.Class
			if one.Class == Keyed {
				want[at].Effect = one.Effect
			}
		default:
			if at = slices.IndexFunc(was, func(o Case) bool { return o.Glob == "a*" && one.Glob == "a b*" }); at < 0 {
				at = len(was)
			}
			add := one
			own := before.Row(tool).own
			if add.Polling = own.Polling; add.Class != Keyed {
				add.Effect = own.Effect
			}
			want = slices.Insert(want, at, add)
		}
	} else {
		got, err = RemoveCase([]byte(src), tool, one)
		if at >= 0 {
			want = slices.Delete(want, at, at+1)
		}
		if errors.Is(err, ErrEdit) && before.Row(tool).own.Glob { // they are the glob's, and stay
			return
		}
	}
	if err != nil {
		t.Fatalf("%+v of %q: %v\n%s", one, tool, err, src)
	}
	after := mustParse(t, string(got))
	if is := after.Row(tool).Cases(); fmt.Sprint(is) != fmt.Sprint(want) {
		t.Fatalf("put %v, %+v of %q:\n got %v\nwant %v\n%s\n---\n%s", put, one, tool, is, want, src, got)
	}
	for _, other := range []string{"a", "b c", "mcp__x__get_issue", "日本", "e", "new_tool"} {
		if b, a := before.Row(other), after.Row(other); other != tool && (show(a.own) != show(b.own) || fmt.Sprint(a.Cases()) != fmt.Sprint(b.Cases())) {
			t.Fatalf("put %v, %+v of %q changed %q\n%s\n---\n%s", put, one, tool, other, src, got)
		}
	}
	for line := range strings.Lines(src) {
		if note := strings.TrimSpace(line); strings.HasPrefix(note, "#") && !strings.Contains(string(got), note) {
			t.Fatalf("put %v, %+v of %q lost %q\n%s\n---\n%s", put, one, tool, note, src, got)
		}
	}
	if put && len(src)-common(src, string(got)) > len(`"compensate"`) {
		t.Fatalf("put %+v of %q changed more than a class\n%s\n---\n%s", one, tool, src, got)
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
			func() ([]byte, error) { return PutCase(src, tool, Case{At: p, Glob: "a*", Class: Keyed}) },
			func() ([]byte, error) { return RemoveCase(src, tool, Case{At: p, Glob: "a*"}) },
		} {
			got, err := edit()
			if err != nil {
				continue
			}
			if kept := common(string(src), string(got)); i < 3 && (i > 0 && kept < len(src)-len("null") || kept < len(src)-64) {
				t.Fatalf("edit %d of %q: %d of %d bytes kept\n%s\n---\n%s", i, tool, kept, len(src), src, got)
			}
			if _, err := Parse(got, "t"); err != nil {
				t.Fatalf("edit %d of %q: %v\n%s", i, tool, err, got)
			}
		}
	})
}
