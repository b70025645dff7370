package trace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drainboard/keys"
)

// TestDialectsSayTheSame compares one session written in four dialects: the same tools with the same canonical arguments.
// The sample with structured arguments lost its integers when it was made anonymous: there they are left out.
func TestDialectsSayTheSame(t *testing.T) {
	calls := func(name string) []string {
		data, err := os.ReadFile(filepath.Join("../testdata/samples", "otlp-"+name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		f, got := decodeAll(t, data, name)
		if f.Name != "otlp" {
			t.Fatalf("%s: format %s", name, f.Name)
		}
		var out []string
		var args keys.Args
		for _, e := range got.events {
			if e.Kind != Call {
				continue
			}
			if err := args.Parse(e.Args); err != nil || args.Opaque() {
				t.Fatalf("%s: arguments %s: %v", name, e.Args, err)
			}
			text, err := args.AppendDefault(nil)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(e.Tool)+" "+string(text))
		}
		slices.Sort(out)
		return out
	}
	want := calls("semconv-string")
	if len(want) != 20 {
		t.Fatalf("got %d calls, want 20", len(want))
	}
	for _, name := range []string{"openinference", "traceloop"} {
		if got := calls(name); !slices.Equal(got, want) {
			t.Errorf("%s differs: %q", name, got)
		}
	}
	integers := regexp.MustCompile(`": \d+`)
	blank := func(list []string) []string {
		out := make([]string, len(list))
		for i, s := range list {
			out[i] = integers.ReplaceAllString(s, `": 0`)
		}
		slices.Sort(out)
		return out
	}
	if got := blank(calls("semconv-struct")); !slices.Equal(got, blank(want)) {
		t.Errorf("semconv-struct differs: %q", got)
	}
}

// span writes one export request with one span.
func span(trace, id, parent, name string, second int, attributes ...string) string {
	var list []string
	for i := 0; i+1 < len(attributes); i += 2 {
		list = append(list, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, attributes[i], attributes[i+1]))
	}
	return fmt.Sprintf(`{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"traceId":%q,"spanId":%q,"parentSpanId":%q,"name":%q,"kind":1,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[%s],"status":{}}]}]}]}`,
		trace, id, parent, name, 1777622400e9+int64(second)*1e9, 1777622401e9+int64(second)*1e9, strings.Join(list, ",")) + "\n"
}

func tool(trace, id, parent, name string, second int, more ...string) string {
	return span(trace, id, parent, "execute_tool "+name, second, append([]string{"gen_ai.operation.name", "execute_tool"}, more...)...)
}

// TestSpansWaitForTheirConversation says what each line, being the last so far, lets go of.
func TestSpansWaitForTheirConversation(t *testing.T) {
	const conversation = "gen_ai.conversation.id"
	for _, c := range []struct {
		name  string
		lines []string
		want  []string // after each line: the runs of the calls that it gave
		flush string
	}{
		{
			"a span's own conversation is known at once",
			[]string{tool("t", "a", "p", "x", 1, conversation, "c1")},
			[]string{"c1"},
			"",
		},
		{
			"an ancestor two steps up names it, lines later",
			[]string{tool("t", "a", "p", "x", 1), span("t", "p", "q", "step", 1), tool("t", "b", "p", "x", 2), span("t", "q", "", "agent", 1, conversation, "c1")},
			[]string{"", "", "", "c1 c1"},
			"",
		},
		{
			"the nearest ancestor wins",
			[]string{span("t", "q", "", "agent", 1, conversation, "far"), span("t", "p", "q", "agent", 1, conversation, "near"), tool("t", "a", "p", "x", 1)},
			[]string{"", "", "near"},
			"",
		},
		{
			"no ancestor names one: the trace is the run, and later traces do not wait",
			[]string{tool("t", "a", "p", "x", 1), span("t", "p", "", "agent", 1), tool("u", "a", "p", "x", 1)},
			[]string{"", "t", "u"},
			"",
		},
		{
			"until an ancestor does",
			[]string{
				tool("t", "a", "p", "x", 1), span("t", "p", "", "agent", 1), tool("u", "a", "p", "x", 1),
				span("v", "p", "", "agent", 1, conversation, "c1"), tool("v", "a", "p", "x", 1), tool("w", "a", "p", "x", 2),
			},
			[]string{"", "t", "u", "", "c1", ""},
			"w",
		},
		{
			"a parent that never comes: at the end, or when the trace is an hour old",
			[]string{tool("t", "a", "p", "x", 1), tool("u", "a", "p", "x", 3000), tool("v", "a", "p", "x", 3700)},
			[]string{"", "", "t"},
			"u v",
		},
		{
			"parents in a circle",
			[]string{span("t", "p", "q", "agent", 1), span("t", "q", "p", "agent", 1), tool("t", "a", "p", "x", 1)},
			[]string{"", "", "t"},
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs []string
			handle := func(e *Event) {
				if e.Kind == Call {
					runs = append(runs, string(e.Run))
				}
			}
			file, dec := &File{Path: "x"}, newOTel()
			var w Scratch
			var sum Stats
			for i, line := range c.lines {
				runs = nil
				sum.Add(decode(&Block{File: file, Data: []byte(line)}, dec, otlpFormat(), &w, handle))
				if got := strings.Join(runs, " "); got != c.want[i] {
					t.Errorf("line %d: got %q, want %q", i+1, got, c.want[i])
				}
			}
			runs = nil
			sum.Add(decode(&Block{File: file, Last: true}, dec, otlpFormat(), &w, handle))
			if got := strings.Join(runs, " "); got != c.flush {
				t.Errorf("at the end: got %q, want %q", got, c.flush)
			}
			if !sum.accounted() || sum.Held != 0 {
				t.Errorf("not accounted for: %+v", sum)
			}
		})
	}
}

// TestSpansOfOneCallCountOnce merges the spans of a call in whatever order they come; spans of one role are further
// dispatches.
func TestSpansOfOneCallCountOnce(t *testing.T) {
	mcp := func(id, parent, name string, more ...string) string {
		return span("t", id, parent, "tools/call "+name, 1, append([]string{"mcp.method.name", "tools/call"}, more...)...)
	}
	const id, args = "gen_ai.tool.call.id", "gen_ai.tool.call.arguments"
	for _, c := range []struct {
		name  string
		spans []string
		want  []string // tool, id and arguments of each call
	}{
		{"inside, without an id", []string{mcp("b", "a", "x"), tool("t", "a", "", "x", 1, id, "c", args, "{}")}, []string{`x c "{}"`}},
		{"inside, and the arguments there", []string{mcp("b", "a", "x", args, "{}"), tool("t", "a", "", "x", 1, id, "c")}, []string{`x c "{}"`}},
		{"with a step between", []string{mcp("c", "b", "x"), span("t", "b", "a", "http", 1), tool("t", "a", "", "x", 1, args, "{}")}, []string{`x  "{}"`}},
		{"another tool inside", []string{mcp("b", "a", "y", args, "1"), tool("t", "a", "", "x", 1, args, "2")}, []string{`y  "1"`, `x  "2"`}},
		{"other arguments inside", []string{tool("t", "b", "a", "x", 1, args, "[1]"), tool("t", "a", "", "x", 1, args, "[2]")}, []string{`x  "[1]"`, `x  "[2]"`}},
		{"other ids inside", []string{tool("t", "b", "a", "x", 1, id, "c1", args, "[1]"), tool("t", "a", "", "x", 1, id, "c2", args, "[1]")}, []string{`x c1 "[1]"`, `x c2 "[1]"`}},
		{"one id, two roles, side by side", []string{mcp("b", "", "x", id, "c"), tool("t", "a", "", "x", 1, id, "c", args, "[1]")}, []string{`x c `}},
		{"one id, one role: sent again", []string{tool("t", "b", "", "x", 1, id, "c", args, "[1]"), tool("t", "a", "", "x", 5, id, "c", args, "[1]")}, []string{`x c "[1]"`, `x c "[1]"`}},
		{"nothing in common but the time", []string{tool("t", "b", "", "x", 1, args, "[1]"), tool("t", "a", "", "x", 1, args, "[1]")}, []string{`x  "[1]"`, `x  "[1]"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := decodeAs(otlpFormat(), []byte(strings.Join(c.spans, "")), "x", false)
			var calls []string
			results := 0
			for _, e := range got.events {
				switch e.Kind {
				case Call:
					calls = append(calls, fmt.Sprintf("%s %s %s", e.Tool, e.CallID, e.Args))
				case Result:
					results++
				}
			}
			if !slices.Equal(calls, c.want) || results != len(calls) {
				t.Errorf("got %q and %d results, want %q", calls, results, c.want)
			}
			if !got.accounted() {
				t.Errorf("not accounted for: %+v", got.Stats)
			}
		})
	}
}

// TestSpansAreForgotten feeds more spans than are remembered, all waiting, and sees that they are let go of.
func TestSpansAreForgotten(t *testing.T) {
	dec := newOTel()
	dec.limit = 5000
	var w Scratch
	var data bytes.Buffer
	held, most := 0, 0
	file := &File{Path: "x"}
	for i := range 4 * dec.limit {
		data.WriteString(tool("t"+strconv.Itoa(i/500), "s"+strconv.Itoa(i), "never", "x", 1))
		if i%100 == 99 {
			held += decode(&Block{File: file, Data: data.Bytes()}, dec, otlpFormat(), &w, func(*Event) {}).Held
			most = max(most, held)
			data.Reset()
		}
	}
	if most < dec.limit || most > 2*(dec.limit+501) || dec.traces.count > dec.limit/500+2 || len(dec.order) != dec.traces.count {
		t.Errorf("held %d events at most, of %d traces", most, dec.traces.count)
	}
	dec.limit = 10 // one trace alone is bounded, too
	for i := range 100 {
		data.WriteString(tool("only", "s"+strconv.Itoa(i), "never", "x", 1))
	}
	decode(&Block{File: file, Data: data.Bytes()}, dec, otlpFormat(), &w, func(*Event) {})
	if dec.spans > 12 || dec.traces.count != 1 || dec.held > 24*1024 {
		t.Errorf("kept %d spans in %d traces, %d bytes", dec.spans, dec.traces.count, dec.held)
	}
	decode(&Block{File: file, Last: true}, dec, otlpFormat(), &w, func(*Event) {})
	if dec.held != 0 {
		t.Errorf("%d bytes held back at the end", dec.held)
	}
}
