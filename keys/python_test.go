package keys

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"drainboard/keys/pyjson"
)

// pythonSide answers each line (run id, tool and arguments, in base64) with one line: why it has no key,
// or the compact form, the default form and both keys. It does what PRODUCT.md "Keys" says, in Python's
// own words.
const pythonSide = `
import base64, hashlib, json, sys
for line in sys.stdin.buffer:
    run, tool, raw = (base64.b64decode(part) for part in line.split(b" "))
    why = None
    try:
        a = json.loads(raw.decode("utf-8")) if raw else None
        if a is None or a == "":
            a = {}
        if isinstance(a, str):
            try:
                inner = json.loads(a)
                if isinstance(inner, (dict, list)):
                    a = inner
            except RecursionError:
                why = "deep"
            except ValueError as e:
                if "Exceeds the limit" in str(e) and a.strip(" \t\r\n")[0] in "[{":
                    why = "long"
    except RecursionError:
        why = "deep"
    except ValueError as e:
        why = "long" if "Exceeds the limit" in str(e) else "bad"
    if why is None:
        try:
            r, t = run.decode("utf-8"), tool.decode("utf-8")
            if r.startswith("#"):
                r = json.loads(r[1:])
            compact = json.dumps(a, sort_keys=True, separators=(",", ":"))
            default = json.dumps(a, sort_keys=True)
            intent = hashlib.sha256(json.dumps({"run_id": r, "tool": t, "args": a}, sort_keys=True).encode()).hexdigest()
            dedup = hashlib.sha256((str(r) + "|" + t + "|" + compact).encode()).hexdigest()[:16]
        except RecursionError:
            why = "deep"
    if why:
        sys.stdout.write(why + "\n")
    else:
        sys.stdout.write("\t".join((compact, default, intent, dedup)) + "\n")
`

// python is a python3 that runs pythonSide.
type python struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startPython(t *testing.T) *python {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: keys are held against CPython's only where it is")
	}
	cmd := exec.CommandContext(t.Context(), path, "-c", pythonSide)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // it ended by itself, or with the test's context
	return &python{in, bufio.NewReaderSize(out, 1<<20)}
}

type question struct {
	run, tool string // a run that starts with # is a JSON number
	args      []byte
}

// ask sends many questions while it reads the answers, and checks each.
func (p *python) ask(t *testing.T, questions []question) {
	t.Helper()
	go func() {
		w := bufio.NewWriter(p.in)
		encode := base64.StdEncoding.EncodeToString
		for _, q := range questions {
			fmt.Fprintf(w, "%s %s %s\n", encode([]byte(q.run)), encode([]byte(q.tool)), encode(q.args))
		}
		w.Flush()
		p.in.Close() // python3 holds its last answers back until then
	}()
	var a Args
	counts, bad := map[string]int{}, 0
	for i, q := range questions {
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatalf("answer %d of python3: %v", i, err)
		}
		line = strings.TrimSuffix(line, "\n")
		what, _, keyed := strings.Cut(line, "\t")
		if keyed {
			what = "keyed"
		}
		counts[what]++
		if got := answer(&a, q); got != line {
			t.Errorf("run %q, tool %q, arguments %s:\n got %s\nwant %s", q.run, q.tool, clip(string(q.args)), clip(got), clip(line))
			if bad++; bad == 20 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d documents: %v", len(questions), counts)
}

// answer is what pythonSide answers, from this package.
func answer(a *Args, q question) string {
	if err := a.Parse(q.args); err != nil {
		return "bad"
	}
	run := RunID{Text: []byte(q.run)}
	if strings.HasPrefix(q.run, "#") {
		run = RunID{Raw: []byte(q.run[1:])}
	}
	var parts []string
	for _, write := range []func([]byte) ([]byte, error){a.AppendCompact, a.AppendDefault} {
		b, err := write(nil)
		if err != nil {
			return refusalWord(err)
		}
		parts = append(parts, string(b))
	}
	for _, r := range []*Recipe{Intent, Dedup16} {
		d, err := r.Derive(run, []byte(q.tool), a)
		if err != nil {
			return refusalWord(err)
		}
		parts = append(parts, r.Text(d))
	}
	return strings.Join(parts, "\t")
}

func refusalWord(err error) string {
	if strings.Contains(err.Error(), "levels") {
		return "deep"
	}
	return "long"
}

func clip(s string) string {
	if len(s) > 600 {
		return s[:600] + "..."
	}
	return s
}

// TestAgainstPython asks CPython for the keys of random arguments, good and bad.
// DRAINBOARD_FUZZ=N asks for N documents with another seed each time.
func TestAgainstPython(t *testing.T) {
	n, seed := 100_000, uint64(1)
	if testing.Short() {
		n = 10_000
	}
	if s := os.Getenv("DRAINBOARD_FUZZ"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("DRAINBOARD_FUZZ: expected a number of documents, found %q", s)
		}
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	g := generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	runs := []string{"run-1", "", "r|x", "nä\u2028", "#1", "#-0", "#1.0", "#1e3", "#NaN", "#-Infinity", "#12345678901234567890", "#1e400"}
	tools := []string{"open_pr", "", "t|y", "naïve\n\"𝒳\""}
	questions := make([]question, n)
	for i := range questions {
		questions[i] = question{runs[g.IntN(len(runs))], tools[g.IntN(len(tools))], g.document()}
	}
	startPython(t).ask(t, questions)
}

// TestLimitsOfPython walks over the exact limits at which CPython 3.11 refuses.
func TestLimitsOfPython(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import sys; print(sys.version_info[:2] == (3, 11), sys.getrecursionlimit())").Output(); err != nil || string(out) != "True 1000\n" {
		t.Skipf("the limits of CPython 3.11 are stated, this python3 is another: %s%v", out, err)
	}
	var questions []question
	add := func(args string) { questions = append(questions, question{"run", "tool", []byte(args)}) }
	for depth := pythonDepth - 3; depth <= pythonDepth+3; depth++ {
		add(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		add(strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth))
		add(`"` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `"`)
	}
	for digits := pythonDigits - 1; digits <= pythonDigits+1; digits++ {
		add(`{"n":` + strings.Repeat("7", digits) + "}")
		add(`{"n":-` + strings.Repeat("7", digits) + "}")
		add(`{"n":` + strings.Repeat("7", digits) + ".5}")
		add(`{"n":0.` + strings.Repeat("0", digits) + "7e" + strconv.Itoa(digits) + "}")
		add(`"[` + strings.Repeat("7", digits) + `]"`)
	}
	startPython(t).ask(t, questions)
}

// generator makes JSON texts that are as odd as JSON allows, and some that are not JSON.
type generator struct{ *rand.Rand }

func (g *generator) document() []byte {
	var b []byte
	switch g.IntN(12) {
	case 0:
		b = g.value(nil, 0)
	case 1: // a string, which may hold an object
		text := string(g.space(g.object(g.space(nil), 2)))
		if g.IntN(3) == 0 {
			text = text[:g.IntN(len(text)+1)]
		}
		b = g.quote(nil, text)
	case 2:
		b = g.number(nil)
	default:
		b = g.object(nil, 0)
	}
	b = g.space(append(g.space(nil), b...))
	if g.IntN(6) == 0 {
		b = g.spoil(b)
	}
	return b
}

// spoil makes a text that is JSON by chance only.
func (g *generator) spoil(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	at := g.IntN(len(b))
	switch g.IntN(4) {
	case 0:
		return b[:at]
	case 1:
		return append(b[:at], b[at+1:]...)
	case 2:
		b[at] = byte(g.IntN(256))
		return b
	default:
		const odd = "\"\\{}[]:,0123456789.eE+-Ntfu \n\x00\x1f\x7f\x80\xc3\xed\xa0\xf4/"
		return append(b[:at:at], append([]byte{odd[g.IntN(len(odd))]}, b[at:]...)...)
	}
}

func (g *generator) space(b []byte) []byte {
	for g.IntN(5) == 0 {
		b = append(b, " \t\r\n"[g.IntN(4)])
	}
	return b
}

func (g *generator) value(b []byte, depth int) []byte {
	kind := g.IntN(9)
	if depth > 5 && kind < 2 {
		kind += 2
	}
	switch kind {
	case 0:
		return g.object(b, depth+1)
	case 1:
		b = g.space(append(b, '['))
		for i := range g.IntN(5) {
			if i > 0 {
				b = g.space(append(b, ','))
			}
			b = g.space(g.value(b, depth+1))
		}
		return append(b, ']')
	case 2, 3, 4:
		return g.quote(b, g.text())
	case 5, 6, 7:
		return g.number(b)
	default:
		return append(b, []string{"null", "true", "false", "NaN", "Infinity", "-Infinity"}[g.IntN(6)]...)
	}
}

func (g *generator) object(b []byte, depth int) []byte {
	b = g.space(append(b, '{'))
	for i := range g.IntN(6) {
		if i > 0 {
			b = g.space(append(b, ','))
		}
		b = g.space(g.quote(b, g.text()))
		b = g.space(append(b, ':'))
		b = g.space(g.value(b, depth))
	}
	return append(b, '}')
}

// text gives a WTF-8 text; short ones often, so that names meet again.
func (g *generator) text() string {
	pieces := []string{
		"a", "b", "aa", "B", "z", "10", "9", " ", "!", "\"", "\\", "/", "\n", "\t", "\r", "\b", "\f", "\x00", "\x1f", "\x7f", "\u0080",
		"é", "ß", "\u07ff", "\u0800", "日", "\u2028", "\ufeff", "\ufffd", "\uffff", "\ue000", "\U00010000", "😀", "𝒳", "\U0010ffff",
		"\xed\xa0\xbd", "\xed\xb8\x80", "\xed\xa0\x80", "\xed\xbf\xbf", "path/to/file", "a long plain text of more than eight bytes",
	}
	var b strings.Builder
	for range g.IntN(4) {
		b.WriteString(pieces[g.IntN(len(pieces))])
	}
	return b.String()
}

// quote writes a WTF-8 text as a JSON string, each character as itself or as one of its escapes. Surrogate
// code points can only be escaped; two that follow each other become one character by that, in Python too.
func (g *generator) quote(b []byte, text string) []byte {
	b = append(b, '"')
	for i := 0; i < len(text); {
		r, n := pyjson.DecodeRune([]byte(text[i:]))
		i += n
		short := strings.IndexRune("\"\\/\b\f\n\r\t", r)
		switch choice := g.IntN(4); {
		case r < ' ' && short < 0, r >= 0xD800 && r <= 0xDFFF, choice == 0:
			format := []string{`\u%04x`, `\u%04X`}[g.IntN(2)]
			if r > 0xFFFF {
				r -= 0x10000
				b = fmt.Appendf(b, format, 0xD800+r>>10)
				r = 0xDC00 + r&0x3FF
			}
			b = fmt.Appendf(b, format, r)
		case short >= 0 && (r != '/' || choice == 1):
			b = append(b, '\\', `"\/bfnrt`[short])
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

// number writes a JSON number: whole, broken, huge, tiny, long, or at an edge of the doubles.
func (g *generator) number(b []byte) []byte {
	edges := []string{
		"0", "-0", "-0.0", "0.0", "0e10", "-0e-5", "1", "1.0", "1e0", "1E+2", "100", "1e16", "1e15", "9999999999999998.0", "1e-4", "0.0001", "0.00001",
		"1e400", "-1e400", "1e-400", "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072014e-308", "2.225073858507201e-308",
		"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "9007199254740993", "9007199254740993.0", "9007199254740992.5",
		"123456789012345678901234567890", "1e22", "1e23", "0.1", "0.10", "0.30000000000000004", "0.1000000000000000055511151231257827", "1e99999999999999999999",
		"1e-99999999999999999999", "0e99999999999999999999", "12345678901234567", "1234567890123456.7", "123456789012345.6", "19.99", "19.990", "25.00", "1.5e300",
	}
	switch g.IntN(7) {
	case 0, 1:
		return append(b, edges[g.IntN(len(edges))]...)
	case 2:
		return strconv.AppendInt(b, int64(g.Uint64()>>g.IntN(64)), 10)
	case 3: // any double
		f := g.NormFloat64() * float64(uint64(1)<<g.IntN(64))
		return strconv.AppendFloat(b, f, "feg"[g.IntN(3)], g.IntN(20)-1, 64)
	case 4:
		f := float64(g.IntN(1_000_000)) / 1000
		return strconv.AppendFloat(b, f, 'f', g.IntN(6), 64)
	}
	if g.IntN(2) == 0 {
		b = append(b, '-')
	}
	if g.IntN(3) == 0 {
		b = append(b, '0')
	} else {
		b = g.digits(append(b, byte('1'+g.IntN(9))), 24)
	}
	if g.IntN(3) > 0 {
		b = g.digits(append(b, '.', byte('0'+g.IntN(10))), 24)
	}
	if g.IntN(3) == 0 {
		b = append(append(b, "eE"[g.IntN(2)]), []string{"", "+", "-"}[g.IntN(3)]...)
		b = strconv.AppendInt(b, int64(g.IntN(340)), 10)
	}
	return b
}

func (g *generator) digits(b []byte, most int) []byte {
	n := g.IntN(most)
	if g.IntN(200) == 0 {
		n *= 100
	}
	if g.IntN(4) == 0 {
		return append(b, bytes.Repeat([]byte{"059"[g.IntN(3)]}, n)...)
	}
	for range n {
		b = append(b, byte('0'+g.IntN(10)))
	}
	return b
}
