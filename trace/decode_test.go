package trace

import (
	"strings"
	"testing"
)

const (
	aCall   = `{"type":"tool_call","run_id":"r","call_id":"a","tool":"put","args":{"n":1}}`
	aResult = `{"type":"tool_result","run_id":"r","call_id":"a","status":"ok","result":1}`
)

// TestBadInput holds what bad input gets (PRODUCT.md): it is counted and listed with its line and a reason, and hides
// nothing beside it.
func TestBadInput(t *testing.T) {
	deep := strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)
	for _, c := range []struct {
		name    string
		in      string
		lines   int
		calls   int
		results int
		others  int
		bad     string // "line: reason" of each, parted by "; "
		tail    bool
	}{
		{"nothing", "", 0, 0, 0, 0, "", false},
		{"blank lines", "\n \t\n" + aCall + "\n\n", 4, 1, 0, 0, "", false},
		{"CRLF", aCall + "\r\n" + aResult + "\r\n\r\n", 3, 1, 1, 0, "", false},
		{"BOM", "\xEF\xBB\xBF" + aCall + "\n", 1, 1, 0, 0, "", false},
		{"BOM later on", aCall + "\n\xEF\xBB\xBF" + aCall + "\n", 2, 1, 0, 0, "1: not JSON: expected a value, found 0xef", false},
		{"not JSON", "=== rotated ===\n" + aCall + "\n", 2, 1, 0, 0, "0: not JSON: expected a value, found '='", false},
		{"cut JSON", aCall[:40] + "\n" + aCall + "\n", 2, 1, 0, 0, "0: not JSON: the value is cut off", false},
		{"cut inside a text", `{"a":"b` + "\n" + aCall + "\n", 2, 1, 0, 0, "0: not JSON: the value is cut off", false},
		{"a value over two lines", aCall + "\n" + `{"tool":"x","args":` + "\n{}}\n" + aCall + "\n", 4, 2, 0, 1, "1: not JSON: the value is cut off; 2: not JSON: expected a value, found '}'", false},
		{"two values", aCall + aResult + "\n", 1, 1, 1, 0, "", false},
		{"two values and a space", aCall + " \t " + aResult + " \n", 1, 1, 1, 0, "", false},
		{"a value and rubbish", aCall + "rubbish " + aResult + "\n" + aResult + "\n", 2, 1, 1, 0, "0: not JSON: expected a value, found 'r'", false},
		{"rubbish and a value", "rubbish " + aCall + "\n" + aResult + "\n", 2, 0, 1, 0, "0: not JSON: expected a value, found 'r'", false},
		{"no object", "12\n[1]\n\"x\"\nnull\n" + aCall + "\n", 5, 1, 0, 0, "0: " + reasonNoObject + "; 1: " + reasonNoObject + "; 2: " + reasonNoObject + "; 3: " + reasonNoObject, false},
		{"invalid UTF-8", "{\"tool\":\"\xff\"}\n" + aCall + "\n", 2, 1, 0, 0, "0: not JSON: expected UTF-8 in a string, found the byte 0xff", false},
		{"invalid UTF-8 between", aCall + "\xff\n" + aCall + "\n", 2, 2, 0, 0, "0: not JSON: expected a value, found 0xff", false},
		{"NUL bytes", "\x00\x00\x00\n" + aCall + "\n", 2, 1, 0, 0, "0: not JSON: expected a value, found 0x00", false},
		{"NUL in a text", "{\"tool\":\"a\x00b\"}\n" + aCall + "\n", 2, 1, 0, 0, "0: not JSON: expected control characters in a string to be escaped, found 0x00", false},
		{"what json.loads reads", `{"tool":"x","args":{"a":NaN,"b":-Infinity,"c":"\ud83d"}}` + "\n", 1, 1, 0, 0, "", false},
		{"deep", `{"tool":"x","args":` + deep + "}\n" + aCall + "\n", 2, 2, 0, 0, "", false},
		{"deep and cut", `{"tool":"x","args":` + deep[:200_000] + "\n" + aCall + "\n", 2, 1, 0, 0, "0: not JSON: the value is cut off", false},
		{"unfinished whole value", aCall + "\n" + aResult, 2, 1, 1, 0, "", false},
		{"unfinished two values", aCall + "\n" + aResult + aCall, 2, 2, 1, 0, "", false},
		{"unfinished", aCall + "\n" + aResult[:50], 2, 1, 0, 0, "", true},
		{"unfinished after a value", aCall + "\n" + aResult + aCall[:50], 2, 1, 0, 0, "", true},
		{"unfinished rubbish", aCall + "\nrubb", 2, 1, 0, 0, "", true},
		{"unfinished blank", aCall + "\n  ", 2, 1, 0, 0, "", false},
		{"unfinished no object", aCall + "\n12", 2, 1, 0, 0, "1: " + reasonNoObject, false},
		{"call without a tool", `{"type":"tool_call","args":{}}` + "\n" + aCall + "\n", 2, 1, 0, 0, "0: a call names its tool: expected a text as tool, tool_name or name, found none", false},
		{"tool of a wrong type", `{"type":"tool_call","tool":5}` + "\n" + aCall + "\n", 2, 1, 0, 0, "0: a call names its tool: expected a text as tool, tool_name or name, found none", false},
		{"run of a wrong type", `{"type":"tool_call","tool":"x","run_id":{}}` + "\n" + aCall + "\n", 2, 1, 0, 0, "0: expected a text or a number as run id (run_id, session_id, ...), found another value", false},
		{"unknown kinds", `{"type":"usage","tool":"x"}` + "\n{}\n" + aCall + "\n", 3, 1, 0, 2, "", false},
		{"run marks", `{"type":"run_start","run_id":"r","parent_run_id":"p"}` + "\n" + `{"event":"run_end","run_id":"r"}` + "\n", 2, 0, 0, 2, "", false},
		{"nothing known", "{}\n{\"a\":1}\nx\n", 3, 0, 0, 2, "2: not JSON: expected a value, found 'x'", false},
		{"a document", "{\n \"type\": \"tool_call\",\n \"tool\": \"x\"\n}\n{\n \"tool\": \"y\"\n}\n", 7, 2, 0, 0, "", false},
		{"a document in an array", "[\n {\"tool\": \"x\"},\n {\"tool\": \"y\"}, 5\n]\n", 4, 2, 0, 0, "2: " + reasonNoObject, false},
		{"an array on one line", `[{"tool":"x"},{"tool":"y"}]`, 1, 2, 0, 0, "", false},
		{"a broken document", "{\n \"tool\": \"x\"\n}\n{\n \"tool\": y\n}\n{\n \"tool\": \"z\"\n}\n", 9, 2, 0, 0, "3: not JSON: expected a value, found 'y'", false},
		{"a cut document", "{\n \"tool\": \"x\"\n}\n{\n \"tool\": ", 5, 1, 0, 0, "", true},
		{"a first line that is cut", "{\"type\":\"tool_call\",\n" + aCall + "\n" + aResult + "\n", 3, 1, 1, 0, "0: not JSON: the value is cut off", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := decodeAll(t, []byte(c.in), "t.jsonl")
			if got.Lines != c.lines || got.Calls != c.calls || got.Results != c.results || got.Others != c.others || got.Tail != c.tail {
				t.Errorf("got %+v", got.Stats)
			}
			if bad := strings.Join(got.bad, "; "); bad != c.bad {
				t.Errorf("bad: got %q, want %q", bad, c.bad)
			}
			if got.Bytes != int64(len(c.in)) {
				t.Errorf("bytes: got %d, want %d", got.Bytes, len(c.in))
			}
			if !got.accounted() {
				t.Errorf("not accounted for: %+v", got.Stats)
			}
		})
	}
}

// TestPlaces checks line, offset and number of events.
func TestPlaces(t *testing.T) {
	in := "\n" + aCall + aResult + "\nx\n" +
		`{"type":"assistant","sessionId":"s","uuid":"u","message":{"content":[{"type":"tool_use","name":"A","id":"1"},{"type":"tool_use","name":"B","id":"2"}]}}` + "\n"
	plain := decodeAs(plainFormat(), []byte(in), "t", false)
	claude := decodeAs(claudeFormat(), []byte(in), "t", false)
	for _, c := range []struct {
		got                []Event
		i, line, offset, n int
		kind               Kind
	}{
		{plain.events, 0, 1, 1, 1, Call},
		{plain.events, 1, 1, 1 + len(aCall), 1, Result},
		{plain.events, 2, 2, 2 + len(aCall) + len(aResult), 0, Bad},
		{claude.events, 1, 3, 4 + len(aCall) + len(aResult), 1, Call},
		{claude.events, 2, 3, 4 + len(aCall) + len(aResult), 2, Call},
	} {
		e := c.got[c.i]
		if e.Kind != c.kind || e.Line != c.line || e.Offset != c.offset || e.N != c.n {
			t.Errorf("event %d: got kind %d, line %d, offset %d, n %d, want %+v", c.i, e.Kind, e.Line, e.Offset, e.N, c)
		}
	}
	if claude.Extra != 1 || string(claude.events[1].Span) == string(claude.events[2].Span) {
		t.Errorf("two calls of one line: %+v, spans %q %q", claude.Stats, claude.events[1].Span, claude.events[2].Span)
	}
}
