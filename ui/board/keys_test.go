package board

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/triage"
)

// TestBindings: one key means one thing in one scope, and everything says what it is.
func TestBindings(t *testing.T) {
	all := bindings()
	for in := scope(1); in < 1<<scopes; in <<= 1 {
		seen := map[string]string{}
		for _, b := range all {
			if b.where&in == 0 {
				continue
			}
			for _, k := range b.press.Keys() {
				if was, twice := seen[k]; twice {
					t.Errorf("%q means %s and %s in scope %b", k, was, b.name, in)
				}
				seen[k] = b.name
			}
			if b.foot > 0 && b.foot > 15 {
				t.Errorf("%s stands at place %d of the footer, which has 15", b.name, b.foot)
			}
		}
		for _, k := range []string{"q", "ctrl+c", "?", ":", "1", "6", "j", "k", "g", "G", "esc", "p", "T"} {
			if seen[k] == "" {
				t.Errorf("%q means nothing in scope %b", k, in)
			}
		}
	}
	for _, b := range all {
		if b.name == "" || b.help == "" || strings.HasSuffix(b.help, ".") || len(b.press.Keys()) == 0 && !slices.Contains([]string{"forget view", "open trace", "compensate kept"}, b.name) || b.do == nil {
			t.Errorf("binding %v %q: %q", b.press.Keys(), b.name, b.help)
		}
		if b.action != "" && b.why == nil {
			t.Errorf("action %s never says why it does not work", b.name)
		}
	}
}

// TestKeys types keys and looks at where one is then (screen, page, row, what is said).
func TestKeys(t *testing.T) {
	first := "charge_card 9b1c22d0a7f3"
	for _, c := range []struct {
		keys string
		want string
	}{
		{"", "Findings|" + "notify_slack e1d0550ab2c9"},
		{"j", "Findings|open_pr 3f9a1c07b2e4"},
		{"j j", "Findings|" + first},
		{"j j k", "Findings|open_pr 3f9a1c07b2e4"},
		{"down up", "Findings|notify_slack e1d0550ab2c9"},
		{"G g", "Findings|notify_slack e1d0550ab2c9"},
		{"2", "In flight|charge_card 08e7b04c19aa"},
		{"3", "Runs|"},
		{"4", "Tools|mystery_tool"},
		{"5", "Drain|"},
		{"6", "Log|"},
		{"6 1", "Findings|notify_slack e1d0550ab2c9"},
		{"j j enter", "Findings › charge_card 9b1c22d0a7f3|" + first},
		{"j j enter esc", "Findings|" + first},
		{"j j enter 2", "In flight|charge_card 08e7b04c19aa"},
		{"3 enter", "Runs › run-22|charge_card 9b1c22d0a7f3"},
		{"3 enter enter", "Runs › run-22 › charge_card 9b1c22d0a7f3|" + first},
		{"3 enter enter esc esc", "Runs|"},
		{"4 j enter", "Tools › search_repo|search_repo 36860bd86f04"},
		{"!", "Drain|"},
		{"! !", "Drain › sources|"},
		{"5 enter", "Drain › sources|"},
		{"5 j enter", "In flight|charge_card 08e7b04c19aa"},
		{"5 j j enter", "Tools|mystery_tool"},
		{"5 j j j enter", "Findings|put_file 03e7b04c19aa"},
		{"?", "Findings › help|"},
		{"? esc", "Findings|notify_slack e1d0550ab2c9"},
		{"S esc", "Findings|notify_slack e1d0550ab2c9"},
		{`/ "open enter`, "Findings|open_pr 3f9a1c07b2e4"},
		{`/ "open enter esc`, "Findings|notify_slack e1d0550ab2c9"},
		{`/ "open esc`, "Findings|notify_slack e1d0550ab2c9"},
		{`/ "open enter j esc`, "Findings|open_pr 01e7b04c19aa"},
		{`/ "kind:lost enter`, "Findings|create_issue 11e7b04c19aa"},
		{`: "runs enter`, "Runs|"},
		{`: "sources enter`, "Findings › sources|"},
		{`: "tools down enter`, "Tools|mystery_tool"},
		{`: esc`, "Findings|notify_slack e1d0550ab2c9"},
		{"tab", "Findings|notify_slack e1d0550ab2c9"},
		{"2 tab", "In flight|create_issue 0c4e9d21aa37"},
		{"d", "Findings|notify_slack e1d0550ab2c9|compare: mark two rows with ␣, or one and go to the other; 1 of two chosen"},
		{"  j   d", "Findings › why the keys differ|"},
		{"f", "Findings|notify_slack e1d0550ab2c9|failed: this build of the ledger cannot mark failed"},
		{"n", "Findings|notify_slack e1d0550ab2c9"},
		{`enter / "channel enter n`, ""},
		{"V", "Findings|notify_slack e1d0550ab2c9|30 marked"},
		{"  *", "Findings|open_pr 3f9a1c07b2e4|29 marked"},
		{"P", "Findings|notify_slack e1d0550ab2c9|repeats of pure tools: shown"},
		{"s s", "Findings|mystery_tool|sorted by calls"},
		{"p", "Findings|notify_slack e1d0550ab2c9|the screen holds still; reading goes on"},
		{"<", "Findings|notify_slack e1d0550ab2c9|the detail stands beside the list from 120 columns on"},
	} {
		b := newBoard(t, newFake(), options(), 80, 24)
		b.keys(split(c.keys)...)
		if c.want == "" {
			b.frame()
			continue
		}
		s := b.about()
		got := fmt.Sprintf("%s|%s", b.crumbs(), strings.TrimSpace(s.toolName()+" "+prefix(s.key())))
		if b.note != "" && strings.Count(c.want, "|") == 2 {
			got += "|" + b.note
		}
		if got != c.want {
			t.Errorf("%q: at %q, want %q", c.keys, got, c.want)
		}
		b.frame()
	}
}

// split cuts keys at blanks; a doubled blank is the space key.
func split(keys string) (out []string) {
	keys = strings.ReplaceAll(keys, "  ", " space")
	for _, k := range strings.Fields(keys) {
		if k == "space" {
			k = " "
		}
		for strings.HasPrefix(k, "space") {
			out = append(out, " ")
			k = k[len("space"):]
		}
		out = append(out, k)
	}
	return out
}

// TestSeveralLetters: letters that come in one message are as many keys; pasted ones are none.
func TestSeveralLetters(t *testing.T) {
	b := newBoard(t, newFake(), options(), 80, 24)
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjk/open")})
	if p, ok := b.front.(*filterPrompt); !ok || p.text != "open" {
		t.Errorf("typing %q leads to %T", "jjk/open", b.front)
	}
	b = newBoard(t, newFake(), options(), 80, 24)
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjq"), Paste: true})
	if b.quit || b.grid().cursor != 0 {
		t.Error("pasted text works as keys")
	}
	b = newBoard(t, newFake(), options(), 80, 24)
	b.opt.Actor = &doer{}
	b.keys(split(`/ "kind:hung enter f "gone enter`)...)
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y"), Paste: true})
	if len(b.opt.Actor.(*doer).did) > 0 {
		t.Error("a pasted y carries an action out")
	}
}

// TestQuit: q and ctrl+c end the board from everywhere, also while something is typed where they are no letters.
func TestQuit(t *testing.T) {
	for _, keys := range []string{"q", "ctrl+c", "2 q", "enter q", "3 enter q", "? q"} {
		b := newBoard(t, newFake(), options(), 80, 24)
		b.keys(split(keys)...)
		if !b.quit {
			t.Errorf("%q does not end the board", keys)
		}
	}
	b := newBoard(t, newFake(), options(), 80, 24)
	b.keys("/", `"q`)
	if b.quit {
		t.Error("q ends the board while a filter is typed")
	}
}

// newer is the world with rows added: criticals, which stand above all others.
func newer(f *fake, n int) *triage.Snapshot {
	s := *f.snap
	s.Generation++
	var all []*triage.Finding
	s.Findings.All(func(_ int, x *triage.Finding) bool { all = append(all, x); return true })
	for i := range n {
		key := key64(fmt.Sprintf("%02dffff", i))
		all = append(all, &triage.Finding{
			ID: "duplicate new " + key, Kind: triage.Duplicate, Severity: triage.Critical, Key: key, Tool: "charge_card", Run: "run-99", Calls: 2,
			Cause: triage.CauseModel, Outcome: triage.OutcomeExtra, Started: at(10 * time.Hour), Last: at(0),
		})
	}
	s.Findings = triage.NewList(findingOrder, all...)
	s.Levels[triage.Critical] += n
	s.Kinds[triage.Duplicate] += n
	s.Totals.Calls += 2 * n
	return &s
}

// TestCursorStays: rows that arrive above the cursor's row leave it where it is on the screen, in the plain list, a sorted one and a
// filtered one; while nothing was touched the board stays at the top.
func TestCursorStays(t *testing.T) {
	for _, c := range []struct {
		name, keys string
	}{
		{"plain", "j j j j"}, {"sorted", "s s s j j j j"}, {"filtered", `/ "sev>=high enter j j j j`}, {"first row", "j k"},
	} {
		b := newBoard(t, newFake(), options(), 80, 24)
		b.keys(split(c.keys)...)
		id, line := b.grid().id, b.grid().cursor-b.grid().top
		b.send(newsMsg{snap: newer(b.eng.(*fake), 5)})
		if b.grid().id != id {
			t.Errorf("%s: the cursor went from %q to %q", c.name, id, b.grid().id)
		}
		if got := b.grid().cursor - b.grid().top; got != line && c.name == "plain" {
			t.Errorf("%s: the row went from line %d to line %d", c.name, line, got)
		}
	}
	b := newBoard(t, newFake(), options(), 80, 24)
	b.send(newsMsg{snap: newer(b.eng.(*fake), 5)})
	if b.grid().cursor != 0 || !strings.Contains(b.about().key(), "ffff") {
		t.Errorf("an untouched board is at row %d, %q", b.grid().cursor, b.about().key())
	}
}

// TestCursorSeverityChange: a finding that becomes worse stands elsewhere, and the cursor goes with it.
func TestCursorSeverityChange(t *testing.T) {
	f := newFake()
	b := newBoard(t, f, options(), 80, 24)
	b.keys("G", "k", "k")
	id := b.grid().id
	s := *f.snap
	s.Generation++
	var all []*triage.Finding
	s.Findings.All(func(_ int, x *triage.Finding) bool {
		if x.ID == id {
			y := *x
			y.Severity = triage.Critical
			x = &y
		}
		all = append(all, x)
		return true
	})
	s.Findings = triage.NewList(findingOrder, all...)
	b.send(newsMsg{snap: &s})
	if b.grid().id != id || b.about().finding.Severity != triage.Critical {
		t.Errorf("the cursor is on %q, want %q", b.grid().id, id)
	}
}

// TestPause: a paused screen shows what it showed and says how much has arrived; going on shows it.
func TestPause(t *testing.T) {
	b := newBoard(t, newFake(), options(), 80, 24)
	b.keys("p")
	b.send(newsMsg{snap: newer(b.eng.(*fake), 5)})
	b.keys("j", "k")
	head, _, _ := strings.Cut(b.frame(), "\n")
	if !strings.Contains(head, "‖ paused (10 new)") || strings.Contains(b.frame(), "run-99") {
		t.Errorf("paused:\n%s", b.frame())
	}
	b.keys("p", "g")
	if !strings.Contains(b.frame(), "run-99") {
		t.Errorf("going on does not show what arrived:\n%s", b.frame())
	}
}

// TestStaleAnswers: an answer to an older question changes nothing.
func TestStaleAnswers(t *testing.T) {
	b := newBoard(t, newFake(), options(), 80, 24)
	before := b.peek.facts
	b.send(factsMsg{gen: b.peek.gen - 1, facts: &facts{err: fmt.Errorf("stale")}})
	if b.peek.facts != before {
		t.Error("a stale answer reached the detail")
	}
	b.keys("3", "enter")
	p := b.top().(*timelinePage)
	b.send(chunkMsg{gen: p.gen - 1, total: 12345})
	if p.n == 12345 {
		t.Error("a stale answer reached the timeline")
	}
	l := b.panes[onFindings].(*list[*triage.Finding])
	b.send(jobDone{screen: onFindings, gen: l.job - 1, rows: array[*triage.Finding]{}})
	if l.n == 0 {
		t.Error("a stale answer emptied the list")
	}
	b.send(tickMsg{gen: b.ticks + 1})
}

// TestLongList: a list that is filtered elsewhere shows the old rows until the new ones are there, and the last filter wins.
func TestLongList(t *testing.T) {
	b := newBoard(t, crowd(20_000), options(), 80, 24)
	if b.pane().shown() != 20_000 {
		t.Fatalf("%d rows", b.pane().shown())
	}
	b.keys("/", `"tool:open_pr`, "enter")
	if got := b.pane().shown(); got != 5000 {
		t.Errorf("%d rows pass, want 5000", got)
	}
	b.keys("G", "k", "k")
	id := b.grid().id
	news := func() *triage.Snapshot { s := *b.snap; s.Generation++; return &s }
	b.send(newsMsg{snap: news()})
	if b.grid().id != id {
		t.Errorf("the cursor went from %q to %q", id, b.grid().id)
	}

	// A job that took a second is followed by a rest: news do not start the next one, time does.
	l := b.panes[onFindings].(*list[*triage.Finding])
	began := l.job
	l.rest = b.clock.Add(restFactor * time.Second)
	for range 5 {
		b.send(newsMsg{snap: news()})
	}
	if l.job != began || !l.again {
		t.Errorf("news began job %d during the rest after job %d", l.job, began)
	}
	b.clock = l.rest
	if work := l.retry(b.clock); work == nil {
		t.Error("what was put off is never taken up")
	}
}

// TestUnreadable: what the engine cannot read again is said where it would stand.
func TestUnreadable(t *testing.T) {
	f := newFake()
	f.args, f.replies = nil, nil
	b := newBoard(t, f, options(), 80, 24).keys("enter")
	if got := b.frame(); !strings.Contains(got, "cannot be read again: the file is shorter than it was") {
		t.Errorf("the detail does not say that the bytes are gone:\n%s", got)
	}
	f = newFake()
	f.err = fmt.Errorf("the engine is closed")
	for _, keys := range []string{"", "enter", "3 enter"} {
		b = newBoard(t, f, options(), 80, 24)
		b.keys(split(keys)...)
		if got := b.frame(); !strings.Contains(got, "the engine is closed") {
			t.Errorf("%q: the board does not say why:\n%s", keys, got)
		}
	}
}
