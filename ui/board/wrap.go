package board

import (
	"strings"

	"drainboard/ui/safe"
)

// wrapped breaks spans between words into lines of a width. A word goes on from one span into the next when no blank parts them.
func wrapped(spans []span, width int) []line {
	w := wrapper{width: max(width, 8)}
	for _, s := range spans {
		for text := s.text; text != ""; {
			n := strings.IndexByte(string(text), ' ')
			switch {
			case n == 0:
				w.endWord()
				w.blanks = append(w.blanks, span{" ", s.tone})
				text = text[1:]
				continue
			case n < 0:
				n = len(text)
			}
			w.word = append(w.word, span{text[:n], s.tone})
			text = text[n:]
		}
	}
	w.endWord()
	w.endLine()
	return w.lines
}

// wrapper is a paragraph in the making.
type wrapper struct {
	width, col int
	lines      []line
	now        []span // the line so far
	blanks     []span // blanks behind it, dropped when the line ends here
	word       []span // the word so far
}

func (w *wrapper) endWord() {
	n := headWidth(w.word)
	if n == 0 {
		return
	}
	if w.col > 0 && w.col+len(w.blanks)+n > w.width {
		w.endLine()
	}
	if w.col > 0 {
		w.put(w.blanks...)
	}
	w.blanks = w.blanks[:0]
	for _, s := range w.word {
		for w.col+safe.Width(s.text) > w.width {
			parts := safe.Wrap(s.text, w.width-w.col)
			if len(parts) < 2 {
				break
			}
			w.put(span{parts[0], s.tone})
			w.endLine()
			s.text = s.text[len(parts[0]):]
		}
		w.put(s)
	}
	w.word = w.word[:0]
}

func (w *wrapper) put(spans ...span) {
	for _, s := range spans {
		w.col += safe.Width(s.text)
		if n := len(w.now); n > 0 && w.now[n-1].tone == s.tone {
			w.now[n-1].text += s.text
			continue
		}
		w.now = append(w.now, s)
	}
}

func (w *wrapper) endLine() {
	if w.col > 0 {
		w.lines = append(w.lines, line{spans: w.now})
	}
	w.now, w.blanks, w.col = nil, w.blanks[:0], 0
}
