// Package safe makes untrusted text visible and measures it. It is the only way of such text to a terminal.
//
// Contract. Text from a trace, a ledger, a file name, a script or an error becomes a Text, once, and what
// draws takes nothing else. A Text holds no control character, nothing that reorders or hides other text,
// and nothing that is half of a character; nothing of the source is dropped, everything unusual is
// spelled out:
//
//	LF, ESC, NUL ...        ␊ ␛ ␀      their Unicode pictures; TAB is ⇥, DEL ␡
//	C1 controls             <9B>
//	bytes that are no UTF-8 <FF>
//	lone surrogates (WTF-8) <U+D83D>
//	bidi controls, zero-width and tag characters, variation selectors, soft hyphens, line separators,
//	blanks other than U+0020 and U+3000, private and unassigned code points  <U+202E>
//	combining marks without a character to sit on, or above four on one      <U+0301>
//	a `<` that would read like one of these, and literal pictures            <3C> <U+240A>
//
// So Line is injective, but for C1 controls and the stray byte of the same number, and text that is cut.
//
// Width is one number on every terminal: a character that some count as part of the one before and
// others give a cell of its own (vowel signs of Indic scripts, skin tones, joined emoji) is spelled out
// too. That costs the scripts that need them legibility here, and keeps every column in its place
// whoever wrote the text. For a Text ansi.StringWidth, ansi.StringWidthWc and Width agree, and the
// width of two Texts side by side is the sum of theirs.
package safe

import (
	"strings"
	"unicode/utf8"
)

// Text is text that may be written to a terminal as it is. Only this package makes it from text that is
// not the program's own; two of them may be joined with +.
type Text string

// Mode says what the terminal can show.
type Mode uint8

// The modes.
const (
	Unicode Mode = iota
	ASCII        // everything else is spelled out: controls as <0A>, characters as <U+65E5>
)

// maxLine is how many characters of its source Line looks at.
const maxLine = 4096

// tab is the distance of tab stops in a Block.
const tab = 8

// Line makes a line of text, as for a cell or a title: line feeds are shown as ␊. It reads 4,096
// characters at most and then ends with an ellipsis. A Text is returned as it is.
func Line[S ~string | ~[]byte](s S) Text { return line(Unicode, s, maxLine) }

// Cell is Fit(Line(s), w), and reads no more of s than w cells can show.
func Cell[S ~string | ~[]byte](s S, w int) Text {
	return Fit(line(Unicode, s, reach(w)), w)
}

// Block makes lines of text, as for a pane: line feeds part them, and tabs reach to the next stop of
// eight, whose first cell is ⇥. It reads all of s.
func Block[S ~string | ~[]byte](s S) []Text { return block(Unicode, s) }

// Line is the function Line in a mode.
func (m Mode) Line(s string) Text { return line(m, s, maxLine) }

// Cell is the function Cell in a mode.
func (m Mode) Cell(s string, w int) Text { return m.Fit(line(m, s, reach(w)), w) }

// Block is the function Block in a mode.
func (m Mode) Block(s string) []Text { return block(m, s) }

// ellipsis says in w cells or fewer that something was cut off.
func (m Mode) ellipsis(w int) Text {
	switch {
	case w < 1:
		return ""
	case m == ASCII || w < Width("…"): // two cells where RUNEWIDTH_EASTASIAN is set
		return "~"
	default:
		return "…"
	}
}

// reach is how many characters it takes to fill more than w cells: a cell holds one and its marks.
func reach(w int) int { return (max(w, 0) + 1) * (1 + maxMarks) }

func line[S ~string | ~[]byte](m Mode, s S, limit int) Text {
	switch s := any(s).(type) {
	case Text:
		return s
	case string:
		return lineString(m, s, limit)
	}
	return lineString(m, string(head(s, limit)), limit)
}

// head is the part of s that limit characters cannot reach beyond.
func head[S ~string | ~[]byte](s S, limit int) S {
	if n := (limit + 1) * utf8.UTFMax; len(s) > n {
		return s[:n]
	}
	return s
}

func lineString(m Mode, s string, limit int) Text {
	if len(s) <= limit && plain(s) {
		return Text(s)
	}
	w := writer{mode: m, src: s, left: limit}
	w.out = make([]byte, 0, min(len(s), limit)*9/8+16)
	w.line()
	return Text(w.out)
}

func block[S ~string | ~[]byte](m Mode, s S) []Text {
	src := string(s)
	lines := make([]Text, 0, 1+strings.Count(src, "\n"))
	for part := range strings.SplitSeq(src, "\n") {
		if plain(part) {
			lines = append(lines, Text(part))
			continue
		}
		w := writer{mode: m, src: part, left: len(part) + 1, pane: true}
		w.line()
		lines = append(lines, Text(w.out))
	}
	return lines
}

// plain says whether a text is ASCII that needs no escape.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '<' && likeEscape(s[i:]) {
			return false
		}
	}
	return true
}

// likeEscape says whether a text that begins with `<` reads like an escape of this package.
func likeEscape(s string) bool {
	end := strings.IndexByte(s[:min(len(s), len("<U+10FFFF>"))], '>')
	if end < 0 {
		return false
	}
	digits, wide := strings.CutPrefix(s[1:end], "U+")
	if wide && len(digits) < 4 || !wide && len(digits) != 2 {
		return false
	}
	return strings.Trim(digits, "0123456789ABCDEF") == ""
}

// Escaped counts the bytes at the start of t that are one escape of this package, such as <9B> or a picture
// of a control character, 0 when it starts with text: what draws may mark escapes with a style of their own.
func Escaped(t Text) int {
	if strings.HasPrefix(string(t), "<") && likeEscape(string(t)) {
		return strings.IndexByte(string(t), '>') + 1
	}
	if r, n := utf8.DecodeRuneInString(string(t)); picture(r) {
		return n
	}
	return 0
}
