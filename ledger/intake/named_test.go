package intake

import (
	"fmt"
	"path/filepath"
	"testing"

	"drainboard/trace"
)

// TestEveryFileIsNamed reads many small files at once: the book must learn each one's format, whenever it came to be
// known, and where the reading of a copy begins. With -race it tells when either is asked for before it is known.
func TestEveryFileIsNamed(t *testing.T) {
	const pairs = 60
	dir := t.TempDir()
	for n := range pairs {
		whole := callLine(3*n, "r", "x") + callLine(3*n+1, "r", "y")
		path := filepath.Join(dir, fmt.Sprintf("a%d.jsonl", n))
		write(t, path+".1", whole)
		write(t, path, whole+callLine(3*n+2, "s", "z"))
	}
	e := begin(t, Config{Sources: []trace.Source{{Path: dir}}, Table: mustTable(t, "tools: {open_pr: {class: keyed}}")})
	r, err := e.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Sources {
		if s.Format != "plain" && s.Lines > 0 {
			t.Errorf("%s has the format %q, want plain", filepath.Base(s.File), s.Format)
		}
	}
	page, _, err := e.Calls(t.Context(), Query{Run: "s"})
	if err != nil || len(page) != pairs {
		t.Fatalf("%d calls behind the copies, %v; want %d", len(page), err, pairs)
	}
	for _, c := range page {
		if c.Pos.Line != 3 {
			t.Errorf("%s: want line 3", c.Pos)
		}
	}
}
