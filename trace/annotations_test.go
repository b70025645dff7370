package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnnotations: definitions are found in whatever they are wrapped in, and nothing else is taken for one.
func TestAnnotations(t *testing.T) {
	recorded, err := os.ReadFile("../testdata/annotations/mcp.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(recorded); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	const all = "get_issue 2 0 0; create_issue 2 0 0; frobnicate 1 1 2; zap 0 0 0; "
	list := `{"tools":[{"name":"a","annotations":{"readOnlyHint":true,"destructiveHint":null}}]}`
	for _, c := range []struct{ name, text, want string }{
		{"an MCP trace", string(recorded), all},
		{"gzip", packed.String(), all},
		{"Claude Desktop's log", `2025-07-28T21:36:20.765Z [memory] [info] Message from server: {"jsonrpc":"2.0","id":1,"result":` + list + `} { metadata: undefined }` + "\n", "a 2 0 0; "},
		{"a text that holds JSON", fmt.Sprintf(`{"time": 1, "message": %q}`, `{"jsonrpc":"2.0","id":1,"result":`+list+`}`), "a 2 0 0; "},
		{"no annotations", `{"result":{"tools":[{"name":"a","inputSchema":{"properties":{"annotations":{"type":"object"}}}}]}}`, ""},
		{"no hints", `{"name":"a","annotations":{"title":"A"}}`, ""},
		{"cut", list[:40] + "\n" + list, "a 2 0 0; "},
		{"a long line", `{"x":"` + strings.Repeat("annotations ", maxDefinition/8) + `"}` + "\n" + list, "a 2 0 0; "},
		{"deep", strings.Repeat(`{"annotations":`, 200) + "1" + strings.Repeat("}", 200), ""},
	} {
		path := filepath.Join(t.TempDir(), "trace")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := Annotations(context.Background(), path, func(a Annotation) {
			got += fmt.Sprintf("%s %d %d %d; ", a.Tool, a.ReadOnly, a.Destructive, a.Idempotent)
		}); err != nil || got != c.want {
			t.Errorf("%s: %q, want %q; %v", c.name, got, c.want, err)
		}
	}
}

// TestAnnotationsTogether: a server that says two things says the worse one.
func TestAnnotationsTogether(t *testing.T) {
	a := Annotation{ReadOnly: SaidYes, Destructive: SaidNo, Idempotent: SaidYes}
	if got := a.With(a); got != a {
		t.Errorf("%+v", got)
	}
	if got := a.With(Annotation{Destructive: SaidYes}); got.ReadOnly == SaidYes || got.Destructive == SaidNo || got.Idempotent == SaidYes {
		t.Errorf("%+v", got)
	}
}
