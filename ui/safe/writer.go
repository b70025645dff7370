package safe

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks is how many combining marks one character may carry.
const maxMarks = 4

// writer turns one line of a source into safe text.
type writer struct {
	mode Mode
	src  string
	pane bool // tabs reach to stops
	left int  // characters that may still be read

	out   []byte
	base  int // where in out the last character stands that marks may sit on; -1: none
	marks int // how many sit on it
	col   int // in a pane: where the last tab ended
	from  int // in a pane: where in out it ended
}

// line writes the whole source, or as much as it may.
func (w *writer) line() {
	w.base = -1
	for i := 0; i < len(w.src); w.left-- {
		if w.left == 0 {
			w.out = append(w.out, w.mode.ellipsis(2)...)
			return
		}
		c := w.src[i]
		switch {
		case c == '<' && likeEscape(w.src[i:]):
			w.hex(c)
		case c >= ' ' && c <= '~':
			w.base, w.marks = len(w.out), 0
			w.out = append(w.out, c)
		case c < utf8.RuneSelf:
			w.control(c)
		default:
			i += w.wide(w.src[i:])
			continue
		}
		i++
	}
}

// control writes a C0 control or DEL.
func (w *writer) control(c byte) {
	switch {
	case w.mode == ASCII:
		w.hex(c)
	case c == '\t':
		w.out = append(w.out, "⇥"...)
	case c == 0x7F:
		w.out = append(w.out, "␡"...)
	default:
		w.out = utf8.AppendRune(w.out, '␀'+rune(c))
	}
	w.base = -1
	if c == '\t' && w.pane {
		w.col += Width(Text(w.out[w.from:]))
		for ; w.col%tab != 0; w.col++ {
			w.out = append(w.out, ' ')
		}
		w.from = len(w.out)
	}
}

// wide writes what begins with a byte above ASCII, and says how many bytes of the source that was.
func (w *writer) wide(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		if len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 { // a surrogate in WTF-8
			w.code(0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F))
			return 3
		}
		w.hex(s[0])
		return 1
	}
	switch {
	case r < 0xA0:
		w.hex(byte(r))
	case w.mode == ASCII:
		w.code(r)
	case solid(r):
		w.base, w.marks = len(w.out), 0
		w.out = append(w.out, s[:n]...)
	case !visible(r):
		w.code(r)
	case isRegional(r):
		next, m := utf8.DecodeRuneInString(s[n:])
		if !isRegional(next) || w.left == 1 {
			w.code(r)
			break
		}
		w.out = append(w.out, s[:n+m]...) // two of them make a flag
		w.base = -1
		w.left--
		return n + m
	default:
		w.joining(r)
	}
	return n
}

// joining writes a character that may be part of the one before: if so, only when it is one of few marks
// on it and every way to measure the two agrees.
func (w *writer) joining(r rune) {
	start := len(w.out)
	w.out = utf8.AppendRune(w.out, r)
	joined, keep := false, false
	if w.base >= 0 {
		cluster, width := ansi.FirstGraphemeCluster(w.out[w.base:], ansi.GraphemeWidth)
		joined = len(cluster) == len(w.out)-w.base
		keep = joined && w.marks < maxMarks && (isVowel(r) || width == ansi.StringWidthWc(string(cluster)))
	}
	switch {
	case keep:
		w.marks++
	case !joined && standing(r):
		w.base, w.marks = start, 0
	default:
		w.out = w.out[:start]
		w.code(r)
	}
}

// standing says whether a character never is part of the one before, and how wide it is is not disputed.
func standing(r rune) bool {
	if isVowel(r) {
		return false
	}
	var room [1 + utf8.UTFMax]byte
	pair := utf8.AppendRune(append(room[:0], 'a'), r)
	cluster, _ := ansi.FirstGraphemeCluster(pair, ansi.GraphemeWidth)
	_, width := ansi.FirstGraphemeCluster(pair[1:], ansi.GraphemeWidth)
	return len(cluster) == 1 && width > 0 && width == ansi.StringWidthWc(string(pair[1:]))
}

// isVowel says whether a character is a Hangul vowel or final consonant, which together with the consonants
// before it is one sign of two cells; StringWidthWc counts them, terminals do not.
func isVowel(r rune) bool { return r >= 0x1160 && r < 0x1200 || r >= 0xD7B0 && r < 0xD800 }

const digits = "0123456789ABCDEF"

// hex spells a byte out.
func (w *writer) hex(c byte) {
	w.out = append(w.out, '<', digits[c>>4], digits[c&15], '>')
	w.base = -1
}

// code spells a code point out.
func (w *writer) code(r rune) {
	w.out = append(w.out, "<U+"...)
	shift := 12
	for r>>shift > 15 {
		shift += 4
	}
	for ; shift >= 0; shift -= 4 {
		w.out = append(w.out, digits[r>>shift&15])
	}
	w.out = append(w.out, '>')
	w.base = -1
}

// picture says whether a character stands for a control character in a Text.
func picture(r rune) bool { return r >= '␀' && r <= '␡' || r == '⇥' }

func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// solid says of some frequent characters that they are visible and never part of the one before: Latin,
// Greek and Cyrillic letters, dashes and quotation marks, what boxes and bars are drawn of, kana, Han, and the signs that
// drainboard itself writes. Whoever sees only these never waits for the tables of all widths, which are made at their first use.
func solid(r rune) bool {
	switch r {
	case '·', '…', '‹', '›', '←', '↑', '→', '↓', '≠', '■', '▲', '▸', '▾', '◆', '●', '✓', '✗':
		return true
	}
	return r >= 0xC0 && r < 0x300 || r >= 0x3A3 && r < 0x483 || r >= 0x2013 && r <= 0x201E || r >= 0x2500 && r < 0x2590 ||
		r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r >= 0x4E00 && r < 0xA000
}

// visible says whether a character above ASCII can be seen, stands for itself and does not swallow the
// next one.
func visible(r rune) bool {
	switch {
	case r == 0x3000: // the blank of Chinese and Japanese, as wide as their signs
		return true
	case !unicode.IsPrint(r), picture(r):
		return false
	case r >= 0x1F3FB && r <= 0x1F3FF: // skin tones
		return false
	}
	return !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, disputed) && !prepends(r)
}

// prepends says whether a character joins the one after it (UAX #29, Prepend), and is no format character.
func prepends(r rune) bool {
	switch r {
	case 0x0D4E, 0x111C2, 0x111C3, 0x113D1, 0x1193F, 0x11941, 0x11A3A, 0x11D46, 0x11F02:
		return true
	}
	return r >= 0x11A84 && r <= 0x11A89
}
