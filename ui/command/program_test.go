package command_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drainboard/ledger"
	"drainboard/ledger/sqlite"
	"drainboard/ui/command"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// program is what the program's main does.
func program() { os.Exit(command.Main()) }

// TestMain lets the test's own binary be drainboard, for scripts and for terminals.
func TestMain(m *testing.M) {
	if os.Getenv("DRAINBOARD_TEST_BE_MAIN") != "" {
		program()
	}
	testscript.Main(m, map[string]func(){"drainboard": program, "mkledger": makeLedger})
}

// TestScripts runs the command lines of testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script",
		Setup: func(e *testscript.Env) error {
			seed, err := filepath.Abs("../../testdata/seed")
			e.Setenv("SEED", seed)
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// exits CODE COMMAND...: the command ends with that code and no other.
			"exits": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: exits CODE COMMAND...")
				}
				err := ts.Exec(args[1], args[2:]...)
				code := 0
				var exit *exec.ExitError
				if errors.As(err, &exit) {
					code = exit.ExitCode()
				} else {
					ts.Check(err)
				}
				if fmt.Sprint(code) != args[0] {
					ts.Fatalf("exit code %d, want %s", code, args[0])
				}
			},
		},
	})
}

// makeLedger is `mkledger FILE ROWS`: a ledger with the rows of a file, one JSON object a line.
func makeLedger() {
	err := func() error {
		src, err := os.ReadFile(os.Args[2])
		if err != nil {
			return err
		}
		store, err := sqlite.OpenStore(context.Background(), os.Args[1], sqlite.StoreOptions{Create: true})
		if err != nil {
			return err
		}
		for line := range bytes.Lines(src) {
			var r struct {
				Key      string  `json:"idempotency_key"`
				Tool     string  `json:"tool_name"`
				Request  string  `json:"request_json"`
				Response *string `json:"response_json"`
				State    string  `json:"state"`
				Created  float64 `json:"created_at"`
				Updated  float64 `json:"updated_at"`
			}
			if err := json.Unmarshal(line, &r); err != nil {
				return err
			}
			row := ledger.Row{Key: r.Key, Tool: r.Tool, Request: r.Request, State: ledger.State(r.State), Created: r.Created, Updated: r.Updated}
			if r.Response != nil {
				row.Response, row.HasResponse = *r.Response, true
			}
			if err := store.Update(context.Background(), func(tx ledger.Tx) error { return tx.Insert(&row) }); err != nil {
				return err
			}
		}
		return store.Close()
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mkledger:", err)
		os.Exit(2)
	}
}

// TestSilentOnATerminal starts commands on a terminal that answers nothing: none may ask it for anything, or wait for it. With their output
// somewhere else not one byte reaches the terminal.
func TestSilentOnATerminal(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--help"}, {"formats", "--json"}, {"check", "--json", "../../testdata/cases/01-invoke-runs-body-twice/trace.jsonl"}} {
		for _, piped := range []bool{false, true} {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			cmd := exec.CommandContext(ctx, os.Args[0], args...)
			cmd.Env = append(os.Environ(), "DRAINBOARD_TEST_BE_MAIN=1", "TERM=xterm-256color", "CI=")
			var out, seen bytes.Buffer
			if piped {
				cmd.Stdout = &out
			}
			tty, err := pty.Start(cmd)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(&seen, tty) // ends with an error when the other side closes
			err = cmd.Wait()
			cancel()
			var exit *exec.ExitError
			if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
				t.Errorf("%q: %v: %s", args, err, seen.String())
			}
			if piped && (seen.Len() > 0 || out.Len() == 0) {
				t.Errorf("%q > file printed %q on the terminal and %d bytes into the file", args, seen.String(), out.Len())
			}
			if !piped && (seen.Len() == 0 || bytes.Contains(seen.Bytes(), []byte("\x1b]")) || bytes.Contains(seen.Bytes(), []byte("\x1b[6n"))) {
				t.Errorf("%q printed %q", args, seen.String())
			}
		}
	}
}

// TestDemoOnATerminal opens the board on a live drain, sees its verdict turn, quits, and finds the terminal and the temporary
// folder as they were.
func TestDemoOnATerminal(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	temp := t.TempDir()
	cmd := exec.CommandContext(ctx, os.Args[0], "demo", "--speed", "40")
	cmd.Env = append(os.Environ(), "DRAINBOARD_TEST_BE_MAIN=1", "TERM=xterm-256color", "TMPDIR="+temp, "XDG_STATE_HOME="+temp)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 34, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	buf := make([]byte, 1<<16)
	quit := false
	for {
		n, err := tty.Read(buf)
		seen.Write(buf[:n])
		if !quit && bytes.Contains(seen.Bytes(), []byte("NO-GO")) && bytes.Contains(seen.Bytes(), []byte("charge_card")) {
			quit = true
			if _, err := tty.WriteString("q"); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil { // the other side closed
			break
		}
	}
	if err := cmd.Wait(); err != nil || !quit {
		t.Fatalf("%v; it showed %q", err, seen.String())
	}
	if !bytes.Contains(seen.Bytes(), []byte("\x1b[?1049l")) {
		t.Error("the alternate screen was not left")
	}
	if left, err := os.ReadDir(temp); err != nil || slices.ContainsFunc(left, func(d os.DirEntry) bool { return strings.HasPrefix(d.Name(), "drainboard-demo-") }) {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// doors says what each room may import besides the standard library: the table of README.md, "How it is built". A pattern
// ends in /... for a room and all within it. A package takes the first line whose pattern fits.
var doors = []struct{ room, may string }{
	{"drainboard", "drainboard/ui/command"},
	{"drainboard/keys/pyjson", "golang.org/x/sys/..."},
	{"drainboard/keys", "drainboard/keys/pyjson"},
	{"drainboard/keys/table", "drainboard/keys drainboard/keys/pyjson go.yaml.in/yaml/v3"},
	{"drainboard/trace/agentdb", "drainboard/trace drainboard/keys/pyjson modernc.org/sqlite/..."},
	{"drainboard/trace/...", "drainboard/trace/... drainboard/keys/pyjson github.com/fsnotify/fsnotify github.com/klauspost/compress/... golang.org/x/sys/..."},
	{"drainboard/ledger", "drainboard/keys drainboard/keys/pyjson drainboard/keys/table"},
	{"drainboard/ledger/sqlite", "drainboard/ledger modernc.org/sqlite/... golang.org/x/sys/..."},
	{"drainboard/ledger/postgres", "drainboard/ledger github.com/jackc/pgx/v5/..."},
	{"drainboard/ledger/storetest", "drainboard/ledger drainboard/keys drainboard/keys/table"},
	{"drainboard/ledger/run", "drainboard/ledger golang.org/x/sys/..."},
	{"drainboard/ledger/triage", "drainboard/keys drainboard/keys/table drainboard/trace drainboard/ledger github.com/tidwall/btree"},
	{"drainboard/ledger/intake", "drainboard/trace drainboard/keys drainboard/keys/pyjson drainboard/keys/table drainboard/ledger drainboard/ledger/triage"},
	{"drainboard/ledger/operate", "drainboard/keys drainboard/keys/pyjson drainboard/keys/table drainboard/ledger drainboard/ledger/run drainboard/ledger/triage drainboard/ledger/intake"},
	{"drainboard/ledger/leftovers", "drainboard/trace drainboard/keys drainboard/keys/pyjson drainboard/keys/table drainboard/ledger drainboard/ledger/triage drainboard/ledger/run"},
	{"drainboard/ui/safe", "github.com/charmbracelet/x/ansi"},
	{"drainboard/ui/redact", "drainboard/keys/pyjson"},
	{"drainboard/ui/board/probe", "github.com/charmbracelet/lipgloss"},
	{"drainboard/ui/board/...", "drainboard/keys/... drainboard/trace/... drainboard/ledger/... drainboard/ui/safe drainboard/ui/redact drainboard/ui/board/... " +
		"github.com/charmbracelet/... github.com/aymanbagabas/go-osc52/v2 go.yaml.in/yaml/v3 golang.org/x/sys/..."},
	{"drainboard/ui/command/...", "drainboard/keys/... drainboard/trace/... drainboard/ledger/... drainboard/ui/... " +
		"github.com/spf13/... github.com/charmbracelet/x/term golang.org/x/sys/..."},
}

// TestDoors holds every package to the doors that its room has.
func TestDoors(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-f", "{{.ImportPath}}: {{range .Imports}}{{.}} {{end}}", "drainboard/...").Output()
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
