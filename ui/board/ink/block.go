package ink

import (
	"strconv"

	"drainboard/ui/safe"
)

// Block is a rectangle of lines. The zero Block is ready; Reset begins a new frame in it.
type Block struct {
	theme *Theme
	w, h  int
	buf   []byte
	ends  []int // ends of the finished lines in buf
	col   int
	tone  Tone
}

// Reset empties the block and gives it a size; sizes below nought are nought.
func (b *Block) Reset(theme *Theme, w, h int) {
	b.theme, b.w, b.h = theme, max(w, 0), max(h, 0)
	b.buf, b.ends, b.col, b.tone = b.buf[:0], b.ends[:0], 0, Plain
}

// Width is the width of every line.
func (b *Block) Width() int { return b.w }

// Height is how many lines there are in the end.
func (b *Block) Height() int { return b.h }

// Lines is how many lines are finished.
func (b *Block) Lines() int { return len(b.ends) }

// Left is how many lines are not finished.
func (b *Block) Left() int { return b.h - len(b.ends) }

// Col is the column at which the next piece starts.
func (b *Block) Col() int { return b.col }

// Room is how many columns are left on the line.
func (b *Block) Room() int { return b.w - b.col }

// Glyph gives the signs of the block's theme.
func (b *Block) Glyph() *Glyphs { return b.theme.Glyph }

// Theme gives the block's theme.
func (b *Block) Theme() *Theme { return b.theme }

// full says that no line is left to write on: whatever is written is dropped.
func (b *Block) full() bool { return len(b.ends) >= b.h }

// Text writes untrusted text that was made safe; what does not fit is cut with an ellipsis.
func (b *Block) Text(t safe.Text, tone Tone) *Block {
	t = b.theme.spelled(t)
	return b.write(t, safe.Width(t), tone)
}

// write writes text of a known width.
func (b *Block) write(t safe.Text, w int, tone Tone) *Block {
	room := b.Room()
	if b.full() || room <= 0 || t == "" {
		return b
	}
	if w > room {
		t = b.theme.cut(t, room)
		w = safe.Width(t)
	}
	b.switchTo(tone)
	b.buf = append(b.buf, t...)
	b.col += w
	return b
}

// Sign writes one of the theme's signs of one column.
func (b *Block) Sign(sign string, tone Tone) *Block { return b.Times(sign, 1, tone) }

// Say writes any text, made safe for a cell.
func (b *Block) Say(s string, tone Tone) *Block { return b.Text(safe.Line(s), tone) }

// Cell writes text in exactly w columns (fewer at the end of the line), left-aligned.
func (b *Block) Cell(t safe.Text, w int, tone Tone) *Block {
	w = min(w, b.Room())
	if w <= 0 {
		return b
	}
	end := b.col + w
	t = b.theme.spelled(t)
	n := safe.Width(t)
	if n > w {
		t = b.theme.cut(t, w)
		n = safe.Width(t)
	}
	return b.write(t, n, tone).To(end)
}

// SayCell is Cell for any text.
func (b *Block) SayCell(s string, w int, tone Tone) *Block { return b.Cell(safe.Line(s), w, tone) }

// Right writes text in exactly w columns, right-aligned.
func (b *Block) Right(s string, w int, tone Tone) *Block {
	t := b.theme.spelled(safe.Line(s))
	w = min(w, b.Room())
	if n := safe.Width(t); n < w {
		b.Gap(w - n)
		w = n
	}
	return b.Cell(t, w, tone)
}

// Tail is SayCell for a text whose end matters most, such as a place in a file: what does not fit is cut at its beginning.
func (b *Block) Tail(s string, w int, tone Tone) *Block {
	t := b.theme.spelled(safe.Line(s))
	if w = min(w, b.Room()); safe.Width(t) > w {
		t = b.theme.tail(t, w)
	}
	return b.Cell(t, w, tone)
}

// Gap writes n spaces.
func (b *Block) Gap(n int) *Block { return b.To(b.col + n) }

// To writes spaces up to column col.
func (b *Block) To(col int) *Block {
	if b.full() {
		return b
	}
	col = min(col, b.w)
	if col > b.col {
		b.switchTo(Plain)
		for ; b.col < col; b.col++ {
			b.buf = append(b.buf, ' ')
		}
	}
	return b
}

// Times writes a sign of one column n times.
func (b *Block) Times(sign string, n int, tone Tone) *Block {
	n = min(n, b.Room())
	if b.full() || n <= 0 {
		return b
	}
	b.switchTo(tone)
	for range n {
		b.buf = append(b.buf, sign...)
	}
	b.col += n
	return b
}

// End finishes the line.
func (b *Block) End() *Block {
	if b.full() {
		return b
	}
	b.To(b.w)
	b.switchTo(Plain)
	b.ends = append(b.ends, len(b.buf))
	b.col = 0
	return b
}

// Fill finishes all lines; a line in the making is finished first.
func (b *Block) Fill() *Block {
	for !b.full() {
		b.End()
	}
	return b
}

// Line gives finished line i without a line break; it is valid until the next Reset.
func (b *Block) Line(i int) []byte {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.buf[start:b.ends[i]]
}

// switchTo writes what the terminal needs to go on in tone.
func (b *Block) switchTo(tone Tone) {
	if b.tone == tone {
		return
	}
	was := b.tone
	b.tone = tone
	if b.theme.marks {
		if was != Plain {
			b.buf = append(b.buf, "›"...)
		}
		if tone != Plain {
			b.buf = append(append(append(b.buf, "‹"...), tone.String()...), ' ')
		}
		return
	}
	old, now := b.theme.codes[was], b.theme.codes[tone]
	switch {
	case old == now:
	case now == "":
		b.buf = append(b.buf, "\x1b[0m"...)
	case old == "":
		b.buf = append(append(append(b.buf, "\x1b["...), now...), 'm')
	default:
		b.buf = append(append(append(b.buf, "\x1b[0;"...), now...), 'm')
	}
}

// Count writes a number with separators between thousands, right-aligned in w columns; nought is left out.
func (b *Block) Count(n, w int, tone Tone) *Block {
	if n == 0 {
		return b.Gap(w)
	}
	return b.Right(Thousands(n), w, tone)
}

// Thousands prints 1204 as 1,204.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	if n > -1000 && n < 1000 {
		return s
	}
	out := make([]byte, 0, len(s)+len(s)/3)
	for i := 0; i < len(s); i++ {
		out = append(out, s[i])
		if rest := len(s) - 1 - i; rest > 0 && rest%3 == 0 && s[i] != '-' {
			out = append(out, ',')
		}
	}
	return string(out)
}
