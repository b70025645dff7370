package board

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
)

// page is what stands in the place of a screen until esc: a detail, a timeline, a text.
type page interface {
	scope() scope
	title() string
	pos() *grid
	// refresh makes the page fit a size and what is known now; it returns a command when it needs to know more.
	refresh(m *model, w, h int) tea.Cmd
	draw(m *model, b *ink.Block)
	// receive takes in an answer that refresh asked for; stale ones are dropped.
	receive(m *model, msg any) tea.Cmd
	about() subject
	// lineText is line i as text, for the search.
	lineText(i int) string
}

// detailPage is everything about one row.
type detailPage struct {
	grid
	of     subject
	facts  *facts
	asked  uint64 // generation of the newest question
	folded folds
	copies bool
	lines  []line
	width  int
	stale  bool
	query  string
}

func (p *detailPage) scope() scope   { return inDetail }
func (p *detailPage) pos() *grid     { return &p.grid }
func (p *detailPage) about() subject { return p.of }

func (p *detailPage) title() string {
	name := p.of.toolName()
	if name == "" && p.of.finding != nil {
		name = p.of.finding.Run
	}
	if key := p.of.key(); key != "" {
		name += " " + prefix(key)
	}
	return strings.TrimSpace(name)
}

// factsMsg is the answer to a question for facts.
type factsMsg struct {
	gen   uint64
	facts *facts
}

func (p *detailPage) refresh(m *model, w, h int) tea.Cmd {
	p.setHeight(h)
	if p.width != w || p.stale {
		p.compose(m, w)
	}
	if p.asked > 0 {
		return nil
	}
	p.asked = m.generation()
	return m.question(p.asked, p.of, p.copies, m.opt.Journal)
}

func (p *detailPage) compose(m *model, w int) {
	c := composer{look: m.look, g: m.theme.Glyph, width: w - 3, recipe: m.snap.Recipe, ruleBy: m.rule, press: m.press, page: true, folded: p.folded}
	p.lines = c.compose(p.of, p.facts)
	p.width, p.stale = w, false
	p.grid.n = len(p.lines)
	p.clamp()
}

func (p *detailPage) receive(m *model, msg any) tea.Cmd {
	if f, ok := msg.(factsMsg); ok && f.gen == p.asked {
		p.facts, p.stale = f.facts, true
	}
	return nil
}

// news takes the finding of the page from a newer snapshot, when it has changed there.
func (p *detailPage) news(s *triage.Snapshot) {
	f := p.of.finding
	if f == nil {
		return
	}
	i := seekFinding(stretch[*triage.Finding]{of: s.Findings, n: s.Findings.Len()}, f)
	if now, ok := s.Findings.At(i); ok && i >= 0 && now.ID == f.ID && now != f {
		p.of.finding, p.stale = now, true
		p.reread()
	}
}

// retell takes the entry of the page from a newer log, newest first: what its script prints goes on; when it has ended the entry of
// the end, which holds what was printed, takes its place.
func (p *detailPage) retell(all []*Entry) {
	was := p.of.entry
	for i, e := range all {
		if e.ID != was.ID {
			continue
		}
		if e.Output == "" && was.Output != "" {
			for _, end := range slices.Backward(all[:i]) {
				if end.Key == e.Key && end.Output != "" {
					e = end
					break
				}
			}
		}
		if *e != *was {
			p.of.entry, p.stale = e, true
		}
		return
	}
}

// reread asks again, after something changed; what is shown stays until the answer is there.
func (p *detailPage) reread() { p.asked = 0 }

func (p *detailPage) draw(m *model, b *ink.Block) {
	from, to := p.visible()
	for i := from; i < to; i++ {
		l := &p.lines[i]
		if i == p.cursor {
			b.Sign(b.Glyph().Caret, ink.Caret)
		}
		b.To(2)
		if p.query != "" && strings.Contains(strings.ToLower(p.lineText(i)), p.query) {
			drawHit(b, p.lineText(i), p.query)
			continue
		}
		drawLine(b, l)
	}
}

// drawHit writes a line with the hits of a search in it.
func drawHit(b *ink.Block, text, query string) {
	for {
		lower := strings.ToLower(text)
		at := strings.Index(lower, query)
		if at < 0 || len(lower) != len(text) {
			b.Say(text, ink.Plain).End()
			return
		}
		b.Say(text[:at], ink.Plain).Say(text[at:at+len(query)], ink.Found)
		text = text[at+len(query):]
	}
}

func (p *detailPage) lineText(i int) string { return spansText(p.lines[i].spans) }

func spansText(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(string(s.text))
	}
	return b.String()
}

// fold turns the value under the cursor, or opens the call under it.
func (p *detailPage) fold(m *model) tea.Cmd {
	if p.cursor >= len(p.lines) {
		return nil
	}
	l := p.lines[p.cursor]
	switch {
	case l.fold > 0:
		if p.folded == nil {
			p.folded = folds{}
		}
		p.folded[l.fold] = !p.folded[l.fold]
		p.stale = true
	case l.call > 0 && p.facts != nil && p.of.call == nil:
		call := p.facts.calls[l.call-1]
		return m.push(&detailPage{of: subject{call: &call}})
	default:
		m.say("nothing folds here", ink.Faint)
	}
	return nil
}

// textPage is lines that are known already: help, sources, the answer of a comparison.
type textPage struct {
	grid
	name  string
	make  func(m *model, width int) []line
	lines []line
	width int
	query string
	live  bool // made again for each frame
}

func (p *textPage) scope() scope                { return inText }
func (p *textPage) title() string               { return p.name }
func (p *textPage) pos() *grid                  { return &p.grid }
func (p *textPage) about() subject              { return subject{} }
func (p *textPage) receive(*model, any) tea.Cmd { return nil }
func (p *textPage) lineText(i int) string       { return spansText(p.lines[i].spans) }

func (p *textPage) refresh(m *model, w, h int) tea.Cmd {
	p.setHeight(h)
	if p.width != w || p.live {
		p.lines, p.width = p.make(m, w-3), w
		p.grid.n = len(p.lines)
		p.clamp()
	}
	return nil
}

func (p *textPage) draw(m *model, b *ink.Block) {
	from, to := p.visible()
	for i := from; i < to; i++ {
		if i == p.cursor {
			b.Sign(b.Glyph().Caret, ink.Caret)
		}
		b.To(2)
		if p.query != "" && strings.Contains(strings.ToLower(p.lineText(i)), p.query) {
			drawHit(b, p.lineText(i), p.query)
			continue
		}
		drawLine(b, &p.lines[i])
	}
}
