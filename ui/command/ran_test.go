package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drainboard/keys/table"
	"drainboard/ui/board"
)

// TestEvidenceAndCases: the board's question gets what the calls show, and the cases that are chosen stand in the file beside its comments,
// unless it is another one by then.
func TestEvidenceAndCases(t *testing.T) {
	w := newWorld(t)
	var lines strings.Builder
	for _, c := range []string{"git status", "git push origin main", "git push origin main", "rm -rf build", "npm test; rm x"} {
		lines.WriteString(`{"type": "tool_call", "run_id": "r", "tool": "Bash", "args": {"command": "` + c + `"}}` + "\n")
	}
	path := filepath.Join(w.Dir, "tools.yaml")
	write(t, filepath.Join(w.Dir, "run.jsonl"), lines.String())
	write(t, path, "# ours\ntools:\n  Bash: # the shell\n    cases:\n      # looks\n      - {at: /command, glob: \"git status*\", class: pure} # only\n      - {at: /command, glob: \"rm*\", class: pure} # wrong\n")
	x, s := hand(t, w, filepath.Join(w.Dir, "run.jsonl"))
	e, err := x.Evidence(t.Context(), "Bash")
	if err != nil {
		t.Fatal(err)
	}
	var texts, cases []string
	for _, r := range e.Ran {
		texts = append(texts, strings.Join(r.Texts, ""))
	}
	for _, c := range e.Cases {
		cases = append(cases, c.Glob+" "+c.Class.String())
	}
	if got := strings.Join(texts, ", "); got != "git push origin main, git status, npm test; rm x, rm -rf build" || e.Ran[0].Calls != 2 {
		t.Errorf("ran %s", got)
	}
	if got := strings.Join(cases, ", "); !strings.Contains(got, "git push* keyed") || !strings.Contains(got, "npm test* unclassified") {
		t.Errorf("suggests %s", got)
	}
	if _, err := x.Evidence(t.Context(), "nobody"); err == nil {
		t.Error("a tool that was not seen has evidence")
	}

	at := e.Cases[0].At
	in := board.EditCases{
		Tool: "Bash",
		Put:  []table.Case{{At: at, Glob: "git push*", Class: table.Keyed, Effect: table.Write}},
		Gone: []table.Case{{At: at, Glob: "rm*"}},
	}
	said, err := x.Do(t.Context(), in)
	if err != nil || said != "Bash: 2 cases changed" {
		t.Fatalf("%q %v", said, err)
	}
	after, err := os.ReadFile(path)
	const want = "# ours\ntools:\n  Bash: # the shell\n    cases:\n      # looks\n      - {at: /command, glob: \"git status*\", class: pure} # only\n      - {at: /command, glob: \"git push*\", class: keyed, effect: write}\n"
	if err != nil || string(after) != want {
		t.Errorf("the file is\n%s\nwant\n%s", after, want)
	}
	if row := s.Table().Row("Bash").Cases(); len(row) != 2 || row[1].Effect != table.Write {
		t.Errorf("in force are %+v", row)
	}
}
