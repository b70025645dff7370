package trace

import (
	"testing"

	"drainboard/keys/pyjson"
)

// pickSlowly is named.pick by a look at every member for every name.
func pickSlowly(v pyjson.Value, first, last int) pyjson.Value {
	null := pyjson.Value{}
	for want := first; want <= last; want++ {
		found := pyjson.Value{}
		for name, value := range v.Members() {
			if plainName([]byte(name.Text())) == want {
				found = value
			}
		}
		if present(found) {
			return found
		}
		if null.Kind() == pyjson.Missing {
			null = found
		}
	}
	return null
}

// FuzzPlainNames holds what a plain line's names say against a look at every member.
func FuzzPlainNames(f *testing.F) {
	for _, src := range []string{
		`{"tool":null,"tool_name":"x","name":"y","args":null,"input":{},"parameters":1}`, `{"type":"a","type":null,"event":"b","call":{"name":"n","id":7}}`,
		`{"returncode":1,"exitCode":null,"exit_code":2,"co\u0064e":3,"status_code":4}`, `{"trace_id":1,"run_id":null,"ts":2,"time":3,"timestamp":null,"":0,"call":1}`, `[]`,
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var d pyjson.Doc
		if d.ParseWhole(src) != nil || d.Root().Len() > 100 {
			return
		}
		var l plainLine
		l.read(d.Root())
		for first := range plainNames {
			for last := first; last < plainNames; last++ {
				if got, want := l.on.pick(first, last), pickSlowly(d.Root(), first, last); got.Index() != want.Index() {
					t.Fatalf("%s: names %d to %d: %s, want %s", src, first, last, got.Raw(), want.Raw())
				}
				if got, want := l.in.pick(first, last), pickSlowly(d.Root().Get("call"), first, last); got.Index() != want.Index() {
					t.Fatalf("%s: names %d to %d of the call: %s, want %s", src, first, last, got.Raw(), want.Raw())
				}
			}
		}
	})
}
