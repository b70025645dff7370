package keys

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drainboard/keys/pyjson"
)

// readVectors decodes every line of a file of testdata/vectors into a T.
func readVectors[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, v)
	}
	if len(all) < 100 {
		t.Fatalf("%s: expected a hundred rows at least, found %d", name, len(all))
	}
	return all
}

// TestCanonicalVectors holds every form against what CPython and an RFC 8785 implementation wrote, and
// what they refused.
func TestCanonicalVectors(t *testing.T) {
	type row struct {
		Name, Input   string
		PythonCompact *string `json:"python_compact"`
		PythonDefault *string `json:"python_default"`
		JCS           *string `json:"jcs"`
		JCSError      string  `json:"jcs_error"`
	}
	for _, r := range readVectors[row](t, "canonical.jsonl") {
		var a Args
		// An array keeps null, strings and "" from being taken for missing or opaque arguments.
		err := a.Parse([]byte("[" + r.Input + "]"))
		if r.PythonCompact == nil {
			if err == nil && pyjson.Whole([]byte(r.Input)) {
				t.Errorf("%s: Parse accepts %q", r.Name, r.Input)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: Parse(%q): %v", r.Name, r.Input, err)
			continue
		}
		for _, form := range []struct {
			name  string
			write func([]byte) ([]byte, error)
			want  *string
			why   string
		}{
			{"compact", a.AppendCompact, r.PythonCompact, ""},
			{"default", a.AppendDefault, r.PythonDefault, ""},
			{"JCS", a.AppendJCS, r.JCS, r.JCSError},
		} {
			got, err := form.write(nil)
			if form.want == nil {
				var refusal *Refusal
				if !errors.As(err, &refusal) {
					t.Errorf("%s: %s of %q is %q; want it refused: %s", r.Name, form.name, r.Input, got, form.why)
				} else if word := form.why[strings.LastIndex(form.why, " ")+1:]; strings.HasPrefix(form.why, "lone") && !strings.Contains(refusal.Reason, word) {
					t.Errorf("%s: %s refuses %q for %q; want %s", r.Name, form.name, r.Input, refusal.Reason, form.why)
				}
				continue
			}
			if err != nil || string(got) != "["+*form.want+"]" {
				t.Errorf("%s: %s of %q is %q, %v; want %q", r.Name, form.name, r.Input, got, err, *form.want)
			}
		}
	}
}

// TestKeyVectors holds the keys of whole trace lines against CPython's.
func TestKeyVectors(t *testing.T) {
	type row struct{ Line, Run, Tool, Intent, Dedup16 string }
	var d pyjson.Doc
	var a Args
	for _, r := range readVectors[row](t, "keys.jsonl") {
		if err := d.ParseWhole([]byte(r.Line)); err != nil {
			t.Errorf("%s: %v", r.Line, err)
			continue
		}
		call := d.Root().Get("call")
		if err := a.Parse(call.Get("arguments").Raw()); err != nil {
			t.Errorf("%s: %v", r.Line, err)
			continue
		}
		run, tool := RunID{Text: []byte(r.Run)}, []byte(r.Tool)
		for _, want := range []struct {
			recipe *Recipe
			text   string
		}{{Intent, r.Intent}, {Dedup16, r.Dedup16}} {
			got, err := want.recipe.Derive(run, tool, &a)
			if err != nil || want.recipe.Text(got) != want.text {
				t.Errorf("%s: %s is %s, %v; want %s", r.Line, want.recipe.Name(), want.recipe.Text(got), err, want.text)
			}
		}
	}
}
