package table

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

var bom = []byte("\xEF\xBB\xBF")

// lines knows where the lines of a file begin, as YAML counts them (the library breaks lines at CR, LF,
// CRLF, NEL, LS and PS): positions in errors and edits are its.
type lines struct {
	src    []byte
	starts []int
}

func newLines(src []byte) *lines {
	l := &lines{src: src, starts: []int{0}}
	if bytes.HasPrefix(src, bom) {
		l.starts[0] = len(bom)
	}
	for i := 0; i < len(src); {
		n := lineBreak(src[i:])
		if n > 0 {
			l.starts = append(l.starts, i+n)
		}
		i += max(n, 1)
	}
	return l
}

// lineBreak is the length of the line break that the text begins with, 0 when there is none.
func lineBreak(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("\r\n")):
		return 2
	case b[0] == '\n' || b[0] == '\r':
		return 1
	case bytes.HasPrefix(b, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(b, []byte("\u2028")), bytes.HasPrefix(b, []byte("\u2029")):
		return 3
	default:
		return 0
	}
}

// position is the 1-based line and column (in characters) of a byte offset.
func (l *lines) position(offset int) (line, column int) {
	line = sort.SearchInts(l.starts, offset+1)
	if line == 0 {
		return 1, 1
	}
	return line, utf8.RuneCount(l.src[l.starts[line-1]:offset]) + 1
}

// offset is the byte offset of a 1-based line and column; the end of the file when it is beyond.
func (l *lines) offset(line, column int) int {
	if line > len(l.starts) {
		return len(l.src)
	}
	at := l.starts[line-1]
	for ; column > 1 && at < len(l.src); column-- {
		_, n := utf8.DecodeRune(l.src[at:])
		at += n
	}
	return at
}

// end is the byte offset at which a 1-based line ends, before its line break.
func (l *lines) end(line int) int {
	for at := l.offset(line, 1); ; at++ {
		if at >= len(l.src) || lineBreak(l.src[at:]) > 0 {
			return min(at, len(l.src))
		}
	}
}

// firstColumn is the column of the first character of a line that is no white space.
func (l *lines) firstColumn(line int) int {
	column := 1
	for at := l.offset(line, 1); at < len(l.src) && (l.src[at] == ' ' || l.src[at] == '\t'); at++ {
		column++
	}
	return column
}
