package trace

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestReadEventAgain reads every call and result of every fixture again by where it stands, as the detail page does: the
// same kind, tool, arguments and payload come back.
func TestReadEventAgain(t *testing.T) {
	for _, name := range fixtureNames(t) {
		t.Run(name, func(t *testing.T) {
			data, path := readFixture(t, name)
			path = filepath.Join(t.TempDir(), path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Open(t.Context(), Config{Sources: []Source{{Path: path}}})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var file *File
			var events []Event
			var w Scratch
			for {
				item, err := r.Next(t.Context())
				if err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if b := item.Block; b != nil {
					file = b.File
					DecodeBlock(b, &w, func(e *Event) {
						k := e.clone()
						k.Offset += int(b.Off)
						events = append(events, k)
					})
					b.Release()
				}
			}
			if len(events) == 0 {
				t.Fatal("no events")
			}
			for _, e := range events {
				if e.Kind != Call && e.Kind != Result {
					continue
				}
				again, err := r.ReadEvent(file, int64(e.Offset), e.N)
				if err != nil {
					t.Fatalf("%s: %v", describe(&e), err)
				}
				// Which start of a thread an item belongs to shows in the lines before it only.
				same := name == "codex-exec.jsonl" || string(again.CallID) == string(e.CallID)
				if again.Kind != e.Kind || string(again.Tool) != string(e.Tool) || !same ||
					string(again.Payload) != string(e.Payload) || !again.NoArgs && string(again.Args) != string(e.Args) {
					t.Errorf("got  %s\nwant %s", describe(&again), describe(&e))
				}
			}
			if _, err := r.ReadEvent(file, int64(len(data)), 1); err == nil {
				t.Error("an event was found behind the end")
			}
		})
	}
}
