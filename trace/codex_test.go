package trace

import (
	"fmt"
	"strings"
	"testing"
)

const codexHead = `{"timestamp":"1970-01-01T00:00:01Z","type":"session_meta","payload":{"id":"run"}}` + "\n"

func codexLine(payload string) string {
	return codexHead + `{"timestamp":"1970-01-01T00:00:02Z","type":"response_item","payload":` + payload + "}\n"
}

func TestCodexLines(t *testing.T) {
	for _, c := range []decodeCase{
		{
			"function", codexLine(`{"type":"function_call","id":"fc","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c"}`),
			`call run=run id=c tool=exec_command args="{\"cmd\":\"ls\"}" at=2000000000`,
		},
		{
			"free text", codexLine(`{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin","call_id":"c"}`),
			`call run=run id=c tool=apply_patch args="*** Begin" at=2000000000`,
		},
		{
			"a server's tool", codexLine(`{"type":"function_call","namespace":"mcp__wiki","name":"read","arguments":"{}","call_id":"c"}`),
			`call run=run id=c tool=mcp__wiki__read args="{}" at=2000000000`,
		},
		{
			"a connector's tool", codexLine(`{"type":"function_call","namespace":"github","name":"_create","arguments":"{}","call_id":"c"}`),
			`call run=run id=c tool=github_create args="{}" at=2000000000`,
		},
		{"no name", codexLine(`{"type":"function_call","arguments":"{}","call_id":"c"}`), `bad: a call names its tool: expected a text as name, found none`},
		{
			"local shell", codexLine(`{"type":"local_shell_call","call_id":"c","action":{"type":"exec","command":["ls"]}}`),
			`call run=run id=c tool=local_shell args={"type":"exec","command":["ls"]} at=2000000000`,
		},
		{
			"tool search", codexLine(`{"type":"tool_search_call","call_id":"c","arguments":{"q":1}}`) + `{"type":"response_item","payload":{"type":"tool_search_output","call_id":"c","tools":[]}}`,
			"call run=run id=c tool=tool_search args={\"q\":1} at=2000000000\nresult ok run=run id=c payload=[]",
		},
		{
			"web search", codexLine(`{"type":"web_search_call","id":"ws","status":"completed","action":{"query":"q"}}`),
			"call run=run id=ws tool=web_search args={\"query\":\"q\"} at=2000000000\nresult ok run=run id=ws tool=web_search at=2000000000",
		},
		{
			"image", codexLine(`{"type":"image_generation_call","id":"ig","status":"completed","result":"data"}`),
			"call run=run id=ig tool=image_generation at=2000000000\nresult ok run=run id=ig tool=image_generation payload=\"data\" at=2000000000",
		},
		{"compacted history", codexHead + `{"type":"compacted","payload":{"replacement_history":[{"type":"function_call","name":"x","call_id":"c","arguments":"{}"}]}}`, ``},
		{"an end that repeats the call", codexHead + `{"type":"event_msg","payload":{"type":"patch_apply_end","call_id":"c","success":true}}`, ``},
		{"a failed patch", codexHead + `{"type":"event_msg","payload":{"type":"patch_apply_end","call_id":"c","success":false,"stderr":"no"}}` + "\n" +
			`{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c","output":"done"}}`, `result error run=run id=c payload="done"`},
		{"a failed server", codexHead + `{"type":"event_msg","payload":{"type":"mcp_tool_call_end","call_id":"c","result":{"Err":"request timed out"}}}` + "\n" +
			`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"x"}}`, `result ambiguous run=run id=c payload="x"`},
		{"resumed", codexHead + codexLine(`{"type":"function_call","name":"x","arguments":"{}","call_id":"c"}`) + codexHead, `call run=run id=c tool=x args="{}" at=2000000000`},
		{"fork", `{"type":"session_meta","payload":{"id":"run","forked_from_id":"old"}}` + "\n" + `{"type":"session_meta","payload":{"id":"old","forked_from_id":"older"}}`, `link run=run parent=old`},
		{"sub-agent", `{"type":"session_meta","payload":{"id":"run","source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}}}}`, `link run=run parent=p`},
		{
			"the oldest generation", `{"id":"run","timestamp":"2025-01-01T00:00:00Z","instructions":null}` + "\n" + `{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}` + "\n" + `{"record_type":"state"}`,
			`call run=run id=c tool=shell args="{}"`,
		},
		{
			"run from the name", `{"type":"response_item","payload":{"type":"function_call","name":"x","arguments":"{}","call_id":"c"}}`,
			`call run=01234567-89ab-cdef-0123-456789abcdef id=c tool=x args="{}"`,
		},
	} {
		c.run(t, codexFormat(), "rollout-2026-01-01T00-00-00-01234567-89ab-cdef-0123-456789abcdef.jsonl")
	}
}

// TestCodexOutputs reads status and payload out of outputs (FORMATS.md §5.4).
func TestCodexOutputs(t *testing.T) {
	for _, c := range []struct{ name, output, want string }{
		{"old, ok", `"{\"output\":\"hi\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}"`, `ok run=run id=c payload="hi\n"`},
		{"old, failed", `"{\"output\":\"no\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"`, `error run=run id=c payload="no"`},
		{"old, killed", `"{\"output\":\"no\",\"metadata\":{\"exit_code\":124}}"`, `ambiguous run=run id=c payload="no"`},
		{"exec, ok", `"Chunk ID: a\nWall time: 0.5 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nhi\nthere"`, `ok run=run id=c payload="hi\nthere"`},
		{"exec, failed", `"Wall time: 0.5 seconds\nProcess exited with code 1\nOutput:\nno"`, `error run=run id=c payload="no"`},
		{"exec, killed", `"Wall time: 0.5 seconds\nProcess exited with code 137\nOutput:\n"`, `ambiguous run=run id=c payload=""`},
		{"exec, timed out", `"Wall time: 0.5 seconds\nProcess exited with code 1\nOutput:\ncurl: (28) Operation timed out"`, `ambiguous run=run id=c payload="curl: (28) Operation timed out"`},
		{"exec, running", `"Wall time: 0.5 seconds\nProcess running with session ID 7\nOutput:\n"`, `ok run=run id=c payload=""`},
		{"patch, ok", `"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess"`, `ok run=run id=c payload="Success"`},
		{"patch, failed", `"Exit code: 1\nWall time: 0 seconds\nOutput:\nno"`, `error run=run id=c payload="no"`},
		{"the tool's own Output:", `"first\nOutput:\nsecond"`, `ok run=run id=c payload="first\nOutput:\nsecond"`},
		{"text", `"Plan updated"`, `ok run=run id=c payload="Plan updated"`},
		{"items", `[{"type":"input_text","text":"Exit code: 1\nWall time: 0\nOutput:\nno"}]`, `error run=run id=c payload="no"`},
		{"several items", `[{"type":"input_text","text":"a"},{"type":"input_image"}]`, `ok run=run id=c payload=[{"type":"input_text","text":"a"},{"type":"input_image"}]`},
		{"object", `{"content":"x","success":false}`, `error run=run id=c payload="x"`},
		{"a server's error", `"{\"content\":[],\"isError\":true}"`, `error run=run id=c payload=[]`},
		{"verification", `"apply_patch verification failed: x"`, `refused run=run id=c payload="apply_patch verification failed: x"`},
		{"arguments", `"failed to parse function arguments: x"`, `refused run=run id=c payload="failed to parse function arguments: x"`},
		{"unsupported", `"unsupported call: x"`, `refused run=run id=c payload="unsupported call: x"`},
		{"rejected", `"exec command rejected by user"`, `refused run=run id=c payload="exec command rejected by user"`},
		{"aborted", `"aborted by user after 3.2s"`, `ambiguous run=run id=c payload="aborted by user after 3.2s"`},
		{"not started", `"exec_command failed for x: no such file"`, `error run=run id=c payload="exec_command failed for x: no such file"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := codexHead + fmt.Sprintf(`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":%s}}`, c.output)
			got, all := shown(codexFormat(), "x.jsonl", in)
			if got = strings.TrimPrefix(got, "result "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if !all.accounted() {
				t.Errorf("not accounted for: %+v", all.Stats)
			}
		})
	}
}
