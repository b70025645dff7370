package trace

import (
	"strings"
	"testing"
)

// TestMappedFormats reads lines that no decoder knows by what a user says of them.
func TestMappedFormats(t *testing.T) {
	is := func(word string) func([]byte) bool { return func(text []byte) bool { return string(text) == word } }
	m := Mapping{
		Name: "ours",
		Call: &Fields{When: []Test{{At: "/ev", Match: is("start")}}, Tool: "/fn/name", Args: "/fn/in", CallID: "/n", Run: "/job", Time: "/at", Recorded: "/idem"},
		Result: &Fields{
			When: []Test{{At: "/ev", Match: is("end")}}, CallID: "/n", Run: "/job", Time: "/at",
			Result: "/out/0", Status: "/st", Error: "/er~1r",
		},
	}
	for _, c := range []struct{ line, want string }{
		{`{"ev":"start","fn":{"name":"refund","in":{"o":7}},"n":1,"job":9,"at":1777622400,"idem":"k"}`, `1 call 9/1 refund {"o":7} 2026-05-01T08:00:00Z`},
		{`{"ev":"start","fn":{"name":"refund"},"n":1}`, `1 call /1 refund (not recorded) -`},
		{`{"ev":"start","fn":{},"n":1}`, `1 bad: a call names its tool: expected a text at "/fn/name", found none`},
		{`{"ev":"end","n":1,"job":9,"out":["done","x"]}`, `1 ok 9/1  "done" -`},
		{`{"ev":"end","n":1,"st":"denied","er/r":"no"}`, `1 refused /1  "no" -`},
		{`{"ev":"end","n":1,"st":503}`, `1 ambiguous /1   -`},
		{`{"ev":"end","n":1,"er/r":{"message":"broken pipe"}}`, `1 ambiguous /1  "broken pipe" -`},
		{`{"ev":"end","n":1,"er/r":"not found","out":"x"}`, `1 error /1  "not found" -`},
		{`{"ev":"tick","fn":{"name":"refund"}}`, ``},
	} {
		got := decodeAs(Mapped(m), []byte(c.line), "x", false)
		if text := strings.TrimSuffix(describeAll(got.events), "\n"); text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.line, text, c.want)
		}
		if !got.accounted() {
			t.Errorf("%s: not accounted for: %+v", c.line, got.Stats)
		}
	}
}

// TestMappedWithoutTests takes a line for what it has: here for a call and its result at once.
func TestMappedWithoutTests(t *testing.T) {
	f := Mapped(Mapping{
		Name:   "ours",
		Call:   &Fields{Tool: "/op", Args: "/in"},
		Result: &Fields{Tool: "/op", Result: "/out"},
	})
	got := decodeAs(f, []byte("{\"op\":\"a\",\"in\":[1],\"out\":2}\n{\"op\":\"b\",\"in\":[1]}\n{\"x\":1}\n"), "x", false)
	const want = "1 call / a [1] -\n1#2 ok / a 2 -\n2 call / b [1] -\n"
	if text := describeAll(got.events); text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
	s := sniffer{formats: append([]*Format{f}, Formats()...)}
	if g := s.sniff([]byte("{\"op\":\"a\",\"tool\":\"x\",\"args\":{}}\n"), "x", false); g != f {
		t.Errorf("a user's own format is asked first; got %v", g)
	}
	calls := Mapped(Mapping{Name: "calls", Call: &Fields{Tool: "/op"}})
	if calls.Results != RecordsNever || len(calls.Lacks) != 4 {
		t.Errorf("a mapping of calls alone records results %d and lacks %q", calls.Results, calls.Lacks)
	}
}

func TestPointed(t *testing.T) {
	var w Scratch
	v, _ := w.Parse([]byte(`{"a":[10,{"b/c":{"~":1}}],"":{"":2},"0":3}`))
	for pointer, want := range map[string]string{
		"/a/0": "10", "/a/1/b~1c/~0": "1", "//": "2", "/0": "3", "/a/2": "", "/a/01": "", "/a/-": "", "/x/y": "", "": "", "/a/99999999999": "",
	} {
		if got := string(pointed(v, pointer).Raw()); got != want {
			t.Errorf("%q: got %q, want %q", pointer, got, want)
		}
	}
}
