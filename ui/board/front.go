package board

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// footer writes the last line: what is being typed, what was said, or what works now.
func (m *model) footer(b *ink.Block) {
	switch {
	case m.front != nil:
		m.front.drawFoot(m, b)
	case m.note != "":
		b.Gap(1).Say(m.note, m.noteTone)
	default:
		m.hints(b)
	}
	b.End()
}

// hints writes the bindings that work now, by their place, as many as fit; help always fits.
func (m *model) hints(b *ink.Block) {
	var shown []*binding
	var help *binding
	for i := range m.binds {
		x := &m.binds[i]
		if x.foot == 0 || x.where&m.in() == 0 {
			continue
		}
		if x.name == "help" {
			help = x
		}
		if x.reason(m) == "" {
			shown = append(shown, x)
		}
	}
	width := func(x *binding) int { return safe.Width(safe.Line(x.label(m))) + 1 + len(x.name) + 2 }
	room := b.Width() - 1 - width(help)
	b.Gap(1)
	for place := 1; place <= 15; place++ {
		for _, x := range shown {
			if x.foot != place || x != help && width(x) > room {
				continue
			}
			if x != help {
				room -= width(x)
			}
			b.Say(x.label(m), ink.Hint).Gap(1).Say(x.name, ink.Faint).Gap(2)
		}
	}
}

// searchPrompt searches the page on top.
type searchPrompt struct{ field }

func (m *model) startSearch() tea.Cmd {
	m.front = &searchPrompt{}
	return nil
}

func (p *searchPrompt) key(m *model, k tea.KeyMsg) tea.Cmd {
	q := m.query()
	switch k.String() {
	case "enter":
		m.front = nil
		*q = strings.ToLower(p.text)
		if *q == "" {
			return nil
		}
		m.grid().move(-1)
		return m.searchOn(1)
	case "esc", "ctrl+c":
		m.front = nil
		*q = ""
		return nil
	}
	if p.field.key(k) {
		*q = strings.ToLower(p.text)
	}
	return nil
}

func (p *searchPrompt) sheet(*model) int             { return 0 }
func (p *searchPrompt) drawSheet(*model, *ink.Block) {}

func (p *searchPrompt) drawFoot(_ *model, b *ink.Block) {
	b.Gap(1).Say("search ", ink.Hint)
	p.draw(b, nil)
}

// palette lists every action by name.
type palette struct {
	field
	hits []*binding
	at   int
}

const paletteRows = 10

func (m *model) startPalette() tea.Cmd {
	p := &palette{}
	p.look(m)
	m.front = p
	return nil
}

// look finds the bindings whose name or help holds all words typed.
func (p *palette) look(m *model) {
	p.hits, p.at = p.hits[:0], 0
	words := strings.Fields(strings.ToLower(p.text))
	for pass := range 2 { // what matches by name comes first
		for i := range m.binds {
			b := &m.binds[i]
			if b.where&m.in() == 0 {
				continue
			}
			name, all := strings.ToLower(b.name), strings.ToLower(b.name+" "+b.help)
			if holds(name, words) == (pass == 0) && holds(all, words) {
				p.hits = append(p.hits, b)
			}
		}
	}
}

func holds(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

func (p *palette) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc", "ctrl+c":
		m.front = nil
	case "down", "ctrl+n", "tab":
		p.at = min(p.at+1, max(len(p.hits)-1, 0))
	case "up", "ctrl+p", "shift+tab":
		p.at = max(p.at-1, 0)
	case "enter":
		m.front = nil
		if p.at < len(p.hits) {
			return m.do(p.hits[p.at])
		}
	default:
		if p.field.key(k) {
			p.look(m)
		}
	}
	return nil
}

func (p *palette) sheet(*model) int { return paletteRows }

func (p *palette) drawSheet(m *model, b *ink.Block) {
	from := max(p.at-paletteRows+1, 0)
	for i := from; i < min(from+paletteRows, len(p.hits)); i++ {
		x := p.hits[i]
		if i == p.at {
			b.Sign(b.Glyph().Caret, ink.Caret)
		}
		tone := ink.Plain
		why := x.reason(m)
		if why != "" {
			tone = ink.Faint
		}
		b.To(2).Right(x.label(m), 6, ink.Hint).Gap(2).SayCell(x.name, 18, tone).Gap(1)
		if why != "" {
			b.Say(x.help+": ", ink.Faint).Say(why, ink.Warn)
		} else {
			b.Say(x.help, ink.Faint)
		}
		b.End()
	}
	if len(p.hits) == 0 {
		b.To(2).Say("no action is called that", ink.Faint).End()
	}
}

func (p *palette) drawFoot(_ *model, b *ink.Block) {
	b.Gap(1).Say(":", ink.Hint)
	p.draw(b, nil)
}
