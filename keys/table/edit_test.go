package table

import (
	"errors"
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
