package intake

import (
	"bytes"
	"fmt"
	"testing"

	"drainboard/ledger/triage"
)

// TestTexts puts more texts than there are places at first, each several times: equal ones have one number, others their own, and each
// batch begins anew.
func TestTexts(t *testing.T) {
	x := newTexts()
	for _, n := range []int{3 * fewTexts, manyTexts, 5} {
		x.clear()
		var b triage.Batch
		first := map[string]triage.Str{}
		for range 2 {
			for i := range n {
				text := fmt.Sprintf("run-%d", i)
				at := x.put(&b, []byte(text))
				if was, ok := first[text]; ok && was != at {
					t.Fatalf("%d texts: %s was number %d, and is %d now", n, text, was, at)
				}
				first[text] = at
				if !bytes.Equal(b.Text(at), []byte(text)) {
					t.Fatalf("%d texts: number %d is %q, expected %q", n, at, b.Text(at), text)
				}
			}
		}
		if x.count != n || len(first) != n {
			t.Fatalf("expected %d texts, found %d", n, x.count)
		}
	}
}
