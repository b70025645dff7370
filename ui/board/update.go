package board

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
)

// newsMsg says that a newer snapshot or other progress is there.
type newsMsg struct {
	snap *triage.Snapshot
	prog intake.Progress
}

// tickMsg moves the clock on; only the newest tick counts, so that two can never run side by side.
type tickMsg struct{ gen uint64 }

// stopMsg says that the board is to be stopped from outside.
type stopMsg struct{}

// saidMsg is the answer of something that was done in a command.
type saidMsg struct {
	text string
	tone ink.Tone
}

// actedMsg is the outcome of an action. It is never dropped.
type actedMsg struct {
	action Action
	said   string
	err    error
}

// Init starts the second hand, and what the first list wants to have done.
func (m *model) Init() tea.Cmd {
	m.ticks = m.generation()
	if m.mouse && m.term != nil {
		m.term.track(true)
	}
	cmds := []tea.Cmd{m.nextTick(m.ticks), m.begin}
	if m.screen == onLog {
		cmds = append(cmds, m.readLog())
	}
	return tea.Batch(cmds...)
}

func (m *model) nextTick(gen uint64) tea.Cmd {
	return tea.Tick(tick, func(time.Time) tea.Msg { return tickMsg{gen} })
}

// Update routes. A fault in it ends the program; the guard keeps the trace.
func (m *model) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = m
	defer func() {
		if v := recover(); v != nil {
			m.guard.caught("update", v)
			cmd = tea.Quit
		}
	}()
	if _, due := msg.(paintMsg); due {
		m.later = false
		return m, m.paint()
	}
	m.dirty = true
	cmd = m.route(msg)
	return m, tea.Batch(cmd, m.settle(), m.paint())
}

// paintMsg says that a frame is due.
type paintMsg struct{}

// There are never more than sixty frames in a second: 56 that come steadily, and four that may come at once, so that a key is
// answered at once although news were drawn a moment ago.
const (
	frameTime  = time.Second / 56
	framesHeld = 4
)

// paint hands the terminal a frame: at once when there were few lately, else in a moment.
func (m *model) paint() tea.Cmd {
	if m.term == nil || !m.dirty || m.later {
		return nil
	}
	now := m.steady()
	if full := now.Add(-framesHeld * frameTime); m.spent.Before(full) {
		m.spent = full
	}
	if wait := m.spent.Add(frameTime).Sub(now); wait > 0 {
		m.later = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return paintMsg{} })
	}
	m.spent = m.spent.Add(frameTime)
	m.term.show(m.frameText())
	return nil
}

func (m *model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.KeyMsg:
		m.look.now = m.opt.Now().UnixNano()
		return m.typed(msg)
	case stopMsg:
		return m.suspend()
	case tea.MouseMsg:
		return m.click(msg)
	case newsMsg:
		return m.news(msg)
	case tickMsg:
		if msg.gen != m.ticks {
			return nil
		}
		m.look.now = m.opt.Now().UnixNano()
		m.prog = m.eng.Progress()
		next := tea.Batch(m.nextTick(msg.gen), m.job(m.screen, m.pane().retry(m.steady())))
		if m.screen == onLog {
			return tea.Batch(next, m.readLog())
		}
		return next
	case jobDone:
		return m.job(msg.screen, m.panes[msg.screen].take(msg, m.steady()))
	case factsMsg:
		m.receiveFacts(msg)
		return m.receive(msg)
	case chunkMsg:
		return m.receive(msg)
	case compareMsg:
		return m.showComparison(msg)
	case seekMsg:
		return m.found(msg)
	case askedMsg:
		return m.showQuestion(msg)
	case evidenceMsg:
		return m.showEvidence(msg)
	case casesMsg:
		m.front = newCaseSheet(m, msg.tool, msg.evidence)
	case logMsg:
		return m.receiveLog(msg)
	case saidMsg:
		return m.say(msg.text, msg.tone)
	case actedMsg:
		return m.acted(msg)
	case faultMsg:
		return tea.Quit
	}
	return nil
}

// receive gives an answer to the pages that may have asked for it.
func (m *model) receive(msg any) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.pages {
		cmds = append(cmds, p.receive(m, msg))
	}
	return tea.Batch(cmds...)
}

func (m *model) news(msg newsMsg) tea.Cmd {
	m.look.now = m.opt.Now().UnixNano()
	if m.latest == nil || msg.snap.Generation >= m.latest.Generation {
		m.latest = msg.snap
	}
	m.prog = msg.prog
	rings := m.notify(m.latest)
	if m.paused {
		return rings
	}
	for _, p := range m.pages {
		switch p := p.(type) {
		case *timelinePage:
			p.news()
		case *detailPage:
			p.news(msg.snap)
		}
	}
	return tea.Batch(rings, m.showSnapshot())
}

// typed takes in what was typed: a slow line brings several letters at once, which are as many keys. What is pasted is text, and
// text where nothing is typed does nothing: it might spell an action.
func (m *model) typed(k tea.KeyMsg) tea.Cmd {
	if k.Paste && m.front == nil {
		return m.say("pasted text does nothing here", ink.Faint)
	}
	if k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return m.key(k)
	}
	var cmds []tea.Cmd
	for _, r := range k.Runes {
		cmds = append(cmds, m.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}))
	}
	return tea.Batch(cmds...)
}

func (m *model) key(k tea.KeyMsg) tea.Cmd {
	m.note = ""
	if m.front != nil {
		return m.front.key(m, k)
	}
	b := bound(m.binds, typed(k.String()), m.in())
	if b == nil {
		return nil
	}
	return m.do(b)
}

// do runs a binding, or says why it does not work.
func (m *model) do(b *binding) tea.Cmd {
	if why := b.reason(m); why != "" {
		return m.say(b.name+": "+why, ink.Warn)
	}
	return b.do(m)
}

// settle brings sizes, pages and the peek in line with what has changed; it returns the questions that follow from that.
func (m *model) settle() tea.Cmd {
	if m.w == 0 || m.h == 0 {
		return nil
	}
	l := m.layout()
	var cmds []tea.Cmd
	if p := m.top(); p != nil {
		return p.refresh(m, m.w, l.body)
	}
	m.pane().pos().setHeight(l.rows)
	m.pane().pick()
	cmds = append(cmds, m.refreshPeek())
	return tea.Batch(cmds...)
}

// refreshPeek asks about the row under the cursor, one question at a time: a cursor that runs asks only where it rests.
func (m *model) refreshPeek() tea.Cmd {
	s := m.pane().about()
	p := &m.peek
	if p.running || p.of == s && p.facts != nil {
		return nil
	}
	now := m.steady()
	if sameRow(p.of, s) && now.Sub(p.asked) < peekPause {
		return nil
	}
	if s.none() || s.item != nil {
		*p = peek{}
		return nil
	}
	if p.facts != nil && !sameRow(p.of, s) {
		p.facts = nil
	}
	p.of, p.gen, p.running, p.asked = s, m.generation(), true, now
	return m.question(p.gen, s, m.pane().options().copies, nil)
}

// peekPause is how long what is known of a row is shown before more is asked about the same row.
const peekPause = 500 * time.Millisecond

// sameRow says whether two subjects are one row at two moments: what was known of it stays on screen until more is.
func sameRow(a, b subject) bool {
	switch {
	case a.finding != nil && b.finding != nil:
		return a.finding.ID == b.finding.ID
	case a.row != nil && b.row != nil:
		return a.row.Key == b.row.Key
	case a.run != nil && b.run != nil:
		return a.run.Run == b.run.Run
	case a.tool != nil && b.tool != nil:
		return a.tool.Tool == b.tool.Tool
	}
	return false
}

func (m *model) receiveFacts(msg factsMsg) {
	p := &m.peek
	if msg.gen != p.gen {
		return
	}
	p.running = false
	p.facts = msg.facts
}

func (m *model) receiveLog(msg logMsg) tea.Cmd {
	if msg.err != nil {
		return m.say("the log cannot be read: "+msg.err.Error(), ink.Bad)
	}
	m.entries = m.entries[:0:0]
	for i := range msg.entries {
		m.entries = append(m.entries, &msg.entries[i])
	}
	for _, p := range m.pages {
		if p, ok := p.(*detailPage); ok && p.of.entry != nil {
			p.retell(m.entries)
		}
	}
	if m.screen == onLog {
		return m.restate()
	}
	m.seen[onLog] = nil
	return nil
}

func (m *model) acted(msg actedMsg) tea.Cmd {
	m.acting--
	if msg.err != nil {
		return m.say(string(msg.action)+": "+msg.err.Error(), ink.Bad)
	}
	for i := range m.pages {
		if p, ok := m.pages[i].(*detailPage); ok {
			p.reread()
		}
	}
	m.peek.facts, m.peek.of = nil, subject{}
	m.say(string(msg.action)+": "+msg.said, ink.Good)
	return m.readLog()
}
