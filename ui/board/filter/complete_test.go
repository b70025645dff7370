package filter

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// listed is what the rows of a list have.
func listed(name string) []string {
	return map[string][]string{
		"tool": {"open_pr", "open_issue", "mcp__github__open_pr", "post status", `odd"one`, "a,b", "x*y"},
		"kind": {"drift", "duplicate"},
		"run":  {"run-22", "run-31"},
		"side": {"paid", "dest"},
		"arg":  {"head", "headless", "amount"},
	}[name]
}

// TestComplete: what may follow what was typed; | is the cursor.
func TestComplete(t *testing.T) {
	for _, c := range []struct {
		text string
		on   Subject
		want string // the words that may stand from the last blank or sign on
		rest string // what the right arrow adds
	}{
		{"k|", Findings, "kind: key:", "ind:"},
		{"ki|", Findings, "kind:", "nd:"},
		{"KI|", Findings, "kind:", "nd:"},
		{"-ki|", Findings, "kind:", "nd:"},
		{"kind:|", Findings, "drift duplicate", "drift"},
		{"kind:du|", Findings, "duplicate", "plicate"},
		{"kind:drift|", Findings, "", ""},
		{"kind:drift,du|", Findings, "duplicate", "plicate"},
		{"kind:nothing|", Findings, "", ""},
		{"cause:|", Findings, "handler model mixed unknown", "handler"}, // of which none is listed: all there are
		{"sev|", Findings, "sev>=", ">="},
		{"sev>=h|", Findings, "high", "igh"},
		{"age|", Findings, "age>", ">"},
		{"age>|", Findings, "", ""},
		{"calls>1|", Findings, "", ""},
		{"tool:o|", Findings, `open_pr open_issue mcp__github__open_pr "post status"`, "pen_pr"},
		{"tool:_is|", Findings, "open_issue", ""}, // it holds it, and does not begin so
		{"tool:po|", Findings, `"post status"`, ""},
		{`tool:"po|`, Findings, `"post status"`, `st status"`},
		{`tool:"post s|`, Findings, `"post status"`, `tatus"`},
		{"run:run-2|", Findings, "run-22", "2"},
		{"run:run-2 side:p|", Findings, "paid", "aid"},
		{"si| run:run-2", Findings, "side:", "de:"},
		{"si|de:paid", Findings, "", ""}, // within a word
		{"op|", Findings, "open_pr open_issue mcp__github__open_pr", "en_pr"},
		{"|", Tools, "tool: class: file: age> calls>", ""},
		{"open |", Tools, "tool: class: file: age> calls>", ""},
		{"kind:d|", Tools, "", ""}, // no name here
		{"zzz:|", Findings, "", ""},
		{"ar|", Findings, "arg.", "g."},
		{"arg.|", Findings, "head= headless= amount=", "head="},
		{"arg.headl|", Findings, "headless=", "ess="},
		{"arg.head=f|", Findings, "", ""},
		{"arg.|", Runs, "", ""},
		{"ar|", Runs, "", ""},
		{`"op|`, Findings, "", ""},
		{"é:x|", Findings, "", ""},
	} {
		at := strings.IndexByte(c.text, '|')
		text := c.text[:at] + c.text[at+1:]
		got := Complete(text, at, c.on, listed)
		words := strings.Join(got.Words, " ")
		if words != c.want {
			t.Errorf("%q: %q, want %q", c.text, words, c.want)
		}
		if rest := got.Rest(text, at); rest != c.rest {
			t.Errorf("%q goes on with %q, want %q", c.text, rest, c.rest)
		}
	}
}

func TestWithout(t *testing.T) {
	for text, want := range map[string]string{"kind:d|": "", "a kind:d|": "a ", "a kind:d| b": "a  b", "a |": "a ", `a tool:"x y|`: "a "} {
		at := strings.IndexByte(text, '|')
		if got := Without(text[:at]+text[at+1:], at); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestValue(t *testing.T) {
	r := OfFinding(finding, noon)
	for name, want := range map[string]string{
		"kind": "duplicate", "tool": "open_pr", "run": "run-22", "class": "keyed", "cause": "model", "outcome": "extra", "side": "paid", "key": "9b1c22d0a7f3",
		"call": "call_A1", "file": "traces/paid/run-22.jsonl", "sev": "high", "age": "", "calls": "", "zzz": "",
	} {
		if got := Value(&r, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// FuzzComplete: whatever is typed, each word that is offered can stand there, is read without a fault where it is a whole term, and
// the rest that is shown is what is missing of it.
func FuzzComplete(f *testing.F) {
	for _, s := range []string{"kind:d", `tool:"po`, "-si", "a,b:", "arg.he", "sev>=", "é İ:x"} {
		f.Add(s, len(s), "open_pr")
	}
	f.Fuzz(func(t *testing.T, text string, at int, value string) {
		if !utf8.ValidString(text) || !utf8.ValidString(value) || at < 0 || at > len(text) || !utf8.RuneStart((text + "x")[at]) {
			return
		}
		for on := Findings; on <= Calls; on++ {
			c := Complete(text, at, on, func(string) []string { return []string{value} })
			if c.Start < 0 || c.Start > at {
				t.Fatalf("%q at %d: the word starts at %d", text, at, c.Start)
			}
			rest := c.Rest(text, at)
			for i, w := range c.Words {
				if w == "" || i == 0 && rest != "" && !strings.EqualFold(text[c.Start:at]+rest, w) {
					t.Fatalf("%q at %d: %q goes on with %q", text, at, w, rest)
				}
			}
			if c.Wanted != "" && c.Wanted != "arg" && len(c.Words) > 0 && slices.Contains([]string{"tool", "run", "side"}, c.Wanted) {
				whole := c.Wanted + ":" + c.Words[0]
				if p := Parse(whole, on); len(p.Problems) > 0 {
					t.Fatalf("%q is offered: %v", whole, p.Problems)
				}
			}
			Without(text, at)
		}
	})
}
