package intake

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"drainboard/keys/table"
	"drainboard/trace"
)

// writeMillion writes a trace of a million calls in runs of 50, each answered: nine of ten of ten tools, the tenth of one tool whose
// arguments hold a timestamp.
func writeMillion(b *testing.B) string {
	b.Helper()
	const calls = 1_000_000
	path := filepath.Join(b.TempDir(), "million.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for i := range calls {
		tool, extra := fmt.Sprintf("tool_%d", i%10), fmt.Sprintf(`"branch":"main","labels":["a","b"],"draft":%v`, i%2 == 0)
		if i%10 == 0 {
			tool, extra = "post_status", fmt.Sprintf(`"at":%d`, 1789000000+i)
		}
		fmt.Fprintf(w, `{"type":"tool_call","ts":%d.25,"run_id":"run-%d","call_id":"call_%d","tool":%q,"args":{"title":"change number %d of the series","body":"It makes the second part of the thing that the first part could not do.","head":"feat/keys-%d",%s}}`+"\n",
			1789000000+i, i/50, i, tool, i/3, i/3, extra)
		fmt.Fprintf(w, `{"type":"tool_result","ts":%d.75,"run_id":"run-%d","call_id":"call_%d","status":"ok","result":{"url":"https://example.invalid/%d","state":"open"}}`+"\n", 1789000000+i, i/50, i, i)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkReload changes the table of a million calls that were read, against reading them: s/op of each.
func BenchmarkReload(b *testing.B) {
	path := writeMillion(b)
	parse := func(src string) *table.Table {
		t, err := table.Parse([]byte(src), "tools.yaml")
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	const base = "tools: {post_status: {class: keyed}, tool_1: {class: keyed}, 'tool_*': {class: keyed}}"
	ctx := context.Background()
	open := func(src string) *Engine {
		e, err := Start(ctx, Config{Sources: []trace.Source{{Path: path}}, Table: parse(src), Since: trace.NoTime})
		if err != nil {
			b.Fatal(err)
		}
		if err := e.Wait(ctx); err != nil {
			b.Fatal(err)
		}
		return e
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			e := open(base)
			if err := e.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, c := range []struct{ name, table string }{
		{"class of a tool", "tools: {post_status: {class: keyed}, tool_1: {class: compensate}, 'tool_*': {class: keyed}}"},
		{"ignore for a tenth", "tools: {post_status: {class: keyed, ignore: [/at]}, tool_1: {class: keyed}, 'tool_*': {class: keyed}}"},
		{"ignore for all", "tools: {post_status: {class: keyed, ignore: [/at]}, 'tool_*': {class: keyed, ignore: [/draft]}}"},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := open(base)
			tables := []*table.Table{parse(c.table), parse(base)}
			for i := 0; b.Loop(); i++ {
				if err := e.Reload(ctx, tables[i%2]); err != nil {
					b.Fatal(err)
				}
			}
			if e.reading.Load().number > 0 {
				b.Fatal("everything was read again")
			}
			if err := e.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
