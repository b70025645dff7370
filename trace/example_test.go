package trace_test

import (
	"fmt"
	"slices"

	"drainboard/trace"
)

// A file of a known format, decoded in one go. What an event lends is gone when the function returns.
func ExampleDecodeBytes() {
	lines := []byte(`{"type": "tool_call", "run_id": "run-22", "call_id": "c1", "tool": "open_pr", "args": {"head": "feat/keys"}}
{"type": "tool_result", "run_id": "run-22", "call_id": "c1", "status": "ok", "result": {"pr": 41}}
{"type": "tool_call", "run_id": "run-22", "tool":
`)
	formats := trace.Formats()
	plain := formats[slices.IndexFunc(formats, func(f *trace.Format) bool { return f.Name == "plain" })]
	trace.DecodeBytes(plain, lines, "run-22.jsonl", func(e *trace.Event) {
		switch e.Kind {
		case trace.Call:
			fmt.Printf("line %d: %s of %s calls %s %s\n", e.Line+1, e.CallID, e.Run, e.Tool, e.Args)
		case trace.Result:
			fmt.Printf("line %d: %s of %s answered %s\n", e.Line+1, e.CallID, e.Run, e.Payload)
		case trace.Bad:
			fmt.Printf("line %d: not read\n", e.Line+1)
		}
	})
	// Output:
	// line 1: c1 of run-22 calls open_pr {"head": "feat/keys"}
	// line 2: c1 of run-22 answered {"pr": 41}
	// line 3: not read
}
