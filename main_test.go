package main

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// doors says what each room may import besides the standard library: the table of README.md, "How it is built". A pattern
// ends in /... for a room and all within it. A package takes the first line whose pattern fits.
var doors = []struct{ room, may string }{
	{"drainboard", "drainboard/ui/command"},
	{"drainboard/keys/pyjson", ""},
	{"drainboard/keys", "drainboard/keys/pyjson"},
	{"drainboard/keys/table", "drainboard/keys drainboard/keys/pyjson go.yaml.in/yaml/v3"},
	{"drainboard/trace/agentdb", "drainboard/trace drainboard/keys/pyjson modernc.org/sqlite/..."},
	{"drainboard/trace/...", "drainboard/trace/... drainboard/keys/pyjson github.com/fsnotify/fsnotify github.com/klauspost/compress/... golang.org/x/sys/..."},
	{"drainboard/ledger", "drainboard/keys drainboard/keys/pyjson drainboard/keys/table"},
	{"drainboard/ledger/sqlite", "drainboard/ledger modernc.org/sqlite/..."},
	{"drainboard/ledger/postgres", "drainboard/ledger github.com/jackc/pgx/v5/..."},
	{"drainboard/ledger/storetest", "drainboard/ledger drainboard/keys drainboard/keys/table"},
	{"drainboard/ledger/run", "drainboard/ledger golang.org/x/sys/..."},
	{"drainboard/ledger/triage", "drainboard/keys drainboard/keys/table drainboard/trace drainboard/ledger github.com/tidwall/btree"},
	{"drainboard/ledger/intake", "drainboard/trace drainboard/keys drainboard/keys/pyjson drainboard/keys/table drainboard/ledger drainboard/ledger/triage"},
	{"drainboard/ledger/leftovers", "drainboard/trace drainboard/keys drainboard/keys/pyjson drainboard/keys/table drainboard/ledger drainboard/ledger/triage drainboard/ledger/run"},
	{"drainboard/ui/safe", "github.com/charmbracelet/x/ansi"},
	{"drainboard/ui/board/probe", "github.com/charmbracelet/lipgloss"},
	{"drainboard/ui/board/...", "drainboard/keys/... drainboard/trace/... drainboard/ledger/... drainboard/ui/safe drainboard/ui/board/... " +
		"github.com/charmbracelet/... github.com/aymanbagabas/go-osc52/v2 golang.org/x/sys/..."},
	{"drainboard/ui/command/...", "drainboard/keys/... drainboard/trace/... drainboard/ledger/... drainboard/ui/... " +
		"github.com/spf13/... github.com/charmbracelet/x/term golang.org/x/sys/..."},
}

// TestDoors holds every package to the doors that its room has.
func TestDoors(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-f", "{{.ImportPath}}: {{range .Imports}}{{.}} {{end}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 8 {
		t.Fatalf("go list named %d packages: %q", len(lines), lines)
	}
	for _, line := range lines {
		room, imports, _ := strings.Cut(line, ": ")
		for _, wrong := range closed(room, strings.Fields(imports)) {
			t.Errorf("%s imports %s: that door does not exist; see README.md, \"How it is built\"", room, wrong)
		}
	}
}

// TestDoorsClose shows that the check can fail, and at which doors.
func TestDoorsClose(t *testing.T) {
	for _, c := range []struct {
		room, imports string
		want          []string
	}{
		{"drainboard/keys", "fmt drainboard/keys/pyjson", nil},
		{"drainboard/keys", "drainboard/trace", []string{"drainboard/trace"}},
		{"drainboard/trace", "drainboard/keys drainboard/keys/pyjson", []string{"drainboard/keys"}},
		{"drainboard/ledger/triage", "modernc.org/sqlite github.com/tidwall/btree", []string{"modernc.org/sqlite"}},
		{"drainboard/ui/command", "github.com/charmbracelet/bubbletea drainboard/ui/board", []string{"github.com/charmbracelet/bubbletea"}},
		{"drainboard/ledger/sqlite", "modernc.org/sqlite/lib os/exec", []string{"os/exec"}},
		{"drainboard/elsewhere", "fmt", []string{"(no such room)"}},
	} {
		if got := closed(c.room, strings.Fields(c.imports)); !slices.Equal(got, c.want) {
			t.Errorf("%s imports %s: closed doors %q, want %q", c.room, c.imports, got, c.want)
		}
	}
}

// closed returns those imports that a room has no door to. Children are started in two places only: ledger/run and the
// board's editor.
func closed(room string, imports []string) (wrong []string) {
	at := slices.IndexFunc(doors, func(d struct{ room, may string }) bool { return fits(d.room, room) })
	if at < 0 {
		return []string{"(no such room)"}
	}
	may := strings.Fields(doors[at].may)
	for _, name := range imports {
		standard := !strings.Contains(strings.SplitN(name, "/", 2)[0], ".") && !strings.HasPrefix(name, "drainboard")
		switch {
		case name == "os/exec":
			if room != "drainboard/ledger/run" && !strings.HasPrefix(room, "drainboard/ui/board") {
				wrong = append(wrong, name)
			}
		case !standard && !slices.ContainsFunc(may, func(p string) bool { return fits(p, name) }):
			wrong = append(wrong, name)
		}
	}
	return wrong
}

// fits says whether a package is what a pattern names.
func fits(pattern, name string) bool {
	if room, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == room || strings.HasPrefix(name, room+"/")
	}
	return path.Clean(name) == pattern
}
