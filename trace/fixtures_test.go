package trace

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write what the fixtures of testdata/formats give, to be read before it is kept")

const fixtures = "../testdata/formats"

// fixturePaths says where a fixture lies on its agent's machine, when the place says something.
var fixturePaths = map[string]string{
	"cline.json":           "globalStorage/saoudrizwan.claude-dev/tasks/1777622400000/api_conversation_history.json",
	"kimi.jsonl":           "/home/u/.kimi/sessions/0a1b/ki-1/wire.jsonl",
	"entire.jsonl":         "checkpoints/0a/1b2c3d4e5f/1/transcript.jsonl",
	"gemini-chat.jsonl":    "/home/u/.gemini/tmp/p/chats/g-parent/g-child.jsonl",
	"openhands-event.json": "/home/u/.openhands/conversations/oh-1/events/event-00001-e1.json",
}

// TestFixtures holds every decoder against hand-written files of its format: FILE.want says what FILE gives. A new format
// is one file of code, one of these, and what it gives.
func TestFixtures(t *testing.T) {
	covered := map[string]bool{
		"plain": true, "codex": true, "claude-code": true, "generic": true, "pi": true, "swe-agent": true,
		"tau-bench": true, "sweagent-llm-log": true, "mcp-log": true,
	}
	for _, name := range fixtureNames(t) {
		t.Run(name, func(t *testing.T) {
			data, path := readFixture(t, name)
			f, got := decodeAll(t, data, path)
			covered[f.Name] = true
			if !strings.HasPrefix(name, f.Name) {
				t.Errorf("format: got %s", f.Name)
			}
			if !got.accounted() || got.Held != 0 {
				t.Errorf("not accounted for: %+v", got.Stats)
			}
			text := describeAll(got.events)
			want := filepath.Join(fixtures, name+".want")
			if *update {
				if err := os.WriteFile(want, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			expected, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			compareLines(t, text, string(expected))
		})
	}
	for _, f := range Formats() {
		if !covered[f.Name] {
			t.Errorf("format %s has no fixture", f.Name)
		}
	}
}

// TestFixturesInPieces decodes each fixture again with every line as a block of its own, as a file that is followed comes:
// the events must be the same, at the same places.
func TestFixturesInPieces(t *testing.T) {
	for _, name := range fixtureNames(t) {
		data, path := readFixture(t, name)
		f, whole := decodeAll(t, data, path)
		if whole.Lines == 1 || spansLines(data) {
			continue // one value, or values that span lines: there are no pieces
		}
		t.Run(name, func(t *testing.T) {
			var events []Event
			var sum Stats
			var w Scratch
			file := &File{Path: path}
			dec := f.New(head(data), path)
			at, line := 0, 0
			for piece := range bytes.Lines(data) {
				b := &Block{File: file, Off: int64(at), Data: piece, Last: at+len(piece) == len(data)}
				st := decode(b, dec, f, &w, func(e *Event) {
					k := keepEvent(e)
					k.Offset, k.Line = k.Offset+at, k.Line+line
					events = append(events, k)
				})
				sum.Add(st)
				at, line = at+len(piece), line+st.Lines
			}
			compareLines(t, describeAll(events), describeAll(whole.events))
			if sum != whole.Stats {
				t.Errorf("counts: got %+v, want %+v", sum, whole.Stats)
			}
		})
	}
}

func spansLines(data []byte) bool {
	s := sniffer{formats: Formats()}
	return s.spansLines(head(data))
}

func fixtureNames(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".want") {
			names = append(names, e.Name())
		}
	}
	if len(names) < 40 {
		t.Fatalf("only %d fixtures", len(names))
	}
	return names
}

func readFixture(t testing.TB, name string) (data []byte, path string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	if path = fixturePaths[name]; path == "" {
		path = name
	}
	return data, path
}

func compareLines(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			t.Errorf("event %d:\n got %s\nwant %s", i+1, x, y)
			return
		}
	}
}

func describeAll(events []Event) string {
	var b strings.Builder
	for i := range events {
		b.WriteString(describe(&events[i]))
		b.WriteByte('\n')
	}
	return b.String()
}

var statusWords = map[Status]string{Pending: "pending", OK: "ok", Replayed: "replayed", Refused: "refused", Error: "error", Ambiguous: "ambiguous"}

// describe writes an event as a line: where it stands, what it is, run and call id, and what it holds.
func describe(e *Event) string {
	at := fmt.Sprintf("%d", e.Line+1)
	if e.N > 1 {
		at += fmt.Sprintf("#%d", e.N)
	}
	when := "-"
	if e.Time != NoTime {
		when = time.Unix(0, e.Time).UTC().Format(time.RFC3339Nano)
	}
	id := fmt.Sprintf("%s/%s", e.Run, e.CallID)
	if len(e.Conn) > 0 {
		id += "@" + string(e.Conn)
	}
	span := ""
	if len(e.Span) > 0 {
		span = fmt.Sprintf(" span %s", e.Span)
	}
	switch e.Kind {
	case Call:
		args := string(e.Args)
		if e.NoArgs {
			args = "(not recorded)"
		}
		return fmt.Sprintf("%s call %s %s %s %s%s", at, id, e.Tool, args, when, span)
	case Result:
		return fmt.Sprintf("%s %s %s %s %s %s%s", at, statusWords[e.Status], id, e.Tool, e.Payload, when, span)
	case Link:
		return fmt.Sprintf("%s link %s < %s", at, e.Run, e.Parent)
	case Bad:
		return fmt.Sprintf("%s bad: %s", at, e.Reason)
	}
	return fmt.Sprintf("%s kind %d %s", at, e.Kind, e.Run)
}

// TestFormatsAreWhole looks at what every format says of itself.
func TestFormatsAreWhole(t *testing.T) {
	lacks := []string{"times", "results", "in flight", "call ids", "errors"}
	seen := map[string]bool{}
	for _, f := range Formats() {
		if f.Name == "" || f.Title == "" || f.Sniff == nil || f.New == nil || seen[f.Name] {
			t.Errorf("format %q: not whole, or there twice", f.Name)
		}
		seen[f.Name] = true
		for _, what := range f.Lacks {
			if !slices.Contains(lacks, what) {
				t.Errorf("format %s lacks %q: not one of %q", f.Name, what, lacks)
			}
		}
		if _, flushes := f.New(nil, "x").(Flusher); flushes && f.Stateless {
			t.Errorf("format %s is Stateless and flushes", f.Name)
		}
		if f.Results == RecordsNever && !slices.Contains(f.Lacks, "results") {
			t.Errorf("format %s records no results and does not say so", f.Name)
		}
	}
}
