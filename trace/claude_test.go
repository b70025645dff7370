package trace

import (
	"fmt"
	"strings"
	"testing"
)

func claudeResult(content, more string) string {
	return fmt.Sprintf(`{"type":"user","sessionId":"s","uuid":"u","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":%s%s}]}}`, content, more)
}

func TestClaudeLines(t *testing.T) {
	const head = `"sessionId":"s","uuid":"u","timestamp":"1970-01-01T00:00:01Z"`
	for _, c := range []decodeCase{
		{
			"calls of one line", `{"type":"assistant",` + head + `,"message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"a","name":"A","input":{"x":1}},{"type":"tool_use","id":"b","name":"B"}]}}`,
			"call run=s id=a tool=A args={\"x\":1} span=u at=1000000000\ncall run=s id=b tool=B span=u#2 at=1000000000",
		},
		{
			"no name", `{"type":"assistant",` + head + `,"message":{"content":[{"type":"tool_use","id":"a"},{"type":"tool_use","id":"b","name":"B","input":{}}]}}`,
			"bad: a tool_use block names its tool: expected a text as name, found none\ncall run=s id=b tool=B args={} span=u at=1000000000",
		},
		{"result", claudeResult(`"done"`, ""), `result ok run=s id=c payload="done" span=u`},
		{"not an error", claudeResult(`"timeout"`, `,"is_error":false`), `result ok run=s id=c payload="timeout" span=u`},
		{"one text", claudeResult(`[{"type":"text","text":"done"}]`, ""), `result ok run=s id=c payload="done" span=u`},
		{"two blocks", claudeResult(`[{"type":"text","text":"a"},{"type":"image"}]`, ""), `result ok run=s id=c payload=[{"type":"text","text":"a"},{"type":"image"}] span=u`},
		{"kept outside", claudeResult(`"<persisted-output>\nOutput too large"`, ""), `result ok run=s id=c payload="<persisted-output>\nOutput too large" span=u cut`},
		{"text only", `{"type":"user",` + head + `,"message":{"content":"tool_result"}}`, ``},
		{"bookkeeping", `{"type":"summary","leafUuid":"x","summary":"tool_use"}`, ``},
		{
			"server tools", `{"type":"assistant",` + head + `,"message":{"content":[{"type":"server_tool_use","id":"a","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"a","content":[]},{"type":"web_search_tool_result","tool_use_id":"b","content":{"error_code":"unavailable"}}]}}`,
			"call run=s id=a tool=web_search args={} span=u at=1000000000\nresult ok run=s id=a payload=[] span=u#2 at=1000000000\nresult error run=s id=b payload={\"error_code\":\"unavailable\"} span=u#3 at=1000000000",
		},
		{
			"a sub-agent's call", `{"type":"progress",` + head + `,"data":{"type":"agent_progress","agentId":"g","message":{"type":"assistant","uuid":"v","timestamp":"1970-01-01T00:00:02Z","message":{"content":[{"type":"tool_use","id":"a","name":"A","input":{}}]}}}}`,
			`call run=s id=a tool=A args={} span=v at=2000000000`,
		},
		{"fork", `{"type":"user",` + head + `,"forkedFrom":{"sessionId":"p","messageUuid":"m"},"message":{"content":"x"}}`, `link run=s parent=p`},
		{"fork of itself", `{"type":"user",` + head + `,"forkedFrom":{"sessionId":"s"},"message":{"content":"x"}}`, ``},
		{
			"escaped type", `{"type":"assistant",` + head + `,"message":{"content":[{"type":"tool\u005fuse","id":"a","name":"A","input":{}}]}}`,
			`call run=s id=a tool=A args={} span=u at=1000000000`,
		},
	} {
		c.run(t, claudeFormat(), "x.jsonl")
	}
}

// TestClaudeFaults reads what became of calls out of the texts of errors (FORMATS.md §2.6).
func TestClaudeFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`Exit code 1\nno such file`, "error"},
		{`Exit code 137`, "ambiguous"},
		{`Exit code 143\nTerminated`, "ambiguous"},
		{`<tool_use_error>String to replace not found</tool_use_error>`, "refused"},
		{`The user doesn't want to proceed with this tool use. The tool use was rejected`, "refused"},
		{`The user doesn't want to take this action right now.`, "refused"},
		{`[Request interrupted by user for tool use]`, "ambiguous"},
		{`Permission to use Bash has been denied`, "refused"},
		{`PreToolUse:Bash hook error: no`, "refused"},
		{`Exit code 1\nPreToolUse`, "error"},
		{`Command timed out after 2m 0.0s`, "ambiguous"},
		{`ENOENT: no such file or directory, posix_spawn '/bin/zsh'`, "refused"},
		{`MCP error -32001: Request timed out`, "ambiguous"},
		{`MCP error -32602: bad params`, "error"},
		{`Request failed with status code 503`, "ambiguous"},
		{`Request failed with status code 404`, "error"},
	} {
		for _, content := range []string{`"` + c.text + `"`, `[{"type":"text","text":"` + c.text + `"}]`} {
			got, _ := shown(claudeFormat(), "x.jsonl", claudeResult(content, `,"is_error":true`))
			if !strings.HasPrefix(got, "result "+c.want+" ") {
				t.Errorf("%s: got %s, want %s", content, got, c.want)
			}
		}
	}
}
