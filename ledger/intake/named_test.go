package intake

import (
	"fmt"
	"path/filepath"
	"testing"

	"drainboard/trace"
)

// TestEveryFileIsNamed reads many small files at once: the book must learn each one's format, whenever it came to be
// known, and where the reading of a copy begins. With -race it fails when that is asked before it is known.
func TestEveryFileIsNamed(t *testing.T) {
	for range 5 {
		dir := t.TempDir()
		for n := range 100 {
			write(t, filepath.Join(dir, fmt.Sprintf("a%d.jsonl", n)), callLine(n, "r", "x"))
		}
		whole := callLine(200, "s", "x") + callLine(201, "s", "y")
		write(t, filepath.Join(dir, "b.jsonl.1"), whole)
		write(t, filepath.Join(dir, "b.jsonl"), whole+callLine(202, "s", "z"))
		e := begin(t, Config{Sources: []trace.Source{{Path: dir}}, Table: mustTable(t, "tools: {open_pr: {class: keyed}}")})
		r, err := e.Report(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Sources {
			if s.Format != "plain" && filepath.Base(s.File) != "b.jsonl.1" { // all of that is a copy
				t.Fatalf("%s has the format %q, want plain", filepath.Base(s.File), s.Format)
			}
		}
		page, _, err := e.Calls(t.Context(), Query{Run: "s", Limit: 10})
		if err != nil || len(page) != 3 || page[2].Pos.Line != 3 {
			t.Fatalf("calls of the copied file: %+v, %v; want 3, the last on line 3", page, err)
		}
	}
}
