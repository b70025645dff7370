package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"drainboard/keys/pyjson"
)

// TestJSON hides by name and by shape, at any depth, and leaves everything else byte for byte.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"b": 1.50,"a":"x\u0041"}`, `{"b": 1.50,"a":"x\u0041"}`},
		{`{"password":"hunter2", "n":{"API-Key":42,"keep":true}}`, `{"password":"[hidden]", "n":{"API-Key":"[hidden]","keep":true}}`},
		{`{"credentials":{"user":"u","ids":[1,"x",null]}}`, `{"credentials":{"user":"[hidden]","ids":["[hidden]","[hidden]",null]}}`},
		{`{"max_tokens":5,"token":"t","author":"a"}`, `{"max_tokens":5,"token":"[hidden]","author":"a"}`},
		{
			`{"tokens":["a"],"prompt_tokens":7,"clientSecret":"a","session_cookie":"c","private_key":"k"}`,
			`{"tokens":["[hidden]"],"prompt_tokens":7,"clientSecret":"[hidden]","session_cookie":"[hidden]","private_key":"[hidden]"}`,
		},
		{`{"compass":"north","bypass":"a7","spin":1,"db_pass":"x","dbPwd":"x","PIN":1234}`, `{"compass":"north","bypass":"a7","spin":1,"db_pass":"[hidden]","dbPwd":"[hidden]","PIN":"[hidden]"}`},
		{`{"headers":["Authorization: Bearer abcdefgh12345"]}`, `{"headers":["Authorization: Bearer [hidden]"]}`},
		{`{"headers":[{"value":"abc","name":"X-Api-Key"},{"name":"Accept","value":"abc"}]}`, `{"headers":[{"value":"[hidden]","name":"X-Api-Key"},{"name":"Accept","value":"abc"}]}`},
		{`{"attributes":[{"key":"http.request.header.authorization","value":{"stringValue":"abc"}}]}`, `{"attributes":[{"key":"http.request.header.authorization","value":{"stringValue":"[hidden]"}}]}`},
		{`[["Cookie","sid=1"],["Accept","x"]]`, `[["Cookie","[hidden]"],["Accept","x"]]`},
		{`["curl","--password","hunter2","-v","x"]`, `["curl","--password","[hidden]","-v","x"]`},
		{`{"pointer":"/db/password","a":"one","b":"two"}`, `{"pointer":"/db/password","a":"[hidden]","b":"[hidden]"}`},
		{`{"env":["GITHUB_TOKEN=abc","HOME=/root"]}`, `{"env":["GITHUB_TOKEN=[hidden]","HOME=/root"]}`},
		{`"clone https://bob:s3cret@example.com/x.git <b>"`, `"clone https://bob:[hidden]@example.com/x.git <b>"`},
		{`["sk-live-0123456789abcdefABCDEF","ghp_0123456789abcdefghij0123"]`, `["[hidden]","[hidden]"]`},
		{`"eyJhbGciOiJI.eyJzdWIiOiIx.sig_"`, `"[hidden]"`},
		{`{"body":"{\"secret\": \"x\", \"y\": 1}"}`, `{"body":"{\"secret\": \"[hidden]\", \"y\": 1}"}`},
		{`{"auth":"3f2a9c0b1d4e5f6a7b8c9d0e","auth_kind":"oauth"}`, `{"auth":"[hidden]","auth_kind":"oauth"}`},
		{`{"idempotency_key":"9b1c22d0a7f39b1c22d0a7f39b1c22d0a7f39b1c22d0a7f39b1c22d0a7f3abcd"}`, `{"idempotency_key":"9b1c22d0a7f39b1c22d0a7f39b1c22d0a7f39b1c22d0a7f39b1c22d0a7f3abcd"}`},
		{`{"x": NaN, "token": Infinity, "é": "\ud800 token=a"}`, `{"x": NaN, "token": "[hidden]", "é": "\ud800 token=[hidden]"}`},
		{`not json: AKIAABCDEFGHIJKLMNOP`, `not json: [hidden]`},
		{`{"a":1} {"b":2}`, `{"a":1} {"b":2}`},
		{`{"cut":"ghp_0123456789abcdefghij0123`, `{"cut":"[hidden]`},
		{`{"password":"hunter2","cut":`, `{"password":"[hidden]","cut":`},
		{``, ``},
	} {
		if got := string(JSON([]byte(c.in))); got != c.want {
			t.Errorf("JSON(%s)\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

// TestDeep does not recurse without end: what lies below the bound is hidden whole.
func TestDeep(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 300_000) + `"hunter2"` + strings.Repeat(`]}`, 300_000)
	got := JSON([]byte(deep))
	if !pyjson.Valid(got) || strings.Contains(string(got), "hunter2") {
		t.Errorf("%d bytes, valid: %v", len(got), pyjson.Valid(got))
	}
}

// TestText hides what follows a telling name in the forms that shells, headers, settings and programs write it in.
func TestText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"nothing here: a=b", "nothing here: a=b"},
		{"password=hunter2", "password=[hidden]"},
		{"PGPASSWORD=x psql -h db", "PGPASSWORD=[hidden] psql -h db"},
		{`password = "two words" # x`, `password = "[hidden]" # x`},
		{"password: correct horse battery\nuser: bob", "password: [hidden]\nuser: bob"},
		{"login with password: hunter2, then go", "login with password: [hidden], then go"},
		{`curl -H "Authorization: Bearer abcdefgh12345" https://x`, `curl -H "Authorization: Bearer [hidden]" https://x`},
		{`curl -H 'X-Api-Key: a b' -u bob:pw https://x`, `curl -H 'X-Api-Key: [hidden]' -u bob:[hidden] https://x`},
		{"docker run -u 1000:1000 x", "docker run -u 1000:1000 x"},
		{"GET /x?token=abc&y=1", "GET /x?token=[hidden]&y=1"},
		{`deploy --token abc --password="a b" -v`, `deploy --token [hidden] --password="[hidden]" -v`},
		{"Cookie: a=1; b=2\nAccept: x", "Cookie: [hidden]\nAccept: x"},
		{`d = {'password': 'it\'s', "n": 1}`, `d = {'password': '[hidden]', "n": 1}`},
		{`-d "{\"password\":\"hun\\\"ter2\",\"n\":1}"`, `-d "{\"password\":\"[hidden]\",\"n\":1}"`},
		{"the API key is 3f2a9c0b1d4e5f6a7b8c", "the API key is [hidden]"},
		{"API key: abc", "API key: [hidden]"},
		{"refresh_token 9b1c22d0a7f39b1c22d0a7f39b1c22d0, token 9b1c22d0a7f3", "refresh_token 9b1c22d0a7f39b1c22d0a7f39b1c22d0, token 9b1c22d0a7f3"},
		{"the token expired yesterday; a basic understanding", "the token expired yesterday; a basic understanding"},
		{"std::token::x and token://y", "std::token::x and token://y"},
		{"os.environ['API_TOKEN'] = b'abc'", "os.environ['API_TOKEN'] = b'[hidden]'"},
		{"tokens: 512, secret: null", "tokens: 512, secret: null"},
		{`cookies = {"sid": "abc", "n": [1]} ok`, `cookies = [hidden] ok`},
		{"key=9b1c22d0a7f39b1c22d0a7f3", "key=9b1c22d0a7f39b1c22d0a7f3"},
		{"x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y", "x [hidden] y"},
		{"x -----BEGIN OPENSSH PRIVATE KEY-----\nMIIE", "x [hidden]"},
		{"postgres://u:p@ss@db/x", "postgres://u:[hidden]@db/x"},
		{"sk-learn-contributions-here", "sk-learn-contributions-here"},
	} {
		got := Text(c.in)
		if got != c.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
		if again := Text(got); again != got {
			t.Errorf("%q, masked again, is %q", got, again)
		}
	}
}

// corpus holds secrets of well-known shapes, put together here so that nothing takes this file for a leak.
func corpus() []string {
	const hex, base = "0123456789abcdef0123456789abcdef", "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"
	return []string{
		"AKIA" + "ABCDEFGHIJKLMNOP", "gh" + "p_" + base, "github" + "_pat_" + base, "gl" + "pat-" + base, "xo" + "xb-123456789012-" + base, "sk" + "-ant-api03-" + base,
		"sk" + "_live_" + base, "AI" + "za" + base + "abc", "npm" + "_" + base + base, "eyJ" + base + "." + base + "." + base, "SG" + "." + base + "." + base,
		"hv" + "s." + base, "do" + "p_v1_" + hex + hex, "shp" + "at_" + hex, "dckr" + "_pat_" + base,
		"-----BEGIN EC PRIVATE" + " KEY-----\n" + base + "\n-----END EC PRIVATE" + " KEY-----",
	}
}

// TestCorpus: no secret of a known shape is left, wherever it stands.
func TestCorpus(t *testing.T) {
	for _, secret := range corpus() {
		for _, around := range []string{"%", "a % b", "x=%", "url?k=%&y", "\"%\"", "(%)", "_%", "a:%,b"} {
			if got := Text(strings.ReplaceAll(around, "%", secret)); strings.Contains(got, secret) || !strings.Contains(got, Hidden) {
				t.Errorf("%q in %q: %q", secret, around, got)
			}
		}
	}
}

// TestLong masks long texts of what begins like a secret again and again: where that was looked through to its end each time, this took hours.
func TestLong(t *testing.T) {
	for _, unit := range []string{
		"token: [", "sig: [", `sig: "`, `password="`, `password:\"`, "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaa.", "://a:", "token ", "api key is the ", "--password ",
		"-u a:", "-", "=", "'", "password: [hidden", "sk-", "eyJ", "auth=", "    password:", "basic ", "]=", `\"`,
	} {
		long := Text(strings.Repeat(unit, 300_000/len(unit)))
		if Text(long) != long {
			t.Errorf("%q: masked again it is another", unit)
		}
	}
}

// FuzzJSON: JSON stays JSON, is masked once and for all, and neither a secret by its name nor one by its shape is left.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"token":[{"x":"%"}]}`, "{\"token\":[{\"\":\"\xae\"}]}", `["--password","%"]`, `{"name":"cookie","value":{"x":"%"}}`, `"a\"b token: 'x"`, `{"s":"{\"password\":\"%\"}"}`, "password: [x\n", `--token "`} {
		f.Add(s, "password", uint8(0))
	}
	all := corpus()
	f.Fuzz(func(t *testing.T, s, name string, which uint8) {
		was := []byte(s)
		is := JSON(was)
		if pyjson.Valid(was) && !pyjson.Valid(is) {
			t.Fatalf("%q became %q", was, is)
		}
		if json.Valid(was) && !json.Valid(is) {
			t.Fatalf("%q became %q", was, is)
		}
		if again := JSON(is); string(again) != string(is) {
			t.Fatalf("%q became %q, then %q", was, is, again)
		}
		if text := Text(s); Text(text) != text {
			t.Fatalf("%q became %q, then %q", s, text, Text(text))
		}
		shape := all[int(which)%len(all)]
		doc, err := json.Marshal(map[string]any{s: []any{s, shape, s + " " + shape + " " + s}, "x_password": map[string]any{name: "hunter2-left"}})
		if err != nil {
			t.Fatal(err)
		}
		got := string(JSON(doc))
		plain, _ := json.Marshal(shape)
		if strings.Contains(got, strings.Trim(string(plain), `"`)) && !strings.Contains(s, shape) || strings.Contains(got, "hunter2-left") && !strings.Contains(s+name, "hunter2") {
			t.Fatalf("%s\nbecame %s", doc, got)
		}
		if !json.Valid([]byte(got)) {
			t.Fatalf("no JSON: %s", got)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	doc := []byte(`{"path":"src/main.go","patch":"` + strings.Repeat(`- a := b[i] // some = text: of code\n`, 3000) + `","token":"x"}`)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		JSON(doc)
	}
}
