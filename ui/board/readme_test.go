package board

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestKeysInReadme keeps the README's table of keys the one that the board has; -update writes it anew.
func TestKeysInReadme(t *testing.T) {
	const path, begin, end = "../../README.md", "<!-- keys: written by go test ./ui/board -update -->\n", "<!-- end of keys -->"
	var b bytes.Buffer
	fmt.Fprintln(&b, "| key | action | what it does | where |\n| --- | --- | --- | --- |")
	for _, x := range bindings() {
		var keys []string
		for _, k := range x.press.Keys() {
			if k == " " {
				k = "space"
			}
			keys = append(keys, "`"+k+"`")
		}
		if len(keys) == 0 {
			keys = []string{"in `:`"}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.Join(keys, " "), x.name, x.help, whereWords(x.where))
	}
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(readme, []byte(begin))
	old, after, found := bytes.Cut(rest, []byte(end))
	switch {
	case !ok || !found:
		t.Fatalf("README.md has no table of keys between %q and %q", begin, end)
	case bytes.Equal(old, b.Bytes()):
	case *update:
		if err := os.WriteFile(path, slices.Concat(before, []byte(begin), b.Bytes(), []byte(end), after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("README.md's table of keys is not that of the board: go test ./ui/board -run KeysInReadme -update")
	}
}

// whereWords names a scope.
func whereWords(s scope) string {
	switch s {
	case inAll:
		return "everywhere"
	case inLists:
		return "lists"
	case inPages:
		return "pages"
	}
	var words []string
	if s&inRows == inRows {
		words, s = append(words, "lists"), s&^inRows
	}
	for i, name := range [...]string{"findings", "in flight", "runs", "tools", "drain", "log", "detail", "timeline", "text"} {
		if s&(1<<i) != 0 {
			words = append(words, name)
		}
	}
	return strings.Join(words, ", ")
}

// TestSettingsInReadme: the README's board.yaml is one.
func TestSettingsInReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := bytes.Cut(readme, []byte("board.yaml`:\n\n```yaml\n"))
	src, _, end := bytes.Cut(rest, []byte("```"))
	if !ok || !end {
		t.Fatal("the README shows no board.yaml")
	}
	s, err := ParseSettings(src, "board.yaml")
	if err != nil || s.Theme == "" || s.Notify == "" || len(s.Keys) == 0 || len(s.Columns) == 0 || len(s.Views) == 0 {
		t.Errorf("%+v %v", s, err)
	}
}
