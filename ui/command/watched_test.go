package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drainboard/ledger/triage"
	"drainboard/trace"
)

// drainWorld is a folder with two sides that agree, a table, and a place for state.
func drainWorld(t *testing.T, args ...string) *world {
	t.Helper()
	w := newWorld(t, args...)
	dir := w.Dir
	state := filepath.Join(dir, "state")
	w.Getenv = func(name string) string {
		if name == "XDG_STATE_HOME" {
			return state
		}
		return ""
	}
	line := func(side, run string) string {
		return `{"type":"tool_call","ts":"2026-03-02T11:00:00Z","run_id":"` + run + `","call_id":"c1","tool":"open_pr","args":{"head":"` + run + `"}}` + "\n" +
			`{"type":"tool_result","ts":"2026-03-02T11:00:01Z","run_id":"` + run + `","call_id":"c1","status":"ok","result":{"url":"https://example.invalid/` + side + `"}}` + "\n"
	}
	write(t, filepath.Join(dir, "paid", "r1.jsonl"), line("paid", "r1"))
	write(t, filepath.Join(dir, "dest", "r2.jsonl"), line("dest", "r2"))
	write(t, filepath.Join(dir, "tools.yaml"), "tools:\n  open_pr: {class: keyed}\n")
	old := testNow.Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "tools.yaml"), old, old); err != nil {
		t.Fatal(err)
	}
	return w
}

// drainAt runs drain at a time and returns its exit code and output.
func (w *world) drainAt(t *testing.T, at time.Time, more ...string) (int, string) {
	t.Helper()
	w.out.Reset()
	w.err.Reset()
	w.Args = append([]string{"drain", "paid=" + filepath.Join(w.Dir, "paid"), "dest=" + filepath.Join(w.Dir, "dest"), "--window", "30m", "--tools", filepath.Join(w.Dir, "tools.yaml")}, more...)
	w.Now = func() time.Time { return at }
	code := w.run(t)
	return code, w.out.String() + w.err.String()
}

// TestWindowSurvives runs drain again and again, as cron would: the window goes on from where it stood, and a blocker begins it anew.
func TestWindowSurvives(t *testing.T) {
	w := drainWorld(t)
	step := func(minutes int, code int, want string) {
		t.Helper()
		got, text := w.drainAt(t, testNow.Add(time.Duration(minutes)*time.Minute))
		if got != code || !strings.Contains(text, want) {
			t.Fatalf("after %d minutes: exit %d, want %d and %q:\n%s", minutes, got, code, want, text)
		}
	}
	step(0, 1, "30m of 30m left")
	step(29, 1, "1m of 30m left")
	step(30, 0, "nothing has blocked for 30m")

	write(t, filepath.Join(w.Dir, "paid", "r3.jsonl"), `{"type":"tool_call","ts":"2026-03-02T11:00:00Z","run_id":"r3","call_id":"c1","tool":"sync_crm","args":{}}`+"\n")
	step(31, 1, "NO-GO 1")
	if err := os.Remove(filepath.Join(w.Dir, "paid", "r3.jsonl")); err != nil {
		t.Fatal(err)
	}
	step(32, 1, "30m of 30m left")
	step(62, 0, "GO")

	// A table that changed while nobody looked may have ended a blocker that nobody saw.
	at := testNow.Add(70 * time.Minute)
	if err := os.Chtimes(filepath.Join(w.Dir, "tools.yaml"), at, at); err != nil {
		t.Fatal(err)
	}
	step(99, 1, "1m of 30m left")
	step(100, 0, "GO")
}

// TestWindowIsPrivate looks at the file's and folder's modes.
func TestWindowIsPrivate(t *testing.T) {
	w := drainWorld(t)
	w.drainAt(t, testNow)
	folder := filepath.Join(w.Dir, "state", "drainboard", "window")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %d files: want one", err, len(files))
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, files[0].Name()): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, mode %v, want %v", path, err, info.Mode().Perm(), want)
		}
	}
	// Another question is another window.
	w.drainAt(t, testNow, "--match", "intent")
	if files, err = os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Fatalf("%v, %d files: want two", err, len(files))
	}
}

// TestWindowFileDamaged: what cannot be read begins anew, and is told.
func TestWindowFileDamaged(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "junk", "another version": `{"version": 2}`, "no time": `{"version":1,"about":{"ledger":""},"since":"yesterday"}`,
	} {
		w := drainWorld(t)
		w.drainAt(t, testNow)
		folder := filepath.Join(w.Dir, "state", "drainboard", "window")
		files, err := os.ReadDir(folder)
		if err != nil || len(files) != 1 {
			t.Fatal(err, files)
		}
		write(t, filepath.Join(folder, files[0].Name()), text)
		code, out := w.drainAt(t, testNow.Add(40*time.Minute))
		if code != 1 || !strings.Contains(out, "30m of 30m left") || !strings.Contains(out, "the window begins anew") {
			t.Errorf("%s: exit %d\n%s", name, code, out)
		}
		if code, out = w.drainAt(t, testNow.Add(70*time.Minute)); code != 0 {
			t.Errorf("%s: it does not recover: exit %d\n%s", name, code, out)
		}
	}
}

// TestWindowFileLatest hands states over faster than they are written: the last one stays.
func TestWindowFileLatest(t *testing.T) {
	w := &windowFile{path: filepath.Join(t.TempDir(), "w", "x.json"), news: make(chan triage.WindowState, 1), done: make(chan struct{})}
	go w.run()
	var last triage.WindowState
	for i := range int64(500) {
		last = triage.WindowState{Since: i, Broke: trace.NoTime, Seen: i}
		w.keep(last)
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	if got, err := w.read(); err != nil || got != last {
		t.Errorf("%+v %v, want %+v", got, err, last)
	}
}

func TestDrainUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--timeout 1h paid":                      "give --wait too",
		"--window -5m paid":                      "above zero",
		"--wait --now 2026-03-02T12:00:00Z paid": "--now stops the clock",
		"--draining dest paid":                   "no source has a side",
		"--draining none a=paid b=dest":          "expected a or b",
	} {
		w := newWorld(t, append([]string{"drain"}, strings.Fields(args)...)...)
		write(t, filepath.Join(w.Dir, "paid", "x.jsonl"), "")
		if code := w.run(t); code != 2 || w.out.Len() > 0 || !strings.Contains(w.err.String(), want) {
			t.Errorf("%s: exit %d, %q, %q, want %q", args, code, w.out.String(), w.err.String(), want)
		}
	}
}
