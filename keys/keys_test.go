package keys

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"drainboard/keys/pyjson"
)

// args parses arguments and ignores pointers.
func args(t testing.TB, raw string, ignore ...string) *Args {
	t.Helper()
	var a Args
	if err := a.Parse([]byte(raw)); err != nil {
		t.Fatalf("Parse(%q): %v", raw, err)
	}
	a.Ignore(pointers(t, ignore...))
	return &a
}

func pointers(t testing.TB, texts ...string) []Pointer {
	t.Helper()
	var list []Pointer
	for _, text := range texts {
		p, err := ParsePointer(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func TestArgsForms(t *testing.T) {
	for _, tc := range []struct {
		raw, compact string
		opaque       bool
	}{
		{"", "{}", false},
		{"null", "{}", false},
		{` "" `, "{}", false},
		{"{}", "{}", false},
		{`{"b":null,"a":""}`, `{"a":"","b":null}`, false},
		{`[2,1]`, `[2,1]`, false},
		{`7`, `7`, false},
		{`"{\"b\":1,\"a\":2}"`, `{"a":2,"b":1}`, false},
		{`" \t[1 , 2]\n "`, `[1,2]`, false},
		{`"{\"a\":\"{}\"}"`, `{"a":"{}"}`, false},
		{`"\"{}\""`, `"\"{}\""`, true},
		{`"{\"a\":1"`, `"{\"a\":1"`, true},
		{`"{}{}"`, `"{}{}"`, true},
		{`"\u00a0{}"`, `"\u00a0{}"`, true},
		{`"\ufeff{}"`, `"\ufeff{}"`, true},
		{`"1"`, `"1"`, true},
		{`"null"`, `"null"`, true},
		{`" "`, `" "`, true},
		{`"*** Begin Patch"`, `"*** Begin Patch"`, true},
		{`"{\"a\":\"\ud83d\"}"`, `{"a":"\ud83d"}`, false},              // a lone surrogate in the inner text
		{`"{\"a\":\"\ud83d\\ude00\"}"`, `{"a":"\ud83d\ude00"}`, false}, // two code points, written as a pair all the same
	} {
		a := args(t, tc.raw)
		got, err := a.AppendCompact(nil)
		if err != nil || string(got) != tc.compact || a.Opaque() != tc.opaque {
			t.Errorf("%s: %s, opaque %v, %v; want %s, %v", tc.raw, got, a.Opaque(), err, tc.compact, tc.opaque)
		}
	}
	var a Args
	for _, bad := range []string{"{", "{}x", "nope", " "} {
		err := a.Parse([]byte(bad))
		var syntax *pyjson.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("Parse(%q): %v; want a SyntaxError", bad, err)
		}
		if got, err := a.AppendCompact(nil); err != nil || string(got) != "{}" {
			t.Errorf("after Parse(%q): %s, %v; want {}", bad, got, err)
		}
	}
}

func TestIgnore(t *testing.T) {
	for _, tc := range []struct {
		raw    string
		ignore []string
		found  int
		want   string
	}{
		{`{"a":1,"b":2}`, []string{"/a"}, 1, `{"b":2}`},
		{`{"b":2,"a":1}`, []string{"/a", "/b", "/c"}, 2, `{}`},
		{`{"a":1,"a":{"x":1}}`, []string{"/a"}, 1, `{}`},
		{`{"o":{"x":1,"y":2},"z":3}`, []string{"/o/x"}, 1, `{"o":{"y":2},"z":3}`},
		{`{"l":[1,2,3]}`, []string{"/l/0", "/l/2"}, 2, `{"l":[2]}`},
		{`{"l":[{"t":1,"v":2}]}`, []string{"/l/0/t"}, 1, `{"l":[{"v":2}]}`},
		{`{"l":[1]}`, []string{"/l/00", "/l/-", "/l/1", "/l/x", "/l"}, 1, `{}`},
		{`{"a/b":1,"m~n":2,"":3}`, []string{"/a~1b", "/m~0n", "/"}, 3, `{}`},
		{`{"a":1}`, []string{""}, 0, `{"a":1}`},
		{`{"\u0061":1}`, []string{"/a"}, 1, `{}`},
		{`"{\"a\":1,\"b\":2}"`, []string{"/a"}, 1, `{"b":2}`},
		{`"opaque"`, []string{"/a"}, 0, `"opaque"`},
		{`null`, []string{"/a"}, 0, `{}`},
		{`[1,2]`, []string{"/0"}, 1, `[2]`},
	} {
		var a Args
		if err := a.Parse([]byte(tc.raw)); err != nil {
			t.Fatal(err)
		}
		before := a.Digest()
		found := a.Ignore(pointers(t, tc.ignore...))
		got, err := a.AppendCompact(nil)
		if err != nil || string(got) != tc.want || found != tc.found {
			t.Errorf("%s without %q: %s, %d found, %v; want %s, %d", tc.raw, tc.ignore, got, found, err, tc.want, tc.found)
		}
		if same := args(t, tc.want).Digest() == a.Digest(); !same {
			t.Errorf("%s without %q has not the digest of %s", tc.raw, tc.ignore, tc.want)
		}
		if tc.found > 0 && before == a.Digest() {
			t.Errorf("%s without %q: the digest is still the old one", tc.raw, tc.ignore)
		}
	}
	a := args(t, `{"a":{"b":7}}`, "/a/b")
	if v := a.Lookup(pointers(t, "/a/b")[0]); string(v.Raw()) != "7" {
		t.Errorf("Lookup of an ignored value: %q", v.Raw())
	}
}

func TestPointers(t *testing.T) {
	for _, bad := range []string{"a", "a/b", "/~", "/a~2", "/~0~", "#/a"} {
		if _, err := ParsePointer(bad); err == nil {
			t.Errorf("ParsePointer(%q) accepts it", bad)
		}
	}
	for text, names := range map[string]string{"": "", "/": "|", "/a/b": "|a|b", "/a~1b/~0~01": "|a/b|~~1", "/é/0": "|é|0"} {
		p, err := ParsePointer(text)
		got := ""
		for _, n := range p.Names() {
			got += "|" + n
		}
		if err != nil || p.String() != text || got != names {
			t.Errorf("ParsePointer(%q): %q, names %q, %v; want %q", text, p, got, err, names)
		}
	}
}

// TestDigest holds what makes arguments the same and what does not.
func TestDigest(t *testing.T) {
	base := args(t, `{"a":1.5,"b":["x"]}`).Digest()
	for raw, same := range map[string]bool{
		"{ \"b\" : [\"\\u0078\"],\n\"a\":1.50 }":    true,
		`{"a":0,"b":["x"],"a":15e-1}`:               true,
		`"{\"b\":[\"x\"],\"a\":1.5}"`:               true,
		`{"a":1.5,"b":["y"]}`:                       false,
		`{"a":1.5,"b":"x"}`:                         false,
		`{"a":1.5}`:                                 false,
		`"a patch"`:                                 false,
		`{"a":1.5,"b":["x"],"c":null}`:              false,
		`{"a":1.5,"b":["x` + "\\u0001" + `"]}`:      false,
		`["{\"a\": 1.5, \"b\": [\"x\"]}"]`:          false,
		`{"a":1.5000000000000001,"b":["x"]}`:        true, // the same double
		`{"a":1.5000000000000003,"b":["x"]}`:        false,
		`{"a":1.5,"b":["x"],"` + "\\ud800" + `":1}`: false,
	} {
		if got := args(t, raw).Digest() == base; got != same {
			t.Errorf("%s: same digest %v, want %v", raw, got, same)
		}
	}
	// What CPython refuses still has one, of its own.
	long := strings.Repeat("9", pythonDigits+1)
	deep := func(n int, in string) string { return strings.Repeat("[", n) + in + strings.Repeat("]", n) }
	var seen [][16]byte
	for _, raw := range []string{
		`{"n":` + long + `}`, `{"n":` + long + `0}`, deep(1200, "1"), deep(1200, "2"), deep(maxDepth+1, "1"), deep(maxDepth+1, "2"),
	} {
		d := args(t, raw).Digest()
		if d != args(t, raw).Digest() {
			t.Errorf("%.40s: two digests", raw)
		}
		for _, other := range seen {
			if d == other {
				t.Errorf("%.40s: the digest of another", raw)
			}
		}
		seen = append(seen, d)
	}
}

// TestDigestWhateverTheRecipe derives with each recipe, before and after the digest is asked for.
func TestDigestWhateverTheRecipe(t *testing.T) {
	const raw = `{"b":[1.0,2],"a":"é"}`
	want := args(t, raw).Digest()
	for _, r := range []*Recipe{Intent, Dedup16, JCS} {
		a := args(t, raw)
		first, err := r.Derive(RunID{Text: []byte("r")}, []byte("t"), a)
		if err != nil {
			t.Fatal(err)
		}
		if a.Digest() != want {
			t.Errorf("%s: another digest", r.Name())
		}
		if again, err := r.Derive(RunID{Text: []byte("r")}, []byte("t"), a); err != nil || again != first {
			t.Errorf("%s: the second key is %v, %v; the first was %v", r.Name(), again, err, first)
		}
		if bytes, err := r.Bytes(nil, RunID{Text: []byte("r")}, []byte("t"), a); err != nil || sha256.Sum256(bytes) != first {
			t.Errorf("%s: Bytes gives %s, %v, of which the key is not the digest", r.Name(), bytes, err)
		}
	}
}

func TestRecipeBytes(t *testing.T) {
	number := func(raw string) RunID { return RunID{Raw: []byte(raw)} }
	text := func(s string) RunID { return RunID{Text: []byte(s)} }
	for _, tc := range []struct {
		recipe     *Recipe
		run        RunID
		tool, args string
		want       string
		refused    string
	}{
		{Intent, text("r"), "t", `{"b":1,"a":1.0}`, `{"args": {"a": 1.0, "b": 1}, "run_id": "r", "tool": "t"}`, ""},
		{Intent, RunID{}, "t", ``, `{"args": {}, "run_id": "", "tool": "t"}`, ""},
		{Intent, text("\xed\xa0\x80é"), "\"", `"sh"`, `{"args": "sh", "run_id": "\ud800\u00e9", "tool": "\""}`, ""},
		{Intent, number("7"), "t", `[]`, `{"args": [], "run_id": 7, "tool": "t"}`, ""},
		{Intent, number("1e3"), "t", `[]`, `{"args": [], "run_id": 1000.0, "tool": "t"}`, ""},
		{Intent, number("-0"), "t", `[]`, `{"args": [], "run_id": 0, "tool": "t"}`, ""},
		{Intent, number("NaN"), "t", `[]`, `{"args": [], "run_id": NaN, "tool": "t"}`, ""},
		{Intent, number(strings.Repeat("1", 4301)), "t", `[]`, "", "the run id: expected integers of at most 4300 digits, found 4301"},
		{Dedup16, text("r|x"), "t", `{"b":1,"a":1.0}`, `r|x|t|{"a":1.0,"b":1}`, ""},
		{Dedup16, text("é"), "日", `[NaN]`, `é|日|[NaN]`, ""},
		{Dedup16, number("1.0"), "t", `[]`, `1.0|t|[]`, ""},
		{Dedup16, number("NaN"), "t", `[]`, `nan|t|[]`, ""},
		{Dedup16, number("-Infinity"), "t", `[]`, `-inf|t|[]`, ""},
		{Dedup16, number("1e999"), "t", `[]`, `inf|t|[]`, ""},
		{Dedup16, text("\xed\xa0\x80"), "t", `[]`, "", "the run id: expected text that UTF-8 can hold, found the lone surrogate U+D800"},
		{Dedup16, text("r"), "\xed\xb8\x80", `[]`, "", "the tool name: expected text that UTF-8 can hold, found the lone surrogate U+DE00"},
		{JCS, text("r"), "t", `{"b":1,"a":1.0}`, `{"args":{"a":1,"b":1},"run_id":"r","tool":"t"}`, ""},
		{JCS, text("é\n"), "\x7f", `{"\ue000":1,"\ud83d\ude00":2}`, "{\"args\":{\"😀\":2,\"\ue000\":1},\"run_id\":\"é\\n\",\"tool\":\"\x7f\"}", ""},
		{JCS, text("r"), "t", `{"\uffff":1,"\udbff\udfff":2,"\ud7ff":3}`, "{\"args\":{\"\ud7ff\":3,\"\U0010ffff\":2,\"\uffff\":1},\"run_id\":\"r\",\"tool\":\"t\"}", ""},
		{JCS, number("1e3"), "t", `[]`, `{"args":[],"run_id":1000,"tool":"t"}`, ""},
		{JCS, number("NaN"), "t", `[]`, "", "the run id: expected numbers, found NaN"},
		{JCS, text("r"), "t", `[-Infinity]`, "", "expected numbers, found -Infinity"},
		{JCS, text("r"), "t", `[1e999]`, "", "expected numbers that a double can hold, found 1e999"},
		{JCS, text("r"), "t", `["\udc00"]`, "", "expected text that UTF-8 can hold, found the lone surrogate U+DC00"},
		{JCS, text("r"), "t", `"[\"\ud83d\"]"`, "", "expected text that UTF-8 can hold, found the lone surrogate U+D83D"},
		{JCS, text("r"), "t", `{"a":1,"a":1}`, "", `expected each member name once, found "a" twice`},
		{JCS, text("\xed\xa0\x80"), "t", `[]`, "", "the run id: expected text that UTF-8 can hold, found the lone surrogate U+D800"},
		{JCS, text("r"), "\xed\xa0\x80", `[]`, "", "the tool name: expected text that UTF-8 can hold, found the lone surrogate U+D800"},
	} {
		a := args(t, tc.args)
		got, err := tc.recipe.Bytes(nil, tc.run, []byte(tc.tool), a)
		_, derived := tc.recipe.Derive(tc.run, []byte(tc.tool), a)
		if tc.refused == "" {
			if err != nil || derived != nil || string(got) != tc.want {
				t.Errorf("%s: %s, %v, %v; want %s", tc.recipe.Name(), got, err, derived, tc.want)
			}
			continue
		}
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Reason != tc.refused || refusal.Recipe != tc.recipe.Name() || derived == nil || derived.Error() != err.Error() {
			t.Errorf("%s: %.80s, %v, %v; want it refused: %s", tc.recipe.Name(), got, err, derived, tc.refused)
		}
	}
}

func TestLookup(t *testing.T) {
	for name, want := range map[string]*Recipe{"intent": Intent, "dedup16": Dedup16, "jcs": JCS, "Intent": nil, "": nil} {
		r, ok := Lookup(name)
		if r != want || ok != (want != nil) || ok && r.Name() != name {
			t.Errorf("Lookup(%q) = %v, %v", name, r, ok)
		}
	}
}

func TestID(t *testing.T) {
	var d Digest
	for i := range d {
		d[i] = byte(i*37 + 1)
	}
	for _, r := range []*Recipe{Intent, Dedup16, JCS, {name: "short", digits: 40}} {
		if len(r.Text(d)) != r.digits {
			t.Errorf("%s prints %q", r.Name(), r.Text(d))
		}
		if r.ID(d) != IDOf(r.Text(d)) {
			t.Errorf("%s: ID is %x, IDOf of the text %x", r.Name(), r.ID(d), IDOf(r.Text(d)))
		}
	}
	hex64 := strings.Repeat("0123456789abcdef", 4)
	for text, want := range map[string]ID{
		hex64:              {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef},
		"0123456789abcdef": {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef},
		// SHA-256 of "drainboard key text", a zero byte and the text, by sha256sum.
		"":                 {0xf9, 0x27, 0xfc, 0x87, 0x93, 0xfd, 0x2e, 0x8f, 0x08, 0x15, 0xcb, 0x4b, 0x07, 0x6e, 0x00, 0x8e},
		"order-1001":       {0xc2, 0x5e, 0x67, 0xd6, 0xbf, 0x1e, 0x51, 0x24, 0x2d, 0x02, 0x25, 0x1e, 0x79, 0x0b, 0x8f, 0xe6},
		"0123456789ABCDEF": {0x34, 0x32, 0xfd, 0x49, 0x8e, 0x09, 0xbe, 0x98, 0xd6, 0x31, 0x08, 0x7f, 0xc3, 0x89, 0x5e, 0xde},
	} {
		if got := IDOf(text); got != want {
			t.Errorf("IDOf(%q) = %#v, want %#v", text, got, want)
		}
	}
}

// TestNothingIsAllocated holds the promise that a reused Args and Scratch work for nothing.
func TestNothingIsAllocated(t *testing.T) {
	raws := benchCases()
	raws["volatile"] = []byte(`{"requested_at":1772442000,"n":1.0,"path":"/tmp/tmp8x2k1q/a","at":"2026-03-02T09:00:00Z"}`)
	ignore := pointers(t, "/body", "/meta/source")
	run, tool := RunID{Text: []byte("run")}, []byte("tool")
	for name, raw := range raws {
		var a Args
		var s Scratch
		n := testing.AllocsPerRun(50, func() {
			if err := a.Parse(raw); err != nil {
				t.Fatal(err)
			}
			a.Ignore(ignore)
			for _, r := range []*Recipe{Intent, Dedup16, JCS} {
				if _, err := r.Derive(run, tool, &a); err != nil {
					t.Fatal(err)
				}
			}
			a.Digest()
			if _, _, ok := a.Shape(1772442000e9, true); !ok {
				t.Fatal("no shape")
			}
			ValueDigest(&s, raw, ignore)
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestRestore: what Ignore left out is there again.
func TestRestore(t *testing.T) {
	var a Args
	if err := a.Parse([]byte(`{"a":1,"b":2}`)); err != nil {
		t.Fatal(err)
	}
	whole := a.Digest()
	p, _ := ParsePointer("/a")
	if a.Ignore([]Pointer{p}); a.Digest() == whole {
		t.Error("nothing was left out")
	}
	if a.Restore(); a.Digest() != whole {
		t.Error("what was left out did not come back")
	}
}
