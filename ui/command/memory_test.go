package command

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"drainboard/ui/board"
)

// TestRemembered: what the board remembers is there again for the same directory and no other; a file that is broken is told and passed over.
func TestRemembered(t *testing.T) {
	w := newWorld(t)
	w.Home = t.TempDir()
	a := &app{env: &w.Env, opts: newOptions()}
	if got := a.remembered(); !reflect.DeepEqual(got, board.State{}) {
		t.Errorf("without a file it remembers %+v", got)
	}
	want := board.State{Screen: "Runs", Split: 4, Lists: map[string]board.ListState{"Findings": {Filter: "sev:high"}}, Views: []board.View{{Name: "night"}}}
	a.remember(want)
	if got := a.remembered(); !reflect.DeepEqual(got, want) {
		t.Errorf("it remembers %+v, want %+v; said %s", got, want, w.err.String())
	}
	path := a.stateFile()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := a.remembered(); !reflect.DeepEqual(got, board.State{}) || !strings.Contains(w.err.String(), path) {
		t.Errorf("of a broken file it remembers %+v, and says %q", got, w.err.String())
	}
	w.Dir = t.TempDir()
	if a.stateFile() == path {
		t.Error("two directories share a file")
	}
}

// TestBoardSettings: flags go before the file, and mistakes in either are told with the place.
func TestBoardSettings(t *testing.T) {
	for _, c := range []struct{ name, file, columns, notify, want string }{
		{"nothing", "", "", "", ""},
		{"file", "notify: bell\n", "", "", ""},
		{"flags", "notify: bell\ncolumns: {Findings: [tool]}\n", "severity,key", "off", ""},
		{"wrong file", "notify: loud\n", "", "", "board.yaml: notify: expected one of off, bell, osc9"},
		{"wrong columns", "", "runs=run,moon", "", `--columns: runs: expected some of run, calls, spark, tree, findings, side, end, first, last, found "moon"`},
	} {
		w := newWorld(t)
		w.Home = t.TempDir()
		path := filepath.Join(w.Home, ".config", "drainboard", "board.yaml")
		if c.file != "" {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, path, c.file)
		}
		a := &app{env: &w.Env, opts: newOptions()}
		f := &boardFlags{notify: choice{c.notify, nil}}
		if c.columns != "" {
			f.columns = []string{c.columns}
		}
		s, err := a.boardSettings(f)
		switch {
		case c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		case c.name == "flags" && (s.Notify != "off" || len(s.Columns) != 1 || len(s.Columns["findings"]) != 2):
			t.Errorf("%s: %+v", c.name, s)
		case c.name == "file" && s.Notify != "bell":
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}
