package keys

import (
	"crypto/sha256"
	"strings"
	"testing"

	"drainboard/keys/pyjson"
)

// Arguments of about 300 bytes, as agents send them: not in order, some text, some numbers.
const (
	benchArgs = `{"repo":"acme/payments","title":"Retry the settlement batch when the gateway times out","head":"fix/settlement-retry","base":"main",` +
		`"body":"The batch stops at the first gateway timeout.\nThis retries it with the same key.","labels":["bug","payments","p1"],"draft":null,"reviewers":3,"amount":19.99,"meta":{"source":"agent","attempts_left":2}}`
	benchSorted = `{"amount": 19.99, "base": "main", "body": "The batch stops at the first gateway timeout. This retries it with the same key.", "draft": false,` +
		` "head": "fix/settlement-retry", "labels": ["bug", "payments", "p1"], "meta": {"attempts_left": 2, "source": "agent"}, "repo": "acme/payments", "reviewers": 3, "title": "Retry the batch"}`
)

func benchCases() map[string][]byte {
	return map[string][]byte{
		"unsorted": []byte(benchArgs),
		"sorted":   []byte(benchSorted),
		"string":   pyjson.AppendQuote(nil, []byte(benchArgs)),
		"escaped":  []byte(strings.ReplaceAll(benchArgs, "e", `\u0065`)),
	}
}

func eachCase(b *testing.B, run func(b *testing.B, raw []byte)) {
	for _, name := range []string{"unsorted", "sorted", "string", "escaped"} {
		raw := benchCases()[name]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			run(b, raw)
		})
	}
}

func BenchmarkArgsParse(b *testing.B) {
	eachCase(b, func(b *testing.B, raw []byte) {
		var a Args
		for b.Loop() {
			if err := a.Parse(raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppendDefault(b *testing.B) {
	eachCase(b, func(b *testing.B, raw []byte) {
		var a Args
		if err := a.Parse(raw); err != nil {
			b.Fatal(err)
		}
		var dst []byte
		for b.Loop() {
			dst, _ = a.AppendDefault(dst[:0])
		}
	})
}

// BenchmarkDerive is all that a call costs here: parse, key, digest, shape.
func BenchmarkDerive(b *testing.B) {
	run, tool := RunID{Text: []byte("run-2026-03-02-0001")}, []byte("open_pr")
	for _, r := range []*Recipe{Intent, Dedup16, JCS} {
		b.Run(r.Name(), func(b *testing.B) {
			eachCase(b, func(b *testing.B, raw []byte) {
				var a Args
				for b.Loop() {
					if err := a.Parse(raw); err != nil {
						b.Fatal(err)
					}
					if _, err := r.Derive(run, tool, &a); err != nil {
						b.Fatal(err)
					}
					a.Digest()
					a.Shape(1772442000e9, true)
				}
			})
		})
	}
}

// BenchmarkHash is the two digests of a call's canonical text: that of its key, and that for comparing in memory.
func BenchmarkHash(b *testing.B) {
	text := []byte(benchSorted)
	b.Run("sha256", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			sha256.Sum256(text)
		}
	})
	b.Run("sum", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			sum(' ', text)
		}
	})
}

func BenchmarkShape(b *testing.B) {
	for name, raw := range map[string]string{
		"nothing":  benchArgs,
		"volatile": strings.Replace(benchArgs, `"reviewers":3`, `"requested_at":1772442000,"at":"2026-03-02T09:00:00Z","path":"/tmp/tmp8x2k1q/a","n":1.0`, 1),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var a Args
			if err := a.Parse([]byte(raw)); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, ok := a.Shape(1772442000e9, true); !ok {
					b.Fatal("no shape")
				}
			}
		})
	}
}

func BenchmarkValueDigest(b *testing.B) {
	var s Scratch
	eachCase(b, func(b *testing.B, raw []byte) {
		for b.Loop() {
			ValueDigest(&s, raw, nil)
		}
	})
	b.Run("text 1 MB", func(b *testing.B) {
		raw := pyjson.AppendQuote(nil, []byte(strings.Repeat("a line of a log that somebody wrote\n", 1<<20/36)))
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			ValueDigest(&s, raw, nil)
		}
	})
}
