package pyjson

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// reader reads JSON byte by byte and calls itself for what is inside: slow, and plain to see to be right. It writes what it
// read, a value a line.
type reader struct {
	s     []byte
	i     int
	out   strings.Builder
	depth int
	fail  bool
}

func (r *reader) peek() byte {
	if r.i < len(r.s) {
		return r.s[r.i]
	}
	return 0
}

func (r *reader) take(word string) bool {
	if !strings.HasPrefix(string(r.s[r.i:min(len(r.s), r.i+len(word))]), word) {
		return false
	}
	r.i += len(word)
	return true
}

func (r *reader) space() {
	for r.i < len(r.s) && strings.IndexByte(" \t\r\n", r.s[r.i]) >= 0 {
		r.i++
	}
}

func (r *reader) value() {
	if r.space(); r.fail || r.i == len(r.s) || r.depth > 200 {
		r.fail = true
		return
	}
	start := r.i
	switch c := r.peek(); {
	case c == '{' || c == '[':
		r.container(c == '{')
	case c == '"':
		r.str()
	case r.take("null"), r.take("true"), r.take("false"), r.take("NaN"), r.take("Infinity"), r.take("-Infinity"):
		fmt.Fprintf(&r.out, "%d-%d\n", start, r.i)
	default:
		r.number()
		fmt.Fprintf(&r.out, "%d-%d\n", start, r.i)
	}
}

func (r *reader) container(object bool) {
	closer, start := "]", r.i
	if object {
		closer = "}"
	}
	r.depth++
	fmt.Fprintf(&r.out, "%d{\n", start)
	r.i++
	r.space()
	for n := 0; !r.fail && !r.take(closer); n++ {
		if n > 0 && !r.take(",") {
			r.fail = true
			return
		}
		if object {
			if r.space(); r.peek() != '"' {
				r.fail = true
				return
			}
			r.str()
			if r.space(); !r.take(":") {
				r.fail = true
				return
			}
		}
		r.value()
		r.space()
	}
	fmt.Fprintf(&r.out, "}%d\n", r.i)
	r.depth--
}

// str reads a string and writes its text.
func (r *reader) str() {
	start := r.i
	r.i++
	var units []rune // code points, surrogates not joined yet
	for r.peek() != '"' || r.i >= len(r.s) {
		c, n := utf8.DecodeRune(r.s[r.i:])
		switch {
		case n == 0, c == utf8.RuneError && n == 1, c < ' ':
			r.fail = true
			return
		case c == '\\':
			if n = r.escape(&units); n == 0 {
				r.fail = true
				return
			}
		default:
			units = append(units, c)
		}
		r.i += n
	}
	r.i++
	fmt.Fprintf(&r.out, "%d-%d %x\n", start, r.i, joined(units))
}

func (r *reader) escape(units *[]rune) (n int) {
	if r.i+1 >= len(r.s) {
		return 0
	}
	if k := strings.IndexByte(`"\/bfnrt`, r.s[r.i+1]); k >= 0 {
		*units = append(*units, rune("\"\\/\b\f\n\r\t"[k]))
		return 2
	}
	if r.s[r.i+1] != 'u' || r.i+6 > len(r.s) {
		return 0
	}
	u := rune(0)
	for _, c := range r.s[r.i+2 : r.i+6] {
		k := strings.IndexByte("0123456789abcdef", c)
		if c >= 'A' && c <= 'F' {
			k = int(c-'A') + 10
		}
		if k < 0 {
			return 0
		}
		u = u<<4 | rune(k)
	}
	*units = append(*units, -1-u) // escaped: only these are joined
	return 6
}

// joined writes code points as WTF-8, pairs of escaped surrogates as the character that they are.
func joined(units []rune) []byte {
	var text []byte
	for i := 0; i < len(units); i++ {
		u := units[i]
		if u >= 0 {
			text = utf8.AppendRune(text, u)
			continue
		}
		if u = -1 - u; u >= 0xD800 && u < 0xDC00 && i+1 < len(units) && units[i+1] < 0 {
			if low := -1 - units[i+1]; low >= 0xDC00 && low < 0xE000 {
				text = utf8.AppendRune(text, 0x10000+(u-0xD800)<<10+low-0xDC00)
				i++
				continue
			}
		}
		text = AppendRune(text, u)
	}
	return text
}

func (r *reader) digits() {
	first := r.i
	for r.peek() >= '0' && r.peek() <= '9' {
		r.i++
	}
	r.fail = r.fail || r.i == first
}

func (r *reader) number() {
	r.take("-")
	if !r.take("0") {
		r.digits()
	}
	if r.take(".") {
		r.digits()
	}
	if r.take("e") || r.take("E") {
		if !r.take("+") {
			r.take("-")
		}
		r.digits()
	}
	if c := r.peek(); c >= '0' && c <= '9' || c == '.' || c|0x20 == 'e' {
		r.fail = true
	}
}

// told writes what a Doc holds as reader writes it.
func told(d *Doc, v Value, out *strings.Builder) {
	switch v.Kind() {
	case Object, Array:
		fmt.Fprintf(out, "%d{\n", v.Offset())
		for name, value := range v.Members() {
			told(d, name, out)
			told(d, value, out)
		}
		for e := range v.Elements() {
			told(d, e, out)
		}
		fmt.Fprintf(out, "}%d\n", v.Offset()+len(v.Raw()))
	case String:
		fmt.Fprintf(out, "%d-%d %x\n", v.Offset(), v.Offset()+len(v.Raw()), v.AppendText(nil))
	default:
		fmt.Fprintf(out, "%d-%d\n", v.Offset(), v.Offset()+len(v.Raw()))
	}
}

// FuzzReference holds Parse, value by value and fault by fault, against a reader that looks at each byte by itself.
func FuzzReference(f *testing.F) {
	for _, src := range []string{
		`{"a":[1,2.5e3,-0,NaN,-Infinity],"long name of a member":"\ud83d\ude00é\n and more of it\\"}`, `[[],{},[{}],"",0]`, `{"a" : 1 , "b":[ 1 , 2 ] }`,
		`{"a":1,}`, `[1,]`, `[,1]`, `{,}`, `{"a"}`, `{"a":}`, `[1 2]`, `[1}`, `{"a":1]`, "[\"\x7f \x1f\"]", "\"\xed\xa0\xbd\"", "\"日本語 text ünd Ångström\"", `"\u12G4"`, `-`, `1.`, `1e`, `0x`,
		`"0123456\"8901234\n67890\\"`, "\"\xe0\x80\x80\"", "\"\xc3\"", "\"\xf4\x90\x80\x80\"", `"abc\`,
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r := reader{s: src}
		r.value()
		var d Doc
		end, err := d.Parse(src, 0)
		if r.depth > 200 {
			return
		}
		if (err != nil) != r.fail {
			t.Fatalf("%q: %v, the reference says %v", src, err, r.fail)
		}
		if err != nil {
			return
		}
		var out strings.Builder
		told(&d, d.Root(), &out)
		if end != r.i || out.String() != r.out.String() {
			t.Fatalf("%q to %d:\n%sthe reference to %d:\n%s", src, end, out.String(), r.i, r.out.String())
		}
	})
}
