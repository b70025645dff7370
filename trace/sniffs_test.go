package trace

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSniffing says which format a line alone is taken for.
func TestSniffing(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		// A plain line stays one, whatever its arguments or its result look like.
		{`{"type":"tool_result","call_id":"c","result":{"jsonrpc":"2.0","id":1,"result":{"content":[]}}}`, "plain"},
		{`{"type":"tool_result","call_id":"c","result":"{\"jsonrpc\":\"2.0\",\"id\":1}"}`, "plain"},
		{`{"type":"tool_call","tool":"x","args":{"hook_event_name":"PreToolUse"}}`, "plain"},
		{`{"type":"tool_result","call_id":"c","result":{"type":"tool","content":"x","tool_call_id":"y"}}`, "plain"},
		{`{"event":"tool_call","tool":"x","args":{"messages":[{"role":"user","content":"x"}]}}`, "plain"},
		{`{"tool":"x","args":{}}`, "plain"},
		{`{"type":"tool_call","tool":"x","session_id":"s","uuid":"u","args":{}}`, "plain"},

		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}`, "mcp"},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`, "acp"},
		{`{"method":"turn/started","params":{"threadId":"t"}}`, "codex-app-server"},
		{`{"sessionUpdate":"tool_call","toolCallId":"c"}`, "acp"},
		{`{"type":"assistant","session_id":"s","uuid":"u","message":{}}`, "claude-stream"},
		{`{"type":"assistant","sessionId":"s","uuid":"u","message":{"content":[]}}`, "claude-code"},
		{`{"type":"assistant","sessionId":"session-s","uuid":"u","message":{"content":[]}}`, "iflow"},
		{`{"type":"assistant","sessionId":"s","uuid":"u","message":{"parts":[]}}`, "qwen"},
		{`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c"}]}}`, "pi"},
		{`{"type":"message","message":{"role":"assistant","content":[{"type":"tool_use","id":"c"}]}}`, "droid"},
		{`{"id":"c","created":1,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`, "messages"},
		{`data: {"type":"message_start","message":{}}`, "anthropic-stream"},
		{`data: {"object":"chat.completion.chunk","choices":[]}`, "openai"},
		{`{"resource":{},"scopeSpans":[]}`, "otlp"},
		{`{"role":"user","message":{"content":[]}}`, "cursor"},
		{`{"role":"user","content":"x"}`, "chat"},
		{`{"messages":[{"type":"ai","content":"","tool_calls":[{"name":"x","args":{},"id":"c"}]}]}`, "langchain"},
		{`{"level":"info","msg":"started"}`, ""},
		{`[+00:01] [stdout] {"level":"info"}`, ""},
	} {
		s := sniffer{formats: Formats()}
		got := ""
		if f := s.sniff([]byte(c.line+"\n"), "file.jsonl", false); f != nil {
			got = f.Name
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
}

// TestCasesArePlain sniffs the traces of all cases.
func TestCasesArePlain(t *testing.T) {
	paths, err := filepath.Glob("../testdata/cases/*/*.jsonl")
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d traces, %v", len(paths), err)
	}
	for _, path := range paths {
		if filepath.Base(path) == "ledger.jsonl" {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if f, _ := decodeAll(t, data, path); f.Name != "plain" {
			t.Errorf("%s: %s", path, f.Name)
		}
	}
}
