package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drainboard/ledger"
	"drainboard/ledger/sqlite"
)

// TestCases runs `check --json` on every folder of testdata/cases and compares it with expected.json: every name there must be in the
// answer with that value; lists are compared without order, ages within a second, files by their base name, reasons not at all.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/cases/*/expected.json")
	if err != nil || len(cases) < 31 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, expected := range cases {
		dir := filepath.Dir(expected)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			args := []string{"check", "--json", "--now", "2026-03-02T12:00:00Z", "--tools", filepath.Join(dir, "tools.yaml")}
			if rows, err := os.ReadFile(filepath.Join(dir, "ledger.jsonl")); err == nil {
				args = append(args, "--ledger", caseLedger(t, rows))
			}
			w := newWorld(t, append(args, filepath.Join(dir, "trace.jsonl"))...)
			code := w.run(t)
			var got, want map[string]any
			src, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(src, &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(w.out.Bytes(), &got); err != nil {
				t.Fatalf("exit code %d, %v in %q\n%s", code, err, w.out.String(), w.err.String())
			}
			if (code == exitNo) != (want["verdict"] == "NO-GO") {
				t.Errorf("exit code %d with verdict %v", code, want["verdict"])
			}
			for _, d := range differ("", want, got) {
				t.Error(d)
			}
		})
	}
}

// caseLedger makes a replay file of rows that stand one a line.
func caseLedger(t *testing.T, lines []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "replay.sqlite")
	store, err := sqlite.OpenStore(t.Context(), path, sqlite.StoreOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		var r struct {
			Key      string  `json:"idempotency_key"`
			Tool     string  `json:"tool_name"`
			Request  string  `json:"request_json"`
			Response *string `json:"response_json"`
			State    string  `json:"state"`
			Created  float64 `json:"created_at"`
			Updated  float64 `json:"updated_at"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		row := ledger.Row{Key: r.Key, Tool: r.Tool, Request: r.Request, State: ledger.State(r.State), Created: r.Created, Updated: r.Updated}
		if r.Response != nil {
			row.Response, row.HasResponse = *r.Response, true
		}
		if err := store.Update(t.Context(), func(tx ledger.Tx) error { return tx.Insert(&row) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// differ says where an answer is not what a case expects.
func differ(at string, want, got any) (out []string) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want an object, got %v", at, got)}
		}
		for name, v := range w {
			if x, ok := g[name]; !ok {
				out = append(out, fmt.Sprintf("%s.%s: missing", at, name))
			} else {
				out = append(out, differ(at+"."+name, v, x)...)
			}
		}
		return out
	case []any:
		return differList(at, w, got)
	case float64:
		g, ok := got.(float64)
		within := 1e-9
		if strings.HasSuffix(at, ".age_s") {
			within = 1
		}
		if ok && math.Abs(w-g) <= within {
			return nil
		}
	case string:
		g, ok := got.(string)
		if ok && (w == g || strings.HasSuffix(at, ".reason") || strings.HasSuffix(at, ".file") && w == filepath.Base(g)) {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: want %v, got %v", at, want, got)}
}

// differList compares lists without order.
func differList(at string, want []any, got any) []string {
	g, ok := got.([]any)
	if !ok || len(g) != len(want) {
		return []string{fmt.Sprintf("%s: want %d entries, got %v", at, len(want), got)}
	}
	left := append([]any{}, g...)
next:
	for i, w := range want {
		for k, x := range left {
			if len(differ(at, w, x)) == 0 {
				left = append(left[:k], left[k+1:]...)
				continue next
			}
		}
		return []string{fmt.Sprintf("%s[%d]: nothing like %v in %v", at, i, w, left)}
	}
	return nil
}

// TestDiffer shows that the comparison can fail, and at what.
func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{`{"a": 1}`, `{"a": 1, "b": 2}`, true},
		{`{"a": 1, "b": 2}`, `{"a": 1}`, false},
		{`{"a": []}`, `{"a": null}`, false},
		{`{"a": [1, 2, 2]}`, `{"a": [2, 1, 2]}`, true},
		{`{"a": [1, 2, 2]}`, `{"a": [2, 1, 1]}`, false},
		{`{"a": [1]}`, `{"a": [1, 1]}`, false},
		{`{"age_s": 10}`, `{"age_s": 10.9}`, true},
		{`{"age": 10}`, `{"age": 10.9}`, false},
		{`{"file": "t.jsonl"}`, `{"file": "/x/t.jsonl"}`, true},
		{`{"run": "t.jsonl"}`, `{"run": "/x/t.jsonl"}`, false},
		{`{"reason": "x"}`, `{"reason": "y"}`, true},
		{`{"verdict": "GO"}`, `{"verdict": "NO-GO"}`, false},
		{`{"hung": true}`, `{"hung": false}`, false},
	} {
		var want, got any
		if json.Unmarshal([]byte(c.want), &want) != nil || json.Unmarshal([]byte(c.got), &got) != nil {
			t.Fatal(c)
		}
		if d := differ("", want, got); (len(d) == 0) != c.same {
			t.Errorf("%s and %s: %q", c.want, c.got, d)
		}
	}
}
