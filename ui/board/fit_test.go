package board

import (
	"fmt"
	"strings"
	"testing"
)

// TestQuestionsFit: on the lowest terminal every answer of a question, its fields and its buttons are there; what is left out is said.
func TestQuestionsFit(t *testing.T) {
	why := []string{"keyed: its name says sync", "pure: the same arguments had changing results"}
	for _, c := range []struct {
		w, h int
		want []string
		not  string
	}{
		{leastW, leastH, []string{"pure  ", "keyed create", "keyed write", "compensate", "natural key", "Cancel", "and 3 lines more, for which the terminal is too low"}, "on timeout"},
		{100, 30, []string{why[0], why[1], "Cancel", "on timeout"}, "more, for which"},
	} {
		act := &witness{evidence: &Evidence{Why: why, NaturalKey: []string{"/id"}}}
		opt := options()
		opt.Actor = act
		got := newBoard(t, newFake(), opt, c.w, c.h).keys("4", "t", "j").frame()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", fmt.Sprint(c.w, c.h), want, got)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%d: %q in\n%s", c.h, c.not, got)
		}
	}
}
