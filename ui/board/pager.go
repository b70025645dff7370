package board

import (
	"os"
	"os/exec"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ui/board/ink"
)

// pager opens what is shown in the operator's pager or editor: as safe text, in a private file that is removed afterwards, without a
// shell.
func (m *model) pager() tea.Cmd {
	argv := strings.Fields(m.env("PAGER"))
	if len(argv) == 0 {
		argv = strings.Fields(m.env("EDITOR"))
	}
	if len(argv) == 0 {
		return m.say("pager: neither PAGER nor EDITOR is set", ink.Warn)
	}
	f, err := os.CreateTemp("", "drainboard-*.txt")
	if err != nil {
		return m.say("pager: "+err.Error(), ink.Bad)
	}
	_, err = f.WriteString(m.shownText())
	if end := f.Close(); err == nil {
		err = end
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o400)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return m.say("pager: "+err.Error(), ink.Bad)
	}
	away, term := &m.guard.away, m.term
	away.Store(true)
	if m.term != nil {
		m.term.leave()
	}
	child := exec.CommandContext(m.ctx, argv[0], append(argv[1:], f.Name())...)
	if f, ok := m.opt.Out.(*os.File); ok {
		child.Stdout = f // what Bubble Tea would give it is silent
	}
	return tea.ExecProcess(child, func(err error) tea.Msg {
		away.Store(false)
		_ = os.Remove(f.Name())
		if term != nil {
			term.enter()
		}
		if err != nil {
			return saidMsg{"pager: " + argv[0] + ": " + err.Error(), ink.Bad}
		}
		return saidMsg{}
	})
}

// shownText is the page on top, or the list's visible rows and what is known of the one under the cursor, as text.
func (m *model) shownText() string {
	var b strings.Builder
	if p := m.top(); p != nil {
		for i := range p.pos().n {
			b.WriteString(p.lineText(i) + "\n")
		}
		return b.String()
	}
	plain, err := ink.New("none", m.theme.ASCII)
	if err != nil {
		return ""
	}
	var block ink.Block
	block.Reset(plain, max(m.w, 80), m.layout().rows+1)
	m.pane().draw(&block, m.look)
	for i := range block.Lines() {
		b.WriteString(strings.TrimRight(string(block.Line(i)), " ") + "\n")
	}
	c := composer{look: m.look, g: plain.Glyph, width: max(m.w, 80) - 2, recipe: m.snap.Recipe, ruleBy: m.rule, press: m.press, page: true}
	b.WriteByte('\n')
	for _, l := range c.compose(m.pane().about(), m.peek.facts) {
		b.WriteString(spansText(l.spans) + "\n")
	}
	return b.String()
}
