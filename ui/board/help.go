package board

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// help opens the page of all keys that work here, made of the bindings themselves.
func (m *model) help() tea.Cmd {
	in := m.in()
	if in == inText {
		return m.back()
	}
	not := map[*binding]string{} // why actions do not work where one came from
	for i := range m.binds {
		if b := &m.binds[i]; b.where&in != 0 && b.action != "" {
			not[b] = b.reason(m)
		}
	}
	return m.push(&textPage{name: "help", make: func(m *model, width int) []line { return m.helpLines(in, not, width) }})
}

func (m *model) helpLines(in scope, not map[*binding]string, width int) []line {
	c := composer{g: m.theme.Glyph, width: width}
	parts := []struct {
		title string
		of    func(*binding) bool
	}{
		{"HERE", func(b *binding) bool { return b.where != inAll && b.action == "" }},
		{"ACTIONS", func(b *binding) bool { return b.action != "" }},
		{"MOVING AND SCREENS", func(b *binding) bool { return b.where == inAll && !b.view }},
		{"VIEWS", func(b *binding) bool { return b.view }},
	}
	for _, p := range parts {
		started := false
		for i := range m.binds {
			b := &m.binds[i]
			if b.where&in == 0 || !p.of(b) {
				continue
			}
			if !started {
				c.section(p.title, "")
				started = true
			}
			keys := b.label(m)
			for _, k := range b.press.Keys()[min(len(b.press.Keys()), 1):] {
				if k != "h" && k != "l" {
					keys += " " + k
				}
			}
			spans := []span{{safe.Fit(safe.Line(keys), 11), ink.Hint}, say(" ", ink.Plain), {safe.Fit(safe.Line(b.name), 16), ink.Plain}, say(b.help, ink.Faint)}
			c.put(spans...)
			if why := not[b]; why != "" {
				c.put(say(strings.Repeat(" ", 28)+"not now: "+why, ink.Warn))
			}
		}
	}
	if in&inRows != 0 {
		c.section("FILTER", "terms of / on this screen")
		c.wrap([]span{
			say("Words match tool, run, key, call id and file. ", ink.Plain), say(strings.Join(filter.Names(m.pane().subject()), ": ")+":", ink.Accent),
			say(" narrow; a comma separates alternatives, * is any run of characters, - before a term turns it round; tab and the right arrow complete what is typed.", ink.Plain),
		})
		if in == inFindings {
			c.wrap([]span{say("kinds: ", ink.Faint), say(kindList(), ink.Plain)})
		}
	}
	c.section("SIGNS", "")
	g := m.theme.Glyph
	for s := triage.Critical; ; s-- {
		glyph, tone := severity(g, s)
		c.put(say(glyph+" "+s.String(), tone))
		if s == triage.Low {
			break
		}
	}
	c.put(say("1"+g.To+"2", ink.Plain), say("  one call that had two effects", ink.Faint))
	return c.lines
}

func kindList() string {
	var names []string
	for k := triage.Duplicate; k <= triage.OrphanResult; k++ {
		names = append(names, k.String())
	}
	return strings.Join(names, " ")
}

// sources opens the page of what is read.
func (m *model) sources() tea.Cmd {
	return m.push(&textPage{name: "sources", live: true, make: func(m *model, width int) []line { return m.sourceLines(width) }})
}

func (m *model) sourceLines(width int) []line {
	s := m.snap
	c := composer{look: m.look, g: m.theme.Glyph, width: width}
	c.section("SOURCES", count(len(s.Sources), "file", "files")+", "+size(float64(s.Totals.Bytes))+", "+count(s.Totals.Lines, "line", "lines"))
	names, room := 8, max(width-46, 16)
	for _, v := range s.Sources {
		names = max(names, safe.Width(safe.Line(v.File)))
	}
	names = min(names, room)
	for _, v := range s.Sources {
		spans := []span{
			{safe.Fit(safe.Line(v.Side), 8), ink.Accent},
			{safe.Fit(safe.Line(v.File), names), ink.Plain},
			{safe.Fit(safe.Line("  "+v.Format), 16), ink.Faint},
			say(right(ink.Thousands(v.Calls), 10)+" calls  ", ink.Plain),
			say(right(c.when(v.Last), c.whenWidth()), ink.Faint),
		}
		if v.Bad > 0 {
			spans = append(spans, say("  "+ink.Thousands(v.Bad)+" bad", ink.Warn))
		}
		if v.Note != "" {
			spans = append(spans, say("  "+v.Note, ink.Warn))
		}
		c.put(spans...)
	}
	c.section("LEDGER", "")
	switch {
	case m.opt.Ledger == "":
		c.put(say("none: start with --ledger", ink.Faint))
	case m.prog.Ledger != "":
		c.put(say(m.opt.Ledger, ink.Plain), say("  "+m.prog.Ledger, ink.Bad))
	case m.opt.LedgerFixed != "":
		c.put(say(m.opt.Ledger, ink.Plain), say("  read only: "+m.opt.LedgerFixed, ink.Warn))
	default:
		c.put(say(m.opt.Ledger, ink.Plain))
	}
	c.section("DECISION TABLE", "")
	switch {
	case m.prog.Table != "":
		c.put(say(m.opt.Table, ink.Plain), say("  stays as it was read: "+m.prog.Table, ink.Bad))
	case m.opt.Table == "":
		c.put(say("none: every tool is unclassified; init writes one", ink.Faint))
	case m.opt.TableFixed != "":
		c.put(say(m.opt.Table, ink.Plain), say("  nothing of it is run: "+m.opt.TableFixed, ink.Warn))
	default:
		c.put(say(m.opt.Table, ink.Plain))
	}
	c.section("KEYS", "")
	c.put(say("recipe "+s.Recipe, ink.Plain))
	if s.RecipeNote != "" {
		c.wrap([]span{say(s.RecipeNote, ink.Warn)})
	}
	if s.Unkeyed > 0 {
		c.put(say(count(s.Unkeyed, "call has", "calls have")+" no key", ink.Warn))
	}
	if len(s.Bad) > 0 {
		c.section("UNREADABLE", ink.Thousands(s.Totals.Bad))
		for _, b := range s.Bad {
			at := b.File
			if b.Line > 0 {
				at = place(triage.Pos{File: b.File, Line: b.Line})
			}
			c.put(say(at+"  ", ink.Plain), say(b.Reason, ink.Warn))
		}
	}
	return c.lines
}

func right(text string, w int) string { return strings.Repeat(" ", max(w-len(text), 0)) + text }
