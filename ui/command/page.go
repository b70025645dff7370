package command

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"drainboard/ledger/triage"
	"drainboard/ui/redact"
	"drainboard/ui/safe"
)

// ink is how a text is printed on a coloured terminal: one of its own 16 colours, bold or dim.
type ink uint8

const (
	plain ink = iota
	bold
	dim
	red
	green
	yellow
	magenta
	cyan
	badgeGo // the verdict
	badgeNo
)

var codes = [...]string{"", "1", "2", "1;31", "32", "33", "35", "36", "1;30;42", "1;97;41"}

// page collects text for people and writes it in one piece. Only safe.Text and the program's own words get on it.
type page struct {
	buf    bytes.Buffer
	colour bool
	ascii  bool
	width  int    // columns of the terminal; 0: there is none, lines may be of any length
	redact bool   // tokens of known shapes are masked; what has a name is masked where it comes from
	folder string // paths in it are shown without it
}

// word adds a text, most of it the program's own.
func (p *page) word(k ink, format string, args ...any) *page {
	return p.text(k, p.safe(fmt.Sprintf(format, args...)))
}

// signs are the program's own characters beyond ASCII, and what stands for them on a terminal that shows ASCII only.
var signs = strings.NewReplacer("→", ">", "·", ".", "■", "#")

// safe makes a text safe for this page.
func (p *page) safe(text string) safe.Text {
	if p.redact {
		text = redact.Shapes(text)
	}
	if p.ascii {
		return safe.ASCII.Line(signs.Replace(text))
	}
	return safe.Line(text)
}

// text adds a text that is safe.
func (p *page) text(k ink, t safe.Text) *page {
	if !p.colour || k == plain || t == "" {
		p.buf.WriteString(string(t))
		return p
	}
	p.buf.WriteString("\x1b[" + codes[k] + "m" + string(t) + "\x1b[0m")
	return p
}

// line ends a line.
func (p *page) line() *page {
	p.buf.WriteByte('\n')
	return p
}

// file is a path as it is shown.
func (p *page) file(path string) string {
	if p.folder == "" {
		return path
	}
	return strings.TrimPrefix(path, p.folder+string(filepath.Separator))
}

// where is a position as it is shown.
func (p *page) where(at triage.Pos) string {
	at.File = p.file(at.File)
	return where(at)
}

// where is a position as commands take it.
func where(at triage.Pos) string {
	switch {
	case at.File == "":
		return ""
	case at.Line == 0:
		return at.File
	case at.N > 1:
		return fmt.Sprintf("%s:%d#%d", at.File, at.Line, at.N)
	default:
		return fmt.Sprintf("%s:%d", at.File, at.Line)
	}
}

// head starts a section: a line of capitals, with a note behind it.
func (p *page) head(title, note string) {
	p.line().word(bold, "%s", title)
	if note != "" {
		p.word(plain, "  ").word(dim, "%s", note)
	}
	p.line()
}

// flush writes what was collected and forgets it.
func (p *page) flush(w io.Writer) error {
	_, err := w.Write(p.buf.Bytes())
	p.buf.Reset()
	return err
}

// cell is one field of a table.
type cell struct {
	words string
	ink   ink
	text  safe.Text // of words, when the table is printed
}

// column says how a column of a table stands.
type column struct {
	title string
	right bool
	most  int // columns of the screen that a cell may take; longer ones are cut with an ellipsis; 0: any
	spare int // on a terminal that is too narrow the columns with the highest spare are left out first; 0: never
}

// field makes a cell of any text.
func field(k ink, text string) cell { return cell{words: text, ink: k} }

// number makes a cell of a count; nought is dim.
func number(n int) cell {
	if n == 0 {
		return field(dim, "·")
	}
	return field(plain, thousands(n))
}

// table prints rows under their titles, two spaces between columns, each as wide as its widest cell. Columns in which
// no cell holds anything are left out; those that a narrow terminal has no room for are named below.
func (p *page) table(columns []column, rows [][]cell) {
	widths := make([]int, len(columns))
	for i := range columns {
		for _, r := range rows {
			r[i].text = p.cut(r[i].words, columns[i].most)
			widths[i] = max(widths[i], safe.Width(r[i].text))
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], len(columns[i].title))
		}
	}
	left := p.narrow(columns, widths)
	titles := make([]cell, len(columns))
	for i, c := range columns {
		titles[i] = cell{ink: dim, text: safe.Line(c.title)}
	}
	if slices.ContainsFunc(columns, func(c column) bool { return c.title != "" }) {
		p.row(columns, widths, titles)
	}
	for _, r := range rows {
		p.row(columns, widths, r)
	}
	if left != nil {
		p.word(dim, "  (too narrow for %s)", strings.Join(left, ", ")).line()
	}
}

// narrow takes the width of columns away until the rest has room on the terminal, and returns their titles.
func (p *page) narrow(columns []column, widths []int) (left []string) {
	for p.width > 0 {
		total, at := 0, -1
		for i, w := range widths {
			if w == 0 {
				continue
			}
			total += w + 2
			if columns[i].spare > 0 && (at < 0 || columns[i].spare > columns[at].spare) {
				at = i
			}
		}
		if total <= p.width || at < 0 {
			break
		}
		widths[at] = 0
		left = append(left, columns[at].title)
	}
	return left
}

func (p *page) row(columns []column, widths []int, r []cell) {
	last := -1
	for i, c := range r {
		if widths[i] > 0 && c.text != "" {
			last = i
		}
	}
	for i, c := range r[:last+1] {
		if widths[i] == 0 {
			continue
		}
		gap := strings.Repeat(" ", max(widths[i]-safe.Width(c.text), 0))
		p.buf.WriteString("  ")
		switch {
		case columns[i].right:
			p.buf.WriteString(gap)
			p.text(c.ink, c.text)
		case i == last:
			p.text(c.ink, c.text)
		default:
			p.text(c.ink, c.text)
			p.buf.WriteString(gap)
		}
	}
	p.line()
}

// sentence adds a text that is broken between words at the width of the page, or at 100 columns where there is none; first is how
// many columns of the line are taken, further lines begin after four blanks.
func (p *page) sentence(first int, text string) *page {
	width := 100
	if p.width > 20 {
		width = p.width
	}
	at := first
	for i, w := range strings.Fields(text) {
		t := p.safe(w)
		n := safe.Width(t)
		switch {
		case i == 0:
		case at+1+n > width:
			p.line().word(plain, "    ")
			at = 4
		default:
			p.word(plain, " ")
			at++
		}
		p.text(plain, t)
		at += n
	}
	return p
}

// cut makes a text safe and shortens it to w columns of the screen; 0 leaves it.
func (p *page) cut(text string, w int) safe.Text {
	t := p.safe(text)
	switch {
	case w == 0 || safe.Width(t) <= w:
		return t
	case p.ascii:
		return safe.ASCII.Truncate(t, w)
	default:
		return safe.Truncate(t, w)
	}
}

// thousands prints a count with its groups apart.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural prints a count and its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return thousands(n) + " " + one
	}
	return thousands(n) + " " + many
}

// bytesText prints a number of bytes for people.
func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	f, i := float64(n), 0
	for f >= 1000 && i < len(units)-1 {
		f, i = f/1000, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

// ageText prints a number of seconds for people: 12s, 4m, 3h, 2d.
func ageText(seconds float64) string {
	switch {
	case seconds < 0:
		return "-" + ageText(-seconds)
	case seconds < 120:
		return fmt.Sprintf("%.0fs", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.0fm", seconds/60)
	case seconds < 172800:
		return fmt.Sprintf("%.0fh", seconds/3600)
	default:
		return fmt.Sprintf("%.0fd", seconds/86400)
	}
}
