// Package ink puts styled text on lines of an exact width.
//
// Contract. A Tone says what a stretch of text means; a Theme says how that looks, with the terminal's own sixteen colours, bold,
// dim, underline and reverse and nothing else. A Block is a rectangle of lines that is written from the top left, piece by piece,
// into a buffer that is used again for the next frame. Whatever is written, a Block has exactly its height of lines, each exactly
// its width, and no style runs on past the end of a line. All text goes through ui/safe. A Block belongs to one goroutine.
package ink

import (
	"fmt"
	"strings"

	"drainboard/ui/safe"
)

// Tone is what a stretch of text means.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	Strong
	Faint
	Head      // column titles and section titles
	Rule      // lines between regions
	Caret     // the mark of the row under the cursor
	Accent    // names of sides, keys of the selected row, JSON names
	Hint      // a key that can be pressed
	TabOn     // the screen that is shown
	TabCount  // its count
	Critical  // severities
	High      //
	Medium    //
	Low       //
	Good      // what is well: ok, alive, committed
	Warn      // what wants a look
	WarnBold  //
	Bad       // what is wrong, in a sentence
	BadBold   // the worst in a sentence
	Keyed     // classes
	Undo      // compensate
	Bar       // the filled part of a bar
	BarOver   // the filled part of a bar that is over
	BarRest   // the rest of a bar
	Wrong     // a wrong term, underlined
	Found     // a search hit
	Marked    // a marked row
	Stop      // verdicts
	Go        //
	GoTraces  //
	Button    // the button in focus
	ButtonOff //
	tones
)

// toneNames are for annotated goldens.
var toneNames = [tones]string{
	"plain", "strong", "faint", "head", "rule", "caret", "accent", "hint", "tab", "tabcount", "critical", "high", "medium", "low",
	"good", "warn", "warnbold", "bad", "badbold", "keyed", "undo", "bar", "barover", "barrest", "wrong", "found", "marked", "stop",
	"go", "gotraces", "button", "buttonoff",
}

// String names the tone.
func (t Tone) String() string { return toneNames[t] }

// Theme says how tones look, and with which glyphs. It is read-only once made.
type Theme struct {
	Name  string
	Glyph *Glyphs
	ASCII bool
	codes [tones]string // SGR parameters; empty: as the terminal writes by itself
	marks bool          // write tones as ‹name› marks instead, for goldens
}

// Names are the themes that New knows.
var Names = []string{"auto", "light", "dark", "mono"}

// New makes a theme: auto (colours that do on both backgrounds), light, dark, mono (no colours; bold, dim, underline and reverse
// only). none, for goldens and terminals that can do nothing, has no escapes at all; marks writes the tones' names between ‹ and ›.
func New(name string, ascii bool) (*Theme, error) {
	t := &Theme{Name: name, ASCII: ascii, Glyph: &unicodeGlyphs}
	if ascii {
		t.Glyph = &asciiGlyphs
	}
	switch name {
	case "", "auto":
		t.Name = "auto"
		t.codes = coloured
	case "light":
		t.codes = coloured
		// Yellow and cyan are hard to read on white: blue and magenta take their places.
		t.set("34", Accent, Keyed, Bar)
		t.set("1;34", Caret, Hint)
		t.set("35", Undo)
		t.set("33;1", Medium, Warn)
	case "dark":
		t.codes = coloured
		t.set("96", Accent, Keyed, Bar)
		t.set("1;96", Caret, Hint)
		t.set("1;91", Critical, BadBold, TabCount)
		t.set("91", Bad, BarOver)
		t.set("1;95", High)
		t.set("95", Undo)
		t.set("93", Medium, Warn)
		t.set("92", Good)
	case "mono":
		t.codes = mono
	case "none":
	case "marks":
		t.marks = true
	default:
		return nil, fmt.Errorf("unknown theme %q: expected auto, light, dark or mono", name)
	}
	return t, nil
}

func (t *Theme) set(code string, tones ...Tone) {
	for _, tone := range tones {
		t.codes[tone] = code
	}
}

var coloured = [tones]string{
	Strong: "1", Faint: "2", Head: "2", Rule: "2", Caret: "1;36", Accent: "36", Hint: "1;36", TabOn: "1;4", TabCount: "1;31",
	Critical: "1;31", High: "1;35", Medium: "33", Low: "2", Good: "32", Warn: "33", WarnBold: "1;33", Bad: "31", BadBold: "1;31",
	Keyed: "36", Undo: "35", Bar: "36", BarOver: "31", BarRest: "2", Wrong: "4;31", Found: "7", Marked: "1;33",
	Stop: "1;7;31", Go: "1;7;32", GoTraces: "7;32", Button: "1;7", ButtonOff: "2",
}

var mono = [tones]string{
	Strong: "1", Faint: "2", Head: "2", Rule: "2", Caret: "1", Accent: "", Hint: "1", TabOn: "1;4", TabCount: "1",
	Critical: "1", High: "1", Low: "2", WarnBold: "1", BadBold: "1", BarOver: "1", BarRest: "2", Wrong: "4", Found: "7", Marked: "1",
	Stop: "1;7", Go: "1;7", GoTraces: "7", Button: "1;7", ButtonOff: "2",
}

// Glyphs are the signs of a theme. Each is one column wide, except those that say otherwise.
type Glyphs struct {
	Critical, High, Medium, Low                string
	Caret, Mark, Live, Loading, Paused, Broken string
	Rule, Cross, Tee, Wall                     string
	Bar, BarRest                               string
	Spark                                      [8]string
	To, Differ, Yes, No, Dot, Open, Shut, Leaf string
	First, Join, Through, LastOne              string
	Arrow, Crumb, Break                        string // may be wider
	Enter, Space, Ellipsis, Up, Down           string
}

var unicodeGlyphs = Glyphs{
	Critical: "▲", High: "◆", Medium: "●", Low: "·",
	Caret: "▌", Mark: "✓", Live: "●", Loading: "◌", Paused: "‖", Broken: "✗",
	Rule: "─", Cross: "┬", Tee: "┴", Wall: "│",
	Bar: "━", BarRest: "╌",
	Spark: [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	To:    "→", Differ: "≠", Yes: "✓", No: "✗", Dot: "·", Open: "▾", Shut: "▸", Leaf: "└",
	First: "┌", Join: "├", Through: "│", LastOne: "└",
	Arrow: "→", Crumb: " › ", Break: " · ", Enter: "⏎", Space: "␣", Ellipsis: "…", Up: "↑", Down: "↓",
}

var asciiGlyphs = Glyphs{
	Critical: "!", High: "*", Medium: "o", Low: ".",
	Caret: ">", Mark: "x", Live: "*", Loading: "~", Paused: "=", Broken: "x",
	Rule: "-", Cross: "+", Tee: "+", Wall: "|",
	Bar: "=", BarRest: "-",
	Spark: [8]string{"_", ".", ":", "-", "=", "+", "*", "#"},
	To:    ">", Differ: "#", Yes: "+", No: "x", Dot: ",", Open: "-", Shut: "+", Leaf: "`",
	First: ",", Join: "+", Through: "|", LastOne: "`",
	Arrow: "->", Crumb: " > ", Break: ", ", Enter: "enter", Space: "space", Ellipsis: "~", Up: "^", Down: "v",
}

// cut shortens a text to a width, with the ellipsis that the terminal can show.
func (t *Theme) cut(text safe.Text, w int) safe.Text {
	if t.ASCII {
		return safe.ASCII.Truncate(text, w)
	}
	return safe.Truncate(text, w)
}

// tail shortens a text to its end.
func (t *Theme) tail(text safe.Text, w int) safe.Text {
	if t.ASCII {
		return safe.ASCII.Tail(text, w)
	}
	return safe.Tail(text, w)
}

// spelled is a text as the theme can show it: without ASCII signs only, everything else is spelled out, controls as <0A>.
func (t *Theme) spelled(text safe.Text) safe.Text {
	if !t.ASCII || ascii(text) {
		return text
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r >= 0x2400 && r <= 0x2421:
			fmt.Fprintf(&b, "<%02X>", r-0x2400)
		case r == '⇥':
			b.WriteString("<09>")
		case r == '…': // where something was cut before it came here
			b.WriteByte('~')
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return safe.Text(b.String())
}

func ascii(t safe.Text) bool {
	for i := range len(t) {
		if t[i] >= 0x80 {
			return false
		}
	}
	return true
}
