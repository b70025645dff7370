package keys

import (
	"fmt"
	"testing"

	"drainboard/keys/pyjson"
)

// FuzzSpelling spells a text in three ways, as it came, as json.dumps does and with nothing but escapes, and holds all three to one digest: the first
// two are compared as they stand, the third has to be decoded.
func FuzzSpelling(f *testing.F) {
	for _, s := range []string{``, `text\n`, `text\\n`, `a\/b`, `{\"a\": [1]} \n`, `\t[1]\f`, `{x}`, `[}`, `\\`, `é\u00e9\ud83d`, `😀\ud83d\ude00`, "\x7f"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, inside []byte) {
		raw := append(append([]byte{'"'}, inside...), '"')
		var doc pyjson.Doc
		if doc.ParseWhole(raw) != nil || doc.Root().Kind() != pyjson.String {
			return
		}
		text := doc.Root().AppendText(nil)
		escaped := []byte{'"'}
		for rest := text; len(rest) > 0; {
			r, n := pyjson.DecodeRune(rest)
			if rest = rest[n:]; r > 0xFFFF {
				escaped = fmt.Appendf(escaped, `\u%04x\u%04x`, 0xD800+(r-0x10000)>>10, 0xDC00+(r-0x10000)&0x3FF)
			} else {
				escaped = fmt.Appendf(escaped, `\u%04x`, r)
			}
		}
		escaped = append(escaped, '"')
		var s Scratch
		want := ValueDigest(&s, escaped, nil)
		for _, spelled := range [][]byte{raw, pyjson.AppendQuote(nil, text)} {
			if ValueDigest(&s, spelled, nil) != want {
				t.Errorf("the payload %s has another digest than %s", spelled, escaped)
			}
			list := append(append([]byte{'['}, spelled...), ']')
			if ValueDigest(&s, list, nil) != ValueDigest(&s, append(append([]byte{'['}, escaped...), ']'), nil) {
				t.Errorf("the payload %s has another digest than with escapes alone", list)
			}
			var a, b Args
			if a.Parse(spelled) != nil || b.Parse(escaped) != nil || a.Digest() != b.Digest() {
				t.Errorf("the arguments %s have another digest than %s", spelled, escaped)
			}
		}
	})
}
