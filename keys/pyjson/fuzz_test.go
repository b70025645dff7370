package pyjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"
)

// FuzzParse holds Parse against encoding/json where both should agree, and against itself: what it
// accepts it accepts again in pieces, and nothing but unfinished when cut.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e3,-0,NaN],"a":"\ud83d\ude00é\n"}`, ` [] `, `"\u12`, `01`, `-Infinity`, `{"a":1}{"b":2}`, "\"\xed\xa0\xbd\"", `tru`, "\ufeff{}", `{"k":{"k":{}}}`,
	} {
		f.Add([]byte(seed), uint(3))
	}
	f.Fuzz(func(t *testing.T, src []byte, cut uint) {
		var d Doc
		end, err := d.Parse(src, 0)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(src) || syntax.Unfinished != (syntax.Offset == len(src)) || end != syntax.Offset {
				t.Fatalf("error %#v, end %d of %d", err, end, len(src))
			}
			if json.Valid(src) && utf8.Valid(src) {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		value := src[d.Root().Offset():end]
		odd := bytes.Contains(value, []byte("NaN")) || bytes.Contains(value, []byte("Infinity"))
		if d.Depth() < 10_000 && !odd && !json.Valid(value) {
			t.Fatalf("accepted: %s", value)
		}
		if !Valid(value) {
			t.Fatalf("accepted only in its place: %s", value)
		}
		var part Doc
		for i := range d.Nodes() {
			v := d.Value(i)
			if end, err := part.Parse(v.Raw(), 0); err != nil || end != len(v.Raw()) || part.Root().Kind() != v.Kind() {
				t.Fatalf("value %d, %v %s: %v", i, v.Kind(), v.Raw(), err)
			}
		}
		if kind := d.Root().Kind(); kind == String || kind == Array || kind == Object {
			var syntax *SyntaxError
			if _, err := part.Parse(value[:cut%uint(len(value))], 0); !errors.As(err, &syntax) || !syntax.Unfinished {
				t.Fatalf("cut at %d: %v", cut%uint(len(value)), err)
			}
		}
	})
}

// FuzzText holds decoding and quoting against each other: a text survives both, and IsText agrees.
func FuzzText(f *testing.F) {
	f.Add([]byte(`"\ud83d\ude00 \ud83d é \n\/\u0041"`))
	f.Add([]byte("\"a longer plain text\x7f\""))
	f.Fuzz(func(t *testing.T, src []byte) {
		var d Doc
		if d.ParseWhole(src) != nil || d.Root().Kind() != String {
			return
		}
		v := d.Root()
		text := v.AppendText(nil)
		quoted := AppendQuote(nil, text)
		if requoted := AppendRequoted(nil, v.Raw()); !bytes.Equal(quoted, requoted) {
			t.Fatalf("AppendQuote %s, AppendRequoted %s", quoted, requoted)
		}
		if !v.IsText(string(text)) || v.Text() != string(text) {
			t.Fatalf("%s is not its own text", src)
		}
		if same := bytes.Equal(v.Raw(), quoted); v.AsPython() != same && (v.AsPython() || !bytes.Contains(src, []byte(`\u`))) {
			t.Fatalf("AsPython says %v of %s, which is written %s", v.AsPython(), v.Raw(), quoted)
		}
		if err := d.ParseWhole(quoted); err != nil {
			t.Fatalf("%s: %v", quoted, err)
		}
		if again := d.Root().AppendText(nil); !bytes.Equal(again, text) {
			t.Fatalf("%q became %q", text, again)
		}
	})
}
