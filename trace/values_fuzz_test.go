package trace

import (
	"bytes"
	"testing"

	"drainboard/keys"
	"drainboard/keys/pyjson"
)

// FuzzValues holds what an event lends parsed against the bytes beside it: keys and digests are the same, whichever of them is read.
func FuzzValues(f *testing.F) {
	formats := Formats()
	for _, data := range samples(f) {
		for k := range formats {
			f.Add(data[:min(len(data), 4<<10)], uint8(k))
		}
	}
	var a, b keys.Args
	var s keys.Scratch
	f.Fuzz(func(t *testing.T, data []byte, k uint8) {
		format := formats[int(k)%len(formats)]
		DecodeBytes(format, data, "fuzz.jsonl", func(e *Event) {
			if e.Value.Kind() == pyjson.Missing {
				return
			}
			raw := e.Args
			if e.Kind == Result {
				raw = e.Payload
			}
			if !bytes.Equal(raw, e.Value.Raw()) {
				t.Fatalf("%s: %s beside %s", format.Name, e.Value.Raw(), raw)
			}
			if e.Kind == Result {
				if keys.DigestOf(&s, e.Value, nil) != keys.ValueDigest(&s, raw, nil) {
					t.Fatalf("%s: two digests of %s", format.Name, raw)
				}
				return
			}
			a.From(e.Value)
			err := b.Parse(raw)
			if err != nil || a.Digest() != b.Digest() || a.Opaque() != b.Opaque() {
				t.Fatalf("%s: two digests of %s, %v", format.Name, raw, err)
			}
		})
	})
}
