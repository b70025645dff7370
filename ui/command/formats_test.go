package command

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"drainboard/trace"
)

// TestFormatsInReadme keeps the README's table of formats the one that the program prints; -update writes it anew.
func TestFormatsInReadme(t *testing.T) {
	const path, begin, end = "../../README.md", "<!-- formats: written by go test ./ui/command -update -->\n", "<!-- end of formats -->"
	places := map[string][]string{}
	for _, l := range trace.Locations("~", func(string) string { return "" }) {
		if !slices.Contains(places[l.Format], l.Agent) {
			places[l.Format] = append(places[l.Format], l.Agent)
		}
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, "| format | what it is | found by itself | recognised by | cannot tell |\n| --- | --- | --- | --- | --- |")
	for _, l := range formatLines(trace.Formats()) {
		if l.Sign == "" {
			t.Errorf("%s does not say what it is recognised by", l.Name)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", l.Name, l.Title, strings.Join(places[l.Name], ", "), l.Sign, strings.Join(l.Lacks, ", "))
	}
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(readme, []byte(begin))
	old, after, found := bytes.Cut(rest, []byte(end))
	if !ok || !found {
		t.Fatalf("README.md has no table of formats between %q and %q", begin, end)
	}
	switch {
	case bytes.Equal(old, b.Bytes()):
	case *update:
		if err := os.WriteFile(path, slices.Concat(before, []byte(begin), b.Bytes(), []byte(end), after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("README.md's table of formats is not that of the program: go test ./ui/command -run FormatsInReadme -update")
	}
}
