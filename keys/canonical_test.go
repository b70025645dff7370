package keys

import "testing"

func TestAppendValue(t *testing.T) {
	at, err := ParsePointer("/at")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ raw, want string }{
		{`{"b": 1.0, "a": "x"}`, `{"a":"x","b":1}`},
		{`{"a":"x","b":10e-1}`, `{"a":"x","b":1}`},
		{`"{\"b\": 1, \"a\": \"x\"}"`, `{"a":"x","b":1}`},
		{`{"at": 7, "pr": 41}`, `{"pr":41}`},
		{`"done \n"`, `"done"`},
		{`null`, `null`},
		{`123456789012345678901234567890`, `123456789012345678901234567890`},
		{`no JSON`, `no JSON`},
	} {
		var s Scratch
		got := string(AppendValue(nil, &s, []byte(c.raw), []Pointer{at}))
		if got != c.want {
			t.Errorf("%s is %s, want %s", c.raw, got, c.want)
		}
		if ValueDigest(&s, []byte(got), nil) != ValueDigest(&s, []byte(c.raw), []Pointer{at}) {
			t.Errorf("%s and its text %s have two digests", c.raw, got)
		}
	}
}

func FuzzAppendValue(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.50, -0.0, 1e400, "\ud83d"]}`, `"[1]"`, `"x "`, `NaN`, `1E-7`, `0.000001234`, `12e30`, `[`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s Scratch
		text := AppendValue(nil, &s, raw, nil)
		if ValueDigest(&s, text, nil) != ValueDigest(&s, raw, nil) {
			t.Fatalf("%q and its text %q have two digests", raw, text)
		}
		if again := AppendValue(nil, &s, text, nil); string(again) != string(text) {
			t.Fatalf("%q became %q, and that %q", raw, text, again)
		}
	})
}
