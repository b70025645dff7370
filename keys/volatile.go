package keys

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"drainboard/keys/pyjson"
)

// Leaf is a volatile leaf of arguments: one that Shape blanked to something other than itself.
type Leaf struct {
	Pointer string // RFC 6901, WTF-8
	Looks   string // "timestamp", "named NAME", "number spelling" or "path"
	Value   uint64 // a hash of what stands there, as json.dumps spells it
}

// Shape gives a digest of the arguments after Ignore with their volatile leaves blanked (PRODUCT.md
// "Volatile leaves"), so that calls which only differ in such leaves have one shape, and these leaves in
// canonical order. callTime, in nanoseconds since 1970, is what timestamps are compared with; without
// hasTime no leaf is a timestamp. ok is false when the arguments are no object, or too deep to follow.
//
// Of the numbers, which are blanked to their exact value, only floats whose value is an integer are
// listed (1.0, 1e3, -0.0): among them and the ints (never listed) are all numbers that are equal and
// spelled differently by Python, but for floats of more than 17 digits. So where one call has 1 and
// another 1.0, the leaf is listed for the second only.
//
// A path is a text that starts with '/' and has no control characters.
//
// The leaves are lent until the next Shape of this Args.
func (a *Args) Shape(callTime int64, hasTime bool) (shape [16]byte, leaves []Leaf, ok bool) {
	kind := a.root.Kind()
	if a.opaque || kind != pyjson.Object && kind != pyjson.Missing {
		return shape, nil, false
	}
	if !hasTime {
		callTime = NoTime
	}
	if kind == pyjson.Missing || !a.suspect(callTime) {
		if a.Digest(); a.w.deep {
			return shape, nil, false
		}
		return a.sum16, nil, true
	}
	s := &a.shape
	s.time, s.leaves, s.path = callTime, s.leaves[:0], s.path[:0]
	a.w.shape = s
	b, _ := a.w.write(append(a.buf[:0], intentHead...), &defaultForm, a.root, a.removed)
	a.w.shape = nil
	a.buf = b[:0]
	if a.w.deep {
		return shape, nil, false
	}
	d := a.sum(b)
	return [16]byte(d[:16]), s.leaves, true
}

// suspect says whether any leaf may be volatile. It may say so for nothing, as it looks at the values and
// names one by one, without their order; most arguments are done with after it.
func (a *Args) suspect(callTime int64) bool {
	for i := range a.doc.Nodes() {
		v := a.doc.Value(i)
		switch v.Kind() {
		case pyjson.String:
			text := inner(v)
			if len(text) == 0 {
				continue
			}
			if c := text[0]; c == '/' || c == '\\' || c >= '0' && c <= '9' {
				return true // perhaps a path or a time, or escapes are in the way of knowing
			}
			if v.Escaped() {
				if !edgeOfName(text[0], firstOfName) || len(text) > 6*longestName {
					continue
				}
				a.shape.buf = v.AppendText(a.shape.buf[:0])
				text = a.shape.buf
			}
			if volatileName(text) != "" {
				return true
			}
		case pyjson.Int:
			if len(v.Raw()) > 40 || isTime(v, callTime) {
				return true
			}
		case pyjson.Float:
			raw := v.Raw()
			if !asItIs(raw) || raw[len(raw)-1] == '0' || isTime(v, callTime) {
				return true
			}
		}
	}
	return false
}

// shape is what a writer needs to blank volatile leaves on its way.
type shape struct {
	time     int64
	path     []segment // to the value being written
	leaves   []Leaf
	buf      []byte
	pointers map[string]string // spellings handed out before, so that they need not be made again
}

// segment is one step of a path: a member's name, decoded, or an array position.
type segment struct {
	name     []byte
	named    bool
	position int
}

func (s *shape) push(g segment) { s.path = append(s.path, g) }
func (s *shape) pop()           { s.path = s.path[:len(s.path)-1] }

// name is the last name on the path, array positions skipped.
func (s *shape) name() []byte {
	for i := len(s.path) - 1; i >= 0; i-- {
		if s.path[i].named {
			return s.path[i].name
		}
	}
	return nil
}

const maxPointers = 4096

// pointer spells the path.
func (s *shape) pointer() string {
	s.buf = s.buf[:0]
	for _, g := range s.path {
		if g.named {
			s.buf = appendName(s.buf, g.name)
		} else {
			s.buf = appendPosition(s.buf, g.position)
		}
	}
	if p, ok := s.pointers[string(s.buf)]; ok {
		return p
	}
	if s.pointers == nil || len(s.pointers) >= maxPointers {
		s.pointers = make(map[string]string)
	}
	p := string(s.buf)
	s.pointers[p] = p
	return p
}

// blank writes the leaf v as its blank if it is volatile, and says whether it did. Blanks begin with a
// byte that no other text of a writer holds, but for numbers: their exact value is their blank.
func (w *writer) blank(v pyjson.Value) bool {
	s := w.shape
	start := len(w.dst)
	kind := v.Kind()
	looks := ""
	if isTime(v, s.time) {
		looks = looksTimestamp
		w.dst = append(w.dst, 1, '@')
	} else if looks = volatileName(s.name()); looks != "" {
		w.dst = append(w.dst, 1, class(kind))
	} else if kind == pyjson.Int || kind == pyjson.Float {
		w.dst = appendExact(w.dst, v.Raw())
		if kind == pyjson.Int || !isIntegral(v.Raw()) {
			return true
		}
		looks = looksNumber
	} else if kind == pyjson.String {
		s.buf = v.AppendText(s.buf[:0])
		found := false
		if w.dst, found = appendPath(w.dst, s.buf); !found {
			w.dst = w.dst[:start]
			return false
		}
		looks = looksPath
	} else {
		return false
	}
	end := len(w.dst)
	w.scalar(v)
	sum := sha256.Sum256(w.dst[end:])
	w.dst = w.dst[:end]
	s.leaves = append(s.leaves, Leaf{s.pointer(), looks, binary.LittleEndian.Uint64(sum[:])})
	return true
}

// The words of Leaf.Looks; a name's is "named " and the name.
const (
	looksTimestamp = "timestamp"
	looksNumber    = "number spelling"
	looksPath      = "path"
)

// class is the JSON type of a kind, in one byte.
func class(kind pyjson.Kind) byte {
	switch kind {
	case pyjson.True, pyjson.False:
		return 'b'
	case pyjson.Int, pyjson.Float:
		return '#'
	case pyjson.String:
		return '"'
	case pyjson.Array:
		return '['
	case pyjson.Object:
		return '{'
	}
	return '0'
}

// What volatile names have in common: how long they may be, with all their underscores, and their first
// and last letters.
const (
	longestName = 40
	firstOfName = 1 | 1<<('c'-'a') | 1<<('i'-'a') | 1<<('n'-'a') | 1<<('r'-'a') | 1<<('s'-'a') | 1<<('t'-'a') | 1<<('u'-'a')
	lastOfName  = 1<<('d'-'a') | 1<<('e'-'a') | 1<<('p'-'a') | 1<<('s'-'a') | 1<<('t'-'a') | 1<<('w'-'a') | 1<<('y'-'a')
)

// volatileName gives "named NAME" for a member name that names what changes from try to try, "" for any
// other. Case (of ASCII), '_' and '-' do not matter.
func volatileName(name []byte) string {
	if len(name) < 2 || len(name) > longestName {
		return ""
	}
	// The first and the last letter tell most other names apart.
	if !edgeOfName(name[0], firstOfName) || !edgeOfName(name[len(name)-1], lastOfName) {
		return ""
	}
	var room [14]byte
	n := 0
	for _, c := range name {
		switch {
		case c == '_' || c == '-':
			continue
		case n == len(room):
			return ""
		case c >= 'A' && c <= 'Z':
			c |= 0x20
		}
		room[n] = c
		n++
	}
	switch string(room[:n]) {
	case "attempt":
		return "named attempt"
	case "retry":
		return "named retry"
	case "retries":
		return "named retries"
	case "try":
		return "named try"
	case "nonce":
		return "named nonce"
	case "requestid":
		return "named request_id"
	case "traceid":
		return "named trace_id"
	case "spanid":
		return "named span_id"
	case "correlationid":
		return "named correlation_id"
	case "idempotencykey":
		return "named idempotency_key"
	case "requestkey":
		return "named request_key"
	case "timestamp":
		return "named timestamp"
	case "ts":
		return "named ts"
	case "now":
		return "named now"
	case "createdat":
		return "named created_at"
	case "updatedat":
		return "named updated_at"
	case "requestedat":
		return "named requested_at"
	case "sentat":
		return "named sent_at"
	}
	return ""
}

// edgeOfName says whether c, in any case, is one of the letters of a mask, or is not counted in a name.
func edgeOfName(c byte, mask uint32) bool {
	return mask>>(c|0x20-'a')&1 != 0 || c == '_' || c == '-'
}

// appendPath writes an absolute path with its volatile components blanked, and says whether there was one.
func appendPath(dst, text []byte) (_ []byte, found bool) {
	if len(text) < 2 || text[0] != '/' {
		return dst, false
	}
	for _, c := range text {
		if c < ' ' {
			return dst, false
		}
	}
	dst = append(dst, 1, '/')
	for part := range bytes.SplitSeq(text[1:], []byte("/")) {
		if isVolatilePart(part) {
			found = true
			dst = append(dst, 1)
		} else {
			dst = pyjson.AppendQuote(dst, part)
		}
	}
	return dst, found
}

// isVolatilePart says whether a path's component looks made up: it is hexadecimal of 8 digits or more, or
// holds a run of 6 letters and digits or more that has both.
func isVolatilePart(part []byte) bool {
	hex := len(part) >= 8
	run, letters, numbers := 0, false, false
	for _, c := range part {
		l := c|0x20 >= 'a' && c|0x20 <= 'z'
		n := c >= '0' && c <= '9'
		if !n && !(c|0x20 >= 'a' && c|0x20 <= 'f') {
			hex = false
		}
		if !l && !n {
			run, letters, numbers = 0, false, false
			continue
		}
		run++
		letters, numbers = letters || l, numbers || n
		if run >= 6 && letters && numbers {
			return true
		}
	}
	return hex
}
