package board

import (
	"strconv"

	"drainboard/ui/board/ink"
)

// View is for whoever draws frames itself. Where there is a terminal Update has handed the frame over already.
func (m *model) View() string {
	if m.term != nil {
		return ""
	}
	return m.frameText()
}

// frameText draws the screen: exactly the terminal's lines, each exactly its columns. A fault in it ends the program.
func (m *model) frameText() string {
	if !m.dirty {
		return m.drawn
	}
	m.dirty = false
	defer func() {
		if v := recover(); v != nil {
			m.guard.caught("view", v)
		}
	}()
	m.drawn = m.render()
	return m.drawn
}

func (m *model) render() string {
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	m.frame = m.frame[:0]
	if m.w < leastW || m.h < leastH {
		m.tooSmall()
		return string(m.frame)
	}
	l := m.layout()
	m.head.Reset(m.theme, m.w, bodyTop-1)
	m.header(&m.head)
	m.tabs(&m.head)
	m.put(&m.head, m.head.Fill().Height())
	m.bottom.Reset(m.theme, m.w, 1)
	m.upperRule(&m.bottom, l)
	m.put(&m.bottom, 1)
	if p := m.top(); p != nil {
		m.body.Reset(m.theme, m.w, l.body-l.sheet)
		p.draw(m, &m.body)
		m.put(m.body.Fill(), l.body-l.sheet)
	} else {
		m.drawPane(l)
	}
	if l.sheet > 0 {
		m.bottom.Reset(m.theme, m.w, l.sheet)
		m.closing(&m.bottom, l.wide && m.top() == nil)
		m.front.drawSheet(m, &m.bottom)
		m.put(m.bottom.Fill(), l.sheet)
	}
	m.bottom.Reset(m.theme, m.w, 2)
	m.closing(&m.bottom, l.wide && m.top() == nil && l.sheet == 0)
	m.footer(&m.bottom)
	m.put(m.bottom.Fill(), 2)
	return string(m.frame[:len(m.frame)-1])
}

// put adds the first n lines of a block to the frame.
func (m *model) put(b *ink.Block, n int) {
	for i := range n {
		m.frame = append(append(m.frame, b.Line(i)...), '\n')
	}
}

// drawPane draws a list with its detail.
func (m *model) drawPane(l layout) {
	free := l.body - l.sheet
	switch {
	case l.wide:
		m.body.Reset(m.theme, l.list, free)
		m.drawList(&m.body)
		m.side.Reset(m.theme, l.side, free)
		m.drawPeek(&m.side, true)
		m.body.Fill()
		m.side.Fill()
		wall := &m.bottom
		wall.Reset(m.theme, 1, 1)
		wall.Say(m.theme.Glyph.Wall, ink.Rule).End()
		for i := range free {
			m.frame = append(append(append(append(m.frame, m.body.Line(i)...), wall.Line(0)...), m.side.Line(i)...), '\n')
		}
	case l.strip > 0:
		m.body.Reset(m.theme, m.w, free-l.strip-1)
		m.drawList(&m.body)
		m.put(m.body.Fill(), free-l.strip-1)
		m.bottom.Reset(m.theme, m.w, 1)
		m.lowerRule(&m.bottom)
		m.put(&m.bottom, 1)
		m.side.Reset(m.theme, m.w, l.strip)
		m.drawPeek(&m.side, false)
		m.put(m.side.Fill(), l.strip)
	default:
		m.body.Reset(m.theme, m.w, free)
		m.drawList(&m.body)
		m.put(m.body.Fill(), free)
	}
}

// drawList draws the shown pane: its rows, or what an empty one has to say, and what stands below them.
func (m *model) drawList(b *ink.Block) {
	p := m.pane()
	if p.shown() == 0 {
		m.drawEmpty(b)
		return
	}
	p.draw(b, m.look)
	if m.screen == onDrain {
		drainBelow(b, m.snap, m.look, m.press("go to"))
		return
	}
	if b.Left() >= 2 {
		b.End()
		b.To(indent)
		m.below(b)
		b.End()
	}
}

// drawPeek draws what is known of the row under the cursor: beside the list, or below it.
func (m *model) drawPeek(b *ink.Block, side bool) {
	s := m.pane().about()
	p := &m.peek
	f := p.facts
	if f != nil && f.of != s && !sameRow(f.of, s) {
		f = nil
	}
	key := peekKey{of: s, facts: f, width: b.Width(), height: b.Height(), side: side, look: m.look.absolute}
	if s.row != nil || s.finding != nil && s.finding.Details().Timeout > 0 {
		key.now = m.look.now // ages stand in it
	}
	if p.key != key || p.lines == nil {
		c := composer{look: m.look, g: m.theme.Glyph, width: b.Width() - 2, recipe: m.snap.Recipe, ruleBy: m.rule, press: m.press}
		if side {
			p.lines = c.compose(s, f)
		} else {
			p.lines = c.strip(s, f, b.Height())
		}
		p.key = key
	}
	for i := range p.lines {
		if b.Left() == 0 {
			return
		}
		b.Gap(1)
		drawLine(b, &p.lines[i])
	}
}

// closing draws the rule below a region; crossed: the wall between list and detail ends in it.
func (m *model) closing(b *ink.Block, crossed bool) {
	g := m.theme.Glyph
	if !crossed {
		b.Times(g.Rule, b.Width(), ink.Rule).End()
		return
	}
	l := m.layout()
	b.Times(g.Rule, l.list, ink.Rule).Sign(g.Tee, ink.Rule).Times(g.Rule, b.Room(), ink.Rule).End()
}

// upperRule is the line under the tabs: how far loading is, the filter, or the way to the page.
func (m *model) upperRule(b *ink.Block, l layout) {
	g := m.theme.Glyph
	st := m.pane().options()
	switch {
	case m.top() != nil:
		b.Times(g.Rule, 1, ink.Rule).Gap(1).Say(m.press("back"), ink.Hint).Gap(1).Say(m.crumbs(), ink.Plain).Gap(1)
		m.position(b)
	case m.prog.Loading && m.prog.Total > 0:
		full := int(float64(m.w) * min(float64(m.prog.Read)/float64(m.prog.Total), 1))
		left := ""
		if m.prog.Rate > 0 {
			left = " " + lasting(float64(m.prog.Total-m.prog.Read)/m.prog.Rate) + " left "
		}
		b.Times(g.Bar, min(full, m.w-len(left)), ink.Bar)
		b.Times(g.Rule, b.Room()-len(left), ink.Rule).Say(left, ink.Faint)
	case st.filter != nil && m.front == nil:
		b.Times(g.Rule, 1, ink.Rule).Gap(1).Say("/"+st.filter.Text, ink.Accent).Gap(2)
		b.Say(count(m.pane().shown(), "row", "rows"), ink.Plain).Gap(1)
		if len(st.filter.Problems) > 0 {
			b.Say(st.filter.Problems[0].Message, ink.Wrong).Gap(1)
		}
	}
	if l.wide && m.top() == nil && b.Col() < l.list {
		b.Times(g.Rule, l.list-b.Col(), ink.Rule).Sign(g.Cross, ink.Rule)
	}
	b.Times(g.Rule, b.Room(), ink.Rule).End()
}

// position says, at the right of a rule, where in a long page the cursor is.
func (m *model) position(b *ink.Block) {
	gr := m.grid()
	if gr.n <= gr.height {
		return
	}
	text := " " + ink.Thousands(gr.cursor+1) + " of " + ink.Thousands(gr.n) + " "
	b.Times(m.theme.Glyph.Rule, b.Room()-len(text)-1, ink.Rule).Say(text, ink.Faint)
}

// lowerRule parts the list from the detail below it; it says where in a long list the cursor is.
func (m *model) lowerRule(b *ink.Block) {
	m.position(b)
	b.Times(m.theme.Glyph.Rule, b.Room(), ink.Rule).End()
}

func (m *model) tooSmall() {
	m.body.Reset(m.theme, m.w, m.h)
	b := &m.body
	b.Say(" drainboard ", ink.Strong)
	m.verdict(b)
	b.End()
	b.Say(" needs "+strconv.Itoa(leastW)+"x"+strconv.Itoa(leastH)+", has "+strconv.Itoa(m.w)+"x"+strconv.Itoa(m.h), ink.Plain).End()
	b.Say(" q quits", ink.Faint).End()
	m.put(b.Fill(), m.h)
	m.frame = m.frame[:len(m.frame)-1]
}
