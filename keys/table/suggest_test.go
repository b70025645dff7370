package table

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	for tool, want := range map[string]string{
		// The decision table of the migration document.
		"get_file": "pure create", "search_repo": "pure create", "open_pr": "keyed create", "create_issue": "keyed create",
		"put_file": "keyed write", "merge_pr": "compensate create", "notify_slack": "compensate create", "update_status": "keyed write",
		"charge_card": "compensate create", "page_oncall": "compensate create",
		// Other ways to write a name.
		"mcp__github__get_issue": "pure create", "mcp__list__delete_all": "compensate create", "functions.sendEmail": "compensate create",
		"GitHub/CreatePR": "keyed create", "user-delete": "compensate create", "getHTTPStatus": "pure create", "job_status": "pure create",
		"search_and_replace": "keyed write", "get_or_create_user": "keyed create", "read-then-delete": "compensate create",
		"list_deleted": "pure create", "deploy": "compensate create", "zork": "unclassified create", "": "unclassified create",
		"__": "unclassified create", "日本": "unclassified create", "set2": "keyed write", "brand_new_tool": "unclassified create", "reset": "unclassified create",
	} {
		s := Suggest(tool, Hint{})
		if got := s.Class.String() + " " + s.Effect.String(); got != want {
			t.Errorf("%s: got %s (%s), want %s", tool, got, s.Why, want)
		}
		if (s.Why == "") != (s.Class == Unclassified) {
			t.Errorf("%s: suggested %s because %q", tool, s.Class, s.Why)
		}
	}
	for _, c := range []struct {
		tool string
		hint Hint
		want Class
	}{
		{"get_x", Hint{Annotated: true}, Compensate}, // nothing said: the protocol's defaults are the unsafe ones
		{"get_x", Hint{Annotated: true, ReadOnly: Yes}, Pure},
		{"get_x", Hint{ReadOnly: Yes}, Pure},
		{"zork", Hint{ReadOnly: Yes}, Unclassified}, // no annotations in the trace: they are not looked at
		{"delete_x", Hint{Annotated: true, ReadOnly: Yes}, Compensate},
		{"create_x", Hint{Annotated: true, ReadOnly: Yes}, Keyed}, // its name knows better
		{"send_x", Hint{Annotated: true, Destructive: No}, Compensate},
		{"put_x", Hint{Annotated: true, Idempotent: Yes}, Compensate},
		{"put_x", Hint{Annotated: true, ReadOnly: No, Destructive: No}, Keyed},
		{"zork", Hint{Annotated: true, Idempotent: Yes, Destructive: No}, Keyed},
	} {
		if got := Suggest(c.tool, c.hint); got.Class != c.want || got.Why == "" && got.Class != Unclassified {
			t.Errorf("%s %+v: got %+v, want %s", c.tool, c.hint, got, c.want)
		}
	}
}

// A suggestion may be too careful; it must not be careless: no tool that the cases' tables call a mutator
// is suggested as pure.
func TestSuggestIsCareful(t *testing.T) {
	entries, err := os.ReadDir("../../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range entries {
		src, err := os.ReadFile("../../testdata/cases/" + e.Name() + "/tools.yaml")
		if err != nil {
			continue
		}
		for _, r := range mustParse(t, string(src)).Rules()[1:] {
			seen++
			if s := Suggest(r.Name, Hint{}); s.Class == Pure && r.Class != Pure {
				t.Errorf("%s: suggested pure (%s), is %s", r.Name, s.Why, r.Class)
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d tools were looked at", seen)
	}
}

func TestVerbsStandOnce(t *testing.T) {
	where := map[string]int{}
	for i, list := range []string{pureVerbs, createVerbs, writeVerbs, harmVerbs} {
		for _, v := range strings.Fields(list) {
			if at, twice := where[v]; twice {
				t.Errorf("%s stands in lists %d and %d", v, at, i)
			}
			where[v] = i
		}
	}
}

func TestPacks(t *testing.T) {
	files, err := os.ReadDir("packs")
	if err != nil {
		t.Fatal(err)
	}
	names := PackNames()
	if len(names) != len(files) {
		t.Errorf("%d packs from %d files", len(names), len(files))
	}
	for _, name := range names {
		p, ok := PackFor(name)
		if !ok {
			t.Errorf("%s is no table", name)
			continue
		}
		var seen []Seen
		for _, r := range p.Rows() {
			if r.Timeout != Default().Defaults.Timeout || r.Compensate != nil || r.Forever || len(r.NaturalKey) > 0 {
				t.Errorf("%s: %s says more than a pack may", p.Name, r.Name)
			}
			if r.Case == 0 {
				seen = append(seen, Seen{Tool: r.Name, Calls: 2, Suggestion: Suggest(r.Name, Hint{Pack: p})})
			}
		}
		table := mustParse(t, string(Init(seen, p)))
		if p.Title == "" || table.Rows() != len(seen) {
			t.Errorf("%s: %q, %d of %d rows", p.Name, p.Title, table.Rows(), len(seen))
		}
		for _, r := range p.Rows() {
			own := table.Lookup(r.Name, nil)
			if own.Class != Unclassified {
				t.Errorf("%s: init decided that %s is %s", p.Name, r.Name, own.Class)
			}
			if r.Case == 0 && (texts(own.Ignore) != texts(r.Ignore) || own.Polling != r.Polling) {
				t.Errorf("%s: init wrote %s as %+v", p.Name, r.Name, own)
			}
		}
	}
	if _, ok := PackFor("../packs/codex"); ok {
		t.Error("a pack was read by its path")
	}
	if _, ok := PackFor("nobody"); ok {
		t.Error("a pack that is not there was found")
	}
	codex, ok := PackFor("codex")
	if !ok {
		t.Fatal("no pack for codex")
	}
	table := mustParse(t, string(Init([]Seen{{Tool: "write_stdin", Calls: 1}}, codex)))
	if r := table.Lookup("write_stdin", arguments(t, `{"session_id":1,"chars":""}`)); !r.Polling || r.Class != Unclassified {
		t.Errorf("an empty write_stdin of Codex polls: %+v", r)
	}
	if r := table.Lookup("write_stdin", arguments(t, `{"session_id":1,"chars":"y\n"}`)); r.Polling {
		t.Errorf("a write_stdin of Codex with text does not poll: %+v", r)
	}
}

func TestInit(t *testing.T) {
	claude, _ := PackFor("claude-code")
	got := string(Init([]Seen{
		{"Bash", 930, Suggest("Bash", Hint{Pack: claude})},
		{"open_pr", 41, Suggest("open_pr", Hint{})},
		{"put_file", 1, Suggest("put_file", Hint{})},
		{"zork", 2, Suggestion{}},
		{"zork", 3, Suggestion{}},
		{"a: b\n# c", 2, Suggestion{}},
		{"* all", 2, Suggestion{}},
		{"\xff", 2, Suggestion{}},
		{"", 2, Suggestion{}},
	}, claude))
	want := initialHead + `tools:
  Bash: # 930 calls
    # class: # one tool, many effects: give it cases
    ignore: [/description, /timeout, /run_in_background, /dangerouslyDisableSandbox]
    # cases:
      # - {at: /command, glob: "git status*", class: pure}
      # - {at: /command, glob: "git diff*", class: pure}
      # - {at: /command, glob: "git log*", class: pure}
      # - {at: /command, glob: "git push*", class: keyed, effect: write}
  open_pr: # 41 calls
    # class: keyed # suggested: its name says open
  put_file: # 1 call
    # class: keyed # suggested: its name says put
    # effect: write
  zork: # 2 calls
    # class: # nothing suggests a class
  "a: b\u000a# c": # 2 calls
    # class: # nothing suggests a class
# left out: a tool of 2 calls whose name "* all" would be a glob over all tools
# left out: a tool of 2 calls whose name is not UTF-8 or above 1,024 bytes
# left out: a tool of 2 calls whose name "" would be a glob over all tools
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, r := range mustParse(t, got).Rules() {
		if r.Class != Unclassified {
			t.Errorf("%s was given the class %s", r.Name, r.Class)
		}
	}
	// Taking the comment sign away from a suggestion makes it a decision.
	decided := mustParse(t, strings.NewReplacer("# class: keyed", "class: keyed", "# effect", "effect", "# cases", "cases", "# - {", "- {").Replace(got))
	if r := decided.Lookup("put_file", nil); r.Class != Keyed || r.Effect != Write {
		t.Errorf("put_file after its suggestion was taken: %+v", r)
	}
	if r := decided.Lookup("Bash", arguments(t, `{"command":"git log"}`)); r.Class != Pure {
		t.Errorf("Bash after its cases were taken: %+v", r)
	}
	if table := mustParse(t, string(Init(nil, nil))); table.Rows() != 0 {
		t.Errorf("no tools, %d rows", table.Rows())
	}
	var many []Seen
	for i := range 50000 {
		many = append(many, Seen{Tool: fmt.Sprintf("tool_number_%d", i), Calls: 1})
	}
	out := Init(many, nil)
	if table := mustParse(t, string(out)); table.Rows() < 5000 || !strings.Contains(string(out[len(out)-200:]), "further tools are left out") {
		t.Errorf("%d of %d rows, end %q", table.Rows(), len(many), out[len(out)-200:])
	}
}
