package board

import (
	"context"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
)

// noStore says why nothing can be written to a ledger.
func (m *model) noStore() string {
	switch {
	case m.opt.Ledger == "":
		return "no ledger given: start with --ledger"
	case m.opt.ReadOnly:
		return "read-only"
	case m.opt.LedgerFixed != "":
		return "the ledger is read only: " + m.opt.LedgerFixed
	}
	return "this build of the ledger cannot be written to"
}

// whyAct says why an action cannot work now, on the rows that it would go to.
func (m *model) whyAct(a Action) string {
	if m.opt.ReadOnly {
		return "read-only"
	}
	switch a {
	case ActFail, ActCommit, ActHumanKey, ActCompensate, ActKept, ActUndo:
		if m.opt.Ledger == "" || m.opt.LedgerFixed != "" {
			return m.noStore()
		}
		if (a == ActCompensate || a == ActKept) && m.opt.TableFixed != "" {
			return "nothing of the table is run: " + m.opt.TableFixed
		}
	case ActClassify, ActIgnore:
		if m.opt.Table == "" {
			return "no decision table: drainboard init writes one"
		}
	}
	if m.opt.Actor == nil {
		if a == ActClassify || a == ActIgnore {
			return "this build cannot write to the table"
		}
		return "this build of the ledger cannot " + string(a)
	}
	if why := m.opt.Actor.Can(a); why != "" {
		return why
	}
	if m.acting > 0 {
		return "another action is on its way"
	}
	targets := m.targets()
	if len(targets) == 0 {
		return "there is no row"
	}
	for _, s := range targets {
		if why := unfit(a, s); why != "" {
			return why
		}
	}
	if a == ActCompensate {
		for _, s := range targets {
			if s.toolName() != targets[0].toolName() {
				return "compensate one tool at a time: " + targets[0].toolName() + " and " + s.toolName() + " are marked"
			}
		}
	}
	if a == ActKept && len(targets) > 1 {
		return "one row at a time: unmark the others"
	}
	if a == ActHumanKey && len(targets) > 1 {
		return "a human key is for one row: unmark the others"
	}
	return ""
}

// unfit says why an action cannot go to a row.
func unfit(a Action, s subject) string {
	switch a {
	case ActFail, ActCommit, ActUndo:
		if s.key() == "" {
			return "this row has no key"
		}
	case ActHumanKey:
		if s.key() == "" {
			return "this row has no key"
		}
		if s.finding != nil && s.finding.Class != table.Compensate {
			return "only a compensate tool takes one; this one is " + s.finding.Class.String()
		}
	case ActCompensate:
		f := s.finding
		switch {
		case s.key() == "":
			return "this row has no key"
		case f != nil && (f.Rule == nil || f.Rule.Compensate == nil):
			return "the table documents no compensation for " + f.Tool
		case f != nil && f.Kind == triage.Duplicate && f.Outcome != triage.OutcomeExtra && f.Outcome != triage.OutcomeAmbiguous:
			return "no extra effect: the outcome is " + string(f.Outcome)
		}
	case ActKept:
		switch f := s.finding; {
		case s.key() == "":
			return "this row has no key"
		case f != nil && (f.Rule == nil || f.Rule.Compensate == nil):
			return "the table documents no compensation for " + f.Tool
		}
	case ActAck:
		if s.finding == nil {
			return "only findings are acknowledged"
		}
		return s.finding.Acknowledgeable()
	case ActClassify:
		if s.toolName() == "" {
			return "this row names no tool"
		}
	case ActIgnore:
		if s.finding == nil || s.finding.Kind != triage.Drift || len(s.finding.Details().Pointers) == 0 {
			return "only a drift names what to leave out"
		}
	}
	return ""
}

// stillness is how long a row must have stood still before an action takes it.
const stillness = 300 * time.Millisecond

// maxTargets bounds how many rows one action takes.
const maxTargets = 1000

// askedMsg brings the rows of the ledger that a question is about, as they are now.
type askedMsg struct {
	action  Action
	targets []subject
	rows    []ledger.Row
	of      map[string]subject // the target of each row
	twice   int                // targets whose row is there already
	plan    *Plan
	merges  []Preview
	err     error
}

// ask begins an action: it freezes what it goes to and reads the rows, then the question comes up.
func (m *model) ask(a Action) tea.Cmd {
	if m.top() == nil && m.steady().Sub(m.pane().pos().moved) < stillness {
		return m.say("the row under the cursor has just moved: look again", ink.Warn)
	}
	targets := m.targets()
	if len(targets) > maxTargets {
		return m.say("at most "+ink.Thousands(maxTargets)+" rows at once; "+ink.Thousands(len(targets))+" are marked", ink.Warn)
	}
	if a == ActIgnore {
		m.say("looking what it would merge "+m.theme.Glyph.Ellipsis, ink.Plain)
	}
	return m.run("question", func(ctx context.Context) tea.Msg {
		msg := askedMsg{action: a, targets: targets}
		if p, ok := m.opt.Actor.(Planner); ok && (a == ActCompensate || a == ActKept) {
			msg.plan, msg.err = p.Plan(ctx, planned(targets, a == ActKept))
			return msg
		}
		if p, ok := m.opt.Actor.(Previewer); ok && a == ActIgnore {
			msg.merges, msg.err = previews(ctx, p, targets[0])
			return msg
		}
		if a != ActFail && a != ActCommit && a != ActHumanKey {
			return msg
		}
		msg.of = map[string]subject{}
		for _, s := range targets {
			row, ok, err := m.eng.Row(ctx, s.key())
			switch {
			case err != nil:
				msg.err = err
				return msg
			case ok && !msg.of[row.Key].none():
				msg.twice++ // a row and its call in the trace may both be marked
			case ok:
				msg.of[row.Key] = s
				msg.rows = append(msg.rows, row)
			}
		}
		return msg
	})
}

// showQuestion puts the question for an action on screen, or says why there is none to ask.
func (m *model) showQuestion(msg askedMsg) tea.Cmd {
	if msg.err != nil && (msg.action == ActCompensate || msg.action == ActKept || msg.action == ActIgnore) {
		return m.say(string(msg.action)+": "+msg.err.Error(), ink.Warn)
	}
	if msg.err != nil {
		return m.say(string(msg.action)+": the ledger cannot be read: "+msg.err.Error(), ink.Bad)
	}
	rows := msg.rows
	var wrong string
	switch msg.action {
	case ActFail:
		rows, wrong = inState(rows, ledger.InFlight)
	case ActCommit:
		rows, wrong = inState(rows, ledger.InFlight, ledger.Failed)
	case ActHumanKey:
		rows, wrong = inState(rows, ledger.Committed, ledger.Failed)
	}
	if needsRows := msg.action == ActFail || msg.action == ActCommit || msg.action == ActHumanKey; needsRows && len(rows) == 0 {
		if wrong == "" {
			wrong = "the ledger has no row of this key"
		}
		return m.say(string(msg.action)+": "+wrong, ink.Warn)
	}
	targets, skipped := msg.targets, 0
	if len(rows) > 0 {
		skipped = len(targets) - msg.twice - len(rows)
		targets = nil
		for _, r := range rows {
			targets = append(targets, msg.of[r.Key])
		}
	}
	q := newQuestion(msg.action, targets, rows, skipped)
	if msg.plan != nil {
		q.planned(msg.targets, msg.plan, msg.action == ActKept)
	}
	if msg.action == ActKept && msg.plan == nil {
		return m.say("compensate kept: this build cannot say what it would do", ink.Warn)
	}
	if msg.merges != nil {
		q.previewed(msg.targets[0], msg.merges)
	}
	m.front = q
	if msg.action == ActClassify {
		return m.lookAt(q, msg.targets)
	}
	return nil
}

// planned names the calls that a compensation goes to.
func planned(targets []subject, kept bool) (out []Target) {
	for _, s := range targets {
		t := Target{Key: s.key(), Kept: kept}
		if s.finding != nil {
			t.Side = s.finding.Side
		}
		out = append(out, t)
	}
	return out
}

// inState keeps the rows in one of some states; of the others it says what the first one is.
func inState(rows []ledger.Row, states ...ledger.State) (fit []ledger.Row, wrong string) {
	for _, r := range rows {
		ok := false
		for _, s := range states {
			ok = ok || r.State == s
		}
		if ok {
			fit = append(fit, r)
		} else if wrong == "" {
			wrong = "the row is " + string(r.State)
		}
	}
	return fit, wrong
}

// act turns an intent into a command.
func (m *model) act(in Intent) tea.Cmd {
	m.acting++
	m.pane().pos().marks = nil
	m.say(string(in.Action())+" "+m.theme.Glyph.Ellipsis, ink.Plain)
	actor := m.opt.Actor
	return m.run("action", func(ctx context.Context) tea.Msg {
		said, err := actor.Do(ctx, in)
		return actedMsg{in.Action(), said, err}
	})
}

// quit ends the board; while an action is on its way only the second time.
func (m *model) quit() tea.Cmd {
	if m.acting > 0 && !m.leaving {
		m.leaving = true
		return m.say("an action is on its way: "+m.press("quit")+" again leaves without its outcome", ink.WarnBold)
	}
	return tea.Quit
}

// named is how a question names what it is about: the one row, or how many.
func named(targets []subject, n int) string {
	if n != 1 || len(targets) == 0 {
		tools := map[string]bool{}
		for _, s := range targets {
			tools[s.toolName()] = true
		}
		text := strconv.Itoa(n) + " rows"
		if len(tools) == 1 {
			return text + " of " + targets[0].toolName()
		}
		return text + " of " + strconv.Itoa(len(tools)) + " tools"
	}
	s := targets[0]
	if k := s.key(); k != "" {
		return s.toolName() + " " + prefix(k)
	}
	return s.toolName()
}
