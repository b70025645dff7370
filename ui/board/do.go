package board

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

// moved moves the cursor of what is shown.
func (m *model) moved(how func(*grid) bool) tea.Cmd {
	how(m.grid())
	return nil
}

func (m *model) whyRow() string {
	if m.about().none() {
		return "there is no row"
	}
	return ""
}

func (m *model) whyKey() string {
	s := m.about()
	switch {
	case s.none():
		return "there is no row"
	case s.key() == "":
		return "this row has no key"
	}
	return ""
}

// open opens what the row under the cursor is about.
func (m *model) open() tea.Cmd {
	s := m.about()
	switch {
	case s.none():
		return m.say("there is no row", ink.Faint)
	case s.item != nil:
		return m.jump(s.item)
	case s.run != nil:
		return m.push(&timelinePage{name: s.run.Run, query: intake.Query{Run: s.run.Run, Copies: m.pane().options().copies}})
	case s.tool != nil:
		return m.push(&timelinePage{name: s.tool.Tool, query: intake.Query{Tool: s.tool.Tool, Copies: m.pane().options().copies}})
	case s.finding != nil && s.finding.Tool == "" && s.finding.Run != "" || s.finding != nil && wholeRun(s.finding.Kind):
		return m.push(&timelinePage{name: s.finding.Run, query: intake.Query{Run: s.finding.Run}})
	}
	return m.push(&detailPage{of: s, copies: m.pane().options().copies})
}

// wholeRun says that a finding is about a run rather than about some calls of it.
func wholeRun(k triage.Kind) bool { return k == triage.OverBudget || k == triage.NewWhileDraining }

func (m *model) fold() tea.Cmd {
	if p, ok := m.top().(*detailPage); ok {
		return p.fold(m)
	}
	return nil
}

func (m *model) back() tea.Cmd {
	if len(m.pages) > 0 {
		m.pages = m.pages[:len(m.pages)-1]
	}
	return m.showSnapshot()
}

// clear takes back what narrows the list, one thing at a time.
func (m *model) clear() tea.Cmd {
	st, g := m.pane().options(), m.pane().pos()
	switch {
	case len(g.marks) > 0:
		g.marks = nil
	case !st.filter.Empty() || st.filter != nil:
		st.filter = nil
		return m.restate()
	}
	return nil
}

func (m *model) nextTab() tea.Cmd {
	st := m.pane().options()
	st.tab = (st.tab + 1) % len(flightTabs)
	st.hushed = st.tab == 1 || st.tab == 2 // lists of one state leave rows out
	g := m.pane().pos()
	g.top, g.cursor, g.touched = 0, 0, false
	return m.restate()
}

func (m *model) mark() tea.Cmd {
	p := m.pane()
	p.pos().mark(p.pos().id, p.about())
	p.pos().move(1)
	return nil
}

func (m *model) markAll() tea.Cmd {
	p := m.pane()
	all := p.each(func(id string, s subject) {
		if !p.pos().isMarked(id) {
			p.pos().mark(id, s)
		}
	})
	return m.saidMarks(all)
}

func (m *model) invertMarks() tea.Cmd {
	p := m.pane()
	return m.saidMarks(p.each(p.pos().mark))
}

func (m *model) saidMarks(all bool) tea.Cmd {
	text := ink.Thousands(len(m.pane().pos().marks)) + " marked"
	if !all {
		text += ": the first " + ink.Thousands(most) + " of the list only"
	}
	return m.say(text, ink.Plain)
}

func (m *model) nextOrder() tea.Cmd {
	st, names := m.pane().options(), m.pane().orders()
	st.order = (st.order + 1) % len(names)
	m.say("sorted by "+names[st.order], ink.Plain)
	return m.restate()
}

func (m *model) pause() tea.Cmd {
	m.paused = !m.paused
	if m.paused {
		return m.say("the screen holds still; reading goes on", ink.Plain)
	}
	return m.showSnapshot()
}

func (m *model) times() tea.Cmd {
	m.look.absolute = !m.look.absolute
	return nil
}

func (m *model) togglePure() tea.Cmd {
	st := m.pane().options()
	st.pure = !st.pure
	m.say(shownWord("repeats of pure tools", st.pure), ink.Plain)
	return m.restate()
}

func (m *model) toggleAcked() tea.Cmd {
	st := m.pane().options()
	st.hushed = !st.hushed
	m.say(shownWord("what is acknowledged", !st.hushed), ink.Plain)
	return m.restate()
}

// toggleCopies shows or hides, wherever calls are listed, those that only restate others.
func (m *model) toggleCopies() tea.Cmd {
	st := m.pane().options()
	st.copies = !st.copies
	m.say(shownWord("copies", st.copies), ink.Plain)
	m.peek.facts, m.peek.of = nil, subject{}
	for _, p := range m.pages {
		switch p := p.(type) {
		case *detailPage:
			p.copies = st.copies
			p.reread()
		case *timelinePage:
			p.query.Copies = st.copies
			p.news()
		}
	}
	return nil
}

func shownWord(what string, on bool) string {
	if on {
		return what + ": shown"
	}
	return what + ": hidden"
}

func (m *model) follow() tea.Cmd {
	g := m.grid()
	g.follow = !g.follow
	if !g.follow {
		return m.say("follow: off", ink.Plain)
	}
	m.say("follow: the cursor stays on the newest row", ink.Plain)
	if m.top() != nil {
		g.to(g.n - 1)
		return nil
	}
	g.to(0)
	st := m.pane().options()
	for i, name := range m.pane().orders() {
		if name == "latest first" {
			st.order = i
		}
	}
	return m.restate()
}

func (m *model) resplit(by int) tea.Cmd {
	if m.w < wideFrom {
		return m.say("the detail stands beside the list from "+ink.Thousands(wideFrom)+" columns on", ink.Faint)
	}
	m.split += by
	m.split = m.layout().splitLimit(m.split)
	return nil
}

// blockers goes to the checklist, and from there to the rows of its first line that is not done.
func (m *model) blockers() tea.Cmd {
	if m.screen != onDrain || m.top() != nil {
		return m.show(onDrain)
	}
	for _, d := range drainItems(m.snap) {
		if !d.done {
			return m.jump(d)
		}
	}
	return m.say("nothing blocks", ink.Good)
}

// jump goes to the rows of a line of the checklist.
func (m *model) jump(d *drainItem) tea.Cmd {
	if d.kind == "unread" {
		return m.sources()
	}
	cmd := m.show(d.screen)
	st, g := m.pane().options(), m.pane().pos()
	st.filter, st.tab, st.order = nil, 0, 0
	if d.filter != "" {
		st.filter = filter.Parse(d.filter, m.pane().subject())
	}
	g.top, g.cursor, g.touched = 0, 0, false
	if st.hushed = d.kind == "critical"; st.hushed {
		m.say("acknowledged ones are hidden: "+m.press("acknowledged")+" shows them", ink.Faint)
	}
	return tea.Batch(cmd, m.restate())
}

func (m *model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		m.say("mouse on: the wheel scrolls, a click selects; the terminal's own selection needs shift", ink.Plain)
	} else {
		m.say("mouse off", ink.Plain)
	}
	if m.term != nil {
		m.term.track(m.mouse)
	}
	return nil
}

// redraw draws the screen anew, after something else wrote on it.
func (m *model) redraw() tea.Cmd {
	if m.term != nil {
		m.term.forget()
	}
	return nil
}

// suspend gives the terminal back to the shell until it says fg.
func (m *model) suspend() tea.Cmd {
	if m.term == nil || m.stop == nil {
		return nil
	}
	away, term := &m.guard.away, m.term
	away.Store(true)
	term.leave()
	return tea.Exec(m.stop, func(error) tea.Msg {
		away.Store(false)
		term.enter()
		return saidMsg{}
	})
}

// click moves with the wheel and selects with the left button.
func (m *model) click(e tea.MouseMsg) tea.Cmd {
	if m.front != nil || m.w == 0 {
		return nil
	}
	switch {
	case e.Button == tea.MouseButtonWheelDown:
		return m.moved(func(g *grid) bool { return g.move(3) })
	case e.Button == tea.MouseButtonWheelUp:
		return m.moved(func(g *grid) bool { return g.move(-3) })
	case e.Button != tea.MouseButtonLeft || e.Action != tea.MouseActionPress:
		return nil
	case e.Y == 1:
		return m.clickTab(e.X)
	}
	g, first := m.grid(), bodyTop
	if m.top() == nil || m.in() == inTimeline {
		first++
	}
	row := e.Y - first
	if row < 0 || row >= g.height || g.top+row >= g.n || m.top() == nil && e.X >= m.layout().list {
		return nil
	}
	if g.top+row == g.cursor {
		return m.open()
	}
	g.to(g.top + row)
	return nil
}

func (m *model) clickTab(x int) tea.Cmd {
	at := 1
	for s := range screens {
		w := m.tabWidth(s)
		if x >= at && x < at+w {
			return m.show(s)
		}
		at += w + m.tabGap()
	}
	return nil
}

func (m *model) whySearch() string {
	if m.query() == nil || *m.query() == "" {
		return "search with " + m.press("search") + " first"
	}
	return ""
}

// query is the search text of the page on top.
func (m *model) query() *string {
	switch p := m.top().(type) {
	case *detailPage:
		return &p.query
	case *textPage:
		return &p.query
	case *timelinePage:
		return &p.search
	}
	return nil
}

// searchOn goes to the next line that holds the search text, in a direction.
func (m *model) searchOn(by int) tea.Cmd {
	p, q := m.top(), m.query()
	if q == nil || *q == "" {
		return nil
	}
	g := p.pos()
	for i := 1; i <= g.n; i++ {
		at := ((g.cursor+i*by)%g.n + g.n) % g.n
		if strings.Contains(strings.ToLower(p.lineText(at)), *q) {
			g.to(at)
			return nil
		}
	}
	return m.say("not found: "+*q, ink.Warn)
}

func (m *model) whyCompare() string {
	if n := len(m.compared()); n != 2 {
		return "mark two rows with " + m.press("mark") + ", or one and go to the other; " + ink.Thousands(n) + " of two chosen"
	}
	return ""
}

// compared are the two rows to compare: the marked ones, or a marked one and the one under the cursor.
func (m *model) compared() []subject {
	if m.top() != nil {
		return nil
	}
	g := m.pane().pos()
	out := m.targets()
	if len(g.marks) == 1 && !g.isMarked(g.id) && g.id != "" {
		out = append(out, m.pane().about())
	}
	return out
}

func (m *model) compare() tea.Cmd {
	two := m.compared()
	return m.run("compare", func(ctx context.Context) tea.Msg {
		return compareMsg{read(ctx, m.eng, two[0], false), read(ctx, m.eng, two[1], false)}
	})
}

// compareMsg is what is known of two rows.
type compareMsg struct{ a, b *facts }
