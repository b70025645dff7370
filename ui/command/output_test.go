package command

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestEncoder prints JSON that means the same and holds nothing that a terminal would obey.
func TestEncoder(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain é 日本 😀", `"plain é 日本 😀"`},
		{"a\u009b31m\x7f", `"a\u009b31m\u007f"`},
		{"\u202eabc\u200b", `"\u202eabc\u200b"`},
		{"tag \U000e0041", `"tag \udb40\udc41"`},
		{"<b>&", `"<b>&"`},
	} {
		var b bytes.Buffer
		if err := encoder(&b).Encode(c.text); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != c.want+"\n" {
			t.Errorf("%q is printed as %s, want %s", c.text, got, c.want)
		}
		var back string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != c.text {
			t.Errorf("%q comes back as %q, %v", c.text, back, err)
		}
	}
}
