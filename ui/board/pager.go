package board

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/triage"
	"drainboard/trace"
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
	return m.lend("pager", append(argv, f.Name()), "", func() { _ = os.Remove(f.Name()) })
}

// lend gives the terminal to a program until that has ended; then after is done, and said is said.
func (m *model) lend(what string, argv []string, said string, after func()) tea.Cmd {
	away, term := &m.guard.away, m.term
	away.Store(true)
	if m.term != nil {
		m.term.leave()
	}
	child := exec.CommandContext(m.ctx, argv[0], argv[1:]...)
	if f, ok := m.opt.Out.(*os.File); ok {
		child.Stdout = f // what Bubble Tea would give it is silent
	}
	return tea.ExecProcess(child, func(err error) tea.Msg {
		away.Store(false)
		after()
		if term != nil {
			term.enter()
		}
		if err != nil {
			return saidMsg{what + ": " + argv[0] + ": " + err.Error(), ink.Bad}
		}
		return saidMsg{said, ink.Plain}
	})
}

// tracePos is where the call that is looked at stands in its trace.
func (m *model) tracePos() (triage.Pos, bool) {
	if p, ok := m.top().(*detailPage); ok && p.facts != nil && p.cursor < len(p.lines) {
		if n := p.lines[p.cursor].call; n > 0 && p.of.call == nil && n <= len(p.facts.calls) {
			return p.facts.calls[n-1].Pos, true
		}
	}
	var at triage.Pos
	switch s := m.about(); {
	case s.call != nil:
		at = s.call.Pos
	case s.finding != nil:
		at = s.finding.First
	case s.run != nil:
		at = s.run.First
	case s.tool != nil:
		at = s.tool.First
	case s.row != nil && m.top() == nil && m.peek.facts != nil && sameRow(m.peek.of, s) && len(m.peek.facts.calls) > 0:
		at = m.peek.facts.calls[0].Pos
	}
	return at, at.File != ""
}

func (m *model) whyTrace() string {
	at, ok := m.tracePos()
	switch {
	case m.look.redact:
		return "it is open with --redact, and the trace itself holds what that hides"
	case !ok:
		return "no call of a trace stands behind this row"
	case at.File == trace.Stdin:
		return "standard input cannot be opened again"
	case strings.HasSuffix(at.File, ".gz") || strings.HasSuffix(at.File, ".zst"):
		return at.File + " is compressed"
	case m.env("PAGER") == "" && m.env("EDITOR") == "":
		return "neither PAGER nor EDITOR is set"
	}
	return ""
}

// openTrace opens the trace itself, as it is, at the line of the call: what is in it is the program's to make safe, as pagers and editors do.
func (m *model) openTrace() tea.Cmd {
	at, _ := m.tracePos()
	argv := strings.Fields(m.env("PAGER"))
	if len(argv) == 0 {
		argv = strings.Fields(m.env("EDITOR"))
	}
	if len(argv) == 0 {
		return m.say("open trace: neither PAGER nor EDITOR is set", ink.Warn)
	}
	return m.lend("open trace", atLine(argv, at.File, at.Line), place(at), func() {})
}

// atLine is the command line by which a program opens a file at a line; of one that is not known, by which it opens the file.
func atLine(argv []string, file string, line int) []string {
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	n := strconv.Itoa(max(line, 1))
	switch filepath.Base(argv[0]) {
	case "less", "more", "most", "vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "jed", "mg", "ne":
		return append(argv, "+"+n, file)
	case "hx", "helix", "subl", "zed":
		return append(argv, file+":"+n)
	case "code", "codium", "cursor":
		return append(argv, "--goto", file+":"+n)
	}
	return append(argv, file)
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
