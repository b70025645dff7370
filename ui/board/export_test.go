package board

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExport writes the rows shown in each format, and never over a file that is there.
func TestExport(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, down, ending, first string
		lines                     int
	}{
		{"a", "", ".jsonl", `{"call_id":"call_C","calls":2,`, 3},
		{"b", "j", ".csv", "call_id,calls,cause,class,", 4},
		{"c", "j j", ".md", "| call_id | calls | cause |", 5},
	} {
		b := newBoard(t, newFake(), options(), 80, 24)
		b.keys("/", `"kind:duplicate sev:critical`, "enter", "x")
		b.keys(split(c.down)...)
		b.frame()
		b.keys("enter", "ctrl+u", `"`+filepath.Join(dir, c.name), "enter", "y")
		text, err := os.ReadFile(filepath.Join(dir, c.name+c.ending))
		if err != nil {
			t.Fatalf("%v; it says %q:\n%s", err, b.note, b.frame())
		}
		if !strings.HasPrefix(string(text), c.first) || strings.Count(string(text), "\n") != c.lines {
			t.Errorf("%s holds:\n%s", c.ending, text)
		}
		if b.note != "export: 3 rows in "+filepath.Join(dir, c.name+c.ending) {
			t.Errorf("it says %q", b.note)
		}
		b.keys("x")
		b.keys(split(c.down)...)
		b.keys("enter", "ctrl+u", `"`+filepath.Join(dir, c.name), "enter", "y")
		if !strings.Contains(b.note, "file exists") {
			t.Errorf("a second export says %q", b.note)
		}
	}
}

// TestExportIsSafe: hostile text in CSV and Markdown is visible text, and no cell breaks out of its table.
func TestExportIsSafe(t *testing.T) {
	rows := []map[string]any{{"tool": "a\x1b[2J|b\nc", "tools": []string{"<x>", "\u202e"}, "calls": 2}}
	for _, ending := range []string{".csv", ".md"} {
		text, err := exportText(ending, rows)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(text) {
			if r < ' ' && r != '\n' || r == '\u202e' {
				t.Errorf("%s holds %q", ending, r)
			}
		}
		if want := map[string]int{".csv": 2, ".md": 3}[ending]; strings.Count(string(text), "\n") != want {
			t.Errorf("%s has other lines than its rows:\n%s", ending, text)
		}
	}
	if text, _ := exportText(".md", rows); strings.Count(strings.ReplaceAll(string(text), `\|`, ""), "|") != 12 {
		t.Errorf("a cell breaks the table:\n%s", text)
	}
}

// TestPager: without a pager it says so; what would be opened is what is shown.
func TestPager(t *testing.T) {
	b := newBoard(t, newFake(), options(), 80, 24)
	b.keys("e")
	if b.note != "pager: neither PAGER nor EDITOR is set" {
		t.Errorf("it says %q", b.note)
	}
	text := b.shownText()
	for _, want := range []string{"SEVERITY", "charge_card", "CALLS", "ambiguous  deadline exceeded", "DECISION TABLE"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in what would be opened:\n%s", want, text)
		}
	}
	b.keys("enter")
	if text := b.shownText(); !strings.Contains(text, "STORED RESPONSE") {
		t.Errorf("the page is not what would be opened:\n%s", text)
	}
}
