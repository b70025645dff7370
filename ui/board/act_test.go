package board

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"drainboard/ledger/triage"
)

// doer carries intents out by noting them.
type doer struct {
	cannot map[Action]string
	did    []Intent
	err    error
}

func (d *doer) Can(a Action) string { return d.cannot[a] }

func (d *doer) Do(_ context.Context, in Intent) (string, error) {
	d.did = append(d.did, in)
	return "done", d.err
}

// TestWhyNot: every action that cannot work says why, and none of them is silent.
func TestWhyNot(t *testing.T) {
	act := &doer{}
	for _, c := range []struct {
		name   string
		change func(*Options)
		keys   string // to the row
		key    string
		want   string
	}{
		{"no ledger", func(o *Options) { o.Ledger = "" }, "", "f", "failed: no ledger given: start with --ledger"},
		{"found beside", func(o *Options) { o.LedgerFixed = "found beside the trace" }, "", "m", "committed: the ledger is read only: found beside the trace"},
		{"read-only", func(o *Options) { o.ReadOnly = true }, "", "a", "ack: read-only"},
		{"no actor", func(o *Options) { o.Actor = nil }, "", "a", "ack: this build of the ledger cannot acknowledge"},
		{"no actor for the table", func(o *Options) { o.Actor = nil }, "", "t", "classify: this build cannot write to the table"},
		{"no table", func(o *Options) { o.Table = "" }, "", "t", "classify: no decision table: drainboard init writes one"},
		{"table found", func(o *Options) { o.TableFixed = "found beside the trace" }, "", "c", "compensate: nothing of the table is run: found beside the trace"},
		{"actor refuses", func(o *Options) { o.Actor = &doer{cannot: map[Action]string{ActUndo: "the log is empty"}} }, "", "u", "undo: the log is empty"},
		{"not compensate", nil, `/ "3f9a1c enter`, "h", "human key: only a compensate tool takes one; this one is keyed"},
		{"no compensation", nil, `/ "77ab01 enter`, "c", "compensate: the table documents no compensation for create_issue"},
		{"no extra effect", nil, `/ "b7720d enter`, "c", "compensate: the table documents no compensation for put_file"},
		{"no key", nil, `/ "kind:budget enter`, "f", "failed: this row has no key"},
		{"no drift", nil, "", "i", "ignore rule: only a drift names what to leave out"},
		{"no tool", nil, `/ "kind:budget enter`, "t", "classify: this row names no tool"},
		{"nothing there", nil, `/ "zzz enter`, "f", "failed: there is no row"},
		{"several", nil, `/ "sev:critical enter V`, "h", "human key: only a compensate tool takes one; this one is keyed"},
		{"committed already", nil, `/ "9b1c22 enter`, "f", "mark failed: the row is committed"},
		{"no such row", nil, `/ "kind:unclassified enter`, "u", "undo: this row has no key"},
	} {
		opt := options()
		opt.Actor = act
		if c.change != nil {
			c.change(&opt)
		}
		b := newBoard(t, newFake(), opt, 80, 24)
		b.keys(split(c.keys)...)
		b.keys(c.key)
		if b.note != c.want {
			t.Errorf("%s: says %q, want %q", c.name, b.note, c.want)
		}
		if b.front != nil {
			t.Errorf("%s: a question is asked all the same", c.name)
		}
	}
	if len(act.did) > 0 {
		t.Errorf("something was done: %v", act.did)
	}
}

// TestQuestions answers each action's question and looks at the intent.
func TestQuestions(t *testing.T) {
	hung := `/ "kind:hung enter`
	for _, c := range []struct {
		name string
		keys string
		want string
	}{
		{"failed", hung + ` f "gone enter y`, "board.MarkFailed 08e7b04c19aa gone"},
		{"failed needs a reason", hung + ` f enter y`, ""},
		{"enter is not yes", hung + ` f "gone enter enter`, ""},
		{"esc", hung + ` f "gone esc`, ""},
		{"n", hung + ` f "gone enter n`, ""},
		{"y in a field is a letter", hung + ` f "y`, ""},
		{"committed from the trace", hung + ` m enter "seen enter y`, "board.MarkCommitted 08e7b04c19aa  seen"},
		{"committed with a response", hung + ` m "{"charge":1} enter "seen enter y`, `board.MarkCommitted 08e7b04c19aa {"charge":1} seen`},
		{"committed with nonsense", hung + ` m "{nonsense enter "seen enter y`, ""},
		{"human key", `/ "9b1c22 enter h "again enter "asked enter y`, "board.GiveHumanKey 9b1c22d0a7f3 again asked"},
		{"human key without word", `/ "9b1c22 enter h enter "asked enter y`, ""},
		{"compensate", `/ "9b1c22 enter c "twice enter y`, "board.RunCompensation 9b1c22d0a7f3 twice"},
		{"acknowledge", `/ "9b1c22 enter a "known enter "2h enter y`, "board.Acknowledge 9b1c22d0a7f3 known 2h0m0s"},
		{"acknowledge for ever", `/ "9b1c22 enter a "known enter enter y`, "board.Acknowledge 9b1c22d0a7f3 known 0s"},
		{"acknowledge for nonsense", `/ "9b1c22 enter a "known enter "soon enter y`, ""},
		{"undo", `/ "9b1c22 enter u "oops enter y`, "board.UndoLast 9b1c22d0a7f3 oops"},
		{"classify", `4 t j enter y`, "board.Classify mystery_tool pure create"},
		{"classify as nothing", `4 t y`, ""},
		{"classify at once", `4 t j j y`, "board.Classify mystery_tool keyed create"},
		{"classify as write", `4 t j j j enter y`, "board.Classify mystery_tool keyed write"},
		{"classify as compensate", `4 t j j j j enter y`, "board.Classify mystery_tool compensate create"},
		{"ignore", `/ "kind:drift enter i enter y`, "board.AddIgnore post_status /at"},
		{"several", `/ "kind:hung,in-flight enter V f "gone enter y`, "board.MarkFailed 08e7b04c19aa,09e7b04c19aa gone"},
		{"one of several is settled", `/ "kind:hung,lost enter V f "gone enter y`, "board.MarkFailed 08e7b04c19aa gone"},
		{"from the detail", hung + ` enter f "gone enter y`, "board.MarkFailed 08e7b04c19aa gone"},
	} {
		act := &doer{}
		opt := options()
		opt.Actor = act
		b := newBoard(t, newFake(), opt, 80, 24)
		for _, k := range split(c.keys) {
			b.keys(k)
			b.frame()
		}
		got := ""
		if len(act.did) > 0 {
			got = describe(act.did[0])
		}
		if got != c.want || len(act.did) > 1 {
			t.Errorf("%s: did %q, want %q; asked:\n%s", c.name, got, c.want, b.frame())
		}
		if c.want != "" && (b.front != nil || b.note != string(act.did[0].Action())+": done" || b.noteTone.String() != "good") {
			t.Errorf("%s: afterwards it says %q", c.name, b.note)
		}
		if len(b.pane().pos().marks) > 0 && c.want != "" {
			t.Errorf("%s: rows are still marked", c.name)
		}
	}
}

func describe(in Intent) string {
	short := func(keys []string) string {
		for i := range keys {
			keys[i] = prefix(keys[i])
		}
		return strings.Join(keys, ",")
	}
	switch in := in.(type) {
	case MarkFailed:
		var keys []string
		for _, r := range in.Rows {
			keys = append(keys, r.Key)
		}
		return fmt.Sprintf("%T %s %s", in, short(keys), in.Reason)
	case MarkCommitted:
		return fmt.Sprintf("%T %s %s %s", in, prefix(in.Rows[0].Key), in.Response, in.Reason)
	case GiveHumanKey:
		return fmt.Sprintf("%T %s %s %s", in, prefix(in.Row.Key), in.Word, in.Reason)
	case RunCompensation:
		return fmt.Sprintf("%T %s %s", in, short(in.Keys), in.Reason)
	case Acknowledge:
		return fmt.Sprintf("%T %s %s %s", in, short(in.Keys), in.Reason, in.For)
	case UndoLast:
		return fmt.Sprintf("%T %s %s", in, short(in.Keys), in.Reason)
	case Classify:
		return fmt.Sprintf("%T %s %s %s", in, strings.Join(in.Tools, ","), in.Class, in.Effect)
	case AddIgnore:
		return fmt.Sprintf("%T %s %s", in, in.Tool, in.Pointer)
	}
	return fmt.Sprintf("%T", in)
}

// TestQuestionNames: a question names tool, key and what will happen.
func TestQuestionNames(t *testing.T) {
	opt := options()
	opt.Actor = &doer{}
	b := newBoard(t, newFake(), opt, 80, 24)
	b.keys(split(`/ "kind:hung enter f`)...)
	got := b.frame()
	for _, want := range []string{"Mark charge_card 08e7b04c19aa failed?", "The next call of the key is sent again.", "Cancel"} {
		if !strings.Contains(got, want) {
			t.Errorf("the question lacks %q:\n%s", want, got)
		}
	}
}

// TestBulkCompensation: more than one row wants the tool's name typed.
func TestBulkCompensation(t *testing.T) {
	f := newFake()
	for _, c := range []struct {
		typed string
		done  bool
	}{{"", false}, {"charge", false}, {"charge_card", true}} {
		act := &doer{}
		opt := options()
		opt.Actor = act
		b := newBoard(t, f, opt, 80, 24)
		b.keys("/", `"kind:duplicate tool:charge`, "enter", "V")
		if len(b.grid().marks) != 1 {
			t.Fatalf("%d rows are marked", len(b.grid().marks))
		}
		b.grid().marks["more"] = b.about()
		b.keys("c", `"twice`, "enter")
		if c.typed != "" {
			b.keys(`"` + c.typed)
		}
		b.keys("enter", "y")
		if done := len(act.did) == 1; done != c.done {
			t.Errorf("typed %q: done %v, want %v:\n%s", c.typed, done, c.done, b.frame())
		}
	}
}

// TestMovedRow: no action takes a row that news have just put under the cursor.
func TestMovedRow(t *testing.T) {
	opt := options()
	opt.Actor = &doer{}
	b := newBoard(t, newFake(), opt, 80, 24)
	b.send(newsMsg{snap: newer(b.eng.(*fake), 1)})
	b.keys("a")
	if b.front != nil || !strings.Contains(b.note, "has just moved") {
		t.Errorf("a question is asked about a row that has just come; note %q", b.note)
	}
	b.clock = b.clock.Add(stillness + time.Millisecond)
	b.keys("a")
	if b.front == nil {
		t.Errorf("no question is asked about a row that stands still; note %q", b.note)
	}
}

// TestActionFails: what an action says when it fails is shown, and another one can follow.
func TestActionFails(t *testing.T) {
	opt := options()
	opt.Actor = &doer{err: errors.New("the row is committed now")}
	b := newBoard(t, newFake(), opt, 80, 24)
	b.keys(split(`/ "kind:hung enter f "gone enter y`)...)
	if b.note != "mark failed: the row is committed now" || b.acting != 0 {
		t.Errorf("says %q, %d on their way", b.note, b.acting)
	}
}

// TestQuitWhileActing: an action on its way is not left behind by one slip of a finger.
func TestQuitWhileActing(t *testing.T) {
	b := newBoard(t, newFake(), options(), 80, 24)
	b.acting = 1
	b.keys("q")
	if b.quit {
		t.Fatal("q leaves an action behind at once")
	}
	b.keys("q")
	if !b.quit {
		t.Error("q does not leave the second time")
	}
}

// TestIntentActions: every intent is one of the actions.
func TestIntentActions(t *testing.T) {
	want := []Action{ActFail, ActCommit, ActHumanKey, ActCompensate, ActAck, ActUndo, ActClassify, ActIgnore}
	for i, in := range []Intent{MarkFailed{}, MarkCommitted{}, GiveHumanKey{}, RunCompensation{}, Acknowledge{}, UndoLast{}, Classify{}, AddIgnore{}} {
		if in.Action() != want[i] {
			t.Errorf("%T is %q, want %q", in, in.Action(), want[i])
		}
	}
	if unfit(ActAck, subject{row: &triage.RowView{}}) == "" {
		t.Error("a row of the ledger can be acknowledged")
	}
}
