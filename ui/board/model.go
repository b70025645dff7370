package board

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/keys/table"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
)

// screen is one of the six screens.
type screen uint8

const (
	onFindings screen = iota
	onFlight
	onRuns
	onTools
	onDrain
	onLog
	screens
)

var screenNames = [screens]string{"Findings", "In flight", "Runs", "Tools", "Drain", "Log"}

// model is the root: it holds the panes, routes messages to them, and turns intents into commands.
type model struct {
	ctx    context.Context
	eng    Engine
	opt    Options
	theme  *ink.Theme
	term   *terminal        // nil: frames are drawn by whoever calls View
	steady func() time.Time // a clock that goes on when Options.Now stands still
	guard  *guard
	stop   *stopper // nil: the board does not stop its process
	binds  []binding

	w, h   int
	screen screen
	panes  [screens]pane
	seen   [screens]*triage.Snapshot // the snapshot that a pane shows
	snap   *triage.Snapshot          // shown
	latest *triage.Snapshot          // may be newer while the screen is paused
	prog   intake.Progress
	look   look
	paused bool
	mouse  bool
	split  int // columns that the detail beside a list has more than by default

	saved   []View // that were saved from the board
	notices notices
	begin   tea.Cmd // what the first list wants to have done

	counted *triage.Snapshot // in which flights were counted
	flights int

	dated  *triage.Snapshot // of which newest is the time of the newest line
	newest int64

	pages   []page
	peek    peek
	front   overlay // what takes keys before everything else: a prompt, a question; nil: nothing
	entries []*Entry
	gens    uint64
	ticks   uint64 // the tick that counts
	acting  int    // actions on their way
	leaving bool   // the operator wants to leave without their outcome

	note     string
	noteTone ink.Tone

	frame  []byte
	drawn  string
	dirty  bool
	spent  time.Time // up to when frames have been drawn: what lies between it and now may be
	later  bool      // a frame will be, in a moment
	head   ink.Block
	body   ink.Block
	side   ink.Block
	bottom ink.Block
}

// peek is what is known of the row under the cursor.
type peek struct {
	of      subject
	facts   *facts
	gen     uint64
	running bool
	asked   time.Time
	lines   []line
	key     peekKey // what lines were made for
}

// peekKey is what the lines of a peek depend on.
type peekKey struct {
	of     subject
	facts  *facts
	width  int
	height int
	side   bool
	now    int64
	look   bool
}

// overlay takes keys before everything else.
type overlay interface {
	key(m *model, k tea.KeyMsg) tea.Cmd
	// sheet is how many lines it wants above the footer; 0: only the footer.
	sheet(m *model) int
	drawSheet(m *model, b *ink.Block)
	drawFoot(m *model, b *ink.Block)
}

func newModel(ctx context.Context, eng Engine, opt Options, theme *ink.Theme, g *guard, term *terminal, steady func() time.Time) *model {
	if opt.Redact {
		eng = masked{eng}
		if opt.Journal != nil {
			opt.Journal = maskedJournal{opt.Journal}
		}
	}
	m := &model{ctx: ctx, eng: eng, opt: opt, theme: theme, guard: g, dirty: true, term: term, steady: steady}
	m.look = look{zone: opt.Zone, now: opt.Now().UnixNano(), absolute: opt.Settings.Times == "absolute", redact: opt.Redact}
	m.binds, _ = opt.Settings.bindings() // they were checked when they were read
	m.mouse = opt.Settings.Mouse
	columns := func(s screen) []string {
		for name, list := range opt.Settings.Columns {
			if at, ok := screenNamed(name); ok && at == s {
				return list
			}
		}
		return nil
	}
	m.panes = [screens]pane{
		&list[*triage.Finding]{spec: findingsSpec().with(columns(onFindings))},
		&list[flight]{spec: flightSpec().with(columns(onFlight))},
		&list[*triage.RunView]{spec: runsSpec().with(columns(onRuns))},
		&list[*triage.ToolView]{spec: toolsSpec(m.rule).with(columns(onTools))},
		&list[*drainItem]{spec: drainSpec()},
		&list[*Entry]{spec: journalSpec(func() []*Entry { return m.entries }).with(columns(onLog))},
	}
	again := &argReader{eng: eng}
	m.panes[onFindings].(*list[*triage.Finding]).spec.args = func(f *triage.Finding) []byte { return again.call(ctx, f.First) }
	m.panes[onFlight].(*list[flight]).spec.args = func(f flight) []byte {
		if f.open != nil {
			return again.call(ctx, f.open.First)
		}
		return again.request(ctx, f.row.Key)
	}
	m.panes[onLog].(*list[*Entry]).spec.args = func(e *Entry) []byte { return again.request(ctx, e.Key) }
	m.latest = eng.Snapshot()
	m.snap, m.prog = m.latest, eng.Progress()
	m.restore(&opt.State)
	m.begin = m.showSnapshot()
	return m
}

// pane is the one that is shown.
func (m *model) pane() pane { return m.panes[m.screen] }

// top is the page on top, or nil.
func (m *model) top() page {
	if len(m.pages) == 0 {
		return nil
	}
	return m.pages[len(m.pages)-1]
}

// in is the scope that keys are looked up in.
func (m *model) in() scope {
	if p := m.top(); p != nil {
		return p.scope()
	}
	return 1 << m.screen
}

// grid is the one that moves go to.
func (m *model) grid() *grid {
	if p := m.top(); p != nil {
		return p.pos()
	}
	return m.pane().pos()
}

// about is what actions go to when nothing is marked.
func (m *model) about() subject {
	if p := m.top(); p != nil {
		return p.about()
	}
	return m.pane().about()
}

// targets are the marked rows, or the one under the cursor.
func (m *model) targets() []subject {
	if m.top() == nil {
		if g := m.pane().pos(); len(g.marks) > 0 {
			ids := make([]string, 0, len(g.marks))
			for id := range g.marks {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			out := make([]subject, len(ids))
			for i, id := range ids {
				out[i] = g.marks[id]
			}
			return out
		}
	}
	if s := m.about(); !s.none() {
		return []subject{s}
	}
	return nil
}

// rule is the rule with an ID, or nil.
func (m *model) rule(id int) *table.Rule {
	if rules := m.eng.Table().Rules(); id >= 0 && id < len(rules) {
		return rules[id]
	}
	return nil
}

// generation makes a number that no question has had.
func (m *model) generation() uint64 {
	m.gens++
	return m.gens
}

// run makes a command of something that can wait, under the guard.
func (m *model) run(name string, fn func(context.Context) tea.Msg) tea.Cmd {
	ctx, g := m.ctx, m.guard
	return g.command(name, func() tea.Msg { return fn(ctx) })
}

// question asks for the facts of a subject, with its history where a journal is given.
func (m *model) question(gen uint64, s subject, copies bool, j Journal) tea.Cmd {
	return m.run("detail", func(ctx context.Context) tea.Msg {
		f := read(ctx, m.eng, s, copies)
		if j != nil && s.key() != "" && s.entry == nil {
			f.acts, f.actsErr = history(ctx, j, s.key())
		}
		return factsMsg{gen, f}
	})
}

// job runs what a list wants to have done elsewhere.
func (m *model) job(on screen, work func() jobDone) tea.Cmd {
	if work == nil {
		return nil
	}
	return m.run("list", func(context.Context) tea.Msg {
		d := work()
		d.screen = on
		return d
	})
}

// say puts a message where the footer is, until the next key.
func (m *model) say(text string, tone ink.Tone) tea.Cmd {
	m.note, m.noteTone = text, tone
	return nil
}

// showSnapshot gives the pane that is shown the newest snapshot, unless the screen is paused.
func (m *model) showSnapshot() tea.Cmd {
	if !m.paused {
		m.snap = m.latest
	}
	if m.seen[m.screen] == m.snap {
		return nil
	}
	m.seen[m.screen] = m.snap
	return m.job(m.screen, m.pane().update(m.snap, m.steady()))
}

// restate makes the shown pane's rows anew after its state changed.
func (m *model) restate() tea.Cmd {
	return m.job(m.screen, m.pane().restate(m.steady()))
}

// show goes to a screen; pages on top of it are closed.
func (m *model) show(s screen) tea.Cmd {
	m.screen, m.pages = s, nil
	cmd := m.showSnapshot()
	if g := m.pane().pos(); s == onDrain && !g.touched {
		for i, d := range drainItems(m.snap) {
			if !d.done {
				g.to(i)
				break
			}
		}
	}
	if s == onLog {
		return tea.Batch(cmd, m.readLog())
	}
	return cmd
}

// readLog asks for the triage log.
func (m *model) readLog() tea.Cmd {
	if m.opt.Journal == nil {
		return nil
	}
	return m.run("log", func(ctx context.Context) tea.Msg {
		list, _, err := m.opt.Journal.Entries(ctx, 0, 1000)
		return logMsg{list, err}
	})
}

type logMsg struct {
	entries []Entry
	err     error
}

// push puts a page on top.
func (m *model) push(p page) tea.Cmd {
	m.pages = append(m.pages, p)
	return nil
}

// crumbs is the way to the page on top.
func (m *model) crumbs() string {
	parts := []string{screenNames[m.screen]}
	for _, p := range m.pages {
		parts = append(parts, p.title())
	}
	return strings.Join(parts, m.theme.Glyph.Crumb)
}

// behind is how much has arrived since the screen was paused.
func (m *model) behind() int {
	return max(m.latest.Totals.Calls+m.latest.Totals.Results-m.snap.Totals.Calls-m.snap.Totals.Results, 0)
}

// tick is the second hand.
const tick = time.Second
