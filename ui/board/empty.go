package board

import (
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
)

// drawEmpty says why a list is empty, and what would stand in it.
func (m *model) drawEmpty(b *ink.Block) {
	lines := m.emptyWords()
	b.End()
	for i, l := range lines {
		tone := ink.Plain
		if i > 0 {
			tone = ink.Faint
		}
		for _, w := range wrapped([]span{say(l, tone)}, b.Width()-2*indent-2) {
			b.To(indent + 1)
			drawLine(b, &w)
		}
		if i == 0 {
			b.End()
		}
	}
}

// emptyWords are the sentences of an empty list: what is the case, then what would make a row.
func (m *model) emptyWords() []string {
	s, st := m.snap, m.pane().options()
	calls := count(s.Totals.Calls, "call", "calls")
	if st.filter != nil {
		return []string{"No row passes the filter /" + st.filter.Text, m.press("clear") + " takes the filter back."}
	}
	switch m.screen {
	case onFindings:
		if m.prog.Loading {
			return []string{"Nothing found yet in " + calls + ".", "Findings appear here while the traces are read."}
		}
		if hidden := s.Findings.Len(); hidden > 0 {
			return []string{
				"No finding in " + calls + " but " + count(hidden, "repeat", "repeats") + " of pure tools.",
				"Reads may be repeated. " + m.press("pure tools") + " shows them.",
			}
		}
		return []string{
			"No duplicates in " + calls + ".",
			"One key with two calls would stand here, and so would one call that was answered twice.",
		}
	case onFlight:
		return m.emptyFlight()
	case onRuns:
		return []string{"No runs yet.", "Every session, conversation or trace id with a call in it is a run, and stands here against its ceiling of calls."}
	case onTools:
		return []string{"No tools yet.", "Every tool that a call names stands here with its class; those in no class come first."}
	case onLog:
		if m.opt.Journal == nil {
			return []string{
				"No triage log: " + m.noStore() + ".",
				"Whatever is settled, acknowledged, compensated or undone from this board stands here: who, when, what, why.",
			}
		}
		return []string{"The triage log is empty.", "Whatever is settled, acknowledged, compensated or undone stands here: who, when, what, why."}
	}
	return []string{"Nothing here."}
}

func (m *model) emptyFlight() []string {
	s := m.snap
	if m.opt.Ledger == "" {
		return []string{
			"No ledger given: start with --ledger to see what is in flight.",
			"A ledger row that was claimed and not settled would stand here with its age, and so would a call of the trace without a result.",
		}
	}
	switch m.pane().options().tab {
	case 1:
		return []string{"No row of the ledger is committed.", "A call that was sent and answered would stand here with the response that a repeat gets."}
	case 2:
		return []string{"No row of the ledger is failed.", "A call that its writer gave up would stand here; the next one of its key is sent again."}
	case 3:
		return []string{"The ledger is empty.", "Every key that was claimed has one row."}
	}
	return []string{
		"Nothing is in flight: " + ink.Thousands(s.States[string(ledger.Committed)]) + " committed, " + ink.Thousands(s.States[string(ledger.Failed)]) + " failed.",
		"A row that was claimed and not settled would stand here with its age, and so would a call without a result. " + m.press("next list") + " shows the others.",
	}
}

// below writes what stands under the rows of a list when there is room.
func (m *model) below(b *ink.Block) {
	s := m.snap
	switch m.screen {
	case onFindings:
		if hidden := s.Levels[triage.Info]; hidden > 0 && !m.pane().options().pure && m.pane().options().filter == nil {
			b.Say("and "+count(hidden, "repeat", "repeats")+" of pure tools, hidden: ", ink.Faint).Say(m.press("pure tools"), ink.Hint).Say(" shows them", ink.Faint)
		}
	case onFlight:
		hung := s.Kinds[triage.Hung]
		b.Say(ink.Thousands(s.States[string(ledger.InFlight)])+" in flight, ", ink.Faint)
		tone := ink.Faint
		if hung > 0 {
			tone = ink.High
		}
		b.Say(ink.Thousands(hung)+" hung", tone)
		b.Say(" "+m.theme.Glyph.Dot+" "+ink.Thousands(s.States[string(ledger.Committed)])+" committed "+m.theme.Glyph.Dot+" "+
			ink.Thousands(s.States[string(ledger.Failed)])+" failed", ink.Faint)
		if s.Foreign > 0 {
			b.Say(" "+m.theme.Glyph.Dot+" "+ink.Thousands(s.Foreign)+" foreign", ink.Warn)
		}
		next := flightTabs[(m.pane().options().tab+1)%len(flightTabs)]
		if tab := m.press("next list"); b.Room() >= 10+len(tab)+len(next) {
			b.Gap(3).Say(tab, ink.Hint).Say(" shows "+next, ink.Faint)
		}
	case onRuns:
		b.Say("ceiling ", ink.Plain).Say(ink.Thousands(s.Ceiling), ink.Plain).Say(" (budget.calls_per_run)", ink.Faint)
		if s.Suggest > 0 {
			b.Say(" "+m.theme.Glyph.Dot+" largest honest run "+ink.Thousands(s.Suggest/2)+" "+m.theme.Glyph.Arrow+" ", ink.Plain)
			b.Say("suggested "+ink.Thousands(s.Suggest), ink.Strong)
		}
	case onTools:
		b.Say(count(s.Tools.Len(), "tool", "tools"), ink.Plain)
		if n := s.Kinds[triage.UnclassifiedTool]; n > 0 {
			b.Say(", ", ink.Plain).Say(ink.Thousands(n)+" unclassified", ink.WarnBold).Say(": the drain cannot go.", ink.Plain)
			b.Gap(1).Say(m.press("classify"), ink.Hint).Say(" classifies", ink.Plain)
		} else {
			b.Say(", every one has a class", ink.Plain)
		}
	}
}
