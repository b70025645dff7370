package trace

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkFormats decodes about 8 MB of lines like those of the samples; spans get ids of their own, as copies would be
// recognised early.
func BenchmarkFormats(b *testing.B) {
	for _, c := range []struct{ name, sample string }{
		{"copilot", "copilot-cli.jsonl"},
		{"pi", "pi-session.jsonl"},
		{"requests", "openai-cumulative-requests.jsonl"},
		{"mcp-log", "mcp-server.log"},
		{"tau-bench", "tau-bench-results.json"},
	} {
		b.Run(c.name, func(b *testing.B) { benchFormat(b, benchData(b, c.sample), c.sample) })
	}
	b.Run("otlp", func(b *testing.B) {
		var data bytes.Buffer
		for i := 0; data.Len() < 8<<20; i++ {
			data.WriteString(tool(fmt.Sprintf("%032x", i/50), fmt.Sprintf("%016x", i), fmt.Sprintf("%016x", i/50), "refund", i,
				"gen_ai.tool.call.id", fmt.Sprintf("call_%d", i), "gen_ai.tool.call.arguments", `{"order":"o-7","cents":1200}`,
				"gen_ai.tool.call.result", "done", "gen_ai.conversation.id", "c"))
		}
		benchFormat(b, data.Bytes(), "x.jsonl")
	})
	b.Run("otlp, each span alone", func(b *testing.B) { // in a trace of its own, under a parent that never comes
		var data bytes.Buffer
		for i := 0; data.Len() < 32<<20; i++ {
			data.WriteString(tool(fmt.Sprintf("%032x", i), fmt.Sprintf("%016x", i), fmt.Sprintf("%016x", i+1), "refund", i,
				"gen_ai.tool.call.id", fmt.Sprintf("call_%d", i), "gen_ai.tool.call.arguments", `{"order":"o-7","cents":1200}`,
				"gen_ai.tool.call.result", "done", "gen_ai.conversation.id", "c"))
		}
		benchFormat(b, data.Bytes(), "x.jsonl")
	})
}

func benchFormat(b *testing.B, data []byte, path string) {
	b.Helper()
	s := sniffer{formats: Formats()}
	document := s.spansLines(head(data))
	f := s.sniff(head(data), path, document)
	var w Scratch
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		block := &Block{File: &File{Path: path}, Data: data, Last: true, Document: document}
		if st := decode(block, f.New(head(data), path), f, &w, func(*Event) {}); st.Calls == 0 {
			b.Fatal("no calls")
		}
	}
}
