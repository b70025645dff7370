package board

import (
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// field is a line of text that is being typed. What is pasted loses its line breaks and control characters.
type field struct {
	text string
	at   int // byte position of the cursor
	// ghost stands dim behind the text while the cursor is there: what may be typed next.
	ghost string
}

// maxField bounds what can be typed or pasted.
const maxField = 4096

// key takes in a key; it reports whether the text changed.
func (f *field) key(k tea.KeyMsg) bool {
	was := f.text
	switch k.String() {
	case "left", "ctrl+b":
		f.at = f.before(f.at)
	case "right", "ctrl+f":
		_, n := utf8.DecodeRuneInString(f.text[f.at:])
		f.at += n
	case "home", "ctrl+a":
		f.at = 0
	case "end", "ctrl+e":
		f.at = len(f.text)
	case "backspace", "ctrl+h":
		f.cut(f.before(f.at), f.at)
	case "delete", "ctrl+d":
		_, n := utf8.DecodeRuneInString(f.text[f.at:])
		f.cut(f.at, f.at+n)
	case "ctrl+u":
		f.cut(0, f.at)
	case "ctrl+k":
		f.cut(f.at, len(f.text))
	case "ctrl+w", "alt+backspace":
		from := strings.LastIndexByte(strings.TrimRight(f.text[:f.at], " "), ' ') + 1
		f.cut(from, f.at)
	default:
		if k.Type == tea.KeyRunes && !k.Alt || k.Type == tea.KeySpace {
			f.insert(string(k.Runes))
		}
	}
	return f.text != was
}

func (f *field) before(i int) int {
	_, n := utf8.DecodeLastRuneInString(f.text[:i])
	return i - n
}

func (f *field) cut(from, to int) {
	f.text, f.at = f.text[:from]+f.text[to:], from
}

func (f *field) insert(s string) {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f || r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	if len(f.text)+len(clean) > maxField {
		return
	}
	f.text, f.at = f.text[:f.at]+clean+f.text[f.at:], f.at+len(clean)
}

func (f *field) set(text string) { f.text, f.at = text, len(text) }

// draw writes the text with its cursor; bad marks stretches of bytes that are wrong.
func (f *field) draw(b *ink.Block, bad func(int) bool) {
	for i := 0; i <= len(f.text); {
		if i == len(f.text) {
			switch _, n := utf8.DecodeRuneInString(f.ghost); {
			case i != f.at:
			case n == 0:
				b.Say(" ", ink.Found)
			default:
				b.Text(safe.Line(f.ghost[:n]), ink.Found).Text(safe.Line(f.ghost[n:]), ink.Faint)
			}
			return
		}
		_, n := utf8.DecodeRuneInString(f.text[i:])
		tone := ink.Plain
		switch {
		case i == f.at:
			tone = ink.Found
		case bad != nil && bad(i):
			tone = ink.Wrong
		}
		end := i + n
		for end < len(f.text) && end != f.at && (bad == nil || bad(end) == bad(i)) && i != f.at {
			_, n := utf8.DecodeRuneInString(f.text[end:])
			end += n
		}
		b.Text(safe.Line(f.text[i:end]), tone)
		i = end
	}
}
