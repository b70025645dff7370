package keys

import (
	"fmt"
	"strconv"
	"strings"

	"drainboard/keys/pyjson"
)

// Pointer is a JSON pointer (RFC 6901): the path to one value. The zero Pointer is the whole value.
type Pointer struct {
	text  string
	names []string // unescaped
}

// ParsePointer reads a JSON pointer: "", or names that each follow a '/', in which ~1 is '/' and ~0 is
// '~'. The text must be UTF-8.
func ParsePointer(text string) (Pointer, error) {
	p := Pointer{text: text}
	if text == "" {
		return p, nil
	}
	if text[0] != '/' {
		return Pointer{}, fmt.Errorf("expected a JSON pointer that starts with '/' (as in /requested_at), found %q", text)
	}
	for name := range strings.SplitSeq(text[1:], "/") {
		for i := strings.IndexByte(name, '~'); i >= 0; {
			if i+1 >= len(name) || name[i+1] != '0' && name[i+1] != '1' {
				return Pointer{}, fmt.Errorf("expected ~0 (for ~) or ~1 (for /) in a JSON pointer, found a bare ~ in %q", text)
			}
			next := strings.IndexByte(name[i+1:], '~')
			if next < 0 {
				break
			}
			i += 1 + next
		}
		p.names = append(p.names, unescapeName.Replace(name))
	}
	return p, nil
}

var unescapeName = strings.NewReplacer("~1", "/", "~0", "~")

// String gives the pointer as it was written.
func (p Pointer) String() string { return p.text }

// Names gives the names that lead to the value, unescaped, from the root on. They must not be changed.
func (p Pointer) Names() []string { return p.names }

// In follows the pointer from v: by member names (the last of several), in arrays by positions without
// leading zeros. Missing when it leads nowhere.
func (p Pointer) In(v pyjson.Value) pyjson.Value {
	for _, name := range p.names {
		v = step(v, name)
	}
	return v
}

func step(v pyjson.Value, name string) pyjson.Value {
	switch v.Kind() {
	case pyjson.Object:
		return v.Get(name)
	case pyjson.Array:
		if i, ok := position(name); ok {
			return v.At(i)
		}
	}
	return pyjson.Value{}
}

// position reads an array position: digits without a leading zero.
func position(name string) (int, bool) {
	if name == "" || len(name) > 10 || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	i := 0
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, true
}

// appendName appends one name of a pointer, escaped, with its slash.
func appendName(dst, name []byte) []byte {
	dst = append(dst, '/')
	for _, c := range name {
		switch c {
		case '~':
			dst = append(dst, '~', '0')
		case '/':
			dst = append(dst, '~', '1')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendPosition appends an array position of a pointer with its slash.
func appendPosition(dst []byte, i int) []byte {
	return strconv.AppendInt(append(dst, '/'), int64(i), 10)
}
