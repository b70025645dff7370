package demo

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger/sqlite"
)

var start = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// TestDeterministic tells the same story for the same seed, and another one for another.
func TestDeterministic(t *testing.T) {
	a, b, c := Story(1, start, 1), Story(1, start, 1), Story(2, start, 1)
	if !reflect.DeepEqual(a, b) {
		t.Error("one seed tells two stories")
	}
	if reflect.DeepEqual(a, c) {
		t.Error("two seeds tell one story")
	}
}

// TestBeats holds beats to their order, their minute, and to lines that are JSON but for those torn on purpose.
func TestBeats(t *testing.T) {
	for _, pace := range []float64{1, 4} {
		beats := Story(1, start, pace)
		end := start.Add(time.Duration(float64(Length) / pace))
		torn := 0
		for i, b := range beats {
			if i > 0 && b.At.Before(beats[i-1].At) {
				t.Fatalf("beat %d is at %v, after %v", i, b.At, beats[i-1].At)
			}
			if b.At.After(end) {
				t.Errorf("beat %d is at %v, the story ends at %v", i, b.At, end)
			}
			if (b.File == "") != (b.Row != nil || b.Late != nil || b.Compensation != nil) {
				t.Errorf("beat %d: %+v is neither a line nor a change of the ledger", i, b)
			}
			if b.File != "" && (!json.Valid([]byte(b.Text)) || !strings.HasSuffix(b.Text, "\n")) {
				torn++
			}
		}
		if torn != 2 {
			t.Errorf("%d torn lines, want 2", torn)
		}
	}
}

// TestPrepare fills a new folder, and leaves one alone that holds something.
func TestPrepare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(dir, "tools.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tools, err := table.Parse(src, "tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tools.Rules() {
		if r.Compensate == nil {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, r.Compensate.Run[0]))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("compensation of %s: %v, %v", r.Name, info, err)
		}
	}
	if err := Prepare(dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second time: %v", err)
	}
}

// TestPlay writes every line and every row, and stops when its wait does.
func TestPlay(t *testing.T) {
	beats := Story(1, start, 1)
	dir := t.TempDir()
	if err := Prepare(dir); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Memory()
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	want := map[string]string{}
	for _, b := range beats {
		if b.File != "" {
			want[b.File] += b.Text
		}
	}
	if err := Play(t.Context(), dir, beats, store, nil); err != nil {
		t.Fatal(err)
	}
	for file, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(got) != text {
			t.Errorf("%s: %v, %d bytes, want %d", file, err, len(got), len(text))
		}
	}
	stop := errors.New("enough")
	n := 0
	err = Play(t.Context(), t.TempDir(), beats, store, func(context.Context, time.Time) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want the wait's error", err)
	}
}
