package table

import (
	"bytes"
	"unicode/utf8"

	"drainboard/keys"
	"drainboard/keys/pyjson"
)

// Rule is the rule of a call with these arguments: the first case that fits, else the row's own. A case
// fits when the value at its pointer, a string's text or another value's JSON as it stands in the trace,
// matches its glob. nil arguments, and a pointer that leads nowhere, fit no case.
func (r *Row) Rule(args *keys.Args) *Rule {
	if len(r.cases) == 0 || args == nil {
		return r.own
	}
	for i := range r.cases {
		c := &r.cases[i]
		v := args.Lookup(c.at)
		switch v.Kind() {
		case pyjson.Missing:
			continue
		case pyjson.String:
			if matchText(c.glob, v) {
				return c.rule
			}
		default:
			if match(c.glob, v.Raw()) {
				return c.rule
			}
		}
	}
	return r.own
}

// matchText matches the text of a string; one without escapes is not copied.
func matchText(glob string, v pyjson.Value) bool {
	if raw := v.Raw(); bytes.IndexByte(raw, '\\') < 0 {
		return match(glob, raw[1:len(raw)-1])
	}
	var room [512]byte
	return match(glob, v.AppendText(room[:0]))
}

// match says whether the whole text fits the glob, in which `*` is any run of characters, `?` is one
// character, and everything else is itself. It takes at most len(glob)*len(text) steps and no memory.
func match[T string | []byte](glob string, text T) bool {
	g, t := 0, 0
	star, from := -1, 0 // the last `*` met, and where in text its run ends for now
	for t < len(text) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, from = g, t
			g++
		case g < len(glob) && glob[g] == '?':
			g, t = g+1, t+char(text, t)
		case g < len(glob) && glob[g] == text[t]:
			g, t = g+1, t+1
		case star >= 0:
			from += char(text, from)
			g, t = star+1, from
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}

// char is the length of the character at i: UTF-8, a lone surrogate in WTF-8, or one stray byte.
func char[T string | []byte](text T, i int) int {
	if text[i] < utf8.RuneSelf {
		return 1
	}
	if text[i] == 0xED && i+2 < len(text) && text[i+1]&0xE0 == 0xA0 && text[i+2]&0xC0 == 0x80 {
		return 3
	}
	var room [utf8.UTFMax]byte
	_, n := utf8.DecodeRune(room[:copy(room[:], text[i:min(i+utf8.UTFMax, len(text))])])
	return n
}
