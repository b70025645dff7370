package keys

import (
	"bytes"
	"encoding/binary"
	"strings"

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
	a.defaultText()
	if kind == pyjson.Missing {
		return a.Digest(), nil, true
	}
	if a.w.deep {
		return shape, nil, false
	}
	s := &a.shape
	s.time, s.leaves = callTime, s.leaves[:0]
	b, done := a.buf[:0], uint32(0)
	for _, m := range a.w.marks {
		v := a.root.Node(m.node)
		if !m.suspect && !s.suspectNumber(v) {
			continue
		}
		var name pyjson.Value
		if m.name >= 0 {
			name = a.root.Node(m.name)
		}
		n := len(b)
		b = append(b, a.text[done:m.from]...)
		var looks string
		var blanked bool
		if b, looks, blanked = s.blank(b, v, s.nameText(name)); !blanked {
			b = b[:n]
			continue
		}
		done = m.to
		if looks != "" {
			value := sum(0, a.text[m.from:m.to])
			s.follow(a.root, m.node)
			s.leaves = append(s.leaves, Leaf{s.pointer(), looks, binary.LittleEndian.Uint64(value[:])})
		}
	}
	if done == 0 {
		return a.Digest(), nil, true
	}
	b = append(b, a.text[done:]...)
	a.buf = b[:0]
	return sum(' ', b), s.leaves, true
}

// suspectName says whether a member's name may be volatile. It may say so for nothing; most names are done with after it.
func suspectName(name pyjson.Value) bool {
	text := inner(name)
	if name.Escaped() {
		return len(text) <= 6*longestName && (letters[text[0]].first != 0 || text[0] == '\\')
	}
	return mayBeVolatile(text) && volatileName(text) != ""
}

// suspectText says whether a value is a text that may be volatile, likewise: a path or a time, or escapes are in the way of knowing.
func suspectText(v pyjson.Value) bool {
	raw := v.Raw() // a String's: there is a quote behind what is looked at, at the least
	switch c := raw[1]; {
	case c == '/':
		return true
	case c == '\\':
		return raw[2] == 'u' || raw[2] == '/' // no other escape begins a path or a time
	case c >= '0' && c <= '9':
		// A year and what divides it from its month, or the month's first digit.
		return len(raw) > 13 && (v.Escaped() || raw[4]-'0' <= 9 && (raw[5] == '-' || raw[5]-'0' <= 9))
	}
	return false
}

// suspectNumber says likewise whether a number may be volatile, or is blanked to another spelling.
func (s *shape) suspectNumber(v pyjson.Value) bool {
	raw := v.Raw()
	if v.Kind() == pyjson.Int {
		return len(raw) > 40 || (s.time <= lateCall || len(raw) >= lateDigits) && isTime(v, s.time)
	}
	return !asItIs(raw) || raw[len(raw)-1] == '0' || isTime(v, s.time)
}

// An integer with fewer than lateDigits digits is no moment within five minutes of a call later than lateCall, as those of our days are.
const (
	lateCall   = int64(1e18) + int64(window)
	lateDigits = 10
)

// nameText is the decoded text of a member's name, nil when there is none.
func (s *shape) nameText(name pyjson.Value) []byte {
	if !name.Escaped() {
		if name.Kind() == pyjson.Missing {
			return nil
		}
		return inner(name)
	}
	s.named = name.AppendText(s.named[:0])
	return s.named
}

// shape is what Shape needs to blank volatile leaves.
type shape struct {
	time     int64
	path     []segment // to the value at hand
	leaves   []Leaf
	buf      []byte
	named    []byte
	names    []byte            // of the path
	pointers map[string]string // spellings handed out before, so that they need not be made again
}

// follow sets the path to a value, given by its Index.
func (s *shape) follow(v pyjson.Value, node int32) {
	s.path, s.names = s.path[:0], s.names[:0]
	for int32(v.Index()) != node {
		v = s.into(v, node)
	}
}

// into gives the member or element of v that holds the value called node, and notes the way.
func (s *shape) into(v pyjson.Value, node int32) (within pyjson.Value) {
	var by pyjson.Value
	for name, value := range v.Members() {
		if int32(name.Index()) > node {
			break
		}
		by, within = name, value
	}
	if by.Kind() != pyjson.Missing {
		n := len(s.names)
		s.names = by.AppendText(s.names)
		s.push(segment{name: s.names[n:], named: true})
		return within
	}
	position := -1
	for e := range v.Elements() {
		if int32(e.Index()) > node {
			break
		}
		position, within = position+1, e
	}
	s.push(segment{position: position})
	return within
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

// blank appends the blank of a leaf under that name if it has one, and says whether it did, and what the leaf looks like if it is volatile.
// Blanks begin with a byte that no other text of a writer holds, but for numbers: their exact value is their blank.
func (s *shape) blank(dst []byte, v pyjson.Value, name []byte) (_ []byte, looks string, ok bool) {
	kind := v.Kind()
	if isTime(v, s.time) {
		return append(dst, 1, '@'), looksTimestamp, true
	}
	if looks = volatileName(name); looks != "" {
		return append(dst, 1, class(kind)), looks, true
	}
	switch kind {
	case pyjson.Int:
		return appendExact(dst, v.Raw()), "", true
	case pyjson.Float:
		if isIntegral(v.Raw()) {
			looks = looksNumber
		}
		return appendExact(dst, v.Raw()), looks, true
	case pyjson.String:
		s.buf = v.AppendText(s.buf[:0])
		if dst, ok = appendPath(dst, s.buf); ok {
			looks = looksPath
		}
		return dst, looks, ok
	}
	return dst, "", false
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

// longestName is how long a volatile name may be, with all its underscores.
const longestName = 40

// letter says of a byte which volatile names may have it as their first, second and last: a bit for those of each first letter, and one for names
// that begin with what is not counted.
type letter struct{ first, second, last uint16 }

// letters tells most names apart from the volatile ones by three of their bytes.
var letters = makeLetters()

func makeLetters() (of [256]letter) {
	for i, like := range [...]struct{ first, second, last string }{
		{"a", "t", "t"},
		{"c", "or", "dt"},
		{"i", "d", "y"},
		{"n", "o", "ew"},
		{"r", "e", "dsty"},
		{"s", "ep", "dt"},
		{"t", "irs", "dpsy"},
		{"u", "p", "t"},
	} {
		bit := uint16(2) << i
		for _, letterCase := range [...]func(string) string{strings.ToLower, strings.ToUpper} {
			of[letterCase(like.first)[0]].first |= bit
			for _, c := range letterCase(like.second) {
				of[c].second |= bit
			}
			for _, c := range letterCase(like.last) {
				of[c].last |= bit
			}
		}
	}
	for c := range of {
		of[c].second |= 1
		of[c].last |= 1
	}
	of['_'], of['-'] = letter{1, ^uint16(0), ^uint16(0)}, letter{1, ^uint16(0), ^uint16(0)}
	return of
}

// mayBeVolatile says whether volatileName may say more of a name than "".
func mayBeVolatile(name []byte) bool {
	n := len(name)
	return n >= 2 && n <= longestName && letters[name[0]].first&letters[name[1]].second&letters[name[n-1]].last != 0
}

// volatileName gives "named NAME" for a member name that names what changes from try to try, "" for any
// other. Case (of ASCII), '_' and '-' do not matter.
func volatileName(name []byte) string {
	if !mayBeVolatile(name) {
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
