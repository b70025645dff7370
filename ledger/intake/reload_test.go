package intake

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// reloadTrace is calls of three tools with repeats, timestamps in arguments, commands, results.
func reloadTrace(n int) string {
	var b strings.Builder
	for i := range n {
		at := 1789000000 + i
		run := fmt.Sprintf("r%d", i/20)
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, `{"type":"tool_call","ts":%d,"run_id":%q,"call_id":"a%d","tool":"open_pr","args":{"head":"h%d","at":%d}}`+"\n", at, run, i, i/8, at)
			fmt.Fprintf(&b, `{"type":"tool_result","ts":%d,"run_id":%q,"call_id":"a%d","status":"ok","result":{"url":"u%d","trace":%d}}`+"\n", at+1, run, i, i/8, i)
		case 1:
			fmt.Fprintf(&b, `{"type":"tool_call","ts":%d,"run_id":%d,"call_id":"b%d","tool":"get","args":{"path":"p%d"}}`+"\n", at, i/20, i, i%3)
		case 2:
			fmt.Fprintf(&b, `{"type":"tool_call","ts":%d,"run_id":%q,"call_id":"c%d","tool":"sh","args":{"cmd":"%s","note":%d}}`+"\n", at, run, i, []string{"git push", "ls -l", "rm x"}[i%3], i)
		default:
			fmt.Fprintf(&b, `{"type":"tool_call","ts":%d,"call_id":"d%d","tool":"other","args":"{\"x\": %d.0}"}`+"\n", at, i, i%5)
			if i%8 == 3 {
				fmt.Fprintf(&b, `{"type":"tool_call","ts":%d,"call_id":"e%d","tool":"open_pr"}`+"\n", at, i)
			}
		}
	}
	return b.String()
}

const reloadTable = "tools: {open_pr: {class: keyed}, get: {class: pure}, sh: {cases: [{at: /cmd, glob: 'git*', class: keyed}]}}"

func fixedNow() time.Time { return time.Unix(1789000500, 0) }

// reportOf is the report of an engine by another table, without what tells how it was read.
func reportOf(t *testing.T, e *Engine) string {
	t.Helper()
	r, err := e.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestReloadIsAFreshStart: whatever a table changes, the answer is that of a start with it; and all but a few changes are made without
// reading everything again.
func TestReloadIsAFreshStart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	write(t, path, reloadTrace(200))
	write(t, filepath.Join(dir, "b.jsonl"), strings.ReplaceAll(reloadTrace(100), `"r`, `"s`))
	rows := []ledger.Row{
		{Key: "k1", Tool: "open_pr", Request: `{"head": "h1", "at": 1789000008}`, State: ledger.Committed, Response: `{"url":"u1","trace":8}`, HasResponse: true},
		{Key: "k2", Tool: "get", Request: `{"path": "p1"}`, State: ledger.InFlight, Updated: 1789000000},
	}
	for _, c := range []struct {
		table string
		anew  bool // everything is read again
	}{
		{reloadTable, false},
		{"tools: {}", false},
		{strings.Replace(reloadTable, "class: keyed", "class: keyed, ignore: [/at]", 1), false},
		{strings.Replace(reloadTable, "class: keyed", "class: compensate, scope: forever, timeout: 1s", 1), false},
		{strings.Replace(reloadTable, "get: {class: pure}", "get: {class: keyed}, other: {class: pure}", 1), false},
		{strings.Replace(reloadTable, "cases: [", "ignore: [/note], cases: [{at: /cmd, glob: 'rm*', class: compensate}, ", 1), false},
		{"budget: {calls_per_run: 3}\nrunaway: {identical: 2}\n" + reloadTable, false},
		{strings.Replace(reloadTable, "class: keyed", "class: keyed, ignore_result: [/trace]", 1), true},
		{"recipe: jcs\n" + reloadTable, true},
		{"recipe: theirs\nrecipes: {theirs: {parts: [tool, args], separator: '#', digest: md5}}\n" + reloadTable, true},
		{"formats: {x: {call: {tool: /tool, args: /args}}}\n" + reloadTable, true},
	} {
		for _, follow := range []bool{false, true} {
			led := &fakeLedger{}
			led.set(rows...)
			conf := Config{Sources: []trace.Source{{Path: dir}}, Follow: follow, Table: mustTable(t, reloadTable), Ledger: led, LedgerPath: "l", Now: fixedNow}
			e := begin(t, conf)
			next, calls := mustTable(t, c.table), e.Snapshot().Totals.Calls
			if err := e.Reload(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			until(t, e, "loaded again", func(s *triage.Snapshot) bool {
				return !e.loading.Load() && e.Table() == next && (c.anew || s.Totals.Calls == calls)
			})
			again := e.reading.Load().number > 0
			got := reportOf(t, e)
			led2 := &fakeLedger{}
			led2.set(rows...)
			conf.Ledger, conf.Table = led2, mustTable(t, c.table)
			want := reportOf(t, begin(t, conf))
			if got != want {
				t.Errorf("%s, follow %v: a reload is no fresh start:\n%s", c.table, follow, firstDifference(want, got))
			}
			if again != c.anew {
				t.Errorf("%s: everything was read again: %v, want %v", c.table, again, c.anew)
			}
		}
	}
}

// TestReloadWhileItGrows: lines that arrive while the table changes, again and again, are keyed by the last one.
func TestReloadWhileItGrows(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	write(t, path, reloadTrace(40))
	e := begin(t, Config{Sources: []trace.Source{{Path: dir}}, Follow: true, Table: mustTable(t, reloadTable), Now: fixedNow})
	ignoring := strings.Replace(reloadTable, "class: keyed", "class: keyed, ignore: [/at]", 1)
	lines := strings.SplitAfter(reloadTrace(400), "\n")
	begun := len(strings.SplitAfter(reloadTrace(40), "\n")) - 1
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := begun; i < len(lines)-1; i += 7 {
			write(t, filepath.Join(dir, "a.jsonl"), strings.Join(lines[i:min(i+7, len(lines)-1)], ""))
		}
	}()
	for i := range 30 {
		src := reloadTable
		if i%2 == 0 {
			src = ignoring
		}
		if err := e.Reload(t.Context(), mustTable(t, src)); err != nil {
			t.Fatal(err)
		}
	}
	<-done
	last := mustTable(t, ignoring)
	if err := e.Reload(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	until(t, e, "all lines", func(s *triage.Snapshot) bool { return s.Totals.Lines == len(lines)-1 && !e.loading.Load() })
	want := reportOf(t, begin(t, Config{Sources: []trace.Source{{Path: dir}}, Table: mustTable(t, ignoring), Now: fixedNow}))
	if got := reportOf(t, e); got != want {
		t.Errorf("it is no fresh start:\n%s", firstDifference(want, got))
	}
}

// TestReloadOfAChangedFile: where calls cannot be read again as they were, everything is read again, and said so by the numbers.
func TestReloadOfAChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	write(t, path, reloadTrace(40))
	e := begin(t, Config{Sources: []trace.Source{{Path: path}}, Table: mustTable(t, reloadTable), Now: fixedNow})
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(src), `"head":"h2"`, `"head":"H2"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Reload(t.Context(), mustTable(t, strings.Replace(reloadTable, "class: keyed", "class: keyed, ignore: [/at]", 1))); err != nil {
		t.Fatal(err)
	}
	until(t, e, "read again", func(s *triage.Snapshot) bool {
		return e.reading.Load().number == 1 && !e.loading.Load() && s.Totals.Calls > 0
	})
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			return strings.Join(x[max(0, i-6):min(len(x), i+6)], "\n") + "\n---- got ----\n" + strings.Join(y[min(max(0, i-6), len(y)):min(len(y), i+6)], "\n")
		}
	}
	return "one is longer"
}

// spansOf is a burst of spans of tools, of some 6 MB: many blocks, which are decoded in their order.
func spansOf(burst int) string {
	const line = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"t%d","spanId":"s%d","name":"execute_tool open_pr","startTimeUnixNano":"%d",` +
		`"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.conversation.id","value":{"stringValue":"r%d"}},` +
		`{"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{\"head\":\"h%d\",\"at\":%d}"}},{"key":"filler","value":{"stringValue":"%s"}}]}]}]}]}` + "\n"
	filler := strings.Repeat("x", 8000)
	var b strings.Builder
	for i := burst * 700; i < burst*700+700; i++ {
		fmt.Fprintf(&b, line, i, i, int64(1789000000+i)*1e9, i/20, i/8, i, filler)
	}
	return b.String()
}

// TestReloadWhileBlocksWait: a worker whose block waits for its turn does not keep the table from changing, nor the other way round.
func TestReloadWhileBlocksWait(t *testing.T) {
	const bursts = 6
	path := filepath.Join(t.TempDir(), "spans.jsonl")
	write(t, path, spansOf(0))
	e := begin(t, Config{Sources: []trace.Source{{Path: path}}, Follow: true, Table: mustTable(t, reloadTable), Now: fixedNow})
	ignoring := strings.Replace(reloadTable, "class: keyed", "class: keyed, ignore: [/at]", 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 1; i < bursts; i++ {
			write(t, path, spansOf(i))
		}
	}()
	for n, writing := 0, true; writing || n%2 == 0; n++ {
		select {
		case <-done:
			writing = false
		default:
		}
		if err := e.Reload(t.Context(), mustTable(t, []string{reloadTable, ignoring}[n%2])); err != nil {
			t.Fatal(err)
		}
	}
	until(t, e, "all lines", func(s *triage.Snapshot) bool { return s.Totals.Lines == bursts*700 && !e.loading.Load() })
	want := reportOf(t, begin(t, Config{Sources: []trace.Source{{Path: path}}, Table: e.Table(), Now: fixedNow}))
	if got := reportOf(t, e); got != want {
		t.Errorf("it is no fresh start:\n%s", firstDifference(want, got))
	}
}
