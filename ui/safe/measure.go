package safe

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is how many cells a text takes.
func Width(t Text) int {
	width := 0
	for i := 0; i < len(t); {
		n, w := step(t, i)
		i, width = i+n, width+w
	}
	return width
}

// step is the length in bytes and the width in cells of the character at i, with its marks.
func step(t Text, i int) (n, w int) {
	if t[i] < 0x80 && (i+1 == len(t) || t[i+1] < 0x80) {
		return 1, 1
	}
	if n := eastern(t[i:]); n > 0 && (i+n == len(t) || t[i+n] < 0x80 || eastern(t[i+n:]) > 0) {
		return n, 2
	}
	cluster, w := ansi.FirstGraphemeCluster(string(t[i:]), ansi.GraphemeWidth)
	return len(cluster), w
}

// eastern is the length of the Han or kana sign that t begins with, 0 when it is another: they are frequent,
// two cells wide, and no part of the character before.
func eastern(t Text) int {
	if len(t) < 3 || t[0] < 0xE3 || t[0] > 0xE9 {
		return 0
	}
	r := rune(t[0]&0x0F)<<12 | rune(t[1]&0x3F)<<6 | rune(t[2]&0x3F)
	if r >= 0x4E00 && r < 0xA000 || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA {
		return 3
	}
	return 0
}

// cut is the longest beginning of t within w cells: its length in bytes and its width. It looks at no more.
func cut(t Text, w int) (n, width int) {
	for n < len(t) {
		m, cells := step(t, n)
		if width+cells > w {
			break
		}
		n, width = n+m, width+cells
	}
	return n, width
}

// Truncate cuts t to w cells at most; when something is cut off it ends with an ellipsis.
func Truncate(t Text, w int) Text { return Unicode.Truncate(t, w) }

// Tail cuts t to its last w cells at most; when something is cut off it begins with an ellipsis.
func Tail(t Text, w int) Text { return Unicode.Tail(t, w) }

// Fit makes t exactly w cells wide: cut like Truncate, or filled up with blanks.
func Fit(t Text, w int) Text { return Unicode.Fit(t, w) }

// Truncate is the function Truncate in a mode.
func (m Mode) Truncate(t Text, w int) Text {
	cut, _ := m.truncate(t, w)
	return cut
}

// Tail is the function Tail in a mode.
func (m Mode) Tail(t Text, w int) Text {
	over := Width(t) - max(w, 0)
	if over <= 0 {
		return t
	}
	more := m.ellipsis(w)
	over += Width(more)
	i := 0
	for gone := 0; i < len(t) && gone < over; {
		n, cells := step(t, i)
		i, gone = i+n, gone+cells
	}
	return more + t[i:]
}

// Fit is the function Fit in a mode.
func (m Mode) Fit(t Text, w int) Text {
	t, width := m.truncate(t, w)
	if width < w {
		return t + blanks(w-width)
	}
	return t
}

// truncate is Truncate, and the width of what it gives.
func (m Mode) truncate(t Text, w int) (Text, int) {
	n, width := cut(t, w)
	if n == len(t) {
		return t, width
	}
	more := m.ellipsis(w)
	cells := Width(more)
	n, width = cut(t[:n], w-cells)
	return t[:n] + more, width + cells
}

// Pad fills t up with blanks to w cells at least.
func Pad(t Text, w int) Text {
	if width := Width(t); width < w {
		return t + blanks(w-width)
	}
	return t
}

const manyBlanks Text = "                                                                                                    "

func blanks(n int) Text {
	if n <= len(manyBlanks) {
		return manyBlanks[:n]
	}
	return Text(strings.Repeat(" ", n))
}

// Wrap breaks t into lines of w cells at most, behind a blank where there is one (that is not part of the
// indentation), else between characters. The lines joined are t; a character wider than w has a line of
// its own. An empty t is one empty line.
func Wrap(t Text, w int) []Text {
	w = max(w, 1)
	var lines []Text
	for {
		n, _ := cut(t, w)
		if n == len(t) {
			return append(lines, t)
		}
		if n == 0 {
			n, _ = step(t, 0)
		}
		blank := strings.LastIndexByte(string(t[:n]), ' ')
		if blank >= 0 && strings.TrimLeft(string(t[:blank]), " ") != "" {
			n = blank + 1
		}
		if lines, t = append(lines, t[:n]), t[n:]; t == "" {
			return lines
		}
	}
}
