package pyjson

import (
	"math"
	"strings"
	"testing"
)

func parse(t testing.TB, src string) Value {
	t.Helper()
	var d Doc
	if err := d.ParseWhole([]byte(src)); err != nil {
		t.Fatalf("ParseWhole(%q): %v", src, err)
	}
	return d.Root()
}

func TestLookUps(t *testing.T) {
	v := parse(t, ` {"a": 1, "o": {"k": [10, {"x": null}, []]}, "\u0061": 2, "é": "q", "": {}} `)
	for _, tc := range []struct {
		name string
		got  Value
		kind Kind
		raw  string
	}{
		{"the last of two", v.Get("a"), Int, "2"},
		{"an object", v.Get("o"), Object, `{"k": [10, {"x": null}, []]}`},
		{"an element", v.Get("o").Get("k").At(0), Int, "10"},
		{"down to null", v.Get("o").Get("k").At(1).Get("x"), Null, "null"},
		{"an empty array", v.Get("o").Get("k").At(2), Array, "[]"},
		{"not ASCII", v.Get("é"), String, `"q"`},
		{"the empty name", v.Get(""), Object, "{}"},
		{"no such name", v.Get("b").Get("c").At(3), Missing, ""},
		{"no such element", v.Get("o").Get("k").At(3), Missing, ""},
		{"before the first", v.Get("o").Get("k").At(-1), Missing, ""},
		{"an element of an object", v.At(0), Missing, ""},
		{"a member of an array", v.Get("o").Get("k").Get("0"), Missing, ""},
	} {
		if tc.got.Kind() != tc.kind || string(tc.got.Raw()) != tc.raw {
			t.Errorf("%s: %v %s, want %v %s", tc.name, tc.got.Kind(), tc.got.Raw(), tc.kind, tc.raw)
		}
	}
	if n := v.Len(); n != 5 {
		t.Errorf("Len of the object: %d, want 5 with the duplicate", n)
	}
	if n := v.Get("o").Get("k").Len(); n != 3 {
		t.Errorf("Len of the array: %d, want 3", n)
	}
	if o := v.Get("a").Offset(); o != strings.Index(` {"a": 1, "o": {"k": [10, {"x": null}, []]}, "\u0061": 2`, "2") {
		t.Errorf("Offset of the last a: %d", o)
	}
	if o := (Value{}).Offset(); o != -1 {
		t.Errorf("Offset of nothing: %d, want -1", o)
	}
	var names, values []string
	for name, value := range v.Members() {
		names, values = append(names, name.Text()), append(values, string(value.Raw()))
	}
	if got := strings.Join(names, ","); got != "a,o,a,é," {
		t.Errorf("Members gives the names %q", got)
	}
	if values[0] != "1" || values[2] != "2" {
		t.Errorf("Members gives the values %q", values)
	}
	for _, leaf := range []string{"a", "", "é"} {
		if !v.Get(leaf).IsLeaf() {
			t.Errorf("%q is a leaf", leaf)
		}
	}
	if v.IsLeaf() || v.Get("o").IsLeaf() || (Value{}).IsLeaf() {
		t.Error("a filled object and nothing are no leaves")
	}
}

func TestIndexTurnsBack(t *testing.T) {
	var d Doc
	if err := d.ParseWhole([]byte(`{"a":[1,{"b":2}],"c":[]}`)); err != nil {
		t.Fatal(err)
	}
	if d.Nodes() != 9 {
		t.Fatalf("Nodes: %d, want 6 values and 3 names", d.Nodes())
	}
	for i := range d.Nodes() {
		if v := d.Value(i); v.Index() != i || v != d.Root().Node(int32(i)) {
			t.Errorf("Value(%d) has Index %d", i, v.Index())
		}
	}
	if d.Value(9).Kind() != Missing || d.Value(-1).Kind() != Missing || (Value{}).Index() != -1 {
		t.Error("values that are not there are Missing")
	}
}

func TestText(t *testing.T) {
	for _, tc := range []struct{ src, want string }{
		{`""`, ""},
		{`"plain text of more than eight bytes"`, "plain text of more than eight bytes"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\u65E5"`, "Aé日"},
		{`"\ud83d\ude00"`, "😀"},
		{`"😀"`, "😀"},
		{`"\ud83d"`, "\xed\xa0\xbd"},
		{`"\ud83dx"`, "\xed\xa0\xbdx"},
		{`"\ude00\ud83d"`, "\xed\xb8\x80\xed\xa0\xbd"},
		{`"\ud83d\ud83d\ude00"`, "\xed\xa0\xbd😀"},
		{`"\ud83d\u0041"`, "\xed\xa0\xbdA"},
		{`"\ud83d\n"`, "\xed\xa0\xbd\n"},
		{`"x\u0000y"`, "x\x00y"},
	} {
		v := parse(t, tc.src)
		if got := v.Text(); got != tc.want {
			t.Errorf("Text of %s: %q, want %q", tc.src, got, tc.want)
		}
		if got := string(v.AppendText([]byte("<"))); got != "<"+tc.want {
			t.Errorf("AppendText of %s: %q, want %q", tc.src, got, "<"+tc.want)
		}
		if !v.IsText(tc.want) || v.IsText(tc.want+"x") || v.IsText("x"+tc.want) || tc.want != "" && v.IsText(tc.want[:len(tc.want)-1]) {
			t.Errorf("IsText of %s does not agree with %q", tc.src, tc.want)
		}
	}
	if v := parse(t, `["a"]`); v.Text() != "" || v.IsText("") || v.AppendText(nil) != nil {
		t.Error("an array has no text")
	}
}

func TestNumbersAndBools(t *testing.T) {
	for _, tc := range []struct {
		src   string
		kind  Kind
		n     int64
		isInt bool
		f     float64
	}{
		{"0", Int, 0, true, 0},
		{"-0", Int, 0, true, 0},
		{"9223372036854775807", Int, math.MaxInt64, true, math.MaxInt64},
		{"-9223372036854775808", Int, math.MinInt64, true, math.MinInt64},
		{"9223372036854775808", Int, 0, false, 1 << 63},
		{"1.0", Float, 0, false, 1},
		{"1e400", Float, 0, false, math.Inf(1)},
		{"-Infinity", Float, 0, false, math.Inf(-1)},
		{"1" + strings.Repeat("0", 400), Int, 0, false, math.Inf(1)},
		{"0." + strings.Repeat("0", 20000) + "1e20001", Float, 0, false, 1},
		{"25" + strings.Repeat("0", 20000) + "e-20001", Float, 0, false, 2.5},
		{"1e-" + strings.Repeat("9", 60), Float, 0, false, 0},
		{"1.5e" + strings.Repeat("9", 80), Float, 0, false, math.Inf(1)},
		{"-1.5e-" + strings.Repeat("9", 80), Float, 0, false, math.Copysign(0, -1)},
		{"0." + strings.Repeat("0", 80) + "e" + strings.Repeat("9", 80), Float, 0, false, 0},
		// Halfway between 1 and the next double, and a trace more, 900 digits behind.
		{"1.00000000000000011102230246251565404236316680908203125" + strings.Repeat("0", 900), Float, 0, false, 1},
		{"1.00000000000000011102230246251565404236316680908203125" + strings.Repeat("0", 900) + "1", Float, 0, false, math.Nextafter(1, 2)},
	} {
		v := parse(t, tc.src)
		n, isInt := v.Int64()
		f, isNumber := v.Float64()
		if v.Kind() != tc.kind || isInt != tc.isInt || isInt && n != tc.n || !isNumber || f != tc.f || math.Signbit(f) != math.Signbit(tc.f) {
			t.Errorf("%.60s: %v, %d %v, %v; want %v, %d %v, %v", tc.src, v.Kind(), n, isInt, f, tc.kind, tc.n, tc.isInt, tc.f)
		}
	}
	if f, ok := parse(t, "NaN").Float64(); !ok || f == f {
		t.Errorf("NaN is %v", f)
	}
	for src, want := range map[string][2]bool{"true": {true, true}, "false": {false, true}, "null": {}, "1": {}} {
		if b, ok := parse(t, src).Bool(); b != want[0] || ok != want[1] {
			t.Errorf("Bool of %s: %v, %v", src, b, ok)
		}
	}
	if _, ok := parse(t, `"1"`).Float64(); ok {
		t.Error("a string is no number")
	}
}

func TestAppendFloat(t *testing.T) {
	for _, tc := range []struct {
		f    float64
		want string
	}{
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{1, "1.0"},
		{25, "25.0"},
		{0.1, "0.1"},
		{1e15, "1000000000000000.0"},
		{9999999999999998, "9999999999999998.0"},
		{1e16, "1e+16"},
		{1.5e300, "1.5e+300"},
		{0.0001, "0.0001"},
		{0.00001, "1e-05"},
		{5e-324, "5e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{math.NaN(), "NaN"},
		{math.Inf(1), "Infinity"},
		{math.Inf(-1), "-Infinity"},
	} {
		if got := string(AppendFloat(nil, tc.f)); got != tc.want {
			t.Errorf("AppendFloat(%v) = %s, want %s", tc.f, got, tc.want)
		}
	}
}

func TestAppendQuote(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", `""`},
		{"a plain text, longer than eight", `"a plain text, longer than eight"`},
		{"\"\\/\b\f\n\r\t\x00\x1f\x7f", `"\"\\/\b\f\n\r\t\u0000\u001f\u007f"`},
		{"é日😀\u2028", `"\u00e9\u65e5\ud83d\ude00\u2028"`},
		{"\xed\xa0\xbd", `"\ud83d"`},
		{"a\xffb", `"a\ufffdb"`},
	} {
		if got := string(AppendQuote([]byte("<"), []byte(tc.text))); got != "<"+tc.want {
			t.Errorf("AppendQuote(%q) = %s, want %s", tc.text, got, tc.want)
		}
	}
	if got := string(AppendRequoted(nil, []byte(`"\u00E9\/\u0041 é\n"`))); got != `"\u00e9/A \u00e9\n"` {
		t.Errorf("AppendRequoted: %s", got)
	}
}

func TestSplit(t *testing.T) {
	for _, tc := range []struct {
		src    string
		digits string
		exp    int64
		far    string
	}{
		{"0", "", 0, ""},
		{"-0.000e5", "", 0, ""},
		{"120", "120", 3, ""},
		{"0.00120", "120", -2, ""},
		{"12.5e-3", "125", -1, ""},
		{"7E+0004", "7", 5, ""},
		{"7e123456789012345678", "7", 1, "123456789012345678"},
		{"0.07e-0123456789012345678", "7", -1, "-123456789012345678"},
	} {
		n := Split([]byte(tc.src))
		if got := string(n.Whole) + string(n.Fraction); got != tc.digits || n.Exponent != tc.exp || string(n.Far) != tc.far || n.Negative != (tc.src[0] == '-') {
			t.Errorf("Split(%s) = %+v", tc.src, n)
		}
	}
}

// TestDeepNesting parses what would overflow a stack.
func TestDeepNesting(t *testing.T) {
	const depth = 1_000_000
	var d Doc
	if err := d.ParseWhole([]byte(strings.Repeat(`[{"a":`, depth/2) + "1" + strings.Repeat("}]", depth/2))); err != nil {
		t.Fatal(err)
	}
	if d.Depth() != depth {
		t.Errorf("Depth: %d, want %d", d.Depth(), depth)
	}
	for src, want := range map[string]int{"1": 0, "[]": 1, `[1,[2],{"a":[]}]`: 3} {
		if v := parse(t, src); v.d.Depth() != want {
			t.Errorf("Depth of %s: %d, want %d", src, v.d.Depth(), want)
		}
	}
}

func TestWholeAndValid(t *testing.T) {
	for src, want := range map[string][2]bool{
		"{}": {true, true}, " {} \r\n": {true, false}, "{} ": {true, false}, " {}": {true, false},
		"{}{}": {}, "": {}, " ": {}, "{": {}, "1 2": {}, "nulll": {},
	} {
		if Whole([]byte(src)) != want[0] || Valid([]byte(src)) != want[1] {
			t.Errorf("%q: Whole %v, Valid %v; want %v", src, Whole([]byte(src)), Valid([]byte(src)), want)
		}
	}
}

func TestTextMayHoldSurrogates(t *testing.T) {
	var d Doc
	src := []byte("[\"\xed\xa0\xbd\"]")
	if err := d.ParseWhole(src); err == nil {
		t.Error("ParseWhole takes a surrogate in what must be UTF-8")
	}
	if err := d.ParseWholeText(src); err != nil {
		t.Errorf("ParseWholeText: %v", err)
	}
	if got := string(AppendRequoted(nil, d.Root().At(0).Raw())); got != `"\ud83d"` {
		t.Errorf("the surrogate is written %s", got)
	}
	if _, err := d.Parse(src, 0); err == nil {
		t.Error("Parse takes a surrogate after ParseWholeText did")
	}
}

func TestParseFromOffset(t *testing.T) {
	src := []byte("{\"a\":1} \n[2]x")
	var d Doc
	end, err := d.Parse(src, 0)
	if err != nil || end != 7 {
		t.Fatalf("first value: %d, %v", end, err)
	}
	if end, err = d.Parse(src, end); err != nil || end != 12 || string(d.Root().Raw()) != "[2]" || d.Root().At(0).Offset() != 10 {
		t.Errorf("second value: %d, %v, %s", end, err, d.Root().Raw())
	}
	if end, err = d.Parse(src, end); err == nil || end != 12 {
		t.Errorf("third value: %d, %v; want a fault at 12", end, err)
	}
}

// TestRoomIsGivenBack holds that one huge value does not cost memory for good.
func TestRoomIsGivenBack(t *testing.T) {
	var d Doc
	huge := []byte("[" + strings.Repeat("0,", 1_000_000) + "0]")
	for _, src := range [][]byte{huge, huge, []byte("[1]"), []byte("[1]")} {
		if err := d.ParseWhole(src); err != nil {
			t.Fatal(err)
		}
	}
	if room := cap(d.nodes); room > keptNodes {
		t.Errorf("room for %d values is kept after small ones", room)
	}
}

// TestNothingIsAllocated holds the promise that a reused Doc parses, looks up and ranges for nothing.
func TestNothingIsAllocated(t *testing.T) {
	src := []byte(`{"a":[1,2.5,"x\n"],"b":{"c":null},"\u0064":true}`)
	var d Doc
	buf := make([]byte, 0, 64)
	n := testing.AllocsPerRun(100, func() {
		if _, err := d.Parse(src, 0); err != nil {
			t.Fatal(err)
		}
		for name, value := range d.Root().Members() {
			if name.IsText("a") {
				for e := range value.Elements() {
					buf = e.AppendText(buf[:0])
				}
			}
		}
		if b, _ := d.Root().Get("d").Bool(); !b {
			t.Fatal("d is not found")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
