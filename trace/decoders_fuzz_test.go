package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"drainboard/keys/pyjson"
)

// FuzzDecoders gives any bytes to every decoder, as lines and as values that span lines, whole and in two pieces: no
// panic, nothing unaccounted for, nothing held back at the end, and the same events however the lines come.
func FuzzDecoders(f *testing.F) {
	formats := append(Formats(), Mapped(Mapping{
		Name: "mapped", Call: &Fields{Tool: "/tool", Args: "/args/0"}, Result: &Fields{CallID: "/id", Result: "/result", Status: "/status", Error: "/error"},
	}))
	index := map[string]uint8{}
	for i, format := range formats {
		index[format.Name] = uint8(i)
	}
	for _, name := range fixtureNames(f) {
		data, path := readFixture(f, name)
		format, _ := decodeAll(f, data, path)
		f.Add(index[format.Name], data, uint16(len(data)/2))
	}
	for _, name := range []string{"mcp-server.log", "tau-bench-results.json", "swe-agent.traj", "pi-small.jsonl", "claude-code-one-error.jsonl"} {
		data, err := os.ReadFile(filepath.Join("../testdata/samples", name))
		if err != nil {
			f.Fatal(err)
		}
		format, _ := decodeAll(f, data, name)
		f.Add(index[format.Name], data, uint16(100))
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte, cut uint16) {
		format := formats[int(which)%len(formats)]
		for _, document := range []bool{false, true} {
			got := decodeAs(format, data, "some/folder/file.jsonl", document)
			if !got.accounted() || got.Held != 0 {
				t.Fatalf("%s: not accounted for: %+v", format.Name, got.Stats)
			}
			for _, e := range got.events {
				if e.Line < 0 || e.Offset < 0 || e.Offset > len(data) || e.Kind == Call && len(e.Tool) == 0 || e.Kind == Result && e.Status == Pending ||
					e.Args != nil && !pyjson.Whole(e.Args) || e.Payload != nil && !pyjson.Whole(e.Payload) {
					t.Fatalf("%s: an event that cannot be: %+v", format.Name, e)
				}
			}
			if !document {
				inTwo(t, format, data, int(cut), got)
			}
		}
		s := sniffer{formats: formats}
		s.sniff(head(data), "x", s.spansLines(head(data)))
	})
}

// inTwo decodes the lines in two blocks, of which the second is parsed ahead, and compares.
func inTwo(t *testing.T, format *Format, data []byte, cut int, whole tally) {
	t.Helper()
	if cut >= len(data) {
		return
	}
	i := bytes.IndexByte(data[cut:], '\n')
	if i < 0 {
		return
	}
	cut += i + 1
	var w Scratch
	var sum Stats
	var events []Event
	file, dec := &File{Path: "some/folder/file.jsonl"}, format.New(head(data), "some/folder/file.jsonl")
	for _, b := range []*Block{{File: file, Data: data[:cut]}, {File: file, Off: int64(cut), Data: data[cut:], Last: true}} {
		lines := sum.Lines
		if _, ok := dec.(LineDecoder); b.Last && !ok {
			w.ahead.parse(b) // as it is while the first block is decoded
		}
		sum.Add(decode(b, dec, format, &w, func(e *Event) {
			k := keepEvent(e)
			k.Line, k.Offset = k.Line+lines, k.Offset+int(b.Off)
			events = append(events, k)
		}))
	}
	if sum != whole.Stats {
		t.Fatalf("%s: in two pieces %+v, whole %+v", format.Name, sum, whole.Stats)
	}
	if a, b := describeAll(events), describeAll(whole.events); a != b {
		t.Fatalf("%s: in two pieces\n%swhole\n%s", format.Name, a, b)
	}
}

// TestOddValues puts something else in the place of each value and each name of every fixture, in turn: whatever stands
// where, nothing panics, goes unaccounted for, or is held back at the end.
func TestOddValues(t *testing.T) {
	odd := []string{"null", "1", `"x"`, "[]", "{}", "[[1],{}]", "-1e400", "true", `""`, `{"a":{"b":[0]}}`, "18446744073709551616"}
	for _, name := range fixtureNames(t) {
		data, path := readFixture(t, name)
		format, _ := decodeAll(t, data, path)
		document := spansLines(data)
		var doc pyjson.Doc
		turn := 0
		for at := 0; at < len(data); {
			start := bytes.IndexAny(data[at:], "{[")
			if start < 0 {
				break
			}
			next, err := doc.Parse(data, at+start)
			if err != nil {
				at += start + 1
				continue
			}
			at = next
			for i := range doc.Nodes() {
				v := doc.Value(i)
				changed := append([]byte{}, data[:v.Offset()]...)
				changed = append(changed, odd[turn%len(odd)]...)
				changed = append(changed, data[v.Offset()+len(v.Raw()):]...)
				turn++
				got := decodeAs(format, changed, path, document)
				if !got.accounted() || got.Held != 0 {
					t.Fatalf("%s: not accounted for: %+v\n%s", name, got.Stats, changed)
				}
				for _, e := range got.events {
					if e.Kind == Call && len(e.Tool) == 0 || e.Kind == Result && e.Status == Pending || e.Line < 0 {
						t.Fatalf("%s: an event that cannot be: %s\n%s", name, describe(&e), changed)
					}
					if e.Args != nil && !pyjson.Whole(e.Args) || e.Payload != nil && !pyjson.Whole(e.Payload) {
						t.Fatalf("%s: not JSON: %s", name, describe(&e))
					}
				}
			}
		}
	}
}
