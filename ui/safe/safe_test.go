package safe

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want, ascii string }{
		{"", "", ""},
		{"open_pr {\"a\": 1}", "open_pr {\"a\": 1}", "open_pr {\"a\": 1}"},
		{"a\nb\r\tc", "a␊b␍⇥c", "a<0A>b<0D><09>c"},
		{"\x00\x1b]52;c;cHduZWQ=\a\x7f", "␀␛]52;c;cHduZWQ=␇␡", "<00><1B>]52;c;cHduZWQ=<07><7F>"},
		{"failed\b\b\b\b\b\bOK", "failed␈␈␈␈␈␈OK", "failed<08><08><08><08><08><08>OK"},
		{"\u009b31m\u0080\u009f", "<9B>31m<80><9F>", "<9B>31m<80><9F>"},
		{"\xff\x9b\xc3(\xe2\x82", "<FF><9B><C3>(<E2><82>", "<FF><9B><C3>(<E2><82>"},
		{"\xed\xa0\xbd\xed\xb8\x80", "<U+D83D><U+DE00>", "<U+D83D><U+DE00>"},
		{"\xed\xa0", "<ED><A0>", "<ED><A0>"},
		{"\xc0\x80\xf4\x90\x80\x80", "<C0><80><F4><90><80><80>", "<C0><80><F4><90><80><80>"},
		{"user\u202etxt.exe\u2066\u200f", "user<U+202E>txt.exe<U+2066><U+200F>", "user<U+202E>txt.exe<U+2066><U+200F>"},
		{"a\u200bb\u200d\ufeff\u2060\u00ad", "a<U+200B>b<U+200D><U+FEFF><U+2060><U+00AD>", "a<U+200B>b<U+200D><U+FEFF><U+2060><U+00AD>"},
		{"x\U000e0041\U000e007f", "x<U+E0041><U+E007F>", "x<U+E0041><U+E007F>"},
		{"a\u2028b\u2029\u00a0\u3164", "a<U+2028>b<U+2029><U+00A0><U+3164>", "a<U+2028>b<U+2029><U+00A0><U+3164>"},
		{"⚠\ufe0f\ufe0e", "⚠<U+FE0F><U+FE0E>", "<U+26A0><U+FE0F><U+FE0E>"},
		{"👩\u200d👧 👍🏽", "👩<U+200D>👧 👍<U+1F3FD>", "<U+1F469><U+200D><U+1F467> <U+1F44D><U+1F3FD>"},
		{"🇩🇪🇩x🇪", "🇩🇪<U+1F1E9>x<U+1F1EA>", "<U+1F1E9><U+1F1EA><U+1F1E9>x<U+1F1EA>"},
		{"日本　語", "日本　語", "<U+65E5><U+672C><U+3000><U+8A9E>"},
		{"e\u0301 a\u0302\u0301", "e\u0301 a\u0302\u0301", "e<U+0301> a<U+0302><U+0301>"},
		{"\u0301a", "<U+0301>a", "<U+0301>a"},
		{"\n\u0301", "␊<U+0301>", "<0A><U+0301>"},
		{"\xff\u0301", "<FF><U+0301>", "<FF><U+0301>"},
		{"z" + strings.Repeat("\u0336", 6) + "x", "z\u0336\u0336\u0336\u0336<U+0336><U+0336>x", "z" + strings.Repeat("<U+0336>", 6) + "x"},
		{"ทำ का", "ท<U+0E33> क<U+093E>", "<U+0E17><U+0E33> <U+0915><U+093E>"},
		{"한글 \u1112\u1161\u11ab \u1161", "한글 \u1112\u1161\u11ab <U+1161>", "<U+D55C><U+AE00> <U+1112><U+1161><U+11AB> <U+1161>"},
		{"\ue000\U0010ffff\u0378", "<U+E000><U+10FFFF><U+0378>", "<U+E000><U+10FFFF><U+0378>"},
		{"<b> <9b> <9B> <U+202E> <U+1> <3C> <ABC> <", "<b> <9b> <3C>9B> <3C>U+202E> <U+1> <3C>3C> <ABC> <", "<b> <9b> <3C>9B> <3C>U+202E> <U+1> <3C>3C> <ABC> <"},
		{"␊⇥", "<U+240A><U+21E5>", "<U+240A><U+21E5>"},
	} {
		if got := Line(c.in); string(got) != c.want {
			t.Errorf("Line(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
		if got := Line([]byte(c.in)); string(got) != c.want {
			t.Errorf("Line(bytes of %q) = %q", c.in, got)
		}
		if got := ASCII.Line(c.in); string(got) != c.ascii {
			t.Errorf("ASCII.Line(%q)\n got %q\nwant %q", c.in, got, c.ascii)
		}
	}
	if got := Line(Line("\x1b<9B>")); got != "␛<3C>9B>" {
		t.Errorf("a Text was made safe twice: %q", got)
	}
}

func TestLineIsBounded(t *testing.T) {
	for name, s := range map[string]string{"plain": strings.Repeat("a", 1<<20), "wide": strings.Repeat("日", 1<<20), "hostile": strings.Repeat("\x1b", 1<<20)} {
		for _, got := range []Text{Line(s), Line([]byte(s))} {
			if n := utf8.RuneCountInString(string(got)); n != maxLine+1 || !strings.HasSuffix(string(got), "…") {
				t.Errorf("%s: %d characters, end %q", name, n, got[len(got)-3:])
			}
		}
	}
	if got := Line(strings.Repeat("a", maxLine)); len(got) != maxLine {
		t.Errorf("a line of %d was cut", maxLine)
	}
	if got := Line(strings.Repeat("é", maxLine)); len(got) != 2*maxLine {
		t.Errorf("a line of %d characters was cut", maxLine)
	}
}

func TestBlock(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []Text
	}{
		{"", []Text{""}},
		{"a\nb\r\n", []Text{"a", "b␍", ""}},
		{"\tx\ty", []Text{"⇥       x⇥      y"}},
		{"1234567\t8", []Text{"1234567⇥8"}},
		{"日\tx\n\u0301\t", []Text{"日⇥     x", "<U+0301>⇥       "}},
		{"a\x1b[2J\n\n<9B>", []Text{"a␛[2J", "", "<3C>9B>"}},
	} {
		if got := Block(c.in); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("Block(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
	long := strings.Repeat("ab\x00", 100000)
	if got := Block([]byte(long)); len(got) != 1 || Width(got[0]) != len(long) {
		t.Errorf("a long line was cut to %d cells", Width(got[0]))
	}
	if got := ASCII.Block("\t日"); string(got[0]) != "<09>    <U+65E5>" {
		t.Errorf("ASCII: %q", got)
	}
}

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		text                string
		w                   int
		truncate, fit, tail Text
	}{
		{"", 3, "", "   ", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abc", 5, "abc", "abc  ", "abc"},
		{"abcd", 3, "ab…", "ab…", "…cd"},
		{"abcd", 1, "…", "…", "…"},
		{"abcd", 0, "", "", ""},
		{"abcd", -1, "", "", ""},
		{"日本語", 6, "日本語", "日本語", "日本語"},
		{"日本語", 5, "日本…", "日本…", "…本語"},
		{"日本語", 4, "日…", "日… ", "…語"},
		{"日", 1, "…", "…", "…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…", "e\u0301…", "…e\u0301"},
		{"🇩🇪🇫🇷", 3, "🇩🇪…", "🇩🇪…", "…🇫🇷"},
	} {
		text := Line(c.text)
		if got := Truncate(text, c.w); got != c.truncate {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.text, c.w, got, c.truncate)
		}
		if got := Fit(text, c.w); got != c.fit {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.text, c.w, got, c.fit)
		}
		if got := Cell(c.text, c.w); got != c.fit {
			t.Errorf("Cell(%q, %d) = %q, want %q", c.text, c.w, got, c.fit)
		}
		if got := Tail(text, c.w); got != c.tail {
			t.Errorf("Tail(%q, %d) = %q, want %q", c.text, c.w, got, c.tail)
		}
	}
	if got := ASCII.Fit("abcd", 3) + "|" + ASCII.Cell("日", 4) + "|" + ASCII.Tail("abcd", 2); got != "ab~|<U+~|~d" {
		t.Errorf("ASCII: %q", got)
	}
	if got := Pad("ab", 4) + "|" + Pad("日本", 3) + "|" + Fit("", 150); string(got) != "ab  |日本|"+strings.Repeat(" ", 150) {
		t.Errorf("Pad: %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text Text
		w    int
		want string
	}{
		{"", 4, `[""]`},
		{"one two three", 8, `["one two " "three"]`},
		{"one two three", 7, `["one " "two " "three"]`},
		{"abcdefghij", 4, `["abcd" "efgh" "ij"]`},
		{"    abcdefgh", 6, `["    ab" "cdefgh"]`},
		{"日本語", 3, `["日" "本" "語"]`},
		{"日本", 1, `["日" "本"]`},
		{"ab", 0, `["a" "b"]`},
		{"e\u0301e\u0301", 1, "[\"e\u0301\" \"e\u0301\"]"},
	} {
		if got := fmt.Sprintf("%q", Wrap(c.text, c.w)); got != c.want {
			t.Errorf("Wrap(%q, %d) = %s, want %s", c.text, c.w, got, c.want)
		}
	}
}

func TestEscaped(t *testing.T) {
	for text, want := range map[Text]int{"": 0, "a<9B>": 0, "<9B>a": 4, "<U+202E>": 8, "␊a": 3, "⇥": 3, "<9b>": 0, "<": 0, "日": 0, "<U+10FFFF>": 10} {
		if got := Escaped(text); got != want {
			t.Errorf("Escaped(%q) = %d, want %d", text, got, want)
		}
	}
}

// check says what is wrong with a text, whatever it was made from.
func check(text Text) string {
	for _, r := range string(text) {
		switch {
		case r < 0x20, r == 0x7F, r >= 0x80 && r < 0xA0, r == utf8.RuneError && !strings.ContainsRune(string(text), '\uFFFD'):
			return fmt.Sprintf("the control %U", r)
		case !unicode.IsPrint(r) && r != '\u3000', unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return fmt.Sprintf("the invisible %U", r)
		}
	}
	if !utf8.ValidString(string(text)) {
		return "bytes that are no UTF-8"
	}
	if g, wc, w := ansi.StringWidth(string(text)), ansi.StringWidthWc(string(text)), Width(text); g != w || g != wc && strings.IndexFunc(string(text), isVowel) < 0 {
		return fmt.Sprintf("widths %d by cluster, %d by character, %d here", g, wc, w)
	}
	return ""
}

// Every code point alone, after another and before another.
func TestEveryCodePoint(t *testing.T) {
	bad := 0
	for r := rune(0); r <= unicode.MaxRune && bad < 20; r++ {
		s := string(r)
		if solid(r) && !(visible(r) && standing(r)) {
			t.Errorf("%U is taken for solid", r)
			bad++
		}
		if r >= 0xD800 && r < 0xE000 {
			s = string([]byte{0xED, 0x80 | byte(r>>6&0x3F), 0x80 | byte(r&0x3F)})
		}
		alone := Line(s)
		if Width(alone) < 1 {
			t.Errorf("%U cannot be seen: %q", r, alone)
			bad++
		}
		if len(alone) > 1 && Escaped(alone) == 0 && alone != Text(s) {
			t.Errorf("%U became %q", r, alone)
			bad++
		}
		if !unicode.IsPrint(r) { // spelled out, whatever stands round it
			if why := check(Line("e" + s + "\u0301")); why != "" {
				t.Errorf("%U gives %q: %s", r, alone, why)
				bad++
			}
			continue
		}
		for _, around := range []string{s, "a" + s, s + "a", "日" + s + "本", s + s, "가" + s, "क्" + s, "😀" + s} {
			if why := check(Line(around)); why != "" {
				t.Errorf("%U in %q gives %q: %s", r, around, Line(around), why)
				bad++
			}
		}
		// Side by side with other cells, whatever they end and begin with.
		for _, other := range []Text{"a", "日", "e\u0301", "🇩🇪", " ", "│"} {
			if l := other + alone + other; ansi.StringWidth(string(l)) != 2*Width(other)+Width(alone) {
				t.Errorf("%U: %q beside %q is %d cells, not %d", r, alone, other, ansi.StringWidth(string(l)), 2*Width(other)+Width(alone))
				bad++
			}
		}
	}
}

// pieces are what hostile text is made of.
var pieces = []string{
	"a", "Z", "9", "B", "<", ">", "U", "+", "E", " ", "\n", "\t", "\r", "\x1b", "[", "]", "0;", "\a", "\x00", "\x7f", "\u0085", "\u009b", "\x9b", "\xff",
	"\xc3", "\xed\xa0\xbd", "\xed\xb8\x80", "\xe2\x80", "é", "e\u0301", "\u0301", "\u0336", "日", "　", "한", "\u1112", "\u1161", "\u11ab", "가", "ั", "ำ",
	"\u0600", "क", "\u094d", "ष", "\u093f", "\u200d", "\u200b", "\u202e", "\u2066", "\ufe0f", "⚠", "👍", "🏽", "👩", "🇩", "🇪", "\u20e3", "\U000e0041",
	"\u2028", "\u00ad", "…", "␊", "⇥", "<9B>", "<U+202E>", "<3C>", "\u0d4e", "ﾞ", "ｶ", "\ufffd", "\ue000",
}

func hostile(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func TestHostileText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 30000 {
		s, w := hostile(r, 14), r.IntN(24)
		if why := holds(s, w); why != "" {
			t.Fatalf("%q in %d cells: %s", s, w, why)
		}
	}
}

// holds says which promise is broken for a source and a width.
func holds(s string, w int) string {
	for _, m := range []Mode{Unicode, ASCII} {
		text := m.Line(s)
		texts := append(m.Block(s), text, m.Fit(text, w), m.Truncate(text, w), m.Tail(text, w), m.Cell(s, w))
		for _, x := range append(texts, Wrap(text, w)...) {
			if why := check(x); why != "" {
				return fmt.Sprintf("mode %d: %q has %s", m, x, why)
			}
			if m == ASCII && strings.IndexFunc(string(x), func(r rune) bool { return r > '~' }) >= 0 {
				return fmt.Sprintf("%q is no ASCII", x)
			}
		}
		if got := m.Fit(text, w); Width(got) != w || m.Cell(s, w) != got {
			return fmt.Sprintf("Fit %q has %d cells, Cell gives %q", got, Width(got), m.Cell(s, w))
		}
		if got := m.Truncate(text, w); Width(got) > w || Width(text) <= w && got != text {
			return fmt.Sprintf("Truncate gives %q", got)
		}
		if got := m.Tail(text, w); Width(got) > w || Width(text) <= w && got != text {
			return fmt.Sprintf("Tail gives %q", got)
		}
		joined := Text("")
		for _, l := range Wrap(text, w) {
			if joined += l; Width(l) > max(w, 2) {
				return fmt.Sprintf("Wrap gives the line %q", l)
			}
		}
		if joined != text {
			return fmt.Sprintf("Wrap lost something: %q", joined)
		}
		if Line(text) != text || m.Fit(m.Fit(text, w), w) != m.Fit(text, w) || m.Line(string(Line("plain "+strings.Repeat("x", w)))) != Text("plain "+strings.Repeat("x", w)) {
			return "doing it twice changes it"
		}
	}
	return ""
}

// No two sources look the same, but for a C1 control and the stray byte of its number.
func TestLineIsInjective(t *testing.T) {
	alphabet := []string{"a", "9", "B", "3", "C", "<", ">", "U+", "202E", "\n", "\t", "␊", "⇥", "\x9b", "\u202e", "\xed\xa0\xbd", "e", "\u0301", "<9B>", "<U+202E>", "<3C>", "日", "\xe6"}
	for _, m := range []Mode{Unicode, ASCII} {
		seen := map[Text]string{}
		var walk func(s string, depth int)
		walk = func(s string, depth int) {
			text := m.Line(s)
			if other, ok := seen[text]; ok && other != s {
				t.Fatalf("mode %d: %q and %q both look like %q", m, other, s, text)
			}
			seen[text] = s
			if depth == 0 {
				return
			}
			for _, piece := range alphabet {
				walk(s+piece, depth-1)
			}
		}
		walk("", 4)
	}
}

func BenchmarkLine(b *testing.B) {
	ascii := `{"repo": "acme/site", "head": "feat/keys", "title": "meter retries"}`
	for name, s := range map[string]string{"plain": ascii, "hostile": ascii + "\x1b[2J\u202e", "wide": "日本語のテキストと絵文字 😀 café"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Line(s)
			}
		})
		b.Run(name+"/bytes", func(b *testing.B) {
			b.ReportAllocs()
			raw := []byte(s)
			for b.Loop() {
				Line(raw)
			}
		})
		b.Run(name+"/cell", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Cell(s, 24)
			}
		})
		b.Run(name+"/width", func(b *testing.B) {
			b.ReportAllocs()
			text := Line(s)
			for b.Loop() {
				Width(text)
			}
		})
	}
	b.Run("cell of 100 MB", func(b *testing.B) {
		b.ReportAllocs()
		s := strings.Repeat("日", 100<<20/3)
		for b.Loop() {
			Cell(s, 24)
		}
	})
}
