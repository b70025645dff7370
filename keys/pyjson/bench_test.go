package pyjson

import (
	"bytes"
	"strings"
	"testing"
)

// BenchmarkParse reads about 64 KB: many short values, long text, text with an escape every few bytes, and text that is not ASCII.
func BenchmarkParse(b *testing.B) {
	for _, c := range []struct{ name, value string }{
		{"short values", `{"type":"tool_call","ts":1789000000.028,"run_id":"run-904","call":{"name":"search","arguments":{"limit":31,"tags":["a","b"],"open":true}}}`},
		{"long text", `"` + strings.Repeat("a line of a log that somebody wrote ", 50) + `"`},
		{"escapes", `"` + strings.Repeat(`\tif a != \"b\" {\n`, 100) + `"`},
		{"not ASCII", `"` + strings.Repeat("Größe, 大きさ, размер ", 80) + `"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 64 << 10 / (len(c.value) + 1)
			src := append(append([]byte("["), bytes.Repeat([]byte(c.value+","), n)...), "0]"...)
			var d Doc
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if err := d.ParseWhole(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkText decodes texts with an escape every few bytes.
func BenchmarkText(b *testing.B) {
	for _, c := range []struct{ name, inside string }{
		{"short", `\tif a != \"b\" {\n`},
		{"lines", strings.Repeat(`a line of a log that somebody wrote\n`, 50)},
		{"code", strings.Repeat(`\tif a != \"b\" {\n`, 100)},
		{"not ASCII", strings.Repeat(`Gr\u00f6\u00dfe `, 80)},
	} {
		b.Run(c.name, func(b *testing.B) {
			var d Doc
			if err := d.ParseWhole([]byte(`"` + c.inside + `"`)); err != nil {
				b.Fatal(err)
			}
			var dst []byte
			b.SetBytes(int64(len(c.inside)))
			for b.Loop() {
				dst = d.Root().AppendText(dst[:0])
			}
		})
	}
}
