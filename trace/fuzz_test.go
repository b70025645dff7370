package trace

import (
	"bytes"
	"testing"
)

// FuzzDecodeBlock decodes anything in every format: nothing panics, everything is accounted for, events stand in order
// where they say, and blocks of a stateless format add up to their file.
func FuzzDecodeBlock(f *testing.F) {
	formats := append(Formats(), unknownFormat())
	for _, data := range samples(f) {
		for k := range formats {
			f.Add(data[:min(len(data), 4<<10)], uint8(k), false)
		}
	}
	f.Add([]byte(aCall+aResult+"\n"+aCall), uint8(0), false)
	f.Add([]byte("[\n"+aCall+",\n"+aResult+"]{\n}\n{"), uint8(1), true)
	f.Add([]byte("\xEF\xBB\xBF{}\r\n\x00\n{}x"), uint8(2), false)
	f.Fuzz(func(t *testing.T, data []byte, k uint8, document bool) {
		format := formats[int(k)%len(formats)]
		got := decodeAs(format, data, "fuzz.jsonl", document)
		checkTally(t, format, data, got)
		if !format.Stateless || document {
			return
		}
		i := bytes.IndexByte(data[len(data)/2:], '\n')
		cut := i + len(data)/2 + 1
		if i < 0 || cut == len(data) {
			return
		}
		file := &File{Path: "fuzz.jsonl"}
		dec := format.New(head(data), file.Path)
		var sum Stats
		var w Scratch
		n := 0
		same := func(e *Event) {
			if n < len(got.events) && show(e) != show(&got.events[n]) {
				t.Errorf("event %d in two blocks: %s, at once: %s", n, show(e), show(&got.events[n]))
			}
			n++
		}
		sum.Add(decode(&Block{File: file, Data: data[:cut]}, dec, format, &w, same))
		sum.Add(decode(&Block{File: file, Data: data[cut:], Off: int64(cut), Last: true}, dec, format, &w, same))
		if sum != got.Stats {
			t.Errorf("two blocks: %+v, at once: %+v", sum, got.Stats)
		}
	})
}

func checkTally(t *testing.T, f *Format, data []byte, got tally) {
	t.Helper()
	if !got.accounted() {
		t.Errorf("%s: not accounted for: %+v", f.Name, got.Stats)
	}
	want := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		want++
	}
	if got.Lines != want {
		t.Errorf("%s: %d lines, want %d", f.Name, got.Lines, want)
	}
	line := 0
	for i := range got.events {
		e := &got.events[i]
		if e.Offset < 0 || e.Offset > len(data) || e.Line < 0 || e.Line > want {
			t.Errorf("%s: event %d at %d, line %d of %d bytes, %d lines", f.Name, i, e.Offset, e.Line, len(data), want)
		}
		if e.Line < line && f.Stateless {
			t.Errorf("%s: event %d on line %d after one on line %d", f.Name, i, e.Line, line)
		}
		line = e.Line
		if e.Kind == Result && e.Status == Pending {
			t.Errorf("%s: event %d is a result without a status", f.Name, i)
		}
		if e.Kind == Call && len(e.Tool) == 0 {
			t.Errorf("%s: event %d is a call without a tool", f.Name, i)
		}
	}
}
