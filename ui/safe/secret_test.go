package safe

import "testing"

// TestMask hides by name and by shape, at any depth, and nothing else.
func TestMask(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"b":1.50,"a":"x"}`, `{"b":1.50,"a":"x"}`},
		{`{"password":"hunter2","n":{"API-Key":42,"keep":true}}`, `{"password":"[hidden]","n":{"API-Key":"[hidden]","keep":true}}`},
		{`{"credentials":{"user":"u","ids":[1,"x",null]}}`, `{"credentials":{"user":"[hidden]","ids":["[hidden]","[hidden]",null]}}`},
		{`{"max_tokens":5,"token":"t","author":"a"}`, `{"max_tokens":5,"token":"[hidden]","author":"a"}`},
		{`{"headers":["Authorization: Bearer abcdefgh12345"]}`, `{"headers":["Authorization: Bearer [hidden]"]}`},
		{`"clone https://bob:s3cret@example.com/x.git <b>"`, `"clone https://bob:[hidden]@example.com/x.git <b>"`},
		{`["sk-live-0123456789abcdefABCDEF","ghp_0123456789abcdefghij0123"]`, `["[hidden]","[hidden]"]`},
		{`"eyJhbGciOiJI.eyJzdWIiOiIx.sig_"`, `"[hidden]"`},
		{`{"body":"{\"secret\": \"x\", \"y\": 1}"}`, `{"body":"{\"secret\":\"[hidden]\",\"y\":1}"}`},
		{`not json: AKIAABCDEFGHIJKLMNOP`, `not json: [hidden]`},
		{`{"a":1} {"b":2}`, `{"a":1} {"b":2}`},
		{`{"cut":"ghp_0123456789abcdefghij0123`, `{"cut":"[hidden]`},
		{``, ``},
	} {
		if got := string(Mask([]byte(c.in))); got != c.want {
			t.Errorf("Mask(%s)\n got %s\nwant %s", c.in, got, c.want)
		}
	}
	pem := "x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y"
	if got := MaskText(pem); got != "x [hidden] y" {
		t.Errorf("a private key: %q", got)
	}
}
