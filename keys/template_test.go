package keys

import (
	"strings"
	"testing"
)

// TestTemplates computes keys as other systems do; the digests were computed by CPython's hashlib over the bytes beside them.
func TestTemplates(t *testing.T) {
	const args = `{"b":1.0,"a":"\u00e9","n":[1,2]}`
	text, number := RunID{Text: []byte("wf-1")}, RunID{Text: []byte("7"), Raw: []byte("7")}
	for _, c := range []struct {
		name       string
		t          Template
		run        RunID
		bytes, key string
	}{
		{
			"joined, RFC 8785",
			Template{Form: RFC8785, Parts: []Part{PartRun, PartTool, PartArgs}, Separator: "|", Digest: "sha256", Digits: 64},
			text,
			`wf-1|open|{"a":"é","b":1,"n":[1,2]}`, "2c6f1f33559eb4fba1207fa9e1555960e7622010466eeac53b566214d2fd1b8a",
		},
		{
			"function and md5",
			Template{Form: Spaced, Parts: []Part{PartArgs}, Digest: "md5", Digits: 32, Print: "{tool}#{digest}"},
			text,
			`{"a": "\u00e9", "b": 1.0, "n": [1, 2]}`, "open#37d86b4301ed970783482c04c4ee38e4",
		},
		{
			"short sha1",
			Template{Form: Compact, Parts: []Part{PartTool, PartArgs}, Separator: ":", Digest: "sha1", Digits: 12},
			text,
			`open:{"a":"\u00e9","b":1.0,"n":[1,2]}`, "ff938ee05038",
		},
		{
			"object",
			Template{Object: []Member{{"workflow", PartRun}, {"name", PartTool}, {"input", PartArgs}}, Digest: "sha256", Digits: 64},
			text,
			`{"input":{"a":"\u00e9","b":1.0,"n":[1,2]},"name":"open","workflow":"wf-1"}`, "a64d5d60c37884184bfea9729d777bc0801042bbccd2ebab7eb09b5f59a05bb1",
		},
		{
			"object, a run that is a number",
			Template{Form: Spaced, Object: []Member{{"workflow", PartRun}, {"name", PartTool}, {"input", PartArgs}}, Digest: "sha256", Digits: 64},
			number,
			`{"input": {"a": "\u00e9", "b": 1.0, "n": [1, 2]}, "name": "open", "workflow": 7}`, "63d116e18f9a74f3c54d51fc76d133e16edefc9e4e846c2dd79e7e0ffc91b3cb",
		},
		{
			"object sorted by UTF-16",
			Template{Form: RFC8785, Object: []Member{{"\uff61", PartRun}, {"😀", PartTool}, {"i", PartArgs}}, Digest: "sha256", Digits: 64},
			text,
			`{"i":{"a":"é","b":1,"n":[1,2]},"😀":"open","｡":"wf-1"}`, "1115a6dcd4a15016274d57927a87477e77be32307c1897a6a8c29b68a9df28bc",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.t.Name = "theirs"
			r, err := Make(c.t)
			if err != nil {
				t.Fatal(err)
			}
			var a Args
			if err := a.Parse([]byte(args)); err != nil {
				t.Fatal(err)
			}
			b, err := r.Bytes(nil, c.run, []byte("open"), &a)
			if err != nil || string(b) != c.bytes {
				t.Errorf("bytes %s, %v; want %s", b, err, c.bytes)
			}
			d, err := r.Derive(c.run, []byte("open"), &a)
			if err != nil {
				t.Fatal(err)
			}
			key := r.Spell(d, c.run, []byte("open"))
			if key != c.key {
				t.Errorf("key %s, want %s", key, c.key)
			}
			if r.ID(d) != IDOf(key) {
				t.Error("the key's index form is not that of its text: it would join nothing")
			}
		})
	}
}

// TestSpelledKeysTellToolsApart: what stands beside the digest belongs to the key.
func TestSpelledKeysTellToolsApart(t *testing.T) {
	r, err := Make(Template{Name: "f", Parts: []Part{PartArgs}, Digest: "md5", Digits: 32, Print: "{tool}#{digest}"})
	if err != nil {
		t.Fatal(err)
	}
	var a Args
	x, _ := r.Derive(RunID{}, []byte("x"), &a)
	y, _ := r.Derive(RunID{}, []byte("y"), &a)
	if x == y || r.Text(x) != r.Text(y) || r.ID(x) == r.ID(y) {
		t.Errorf("digests %x and %x of two tools with the same arguments", x, y)
	}
}

func TestTemplatesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		t    Template
		want string
	}{
		{Template{Digest: "crc32", Digits: 8, Parts: []Part{PartArgs}}, "md5, sha1 or sha256"},
		{Template{Digest: "md5", Digits: 33, Parts: []Part{PartArgs}}, "8 to 32 digits"},
		{Template{Digest: "md5", Digits: 7, Parts: []Part{PartArgs}}, "8 to 32 digits"},
		{Template{Digest: "md5", Digits: 32}, "either an object or parts"},
		{Template{Digest: "md5", Digits: 32, Parts: []Part{PartRun, PartTool}}, "the arguments"},
		{Template{Digest: "md5", Digits: 32, Parts: []Part{PartArgs}, Print: "{tool}#"}, "{digest} once"},
		{Template{Digest: "md5", Digits: 32, Parts: []Part{PartArgs}, Print: "{digest}{digest}"}, "{digest} once"},
		{Template{Digest: "md5", Digits: 32, Parts: []Part{PartArgs}, Print: "{name}#{digest}"}, "only {run} and {tool}"},
		{Template{Digest: "sha256", Digits: 64, Parts: []Part{PartArgs}, Print: "{tool}#{digest}"}, "at most 32 digits"},
	} {
		if _, err := Make(c.t); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.t, err, c.want)
		}
	}
}

// TestAmbiguousParts: two calls whose joined parts are the same bytes have one key, and both are told to be doubtful.
func TestAmbiguousParts(t *testing.T) {
	joined, err := Make(Template{Name: "j", Parts: []Part{PartRun, PartTool, PartArgs}, Separator: "::", Digest: "sha256", Digits: 64})
	if err != nil {
		t.Fatal(err)
	}
	glued, err := Make(Template{Name: "g", Parts: []Part{PartTool, PartRun, PartArgs}, Digest: "sha256", Digits: 64})
	if err != nil {
		t.Fatal(err)
	}
	var a Args
	for _, c := range []struct {
		r          *Recipe
		run, tool  string
		other      [2]string // run and tool of another call with the same key; empty: none
		ambiguous  bool
		wantDoubts int
	}{
		{Dedup16, "a", "b|c", [2]string{"a|b", "c"}, true, 1},
		{Dedup16, "a", "b", [2]string{}, false, 1},
		{joined, "a::b", "c", [2]string{"a", "b::c"}, true, 1},
		{joined, "a|b", "c", [2]string{}, false, 1},
		{glued, "a", "b", [2]string{}, true, 1},
		{Intent, "a|b", "c", [2]string{}, false, 0},
		{JCS, "a|b", "c", [2]string{}, false, 0},
	} {
		run := RunID{Text: []byte(c.run)}
		if got := c.r.Ambiguous(run, []byte(c.tool)); got != c.ambiguous {
			t.Errorf("%s of run %q and tool %q is ambiguous: %v", c.r.Name(), c.run, c.tool, got)
		}
		if got := c.r.Doubts(); len(got) != c.wantDoubts {
			t.Errorf("%s: doubts %q, want %d", c.r.Name(), got, c.wantDoubts)
		}
		if c.other == ([2]string{}) {
			continue
		}
		d, _ := c.r.Derive(run, []byte(c.tool), &a)
		e, _ := c.r.Derive(RunID{Text: []byte(c.other[0])}, []byte(c.other[1]), &a)
		if d != e || !c.r.Ambiguous(RunID{Text: []byte(c.other[0])}, []byte(c.other[1])) {
			t.Errorf("%s: %q and %q should have one doubtful key", c.r.Name(), []string{c.run, c.tool}, c.other)
		}
	}
	if r, _ := Make(Template{Name: "x", Parts: []Part{PartArgs}, Digest: "md5", Digits: 32}); len(r.Doubts()) != 2 {
		t.Errorf("a key of the arguments alone: doubts %q, want that tool and run are missing", r.Doubts())
	}
}
