package command

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drainboard/ledger"
	"drainboard/ledger/sqlite"
)

// incidentWorld is a folder with a double charge whose texts try to be Markdown, a formula and an escape sequence, and a ledger with one action.
func incidentWorld(t *testing.T) (*world, func(args ...string) string) {
	t.Helper()
	w := newWorld(t)
	dir := w.Dir
	write(t, filepath.Join(dir, "traces", "secret-run.jsonl"), `{"type":"tool_call","ts":"2026-03-02T11:00:00Z","run_id":"=secret|run","call_id":"c<1>","tool":"charge_card","args":{"card":"4111-hidden"}}
{"type":"tool_result","ts":"2026-03-02T11:00:01.5Z","run_id":"=secret|run","call_id":"c<1>","status":"ok","result":{"charge":"ch_hidden1"}}
{"type":"tool_result","ts":"2026-03-02T11:00:31Z","run_id":"=secret|run","call_id":"c<1>","status":"ok","result":{"charge":"ch_hidden2"}}
`)
	write(t, filepath.Join(dir, "tools.yaml"), "tools:\n  charge_card: {class: compensate}\n")
	path := filepath.Join(dir, "ledger.sqlite")
	store, err := sqlite.OpenStore(t.Context(), path, sqlite.StoreOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(t.Context(), func(tx ledger.Tx) error {
		row := ledger.Row{Key: "row-of-hand", Tool: "charge_card", Request: "{}", State: ledger.Failed, Created: 1772449200, Updated: 1772449260}
		if err := tx.Insert(&row); err != nil {
			return err
		}
		was, is := row.Image(), row.Image()
		was.State = ledger.InFlight
		_, err := tx.Log(&ledger.Entry{At: 1772449260, Actor: "mallory@hidden-host", Action: ledger.ActFailed, Key: row.Key, Tool: row.Tool, Reason: "told by \x1b[31mhidden", From: &was, To: &is})
		return err
	})
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return w, func(args ...string) string {
		t.Helper()
		w.out.Reset()
		w.err.Reset()
		w.Args = append([]string{"export", "--now", "2026-03-02T12:00:00Z", "--ledger", path, "--tools", filepath.Join(dir, "tools.yaml"), filepath.Join(dir, "traces")}, args...)
		if code := w.run(t); code != 0 {
			t.Fatalf("%q: exit %d: %s", args, code, w.err.String())
		}
		return w.out.String()
	}
}

// TestExport writes each format twice: it is the same, byte for byte, and holds no argument, no result, and no text that acts.
func TestExport(t *testing.T) {
	w, export := incidentWorld(t)
	for format, want := range map[string][]string{
		"md": {
			"# Incident report: NO-GO", "| 1 | critical repeat |", `=secret\|run`, "c&lt;1&gt;", "| critical | duplicate | charge\\_card |",
			"| 2026-03-02T11:00:01.5Z | result |", "a further result of one call", "mark failed inflight → failed", `told by ␛\[31mhidden`,
		},
		"json": {`"verdict": "NO-GO"`, `"run": "=secret|run"`, `"actor": "mallory@hidden-host"`, `"redacted": false`},
		"csv":  {"time,what,who,", "'=secret|run", "2026-03-02T11:00:31Z,result,"},
	} {
		text := export("--format", format)
		if again := export("--format", format); again != text {
			t.Errorf("%s: twice is not the same", format)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q:\n%s", format, part, text)
			}
		}
		if strings.ContainsAny(text, "\x1b") || strings.Contains(text, "4111") || strings.Contains(text, "ch_hidden") {
			t.Errorf("%s holds what it must not:\n%s", format, text)
		}
		redacted := export("--format", format, "--anonymous")
		for _, secret := range []string{"secret", "hidden", "mallory", "row-of-hand", "c<1>", w.Dir} {
			if strings.Contains(redacted, secret) {
				t.Errorf("anonymous %s holds %q:\n%s", format, secret, redacted)
			}
		}
		if !strings.Contains(redacted, "charge") || !strings.Contains(redacted, "run-") {
			t.Errorf("anonymous %s holds too little:\n%s", format, redacted)
		}
	}
}

// TestExportOrder reads the timeline: in the order of time, calls and actions together.
func TestExportOrder(t *testing.T) {
	_, export := incidentWorld(t)
	rows, err := csv.NewReader(strings.NewReader(export("--format", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows[1:] {
		got = append(got, r[1])
	}
	if want := "call result result action"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q: %q", got, want, rows)
	}
	for i := 2; i < len(rows); i++ {
		if sortable(rows[i][0]) < sortable(rows[i-1][0]) {
			t.Errorf("%s stands behind %s", rows[i][0], rows[i-1][0])
		}
	}
}

// TestExportFile writes a file that is not there yet, for its owner alone.
func TestExportFile(t *testing.T) {
	w, export := incidentWorld(t)
	path := filepath.Join(w.Dir, "incident.json")
	if text := export("--json", "-o", path); text != "" {
		t.Errorf("it printed %q", text)
	}
	src, err := os.ReadFile(path)
	if err != nil || !json.Valid(src) {
		t.Fatalf("%v: %s", err, src)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	w.Args = append(w.Args[:0:0], "export", "--tools", filepath.Join(w.Dir, "tools.yaml"), filepath.Join(w.Dir, "traces"), "-o", path)
	if code := w.run(t); code != 2 || !strings.Contains(w.err.String(), "not there yet") {
		t.Errorf("it wrote over a file: exit %d, %s", code, w.err.String())
	}
}
