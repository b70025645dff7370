package command_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// picture writes what is on the screen as .github/NAME.svg, with -update: the README's pictures are screens that its stories pass.
func (s *screen) picture(name string) {
	s.t.Helper()
	if flag.Lookup("update").Value.String() != "true" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.WriteFile(filepath.Join("..", "..", ".github", name+".svg"), []byte(drawn(s.term)), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// Sizes of a cell, and the colours of a terminal: its sixteen, ground and ink.
const cellW, cellH, fontSize = 9, 19, 15

var sixteen = [16]string{
	"#2b2f36", "#e5534b", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#c8ccd2",
	"#6b7280", "#ff7b72", "#6bc46d", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#ffffff",
}

const ground, pen, dimmed = "#16181d", "#d6d8dc", "#808389"

// The bits of a cell's attributes.
const bold, faint, reverse = 1, 2, 32

// look is how a stretch of cells is drawn.
type look struct {
	ink, ground string
	bold, under bool
}

// drawn is a screen as an SVG: each stretch of cells of one look is a text of a fixed length, so that columns stay in line in any font.
func drawn(term *vt.Emulator) string {
	w, h := term.Width(), term.Height()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" xml:space="preserve">`+"\n", (w+2)*cellW, (h+1)*cellH, fontSize)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", ground)
	for y := range h {
		var text strings.Builder
		var now look
		from := 0
		flush := func(to int) {
			stretch(&b, now, text.String(), from, to, y)
			text.Reset()
			from = to
		}
		for x := 0; x < w; {
			cell := term.CellAt(x, y)
			next, content, width := look{ink: pen}, " ", 1
			if cell != nil {
				next = looks(cell.Style.Fg, cell.Style.Bg, int(cell.Style.Attrs), cell.Style.Underline != 0)
				if cell.Content != "" {
					content, width = cell.Content, max(cell.Width, 1)
				}
			}
			if next != now {
				flush(x)
				now = next
			}
			text.WriteString(content)
			x += width
		}
		flush(w)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// stretch draws cells from..to of line y.
func stretch(b *strings.Builder, l look, text string, from, to, y int) {
	left, top := (from+1)*cellW, y*cellH+cellH/2
	if l.ground != "" {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", left, top, (to-from)*cellW, cellH, l.ground)
	}
	lead := len(text) - len(strings.TrimLeft(text, " "))
	if !l.under {
		text = strings.TrimRight(text[lead:], " ")
		left += lead * cellW
	}
	cells := ansi.StringWidth(text)
	if cells == 0 {
		return
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d" fill="%s"`, left, top+cellH-5, cells*cellW, l.ink)
	if l.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if l.under {
		b.WriteString(` text-decoration="underline"`)
	}
	b.WriteString(">")
	_ = xml.EscapeText(b, []byte(text)) // a Builder never fails
	b.WriteString("</text>\n")
}

func looks(fg, bg color.Color, attrs int, under bool) look {
	l := look{ink: hex(fg), ground: hex(bg), bold: attrs&bold != 0, under: under}
	switch {
	case l.ink == "" && attrs&faint != 0:
		l.ink = dimmed
	case l.ink == "":
		l.ink = pen
	}
	if attrs&reverse != 0 {
		was := l.ground
		if was == "" {
			was = ground
		}
		l.ink, l.ground = was, l.ink
	}
	return l
}

// hex is a colour as this terminal shows it, "" for none.
func hex(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return sixteen[c&15]
	case ansi.IndexedColor:
		if c < 16 {
			return sixteen[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// TestPictureOfDemo plays the demo's drain to its end, where the README's first picture is taken.
func TestPictureOfDemo(t *testing.T) {
	speed := "60"
	if flag.Lookup("update").Value.String() == "true" {
		speed = "6" // times on the picture are to be those of a drain that somebody watches
	}
	s := openAt(t, 138, 38, t.TempDir(), "demo", "--speed", speed, "--utc")
	s.sees("paid 190 ", "dest 91 ", "NO-GO 14", "confirmed extra write") // then its last line was played
	s.picture("board")
	s.types("q")
	s.ends()
}

// TestPicture: what is drawn is the text of the screen, in its colours, each stretch at its place.
func TestPicture(t *testing.T) {
	term := vt.NewEmulator(12, 2)
	_, _ = term.Write([]byte("ab \x1b[1;31m<c>\x1b[0m 日本\r\n\x1b[7;32mGO\x1b[0m \x1b[2mdim\x1b[0m"))
	got := drawn(term)
	for _, want := range []string{
		`<text x="9" y="23" textLength="18" fill="#d6d8dc">ab</text>`,
		`<text x="36" y="23" textLength="27" fill="#e5534b" font-weight="bold">&lt;c&gt;</text>`,
		`<text x="72" y="23" textLength="36" fill="#d6d8dc">日本</text>`,
		`<rect x="9" y="28" width="18" height="19" fill="#57ab5a"/>`,
		`<text x="36" y="42" textLength="27" fill="#808389">dim</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if err := xml.Unmarshal([]byte(got), new(struct{})); err != nil {
		t.Error(err)
	}
}
