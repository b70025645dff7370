package trace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// benchData gives about 8 MB of lines like the sample's.
func benchData(b *testing.B, name string) []byte {
	b.Helper()
	var one []byte
	if name == "plain" {
		one = []byte(text(lines(0, 1000)))
	} else {
		var err error
		if one, err = os.ReadFile(filepath.Join("../testdata/samples", name)); err != nil {
			b.Fatal(err)
		}
	}
	return bytes.Repeat(one, 8<<20/len(one)+1)
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct{ name, sample string }{
		{"plain", "plain"}, {"claude", "claude-code-sibling-errors.jsonl"}, {"codex", "codex-rollout.jsonl"},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := benchData(b, c.sample)
			s := sniffer{formats: Formats()}
			f := s.sniff(head(data), c.sample, false)
			block := &Block{File: &File{Path: c.sample}, Data: data, Last: true}
			dec := f.New(head(data), c.sample)
			var w Scratch
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				decode(block, dec, f, &w, func(*Event) {})
			}
		})
	}
}

// BenchmarkSplit finds the lines of a block, and nothing else.
func BenchmarkSplit(b *testing.B) {
	for _, c := range []struct{ name, sample string }{{"plain", "plain"}, {"claude", "claude-code-sibling-errors.jsonl"}} {
		b.Run(c.name, func(b *testing.B) {
			data := benchData(b, c.sample)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				n := 0
				for range bytes.Lines(data) {
					n++
				}
				if n == 0 {
					b.Fatal("no lines")
				}
			}
		})
	}
}

// BenchmarkRead reads a file in blocks without decoding them, with lines as short as calls and as long as messages.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name string
		line string
	}{
		{"short lines", line(0)}, {"long lines", `{"text":"` + strings.Repeat("x", 200_000) + `"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			const size = 128 << 20
			path := filepath.Join(b.TempDir(), "a.jsonl")
			if err := os.WriteFile(path, bytes.Repeat([]byte(c.line+"\n"), size/len(c.line)), 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			for b.Loop() {
				drainAll(b, sources(path))
			}
		})
	}
	b.Run("small files", func(b *testing.B) {
		const n = 2000
		dir := b.TempDir()
		body := []byte(text(lines(0, 20)))
		for k := range n {
			if err := os.WriteFile(filepath.Join(dir, "f"+strconv.Itoa(k)+".jsonl"), body, 0o600); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(int64(n * len(body)))
		for b.Loop() {
			drainAll(b, sources(dir))
		}
	})
}

func drainAll(b *testing.B, from []Source) {
	r, err := Open(context.Background(), Config{Sources: from})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for {
		it, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if it.Block != nil {
			it.Block.Release()
		}
	}
}
