package table

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"drainboard/keys"
)

func TestMoves(t *testing.T) {
	const was = "tools: {a: {class: keyed, ignore: [/x]}, r: {class: pure}, 'g_*': {class: keyed}, s: {cases: [{at: /c, glob: 'l*', class: pure}, {at: /c, glob: 'p*', class: keyed}]}}"
	for _, c := range []struct{ now, tool, want string }{
		{was, "a", "[{1 1 false}]"},
		{was, "unknown", "[{0 0 false}]"},
		{was, "s", "[{4 4 false} {5 5 false} {6 6 false}]"},
		{"tools: {a: {class: compensate, ignore: [/x], timeout: 3s}}", "a", "[{1 1 false}]"},
		{"tools: {a: {class: keyed, ignore: [/x, /y]}}", "a", "[{1 1 true}]"},
		{"tools: {a: {class: keyed, scope: forever, ignore: [/x]}}", "a", "[{1 1 true}]"},
		{"tools: {b: {class: keyed}}", "a", "[{1 0 true}]"},
		{"tools: {r: {class: keyed}}", "r", "[{2 1 true}]"},               // its shape was not computed
		{"tools: {a: {class: pure, ignore: [/x]}}", "a", "[{1 1 false}]"}, // its shape is not needed
		{"tools: {g_1: {class: pure}}", "g_1", "[{3 1 false}]"},
		{"tools: {unknown: {class: keyed}}", "unknown", "[{0 1 false}]"},
		{"tools: {s: {cases: [{at: /c, glob: 'l*', class: pure}, {at: /c, glob: 'p*', class: pure}, {at: /c, glob: 'q*'}]}}", "s", "[{4 1 true} {5 2 false} {6 3 false}]"},
		{"tools: {s: {cases: [{at: /c, glob: 'l*', class: keyed}, {at: /c, glob: 'p*', class: keyed}]}}", "s", "[{4 1 false} {5 2 true} {6 3 false}]"},
		{"tools: {s: {cases: [{at: /c, glob: 'p*', class: keyed}, {at: /c, glob: 'l*', class: pure}]}}", "s", "[{4 1 true} {5 1 true} {6 1 true}]"},
		{"tools: {s: {class: keyed}}", "s", "[{4 1 true} {5 1 true} {6 1 true}]"},
	} {
		if got := fmt.Sprint(mustParse(t, was).Moves(c.tool, mustParse(t, c.now))); got != c.want {
			t.Errorf("%q under %s: got %s, want %s", c.tool, c.now, got, c.want)
		}
	}
}

func TestResultMoves(t *testing.T) {
	was := mustParse(t, "tools: {a: {ignore_result: [/x]}, b: {ignore_result: [/y, /z]}}")
	for now, want := range map[string]string{
		"tools: {}": "[] true", "tools: {c: {}, d: {ignore_result: [/y, /z]}, e: {ignore_result: [/x]}}": "[[2 2] [3 1]] true",
		"tools: {a: {ignore_result: [/y]}}": "[] false",
	} {
		pairs, ok := was.ResultMoves(mustParse(t, now))
		if got := fmt.Sprint(pairs, ok); got != want {
			t.Errorf("%s: got %s, want %s", now, got, want)
		}
	}
}

// TestMovesAreWhatLookupSays: over tables that people wrote and edits of them, a move that needs no reading leads to the rule that the
// other table looks up, and that rule keys alike.
func TestMovesAreWhatLookupSays(t *testing.T) {
	c := &composer{Rand: rand.New(rand.NewPCG(3, 5))}
	tools := []string{"a", "b c", "mcp__x__get_issue", "日本", "e", "new_tool"}
	sure := 0
	for range 1500 {
		was := mustParse(t, c.table())
		now := mustParse(t, c.table())
		for _, tool := range tools {
			for _, raw := range []string{`{}`, `{"x":"abc"}`, `{"x":"b"}`} {
				var args keys.Args
				if err := args.Parse([]byte(raw)); err != nil {
					t.Fatal(err)
				}
				from, to := was.Lookup(tool, &args), now.Lookup(tool, &args)
				for _, m := range was.Moves(tool, now) {
					if m.From != from.ID || m.Read {
						continue
					}
					sure++
					if m.To != to.ID || texts(from.Ignore) != texts(to.Ignore) || from.Forever != to.Forever {
						t.Fatalf("%q with %s: the move %+v leads from %s to another rule than %s", tool, raw, m, show(from), show(to))
					}
				}
			}
		}
	}
	if sure < 1000 {
		t.Errorf("only %d moves needed no reading", sure)
	}
}
