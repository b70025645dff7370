package keys

import (
	"strings"
	"testing"
	"time"
)

// TestValueDigest holds classes of equal payloads against each other: within a class all are equal,
// between two classes none are.
func TestValueDigest(t *testing.T) {
	classes := [][]string{
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1E+1`, `1.000`, `0.0001e4`},
		{`0`, `-0`, `-0.0`, `0e99999999999999999999999`, `0.000`},
		{`-1`, `-1.0`},
		{`0.1`, `0.10`, `1e-1`, `0.01e1`},
		{`0.1000000000000000055511151231257827`},
		{`9007199254740993`, `9007199254740993.0`, `9.007199254740993e15`},
		{`9007199254740992`},
		{`1e1000000000000`, `10e999999999999`},
		{`1e1000000000001`},
		{`1e99999999999999999999`, `10e99999999999999999998`, `0.1e100000000000000000000`},
		{`1e-99999999999999999999`, `10e-100000000000000000000`},
		{`1e400`},
		{`NaN`},
		{`Infinity`, ` Infinity `},
		{`-Infinity`},
		{`12345678901234567890123456789012345678901`, `1.2345678901234567890123456789012345678901e40`},
		{`1` + strings.Repeat("0", 5000), `1e5000`},
		{`{"a":1,"b":[2,3]}`, ` { "b" : [2.0, 3], "\u0061":1e0 } `, `{"a":9,"b":[2,3],"a":1}`, `"{\"b\":[2,3],\"a\":1}"`, `"\n{\"a\":1,\"b\":[2,3]} "`},
		{`{"a":1,"b":[3,2]}`},
		{`{"a":"1","b":[2,3]}`},
		{`[]`, `"[]"`, `" [ ] "`},
		{`{}`, `"{}"`, `"{}\u00a0"`, `"{}\f\u2028"`},
		{`null`},
		{`"null"`},
		{`true`},
		{`"true"`},
		{`""`, `" "`, `"\n\t "`, `"\u00a0"`},
		{`"text"`, `"text\n"`, `"text \r\n\n"`, `"\u0074ext\u2028"`},
		{`" text"`},
		{`"text\\n"`, `"text\u005cn\n"`},
		{`"text\\"`, `"text\\\n"`, `"text\\ \f\n "`, `"text\u005c"`},
		{`"a/b \"c\""`, `"a\/b \"c\"\t"`, `"\u0061/b \u0022c\""`},
		{`"\\[]"`, `"\u005c[] "`},
		{`"\f[]"`, `"\u000c[]"`},
		{`["text"]`, `["\u0074ext"]`},
		{`["text\n"]`, `["text\u000a"]`},
		{`"1"`},
		{`["{}"]`},
		{`[{}]`},
		{`"{\"a\":1"`},
		{`["😀"]`, `["\ud83d\ude00"]`, `"[\"\ud83d\ude00\"]"`},
		{`["\ud83d"]`, `["\uD83D"]`},
		{`["\u007f"]`, "[\"\x7f\"]"},
		{`["/"]`, `["\/"]`},
		{`{`},
		{`{ `},
		{``},
		{strings.Repeat("[", 2000) + "1" + strings.Repeat("]", 2000), strings.Repeat("[", 2000) + "1.0" + strings.Repeat("]", 2000)},
		{strings.Repeat("[", maxDepth+1) + "1" + strings.Repeat("]", maxDepth+1)},
		{strings.Repeat("[", maxDepth+1) + "1.0" + strings.Repeat("]", maxDepth+1)},
	}
	var s Scratch
	type origin struct {
		class int
		raw   string
	}
	seen := map[[16]byte]origin{}
	for i, class := range classes {
		for _, raw := range class {
			d := ValueDigest(&s, []byte(raw), nil)
			if o, ok := seen[d]; ok && o.class != i {
				t.Errorf("%.60q equals %.60q", raw, o.raw)
			} else if !ok && raw != class[0] {
				t.Errorf("%.60q does not equal %.60q", raw, class[0])
			}
			seen[d] = origin{i, raw}
		}
	}
}

func TestValueDigestIgnores(t *testing.T) {
	ignore := pointers(t, "/request_id", "/meta/at", "/list/0")
	for _, tc := range []struct {
		a, b  string
		equal bool
	}{
		{`{"request_id":1,"v":2}`, `{"v":2,"request_id":"x"}`, true},
		{`{"request_id":1,"v":2}`, `{"v":2}`, true},
		{`{"request_id":1,"v":2}`, `"{\"v\":2}"`, true},
		{`{"request_id":1,"v":2}`, `{"request_id":1,"v":3}`, false},
		{`{"meta":{"at":1}}`, `{"meta":{}}`, true},
		{`{"meta":{"at":1}}`, `{}`, false},
		{`{"list":[1,2]}`, `{"list":[9,2]}`, true},
		{`{"list":[1,2]}`, `{"list":[1,9]}`, false},
		{`"request_id"`, `"other"`, false},
	} {
		var s Scratch
		if got := ValueDigest(&s, []byte(tc.a), ignore) == ValueDigest(&s, []byte(tc.b), ignore); got != tc.equal {
			t.Errorf("%s and %s: equal %v, want %v", tc.a, tc.b, got, tc.equal)
		}
	}
}

// TestValueDigestOfMuchWork gives numbers and names that would cost an age if they were written out or
// compared one with all; the test's time limit is what fails.
func TestValueDigestOfMuchWork(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		var s Scratch
		ValueDigest(&s, []byte(`1e`+strings.Repeat("9", 1_000_000)), nil)
		ValueDigest(&s, []byte(strings.Repeat("9", 1_000_000)+`e-`+strings.Repeat("9", 1_000_000)), nil)
		ValueDigest(&s, []byte(`{"a":1`+strings.Repeat(`,"same long name":1`, 100_000)+`}`), nil)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("not done within a minute")
	}
}
