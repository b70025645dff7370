package board

import (
	"context"
	"strings"
	"testing"
)

// looker is a doer that says what ignore rules would merge.
type looker struct {
	doer
	merges map[string]Preview
}

func (l *looker) Preview(_ context.Context, _, pointer string) (Preview, error) {
	return l.merges[pointer], nil
}

// TestIgnorePreview: what a rule would merge stands in the question; where results differ the tool's name is typed, or nothing is written.
func TestIgnorePreview(t *testing.T) {
	for _, c := range []struct {
		name    string
		preview Preview
		answer  string
		want    string // on screen before the answer
		did     string
	}{
		{"harmless", Preview{Sets: 2, Lines: []string{"run r: 3 calls, 2 keys: equal results"}}, "enter y", "merges 2 sets of keys", "/at false"},
		{"listed", Preview{Sets: 1, Lines: []string{"run r: 3 calls, 2 keys: equal results"}}, "esc", "run r: 3 calls, 2 keys: equal results", ""},
		{"dangerous", Preview{Sets: 1, Differs: true, Lines: []string{"results DIFFER"}}, "enter enter y", "whose results differ: dangerous", ""},
		{"dangerous and meant", Preview{Sets: 1, Differs: true}, `enter "post_status enter y`, "type post_status", "/at true"},
		{"nothing", Preview{}, "esc", "merges nothing", ""},
		{"unread", Preview{Unread: 2}, "esc", "2 calls cannot be read again", ""},
	} {
		act := &looker{merges: map[string]Preview{"/at": c.preview}}
		opt := options()
		opt.Actor = act
		b := newBoard(t, newFake(), opt, 100, 24)
		b.keys(split(`/ "kind:drift enter i`)...)
		if !strings.Contains(b.frame(), c.want) {
			t.Errorf("%s: no %q in\n%s", c.name, c.want, b.frame())
		}
		b.keys(split(c.answer)...)
		got := ""
		if len(act.did) > 0 {
			in := act.did[0].(AddIgnore)
			got = in.Pointer + map[bool]string{true: " true", false: " false"}[in.Different]
		}
		if got != c.did {
			t.Errorf("%s: did %q, want %q\n%s", c.name, got, c.did, b.frame())
		}
	}
}
