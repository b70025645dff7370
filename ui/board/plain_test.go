package board

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestPlain types lines at the board in lines, and reads what it prints: no control character, everything once.
func TestPlain(t *testing.T) {
	act := &doer{}
	opt := options()
	var out strings.Builder
	opt.Now = func() time.Time { return noon }
	opt.Actor, opt.Out = act, &out
	opt.In = strings.NewReader(strings.Join([]string{"/", "kind:hung", "f", "looked", "y", "j", "drain", "5", "?", "esc", "nonsense", "1", "/", "esc", "quit", "never read"}, "\n"))
	var kept State
	opt.Remember = func(s State) { kept = s }
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := RunPlain(ctx, newFake(), opt); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	at := 0
	for _, want := range []string{
		"NO-GO 12", "Findings, 30 rows", "charge_card", "row 1 of 30", // what it begins with
		"Findings, 1 row", "hung", "row 1 of 1",
		"Mark charge_card 08e7b04c19aa failed?", "reason", "y mark failed", "mark failed: done",
		"row 1 of 1", "Drain, 8 rows", "BEFORE THE SWITCH", "unclassified tools",
		"Drain > help", "MOVING AND SCREENS", "there is no action nonsense here; ? lists them", "Findings, 1 row",
	} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("%q does not come after byte %d of\n%s", want, at, got)
		}
		at += i
	}
	if strings.ContainsAny(got, "\x1b\r\a") {
		t.Error("there are control characters in it")
	}
	if len(act.did) != 1 || describe(act.did[0]) != "board.MarkFailed 08e7b04c19aa looked" {
		t.Errorf("did %v", act.did)
	}
	if kept.Lists["Findings"].Filter != "kind:hung" {
		t.Errorf("it remembers %+v", kept)
	}
	if n := strings.Count(got, "NO-GO 12; live"); n != 1 {
		t.Errorf("the verdict is told %d times", n)
	}
}
