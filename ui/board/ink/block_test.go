package ink

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"drainboard/ui/safe"
)

// TestBlock writes pieces at random: there are always exactly h lines of exactly w columns, no style runs on past a line's end, and
// nothing but styles escapes.
func TestBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "a", "plain words", "日本語", "e\u0301", "\x1b[31mred", "a\nb", strings.Repeat("long ", 30), "<9B>", "\u202e"}
	for _, name := range []string{"auto", "light", "dark", "mono", "none"} {
		for range 400 {
			theme, err := New(name, rng.IntN(3) == 0)
			if err != nil {
				t.Fatal(err)
			}
			var b Block
			w, h := rng.IntN(60), rng.IntN(5)
			b.Reset(theme, w, h)
			for range rng.IntN(60) {
				s, tone, n := texts[rng.IntN(len(texts))], Tone(rng.IntN(int(tones))), rng.IntN(20)
				switch rng.IntN(8) {
				case 0:
					b.Say(s, tone)
				case 1:
					b.SayCell(s, n, tone)
				case 2:
					b.Right(s, n, tone)
				case 3:
					b.Tail(s, n, tone)
				case 4:
					b.Times(theme.Glyph.Bar, n, tone)
				case 5:
					b.To(rng.IntN(70))
				case 6:
					b.Count(rng.IntN(5)*1234, n, tone)
				case 7:
					b.End()
				}
			}
			b.Fill()
			if b.Lines() != h {
				t.Fatalf("%s: %d lines, want %d", name, b.Lines(), h)
			}
			for i := range h {
				line := string(b.Line(i))
				if got := ansi.StringWidth(line); got != w {
					t.Fatalf("%s: line %q is %d wide, want %d", name, line, got, w)
				}
				if at := strings.LastIndex(line, "\x1b["); at >= 0 && !strings.HasPrefix(line[at:], "\x1b[0m") {
					t.Fatalf("%s: a style runs on past the end of %q", name, line)
				}
				if theme.ASCII && strings.IndexFunc(line, func(r rune) bool { return r >= 0x80 }) >= 0 {
					t.Fatalf("%s: %q holds more than ASCII", name, line)
				}
				if name == "none" && strings.Contains(line, "\x1b") {
					t.Fatalf("%q holds an escape", line)
				}
			}
		}
	}
}

// TestCells: a cell takes its columns whatever stands in it, and what follows starts behind it.
func TestCells(t *testing.T) {
	theme, err := New("none", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		write func(*Block)
		want  string
	}{
		{func(b *Block) { b.SayCell("ab", 4, Plain).Say("|", Plain) }, "ab  |     "},
		{func(b *Block) { b.SayCell("abcdef", 4, Plain).Say("|", Plain) }, "abc…|     "},
		{func(b *Block) { b.SayCell("日本語", 4, Plain).Say("|", Plain) }, "日… |     "},
		{func(b *Block) { b.Right("12", 4, Plain).Say("|", Plain) }, "  12|     "},
		{func(b *Block) { b.Right("123456", 4, Plain).Say("|", Plain) }, "123…|     "},
		{func(b *Block) { b.Tail("file.go:12", 5, Plain).Say("|", Plain) }, "…o:12|    "},
		{func(b *Block) { b.Count(0, 4, Plain).Say("|", Plain) }, "    |     "},
		{func(b *Block) { b.Count(12345, 6, Plain).Say("|", Plain) }, "12,345|   "},
		{func(b *Block) { b.To(8).SayCell("abcdef", 6, Plain).Say("|", Plain) }, "        a…"},
		{func(b *Block) { b.Text(safe.Line("a\x1bb"), Plain) }, "a␛b       "},
	} {
		var b Block
		b.Reset(theme, 10, 1)
		c.write(&b)
		b.End()
		if got := string(b.Line(0)); got != c.want {
			t.Errorf("wrote %q, want %q", got, c.want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1204: "1,204", 1_000_000: "1,000,000", -1204: "-1,204", -12: "-12"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

// TestThemes: all themes can be made, each tone has a name, and those that carry meaning differ from plain text where there is any
// colour or weight to differ by.
func TestThemes(t *testing.T) {
	for _, name := range Names {
		theme, err := New(name, false)
		if err != nil {
			t.Fatal(err)
		}
		for tone := Strong; tone < tones; tone++ {
			if tone.String() == "" {
				t.Errorf("tone %d has no name", tone)
			}
			if theme.codes[tone] == "" && name != "mono" {
				t.Errorf("%s: %s looks like plain text", name, tone)
			}
		}
		for _, tone := range []Tone{Critical, BadBold, Stop, Go, TabOn, Caret, Button, Wrong} {
			if theme.codes[tone] == "" {
				t.Errorf("%s: %s looks like plain text", name, tone)
			}
		}
	}
	if _, err := New("pink", false); err == nil {
		t.Error("an unknown theme is taken")
	}
}
