package command

import (
	"encoding/json"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// page starts an output for people.
func (a *app) page() *page {
	return &page{colour: a.env.Coloured && a.opts.theme.word != "mono", ascii: a.opts.ascii, width: a.env.Width, folder: a.folder}
}

// printJSON prints one JSON value and a newline. Text that is not UTF-8 is printed with U+FFFD in its place.
func (a *app) printJSON(v any) error { return encoder(a.env.Stdout).Encode(v) }

// encoder writes JSON values, a line each, that a terminal shows as they are: what controls one, or changes the direction or the look of
// other text, stands there as an escape.
func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(visible{w})
	enc.SetEscapeHTML(false)
	return enc
}

// visible escapes invisible characters in JSON. It is written to in whole values, in which they stand in strings only.
type visible struct{ w io.Writer }

func (v visible) Write(b []byte) (int, error) {
	out := b
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r >= 0x7f && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)) {
			if len(out) == len(b) && &out[0] == &b[0] {
				out = append(make([]byte, 0, len(b)+len(b)/8+16), b[:i]...)
			}
			out = appendEscape(out, r)
		} else if &out[0] != &b[0] {
			out = append(out, b[i:i+n]...)
		}
		i += n
	}
	if _, err := v.w.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// appendEscape appends a character as \uXXXX, or as two of them.
func appendEscape(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	units := []uint16{uint16(r)}
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		units = []uint16{uint16(high), uint16(low)}
	}
	for _, u := range units {
		dst = append(dst, '\\', 'u', digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	return dst
}
