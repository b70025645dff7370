package keys

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"drainboard/keys/pyjson"
)

// at is the time of the calls in these tests: 1789000000 s, 2026-09-10T00:26:40Z.
const at = 1789000000 * int64(time.Second)

// listed prints leaves as "pointer looks", comma-separated.
func listed(leaves []Leaf) string {
	var parts []string
	for _, l := range leaves {
		parts = append(parts, l.Pointer+" "+l.Looks)
	}
	return strings.Join(parts, ", ")
}

func TestShapeListsVolatileLeaves(t *testing.T) {
	for _, tc := range []struct{ raw, want string }{
		{`{}`, ``},
		{`{"repo":"x/y","count":3,"price":19.99,"ok":true,"none":null,"l":[],"o":{}}`, ``},

		{`{"at":1789000000}`, `/at timestamp`},
		{`{"at":1789000300}`, `/at timestamp`},
		{`{"at":1789000301}`, ``},
		{`{"at":1788999700}`, `/at timestamp`},
		{`{"at":1788999699.9}`, ``},
		{`{"at":1789000000.25}`, `/at timestamp`},
		{`{"at":1789000000123}`, `/at timestamp`},
		{`{"at":1789000000123.5}`, `/at timestamp`},
		{`{"at":1.789e9}`, `/at timestamp`},
		{`{"at":1789000000000000}`, ``},
		{`{"at":-1789000000}`, ``},
		{`{"at":17890000000000000000}`, ``},
		{`{"at":1e300}`, `/at number spelling`},
		{`{"at":"1789000000"}`, ``},
		{`{"at":["x",{"b":1789000000}]}`, `/at/1/b timestamp`},
		{`{"at":"2026-09-10T00:26:40Z"}`, `/at timestamp`},
		{`{"at":"2026-09-10T00:26:40.123456+00:00"}`, `/at timestamp`},
		{`{"at":"2026-09-10T00:26:40"}`, `/at timestamp`},
		{`{"at":"2026-09-10 00:26"}`, `/at timestamp`},
		{`{"at":"2026-09-10T02:26:40+02:00"}`, `/at timestamp`},
		{`{"at":"2026-09-10T02:26:40+0200"}`, `/at timestamp`},
		{`{"at":"2026-09-10T02:26+02"}`, `/at timestamp`},
		{`{"at":"20260910T002640Z"}`, `/at timestamp`},
		{`{"at":"2026\u002d09-10T00:26:40Z"}`, `/at timestamp`},
		{`{"at":"2026-09-10T00:21:40Z"}`, `/at timestamp`},
		{`{"at":"2026-09-10T00:21:39Z"}`, ``},
		{`{"at":"2026-09-10T00:26:40+02:00"}`, ``},
		{`{"at":"2026-09-10"}`, ``},
		{`{"at":"2026-09-31T00:26:40Z"}`, ``},
		{`{"at":"on 2026-09-10T00:26:40Z"}`, ``},
		{`{"at":"2026-09-10T00:26:40Z."}`, ``},
		{`{"at":"2026-09-10T00:26:40.Z"}`, ``},

		{`{"request_id":"r-1"}`, `/request_id named request_id`},
		{`{"requestId":"r-1","Trace-ID":7,"SPANID":null}`, `/SPANID named span_id, /Trace-ID named trace_id, /requestId named request_id`},
		{`{"nonce":[]}`, `/nonce named nonce`},
		{`{"nonce":{}}`, `/nonce named nonce`},
		{`{"nonce":[1,["x"]]}`, `/nonce/0 named nonce, /nonce/1/0 named nonce`},
		{`{"nonce":{"x":1}}`, ``},
		{`{"ts":1789000000}`, `/ts timestamp`},
		{`{"ts":7}`, `/ts named ts`},
		{`{"ts":"/tmp/abc123"}`, `/ts named ts`},
		{`{"t\u0073":7}`, `/ts named ts`},
		{`{"` + "\\u0074" + `s":7}`, `/ts named ts`},
		{`{"_t-s_":7}`, `/_t-s_ named ts`},
		{`{"tss":7,"t":1,"xattempt":2,"id":"550e8400-e29b-41d4-a716-446655440000"}`, ``},
		{`{"a/b":{"c~d":{"try":1}}}`, `/a~1b/c~0d/try named try`},

		{`{"n":1.0}`, `/n number spelling`},
		{`{"n":1e3,"m":-0.0,"k":0.0,"j":-0}`, `/k number spelling, /m number spelling, /n number spelling`},
		{`{"n":2.50,"m":0.1,"k":1e-7,"j":12345678901234567890}`, ``},
		{`{"n":NaN,"m":Infinity}`, ``},

		{`{"path":"/tmp/tmp8x2k1q/report.md"}`, `/path path`},
		{`{"path":"\/tmp/tmp8x2k1q"}`, `/path path`},
		{`{"path":"/deadbeef"}`, `/path path`},
		{`{"path":"/DEADBEEFCAFE/x"}`, `/path path`},
		{`{"path":"/12345678"}`, `/path path`},
		{`{"path":"/deadbee"}`, ``},
		{`{"path":"/x-deadbeef"}`, ``},
		{`{"path":"/abc12"}`, ``},
		{`{"path":"/abc123"}`, `/path path`},
		{`{"path":"/a-bc-123-d"}`, ``},
		{`{"path":"tmp/tmp8x2k1q/report.md"}`, ``},
		{`{"path":"/srv/site/index.html"}`, ``},
		{`{"path":"/* abc123\n */"}`, ``},
		{`{"path":"/"}`, ``},
	} {
		a := args(t, tc.raw)
		_, leaves, ok := a.Shape(at, true)
		if got := listed(leaves); !ok || got != tc.want {
			t.Errorf("%s: %q, %v; want %q", tc.raw, got, ok, tc.want)
		}
		if strings.Contains(tc.want, "timestamp") && !strings.Contains(tc.want, "named") {
			if _, leaves, _ = a.Shape(at, false); strings.Contains(listed(leaves), "timestamp") {
				t.Errorf("%s: %q without the call's time", tc.raw, listed(leaves))
			}
		}
	}
	// In 1985, when milliseconds had a digit less.
	if _, leaves, _ := args(t, `{"a":500000000000,"b":500000000000.5,"c":500000000.5}`).Shape(500000000*int64(time.Second), true); len(leaves) != 3 {
		t.Errorf("times of 1985: %q, want three", listed(leaves))
	}
	for _, raw := range []string{`[1]`, `7`, `"text"`, `"[1]"`, strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1)} {
		if _, _, ok := args(t, raw).Shape(at, true); ok {
			t.Errorf("%.40s: has a shape", raw)
		}
	}
	for _, raw := range []string{``, `null`, `"{\"a\":1}"`, `{"n":` + strings.Repeat("9", pythonDigits+1) + `}`} {
		if _, _, ok := args(t, raw).Shape(at, true); !ok {
			t.Errorf("%.40s: has no shape", raw)
		}
	}
}

// TestShapesAreEqual holds pairs of calls, a second apart, that drift or do not.
func TestShapesAreEqual(t *testing.T) {
	for _, tc := range []struct {
		a, b  string
		equal bool
	}{
		{`{"s":"green","at":1789000000}`, `{"at":1789000001,"s":"green"}`, true},
		{`{"s":"green","at":1789000000}`, `{"at":"2026-09-10T00:26:41Z","s":"green"}`, true},
		{`{"s":"green","at":1789000000}`, `{"s":"red","at":1789000001}`, false},
		{`{"at":1789000000}`, `{"at":1788000000}`, false},
		{`{"nonce":"a"}`, `{"nonce":"b"}`, true},
		{`{"nonce":"a"}`, `{"nonce":1}`, false},
		{`{"nonce":1}`, `{"nonce":2.5}`, true},
		{`{"nonce":true}`, `{"nonce":false}`, true},
		{`{"nonce":true}`, `{"nonce":null}`, false},
		{`{"nonce":[]}`, `{"nonce":{}}`, false},
		{`{"nonce":[1]}`, `{"nonce":[1,2]}`, false},
		{`{"nonce":1,"x":1}`, `{"nonce":1}`, false},
		{`{"nonce":"a"}`, `{"requestKey":"a"}`, false},
		{`{"n":1}`, `{"n":1.0}`, true},
		{`{"n":1.0}`, `{"n":1e0}`, true},
		{`{"n":100000}`, `{"n":1e5}`, true},
		{`{"n":0}`, `{"n":-0.0}`, true},
		{`{"n":1}`, `{"n":2}`, false},
		{`{"n":1}`, `{"n":"1"}`, false},
		{`{"n":19.99}`, `{"n":19.990}`, true},
		{`{"n":19.99}`, `{"n":19.98}`, false},
		{`{"n":1` + strings.Repeat("0", 60) + `}`, `{"n":1e60}`, true},
		{`{"p":"/tmp/tmp8x2k1q/r.md"}`, `{"p":"/tmp/tmpz91mm4/r.md"}`, true},
		{`{"p":"/tmp/tmp8x2k1q/r.md"}`, `{"p":"/tmp/tmpz91mm4/s.md"}`, false},
		{`{"p":"/tmp/tmp8x2k1q/r.md"}`, `{"p":"/tmp/x/tmpz91mm4/r.md"}`, false},
		{`{"p":"/srv/site/index.html"}`, `{"p":"/srv/blog/index.html"}`, false},
		{`{"p":"/abc123/\u0001"}`, `{"p":"/\u0001/abc123"}`, false},
		{`{"p":"/abc123/\"x"}`, `{"p":"/abc124/\"x"}`, true},
		{`{"id":"550e8400-e29b-41d4-a716-446655440000"}`, `{"id":"550e8400-e29b-41d4-a716-446655440001"}`, false},
		{`{"a":1}`, `"{\"a\":1}"`, true},
		{`{}`, `null`, true},
	} {
		x, _, ok := args(t, tc.a).Shape(at, true)
		y, _, also := args(t, tc.b).Shape(at+int64(time.Second), true)
		if !ok || !also || (x == y) != tc.equal {
			t.Errorf("%s and %s: equal %v, want %v", tc.a, tc.b, x == y, tc.equal)
		}
	}
	x, leaves, _ := args(t, `{"a":{"nonce":1,"b":2}}`, "/a/nonce").Shape(at, true)
	y, _, _ := args(t, `{"a":{"b":2}}`).Shape(at, true)
	if x != y || len(leaves) > 0 {
		t.Errorf("an ignored leaf is listed (%s) or in the shape", listed(leaves))
	}
}

// TestLeafValues holds that the values of leaves tell spellings apart, and only those.
func TestLeafValues(t *testing.T) {
	value := func(raw string) uint64 {
		_, leaves, _ := args(t, raw).Shape(at, true)
		if len(leaves) != 1 {
			t.Fatalf("%s has the leaves %q", raw, listed(leaves))
		}
		return leaves[0].Value
	}
	if value(`{"nonce":"a"}`) != value(`{"nonce": "\u0061"}`) {
		t.Error("one text has two values")
	}
	if value(`{"nonce":"a"}`) == value(`{"nonce":"b"}`) || value(`{"nonce":1}`) == value(`{"nonce":1.0}`) || value(`{"nonce":1}`) == value(`{"nonce":"1"}`) {
		t.Error("two texts have one value")
	}
}

// TestSuspectMissesNothing compares shapes with and without the test that leaves most arguments alone.
func TestSuspectMissesNothing(t *testing.T) {
	for _, name := range []string{"attempt", "retry", "retries", "try", "nonce", "request_id", "trace_id", "span_id", "correlation_id", "idempotency_key", "request_key", "timestamp", "ts", "now", "created_at", "updated_at", "requested_at", "sent_at"} {
		for _, spelled := range []string{name, strings.ToUpper(name), strings.ReplaceAll(name, "_", ""), strings.ReplaceAll(name, "_", "-"), "_" + name + "-"} {
			for _, quoted := range []string{string(pyjson.AppendQuote(nil, []byte(spelled))), escapedAll(spelled)} {
				_, leaves, _ := args(t, `{`+quoted+`:"x"}`).Shape(at, true)
				if want := "/" + spelled + " named " + name; listed(leaves) != want {
					t.Errorf("%s: %q, want %q", quoted, listed(leaves), want)
				}
			}
		}
	}
}

// escapedAll spells every character of a text as an escape.
func escapedAll(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		fmt.Fprintf(&b, `\u%04x`, c)
	}
	b.WriteByte('"')
	return b.String()
}
