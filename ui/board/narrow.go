package board

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// filterPrompt narrows the list as one types, and says how the word that is typed may go on: the likeliest rest stands dim behind the
// cursor, where the right arrow takes it; tab puts in one word after the other.
type filterPrompt struct {
	field
	was   *filter.Filter
	now   *filter.Filter
	ends  filter.Completion
	taken int // which of ends.Words tab has put in, from 1; 0: none
}

func (m *model) startFilter() tea.Cmd {
	p := &filterPrompt{was: m.pane().options().filter}
	if p.was != nil {
		p.set(p.was.Text)
	}
	p.now = filter.Parse(p.text, m.pane().subject())
	m.front = p
	return nil
}

func (p *filterPrompt) key(m *model, k tea.KeyMsg) tea.Cmd {
	st := m.pane().options()
	was, at := p.text, p.at
	switch k.String() {
	case "enter":
		m.front = nil
		if strings.TrimSpace(p.text) == "" {
			st.filter = nil
		}
		return m.restate()
	case "esc", "ctrl+c":
		m.front = nil
		st.filter = p.was
		return m.restate()
	case "up", "down", "pgup", "pgdown":
		if b := bound(m.binds, typed(k.String()), m.in()); b != nil {
			return b.do(m)
		}
		return nil
	case "tab":
		p.complete(m, 1)
	case "shift+tab":
		p.complete(m, -1)
	case "right", "end", "ctrl+e":
		if rest := p.rest(); rest != "" && p.at == len(p.text) {
			p.insert(rest)
			p.look(m)
			break
		}
		fallthrough
	default:
		p.field.key(k)
		if p.text != was || p.at != at {
			p.look(m)
		}
	}
	if p.text == was {
		return nil
	}
	p.now = filter.Parse(p.text, m.pane().subject())
	st.filter = p.now
	if strings.TrimSpace(p.text) == "" {
		st.filter = nil
	}
	return m.restate()
}

// look finds how the word at the cursor may go on.
func (p *filterPrompt) look(m *model) {
	p.taken = 0
	rest := filter.Parse(filter.Without(p.text, p.at), m.pane().subject())
	p.ends = filter.Complete(p.text, p.at, m.pane().subject(), func(name string) []string { return m.known(name, rest) })
}

// rest is what the right arrow would add.
func (p *filterPrompt) rest() string {
	if p.taken > 0 {
		return ""
	}
	return p.ends.Rest(p.text, p.at)
}

// complete puts the next word, or the one before, in the place of what was typed of it. One that is the only one is done with: the next
// tab goes on behind it.
func (p *filterPrompt) complete(m *model, by int) {
	if p.taken == 0 {
		p.look(m) // rows may have come
	}
	n := len(p.ends.Words)
	if n == 0 {
		return
	}
	if p.taken == 0 && by < 0 {
		p.taken = n + 1
	}
	p.taken = (p.taken+by+n-1)%n + 1
	p.cut(p.ends.Start, p.at)
	p.insert(p.ends.Words[p.taken-1])
	if n == 1 {
		p.look(m)
	}
}

// known gives the values that a name has in the rows that pass the other terms, most frequent first. Of a long list it looks at some
// rows all over it, as typing never waits.
func (m *model) known(name string, rest *filter.Filter) []string {
	if name == "arg" {
		return m.peek.facts.argNames()
	}
	seen := m.pane().values(name, rest, m.look.now)
	out := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Or(cmp.Compare(seen[b], seen[a]), strings.Compare(a, b)) })
	if name == "tool" && rest.Empty() {
		for i, t := range m.snap.Tools.All {
			if i == small {
				break
			}
			if seen[t.Tool] == 0 {
				out = append(out, t.Tool)
			}
		}
	}
	return out
}

// values counts what rows that pass a filter have under a name.
func (l *list[T]) values(name string, rest *filter.Filter, now int64) map[string]int {
	seen := map[string]int{}
	if l.snap == nil {
		return seen
	}
	raw := l.spec.rows(l.snap, &l.state)
	n := raw.Len()
	for i := 0; i < n; i += max(n/small, 1) {
		item, ok := raw.At(i)
		if !ok {
			break
		}
		if l.spec.keep != nil && !l.spec.keep(item, &l.state) {
			continue
		}
		r := l.spec.record(item, now)
		if v := filter.Value(&r, name); v != "" && (rest.Reads() || rest.Match(&r)) {
			seen[v]++
		}
	}
	return seen
}

func (p *filterPrompt) sheet(*model) int             { return 0 }
func (p *filterPrompt) drawSheet(*model, *ink.Block) {}

func (p *filterPrompt) drawFoot(m *model, b *ink.Block) {
	b.Gap(1).Say("/", ink.Hint)
	p.ghost = ""
	if m.theme.Name != "none" { // where nothing is dim it would look typed
		p.ghost = p.rest()
	}
	p.draw(b, func(at int) bool {
		for _, w := range p.now.Problems {
			if at >= w.Start && at < w.End && !p.unfinished(w) {
				return true
			}
		}
		return false
	})
	b.Gap(3)
	choices := len(p.ends.Words) > 1 || len(p.ends.Words) == 1 && p.ghost == "" && p.taken == 0
	if p.text != "" && p.ends.Wanted == "" && p.ends.Start == p.at && p.taken == 0 {
		choices = false // behind a blank: every name
	}
	for _, w := range p.now.Problems {
		if !p.unfinished(w) {
			b.Say(w.Message, ink.Bad)
			return
		}
	}
	switch {
	case p.text == "" && p.taken == 0:
		b.Say("words, or "+strings.Join(filter.Names(m.pane().subject()), ": ")+":", ink.Faint)
		return
	case m.pane().busy():
		b.Say("looking "+m.theme.Glyph.Ellipsis, ink.Faint)
	default:
		b.Say(count(m.pane().shown(), "row", "rows"), ink.Faint)
	}
	if choices {
		p.drawWords(b)
	}
}

// unfinished says that a wrong term is one that is being typed and may become right.
func (p *filterPrompt) unfinished(w filter.Problem) bool {
	return w.Start <= p.ends.Start && p.at <= w.End && len(p.ends.Words) > 0
}

// drawWords lists the words that tab puts in, as many as fit, with the one that it has put in among them.
func (p *filterPrompt) drawWords(b *ink.Block) {
	if b.Room() < 12 {
		return
	}
	b.Gap(3).Say("tab", ink.Hint)
	words, first := p.ends.Words, 0
	room := func(from, to int) (w int) {
		for _, x := range words[from:to] {
			w += 2 + safe.Width(safe.Line(x))
		}
		return w
	}
	for first < p.taken-1 && room(first, p.taken) > b.Room() {
		first++
	}
	for i := first; i < len(words) && (room(i, i+1) <= b.Room() || i == first); i++ {
		tone := ink.Faint
		if i == p.taken-1 {
			tone = ink.Strong
		}
		b.Gap(2).Say(words[i], tone)
	}
}
