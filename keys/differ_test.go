package keys

import (
	"fmt"
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	for _, tc := range []struct{ a, b, want string }{
		{`{"a":1,"b":2}`, ` { "b":2, "a":1 }`, ``},
		{`{}`, `null`, ``},
		{`{"a":1}`, `{"a":2}`, `/a 1|2 merges`},
		{`{"a":1,"c":3}`, `{"a":2,"b":"x"}`, `/a 1|2; /b |"x"; /c 3|`},
		{`null`, `{"a":1}`, `/a |1 merges`},
		{`{"o":{"k":[1,2,3]}}`, `{"o":{"k":[1,9]}}`, `/o/k/1 2|9; /o/k/2 3|`},
		{`{"o":{}}`, `{"o":[]}`, `/o {}|[] merges`},
		{`{"o":{"x":1}}`, `{"o":7}`, `/o {"x":1}|7 merges`},
		{`{"a/b":{"~":1}}`, `{"a/b":{"~":2}}`, `/a~1b/~0 1|2 merges`},
		{`{"a":1,"a":2}`, `{"a":2}`, ``},
		{`{"a":"\u0061"}`, `{"a":"a"}`, ``},
		{`[1]`, `[2]`, `/0 1|2 merges`},
		{`"patch a"`, `"patch b"`, ` "patch a"|"patch b"`},
		{`"patch a"`, `{"a":1}`, ` "patch a"|{"a":1}`},
		{`{"n":1}`, `{"n":1.0}`, `/n 1 (number spelling)|1.0 (number spelling) merges`},
		{`{"at":1789000000}`, `{"at":1789000001}`, `/at 1789000000 (timestamp)|1789000001 (timestamp) merges`},
		{`{"at":1789000000}`, `{"at":1799000001}`, `/at 1789000000 (timestamp)|1799000001 merges`},
		{`{"nonce":"x"}`, `{"nonce":["y"]}`, `/nonce "x" (named nonce)|["y"] merges`},
		{`{"nonce":["x"]}`, `{"nonce":["y"]}`, `/nonce/0 "x" (named nonce)|"y" (named nonce) merges`},
		{`{"p":"/tmp/tmp8x2k1q"}`, `{"p":"/tmp/tmpz91mm4"}`, `/p "/tmp/tmp8x2k1q" (path)|"/tmp/tmpz91mm4" (path) merges`},
		{strings.Repeat("[", maxDepth+1) + "1" + strings.Repeat("]", maxDepth+1), `{}`, ` [|{}`},
	} {
		var parts []string
		a, b := args(t, tc.a), args(t, tc.b)
		found := Differences(a, b, at, at)
		for _, d := range found {
			side := func(raw []byte, looks string) string {
				text := string(raw)
				if len(text) > 1000 {
					text = text[:1]
				}
				if looks != "" {
					text += " (" + looks + ")"
				}
				return text
			}
			part := d.Pointer + " " + side(d.A, d.LooksA) + "|" + side(d.B, d.LooksB)
			if d.Merges {
				part += " merges"
			}
			parts = append(parts, part)
		}
		if got := strings.Join(parts, "; "); got != tc.want {
			t.Errorf("%.60s and %.60s:\n got %s\nwant %s", tc.a, tc.b, got, tc.want)
		}
		if (len(found) == 0) != (a.Digest() == b.Digest()) {
			t.Errorf("%.60s and %.60s: %d differences, but digests are equal: %v", tc.a, tc.b, len(found), a.Digest() == b.Digest())
		}
	}
}

// TestDifferencesMerge holds that ignoring what is listed makes the arguments equal.
func TestDifferencesMerge(t *testing.T) {
	for _, tc := range [][2]string{
		{`{"a":1,"l":[1,2,3,{"x":1}],"o":{"k":null}}`, `{"a":2,"l":[1,5],"o":{}}`},
		{`{"a":1,"a":2,"z":[]}`, `{"a":3,"z":{}}`},
		{`[1,2,3]`, `[3]`},
	} {
		a, b := args(t, tc[0]), args(t, tc[1])
		var rules []string
		for _, d := range Differences(a, b, NoTime, NoTime) {
			rules = append(rules, d.Pointer)
		}
		a.Ignore(pointers(t, rules...))
		b.Ignore(pointers(t, rules...))
		if a.Digest() != b.Digest() || len(Differences(a, b, NoTime, NoTime)) > 0 {
			t.Errorf("%s and %s differ still without %q", tc[0], tc[1], rules)
		}
	}
}

func ExampleDifferences() {
	var a, b Args
	_ = a.Parse([]byte(`{"order_id":"A-1001","amount":25}`))
	_ = b.Parse([]byte(`{"amount":25.00,"order_id":"A-1001"}`))
	for _, d := range Differences(&a, &b, NoTime, NoTime) {
		fmt.Printf("%s: %s and %s, %s\n", d.Pointer, d.A, d.B, d.LooksB)
	}
	// Output: /amount: 25 and 25.00, number spelling
}
