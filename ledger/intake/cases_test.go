package intake

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

var casesNow = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// TestCases holds the book against traces with known answers, without files and ledgers between.
func TestCases(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/cases/*/expected.json")
	if err != nil || len(dirs) < 31 {
		t.Fatalf("expected 31 cases in testdata/cases, found %d (%v)", len(dirs), err)
	}
	for _, expected := range dirs {
		dir := filepath.Dir(expected)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			got := jsonOf(t, caseReport(t, dir))
			var want any
			if err := json.Unmarshal(mustRead(t, expected), &want); err != nil {
				t.Fatal(err)
			}
			for _, d := range missing(want, got, "") {
				t.Error(d)
			}
		})
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func jsonOf(t *testing.T, v any) (out any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// caseReport reads one case by the book alone.
func caseReport(t *testing.T, dir string) *triage.Report {
	t.Helper()
	tab, err := table.Parse(mustRead(t, filepath.Join(dir, "tools.yaml")), "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rows := caseRows(t, filepath.Join(dir, "ledger.jsonl"))
	book := triage.NewBook(triage.Config{Table: tab, Recipe: keys.Intent, Ledger: rows != nil, Since: trace.NoTime})
	plain := formatNamed(t, "plain")
	file := book.AddFile(triage.FileInfo{Path: "trace.jsonl", Format: plain.Name, Restates: plain.Restates, Results: plain.Results})
	k := newKeyer(&Config{}, &law{keys.Intent, tab}, make(batches, 1))
	k.start(plain, "trace", 0)
	batch := k.finish(trace.DecodeBytes(plain, mustRead(t, filepath.Join(dir, "trace.jsonl")), "trace.jsonl", k.event))
	batch.File = file
	book.Fold(batch)
	if rows != nil {
		book.Ledger(bookRows(viewRows(ledger.Changes{All: true, Rows: rows}, &holders{}, tab).rows), nil, true)
	}
	return book.Report(casesNow.UnixNano())
}

func formatNamed(t *testing.T, name string) *trace.Format {
	t.Helper()
	for _, f := range trace.Formats() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no format %q", name)
	return nil
}

func caseRows(t *testing.T, path string) []ledger.Row {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := []ledger.Row{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var in struct {
			Key      string  `json:"idempotency_key"`
			Tool     string  `json:"tool_name"`
			Request  string  `json:"request_json"`
			Response *string `json:"response_json"`
			State    string  `json:"state"`
			Created  float64 `json:"created_at"`
			Updated  float64 `json:"updated_at"`
		}
		if err := json.Unmarshal(s.Bytes(), &in); err != nil {
			t.Fatal(err)
		}
		r := ledger.Row{Key: in.Key, Tool: in.Tool, Request: in.Request, State: ledger.State(in.State), Created: in.Created, Updated: in.Updated}
		if in.Response != nil {
			r.Response, r.HasResponse = *in.Response, true
		}
		rows = append(rows, r)
	}
	return rows
}

// missing lists what want has and got has not; got may hold more names, lists are compared without order, ages within a second.
func missing(want, got any, at string) (out []string) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want an object, got %v", at, got)}
		}
		for k, v := range w {
			if k == "reason" {
				continue
			}
			out = append(out, missing(v, g[k], at+"."+k)...)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s: want %v, got %v", at, want, got)}
		}
		left := append([]any{}, g...)
	next:
		for _, v := range w {
			for i, c := range left {
				if len(missing(v, c, "")) == 0 {
					left = append(left[:i], left[i+1:]...)
					continue next
				}
			}
			out = append(out, fmt.Sprintf("%s: nothing like %v in %v", at, v, left))
		}
		return out
	case float64:
		if g, ok := got.(float64); ok && (g == w || strings.HasSuffix(at, "age_s") && math.Abs(g-w) <= 1) {
			return nil
		}
	}
	if !reflect.DeepEqual(want, got) {
		out = append(out, fmt.Sprintf("%s: want %v, got %v", at, want, got))
	}
	return out
}
