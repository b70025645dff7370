package ledger

import (
	"bytes"
	"strings"
	"testing"
)

func TestStoredOutput(t *testing.T) {
	for _, tt := range []struct{ out, want string }{
		{`{"pr": 1}`, `{"pr": 1}`},
		{" [1,\n 2] \n", " [1,\n 2] \n"},
		{"null\n", "null\n"},
		{"7", "7"},
		{"done\n", `"done\n"`},
		{"", `""`},
		{"\"text\"\n", `"\"text\"\n"`},
		{`{"base64": "aGk="}`, `"{\"base64\": \"aGk=\"}"`},
		{`{"base64": 1, "base64": 2}`, `"{\"base64\": 1, \"base64\": 2}"`},
		{`{"base64": "aGk=", "more": 1}`, `{"base64": "aGk=", "more": 1}`},
		{`{}`, `{}`},
		{"{} {}", `"{} {}"`},
		{"\xff\x00", `{"base64": "/wA="}`},
		{"\x00", `"\u0000"`},
		{"é", `"\u00e9"`},
	} {
		got, ok := StoredOutput([]byte(tt.out))
		if !ok || got != tt.want {
			t.Errorf("%q is stored as %s, want %s", tt.out, got, tt.want)
		}
		if back := PrintedOutput(got); string(back) != tt.out {
			t.Errorf("%q comes back as %q", tt.out, back)
		}
	}
	if _, ok := StoredOutput([]byte(strings.Repeat(" ", MaxStored+1))); ok {
		t.Error("more than the limit was stored")
	}
	if _, ok := StoredOutput([]byte(strings.Repeat("x", MaxStored))); !ok {
		t.Error("the limit itself was not stored")
	}
	for response, want := range map[string]string{"not JSON": "not JSON", `{"base64": "%"}`: `{"base64": "%"}`, `{"base64": 1}`: `{"base64": 1}`} {
		if got := PrintedOutput(response); string(got) != want {
			t.Errorf("%s is printed as %q", response, got)
		}
	}
}

func FuzzOutput(f *testing.F) {
	for _, s := range []string{"", "null", `"a"`, `{"base64": ""}`, "\xed\xa0\x80", "NaN", "\ufeff{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		r, ok := StoredOutput(out)
		if !ok {
			t.Skip()
		}
		if back := PrintedOutput(r); !bytes.Equal(back, out) {
			t.Fatalf("%q is stored as %s and comes back as %q", out, r, back)
		}
	})
}
