package trace

import (
	"fmt"
	"strings"
	"testing"
)

// show writes an event in short: its kind and what of it is set.
func show(e *Event) string {
	var b strings.Builder
	b.WriteString([...]string{"other", "call", "result", "start", "end", "resume", "link", "bad"}[e.Kind])
	if e.Kind == Result {
		b.WriteString(" " + [...]string{"pending", "ok", "replayed", "refused", "error", "ambiguous"}[e.Status])
	}
	for _, f := range []struct {
		name string
		text []byte
	}{
		{"run", e.Run},
		{"raw", e.RunRaw},
		{"parent", e.Parent},
		{"id", e.CallID},
		{"tool", e.Tool},
		{"args", e.Args},
		{"key", e.Recorded},
		{"payload", e.Payload},
		{"span", e.Span},
		{"conn", e.Conn},
	} {
		if f.text != nil {
			fmt.Fprintf(&b, " %s=%s", f.name, f.text)
		}
	}
	if e.NoArgs {
		b.WriteString(" noargs")
	}
	if e.Cut {
		b.WriteString(" cut")
	}
	if e.Time != NoTime {
		fmt.Fprintf(&b, " at=%d", e.Time)
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	return b.String()
}

// shown decodes lines in a format and shows the events.
func shown(f *Format, path, in string) (string, tally) {
	got := decodeAs(f, []byte(in), path, false)
	var all []string
	for i := range got.events {
		all = append(all, show(&got.events[i]))
	}
	return strings.Join(all, "\n"), got
}

type decodeCase struct{ name, in, want string }

func (c decodeCase) run(t *testing.T, f *Format, path string) {
	t.Helper()
	t.Run(c.name, func(t *testing.T) {
		got, all := shown(f, path, c.in)
		if got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
		if !all.accounted() {
			t.Errorf("not accounted for: %+v", all.Stats)
		}
	})
}

func TestPlainLines(t *testing.T) {
	for _, c := range []decodeCase{
		{
			"call", `{"ts":1,"run_id":"r","event":"tool_call","call_id":"c","tool":"t","args":{"a":1}}`,
			`call run=r id=c tool=t args={"a":1} at=1000000000`,
		},
		{
			"other names", `{"timestamp":"1970-01-01T00:00:02Z","session_id":"s","type":"tool_use","tool_use_id":"u","tool_name":"n","input":"{}"}`,
			`call run=s id=u tool=n args="{}" at=2000000000`,
		},
		{
			"other names still", `{"time":3,"trace_id":"x","type":"function_call","id":7,"name":"n","parameters":[]}`,
			`call run=x id=7 tool=n args=[] at=3000000000`,
		},
		{
			"nested", `{"type":"tool_call","ts":1789000000.5,"run_id":"run-7","idempotency_key":"k:1","call":{"name":"create_row","arguments":{"id":7}}}`,
			`call run=run-7 tool=create_row args={"id":7} key=k:1 at=1789000000500000000`,
		},
		{"nested id", `{"type":"call","call":{"id":"i","tool":"t","args":null}}`, `call id=i tool=t args=null`},
		{"tool alone", `{"tool":"open_pr"}`, `call tool=open_pr noargs`},
		{"tool_name alone", `{"tool_name":"open_pr","args":null}`, `call tool=open_pr args=null`},
		{"name with arguments", `{"name":"search","args":{"q":"a"}}`, `call tool=search args={"q":"a"}`},
		{"name alone", `{"name":"search"}`, ``},
		{"kind in event", `{"type":"x","event":"call","tool":"t"}`, `call tool=t noargs`},
		{"kind in type first", `{"type":"result","event":"call","tool":"t","id":"a"}`, `result ok id=a tool=t`},
		{"unknown kind with a tool", `{"type":"metric","tool":"t"}`, ``},
		{
			"null is no value", `{"type":null,"tool":null,"tool_name":"n","args":null,"arguments":{"a":1},"run_id":null,"trace_id":"x"}`,
			`call run=x tool=n args={"a":1}`,
		},
		{"the last of two counts", `{"tool":"a","tool":"b","args":{}}`, `call tool=b args={}`},
		{"escaped names and values", `{"\u0074ool":"\u0061\ud83d","args":{}}`, "call tool=a\xed\xa0\xbd args={}"},
		{"numeric run", `{"tool":"t","run_id":1e3,"args":{},"call_id":1.0}`, `call run=1000.0 raw=1e3 id=1.0 tool=t args={}`},
		{"integer run", `{"tool":"t","run_id":-0,"args":{}}`, `call run=0 raw=-0 tool=t args={}`},
		{"recorded keys", `{"tool":"t","args":{},"key":"a","dedup_key":"b"}`, `call tool=t args={} key=b`},
		{"time of no use", `{"tool":"t","args":{},"ts":"soon"}`, `call tool=t args={}`},
		{"milliseconds", `{"tool":"t","args":{},"ts":1789000000123}`, `call tool=t args={} at=1789000000123000000`},
		{
			"run marks", `{"event":"run_start","run_id":"a","parent_run_id":"p","ts":1}` + "\n" + `{"event":"run_end","run_id":"a"}` + "\n" + `{"type":"run_resume","run_id":"a"}`,
			"start run=a parent=p at=1000000000\nend run=a\nresume run=a",
		},
		{"result", `{"type":"tool_result","call_id":"c","status":"ok","result":{"u":1},"error":null}`, `result ok id=c payload={"u":1}`},
		{
			"result names", `{"type":"tool_response","id":"c","output":"x"}` + "\n" + `{"type":"function_call_output","id":"c","content":1}` + "\n" + `{"event":"result","id":"c","response":null}`,
			"result ok id=c payload=\"x\"\nresult ok id=c payload=1\nresult ok id=c payload=null",
		},
		{
			"replayed", `{"type":"tool_result","status":"ok","replayed":true,"result":1}` + "\n" + `{"type":"tool_result","status":"cached"}`,
			"result replayed payload=1\nresult replayed",
		},
		{"replayed error", `{"type":"tool_result","status":"error","replayed":true,"error":"x"}`, `result error payload="x"`},
		{"status decides", `{"type":"tool_result","status":"ok","is_error":true,"error":"x","result":2}`, `result ok payload=2`},
		{"is_error", `{"type":"tool_result","is_error":true,"content":"bad"}`, `result error payload="bad"`},
		{"error", `{"type":"tool_result","error":{"code":1},"result":2}`, `result error payload={"code":1}`},
		{
			"no error", `{"type":"tool_result","error":"","result":2}` + "\n" + `{"type":"tool_result","error":false}` + "\n" + `{"type":"tool_result","error":{}}`,
			"result ok payload=2\nresult ok\nresult ok",
		},
		{"ambiguous error", `{"type":"tool_result","status":"error","error":"read timeout after 60s"}`, `result ambiguous payload="read timeout after 60s"`},
		{"ambiguous payload", `{"type":"tool_result","status":"failed","result":"connection reset"}`, `result ambiguous payload="connection reset"`},
		{
			"ambiguous status", `{"type":"tool_result","status":503,"error":"x"}` + "\n" + `{"type":"tool_result","status":"500","error":"x"}`,
			"result ambiguous payload=\"x\"\nresult error payload=\"x\"",
		},
		{"ambiguous field", `{"type":"tool_result","status":"error","error":{"inner":{"exit_code":137}}}`, `result ambiguous payload={"inner":{"exit_code":137}}`},
		{"number field", `{"type":"tool_result","status":"error","error":{"http":[],"n":504}}`, `result ambiguous payload={"http":[],"n":504}`},
		{"exit code beside", `{"type":"tool_result","status":"error","error":"x","exit_code":124}`, `result ambiguous payload="x"`},
		{"ok is never ambiguous", `{"type":"tool_result","status":"ok","result":"timeout"}`, `result ok payload="timeout"`},
		{"refused", `{"type":"tool_result","status":"refused","error":"not retried"}`, `result refused payload="not retried"`},
		{"any other word", `{"type":"tool_result","status":"odd"}`, `result ambiguous`},
		{"opaque arguments", `{"event":"tool_call","tool":"t","args":"{\"steps\": [\"one\""}`, `call tool=t args="{\"steps\": [\"one\""`},
		{"no tool", `{"type":"tool_call","args":{}}`, `bad: a call names its tool: expected a text as tool, tool_name or name, found none`},
		{"call id of a wrong type", `{"tool":"t","id":{},"args":{}}`, `bad: expected a text or a number as call id (call_id, tool_call_id, ...), found another value`},
	} {
		c.run(t, plainFormat(), "x.jsonl")
	}
}

func TestGenericLines(t *testing.T) {
	for _, c := range []decodeCase{
		{"flat", `{"toolName":"t","toolInput":{"a":1},"callId":"c","sessionId":"s","startTime":5}`, `call run=s id=c tool=t args={"a":1} at=5000000000`},
		{"nested", `{"runId":9,"ts":5,"x":[{"y":{"function":{"name":"f","arguments":"{}"},"id":"c"}}]}`, `call run=9 raw=9 id=c tool=f args="{}" at=5000000000`},
		{"too deep", `{"a":{"b":{"c":{"d":{"e":{"tool_name":"t","args":{}}}}}}}`, ``},
		{"with its result", `{"tool_name":"t","kwargs":{},"result":5}`, "call tool=t args={}\nresult ok tool=t payload=5"},
		{"with its error", `{"tool_name":"t","kwargs":{},"error":"timed out"}`, "call tool=t args={}\nresult ambiguous tool=t payload=\"timed out\""},
		{"id alone", `{"tool_name":"t","id":"x"}`, `call id=x tool=t noargs`},
		{"anything with a name and an id", `{"name":"Bob","id":3}`, ``},
		{"a result alone", `{"toolCallId":"c","output":"o","success":false}`, `result error id=c payload="o"`},
		{"nothing", `{"a":1}`, ``},
	} {
		c.run(t, genericFormat(), "x.jsonl")
	}
}

// TestSniff finds the format of files by their first lines.
func TestSniff(t *testing.T) {
	const generic = `{"toolName":"t","toolInput":{}}` + "\n"
	for _, c := range []struct{ name, in, want string }{
		{"plain", line(0) + "\n", "plain"},
		{"plain after unknown lines", `{"event":"checkpoint"}` + "\nnoise\n\n" + line(0) + "\n", "plain"},
		{"one generic line", generic, "unknown"},
		{"two generic lines", generic + generic, "generic"},
		{"generic lines and a plain one", generic + generic + line(0) + "\n", "plain"},
		{"nothing", "{}\n", "unknown"},
		{"no JSON", "hello\n", "unknown"},
		{"empty", "", "unknown"},
		{"codex", `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x"}}` + "\n", "codex"},
		{"the oldest codex", `{"id":"x","timestamp":"2025-01-01T00:00:00Z","instructions":null}` + "\n", "codex"},
		{"claude code", `{"type":"user","sessionId":"s","uuid":"u","message":{}}` + "\n", "claude-code"},
		{"claude code's bookkeeping", `{"type":"summary","summary":"x","leafUuid":"u"}` + "\n", "claude-code"},
		{"a long first line", `{"type":"user","x":"` + strings.Repeat("x", 2*headSize) + `","sessionId":"s","uuid":"u"}` + "\n", "claude-code"},
		{"beyond the head", strings.Repeat("{}\n", headSize/3+1) + line(0) + "\n", "unknown"},
	} {
		if f, _ := decodeAll(t, []byte(c.in), "x.jsonl"); f.Name != c.want {
			t.Errorf("%s: got %s, want %s", c.name, f.Name, c.want)
		}
	}
}

// TestUnknownStillFindsPlainLines: what stands beyond the head of a file in which nothing was recognised is not lost.
func TestUnknownStillFindsPlainLines(t *testing.T) {
	_, got := decodeAll(t, []byte(strings.Repeat("{}\n", headSize)+line(0)+"\n"), "x.jsonl")
	if got.Calls != 1 || got.Others != headSize {
		t.Errorf("got %+v", got.Stats)
	}
}
