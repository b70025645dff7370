package board

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// RunPlain is the board in lines, for screen readers and for terminals that cannot do more (--plain, ACCESSIBLE=1): nothing is drawn over,
// nothing spins. A line that is typed is an action's key or name, or text where one is asked for; what it shows is printed once. What
// comes by itself is a line: a verdict that changed, a new critical finding. It returns when the operator quits, when the
// input has ended, or when ctx ends. Lines that nobody types wait until everything is read.
func RunPlain(ctx context.Context, eng Engine, opt Options) error {
	opt = opt.complete()
	opt.Theme, opt.ASCII, opt.Settings.Notify = "none", true, "off"
	theme, err := opt.theme()
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	g := &guard{cancel: cancel, dir: opt.Faults}
	x := &plain{model: newModel(inner, eng, opt, theme, g, nil, time.Now), out: opt.Out, msgs: make(chan tea.Msg, 64)}
	x.w, x.h = plainWidth, plainHeight
	g.Go("pump", func() { pump(inner, eng, func(m tea.Msg) { x.send(inner, m) }) })
	if f, ok := opt.In.(*os.File); !ok || !term.IsTerminal(f.Fd()) {
		x.hold = true
	}
	if opt.In != nil {
		g.Go("keys", func() { x.lines(inner, opt.In) })
	}
	err = x.loop(inner)
	if opt.Remember != nil && g.first() == nil {
		opt.Remember(x.state())
	}
	if f := g.first(); f != nil {
		return f
	}
	return err
}

// The size of what is printed at once.
const plainWidth, plainHeight = 100, 60

// plain prints what a model shows.
type plain struct {
	*model
	out     io.Writer
	msgs    chan tea.Msg
	busy    int // commands whose answer is waited for
	shown   bool
	place   string // what was printed last
	verdict string
	loading bool
	left    bool
	waiting []string // lines that were typed and not taken yet
	over    bool     // there will be no more
	hold    bool     // nobody types them: they wait until everything is read
}

// typedMsg is a line that was typed; over says that there are no more.
type typedMsg struct {
	text string
	over bool
}

// answerMsg is the answer of a command that was waited for.
type answerMsg struct{ msg tea.Msg }

func (x *plain) send(ctx context.Context, m tea.Msg) {
	select {
	case x.msgs <- m:
	case <-ctx.Done():
	}
}

// lines reads what is typed.
func (x *plain) lines(ctx context.Context, in io.Reader) {
	r := bufio.NewScanner(in)
	for r.Scan() {
		x.send(ctx, typedMsg{text: r.Text()})
	}
	x.send(ctx, typedMsg{over: true})
}

// loop owns the model.
func (x *plain) loop(ctx context.Context) error {
	x.printLine("drainboard, in lines. Type the key of an action and enter; " + x.press("help") + " lists them, " + x.press("quit") + " ends.")
	x.start(ctx, x.begin)
	x.settled(ctx)
	x.tell()
	x.show()
	second := time.NewTicker(tick)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-second.C:
			x.look.now, x.prog = x.opt.Now().UnixNano(), x.eng.Progress()
			x.tell()
		case m := <-x.msgs:
			switch m := m.(type) {
			case typedMsg:
				x.enqueue(m)
			case answerMsg:
				x.busy--
				x.take(ctx, m.msg)
			default:
				x.take(ctx, m)
			}
			if _, news := m.(newsMsg); news {
				x.tell()
			}
		}
		for x.busy == 0 && !x.left { // one line after the other, each when what the one before asked for is there and shown
			if !x.shown {
				x.tell()
				x.show()
			}
			if len(x.waiting) == 0 || x.hold && x.prog.Loading {
				break
			}
			x.typed(ctx, x.waiting[0])
			x.waiting = x.waiting[1:]
		}
		if x.left || x.over && x.busy == 0 && len(x.waiting) == 0 {
			return nil
		}
	}
}

// enqueue keeps a typed line until its turn.
func (x *plain) enqueue(t typedMsg) {
	if x.over = x.over || t.over; !t.over {
		x.waiting = append(x.waiting, t.text)
	}
}

// start runs a command; what it answers comes as a message.
func (x *plain) start(ctx context.Context, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	x.busy++
	x.guard.Go("command", func() { x.send(ctx, answerMsg{cmd()}) })
}

// take gives the model a message.
func (x *plain) take(ctx context.Context, m tea.Msg) {
	switch m := m.(type) {
	case nil:
		return
	case tea.BatchMsg:
		for _, c := range m {
			x.start(ctx, c)
		}
		return
	case tea.QuitMsg:
		x.left = true
		return
	}
	_, cmd := x.Update(m)
	x.start(ctx, cmd)
}

// settled answers what the model asks before the first line is printed.
func (x *plain) settled(ctx context.Context) {
	x.dirty = true
	x.take(ctx, newsMsg{x.eng.Snapshot(), x.eng.Progress()})
	for x.busy > 0 {
		select {
		case <-ctx.Done():
			return
		case m := <-x.msgs:
			if a, ok := m.(answerMsg); ok {
				x.busy--
				m = a.msg
			}
			if t, ok := m.(typedMsg); ok { // it waits
				x.enqueue(t)
				continue
			}
			x.take(ctx, m)
		}
	}
}

// typed gives a typed line to the model: as text where text is asked for, else as a key or as the name of an action.
func (x *plain) typed(ctx context.Context, line string) {
	x.shown = false
	x.note = ""
	press := func(keys ...tea.KeyMsg) {
		for _, k := range keys {
			_, cmd := x.Update(k)
			x.start(ctx, cmd)
		}
	}
	letters := func(text string) (out []tea.KeyMsg) {
		for _, r := range text {
			out = append(out, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
		}
		return out
	}
	enter := tea.KeyMsg{Type: tea.KeyEnter}
	if q, ok := x.front.(*question); ok {
		if field, _, _ := q.focus(); field < 0 && line != "" || line == "esc" {
			press(keyOf(line))
			return
		}
	} else if c, ok := x.front.(*caseSheet); ok && c.adding == nil {
		press(keyOf(line))
		return
	} else if x.front == nil {
		if b := bound(x.binds, typed(keyOf(line).String()), x.in()); b != nil {
			press(keyOf(line))
			return
		}
		for i := range x.binds {
			if b := &x.binds[i]; b.where&x.in() != 0 && line != "" && strings.EqualFold(b.name, line) {
				x.start(ctx, x.do(b))
				x.start(ctx, x.settle())
				return
			}
		}
		if line != "" {
			x.say("there is no action "+line+" here; "+x.press("help")+" lists them", ink.Warn)
		}
		return
	} else if line == "esc" {
		press(keyOf(line))
		return
	}
	press(append(letters(line), enter)...)
}

// keyOf is a typed line as the key that it names; an empty line is enter.
func keyOf(line string) tea.KeyMsg {
	name := keyName(line)
	if name == "" {
		name = "enter"
	}
	if k, ok := keyType(name); ok {
		return tea.KeyMsg{Type: k}
	}
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// printLine prints a line.
func (x *plain) printLine(text string) {
	fmt.Fprintln(x.out, strings.TrimRight(string(safe.Line(text)), " "))
}

// tell prints what has changed by itself: the verdict, trouble with the ledger, a new critical finding.
func (x *plain) tell() {
	word, _ := x.verdictWord()
	if w := x.snap.Window; x.snap.Verdict.Waiting && w != nil {
		word = "NO-GO: nothing blocks, the window ends at " + x.look.clock(w.Until)
	}
	state, _, _ := x.stateWord()
	if x.prog.Loading {
		state = "loading" // how far is not told each second
	}
	if x.loading && !x.prog.Loading && x.front == nil { // everything is read: what stood there was not all
		x.shown, x.place = false, ""
	}
	x.loading = x.prog.Loading
	if now := word + "; " + state; now != x.verdict {
		x.verdict = now
		x.printLine(now)
	}
	if f := x.notices.fresh(x.latest, x.prog.Loading); f != nil {
		x.printLine("new critical finding: " + findingWords(f))
	}
}

// show prints what is asked, the page, or the list and what is known of its row; of a list in which only the cursor moved the row alone.
func (x *plain) show() {
	x.shown = true
	if x.note != "" {
		x.printLine(x.note)
		x.note = ""
	}
	if x.front != nil {
		x.printFront()
		return
	}
	place := x.crumbs() + "|" + x.orderAndFilter()
	same := place == x.place
	x.place = place
	if x.top() != nil {
		if !same {
			x.printLine(x.crumbs())
			for i := range x.top().pos().n {
				fmt.Fprintln(x.out, strings.TrimRight(x.top().lineText(i), " "))
			}
			return
		}
		if g := x.grid(); g.cursor < g.n {
			fmt.Fprintln(x.out, strings.TrimRight(x.top().lineText(g.cursor), " "))
		}
		return
	}
	g := x.pane().pos()
	if !same {
		x.printLine(screenNames[x.screen] + ", " + count(g.n, "row", "rows"))
		x.rows()
	}
	x.printLine(fmt.Sprintf("row %d of %d", min(g.cursor+1, g.n), g.n))
	for _, l := range x.peekLines() {
		fmt.Fprintln(x.out, strings.TrimRight(spansText(l.spans), " "))
	}
}

// orderAndFilter is what the list is narrowed and sorted by.
func (x *plain) orderAndFilter() string { return fmt.Sprint(x.listState(x.screen)) }

// rows prints the visible rows of a list.
func (x *plain) rows() {
	if x.pane().shown() == 0 {
		x.body.Reset(x.theme, plainWidth, plainHeight)
		x.drawEmpty(&x.body)
	} else {
		x.body.Reset(x.theme, plainWidth, x.layout().rows+1)
		x.pane().draw(&x.body, x.look)
		if x.screen == onDrain {
			x.body.Reset(x.theme, plainWidth, plainHeight)
			x.pane().draw(&x.body, x.look)
			drainBelow(&x.body, x.snap, x.look, x.press("go to"))
		}
	}
	x.print(&x.body)
}

// print prints a block.
func (x *plain) print(b *ink.Block) {
	for i := range b.Lines() {
		fmt.Fprintln(x.out, strings.TrimRight(string(b.Line(i)), " "))
	}
}

// peekLines is what is known of the row under the cursor.
func (x *plain) peekLines() []line {
	c := composer{look: x.look, g: x.theme.Glyph, width: plainWidth - 2, recipe: x.snap.Recipe, ruleBy: x.rule, press: x.press}
	return c.strip(x.pane().about(), x.peek.facts, 12)
}

// printFront prints what is asked.
func (x *plain) printFront() {
	x.place = ""
	b := &x.bottom
	b.Reset(x.theme, plainWidth, plainHeight)
	x.front.drawSheet(x.model, b)
	x.print(b)
	b.Reset(x.theme, plainWidth, 1)
	x.front.drawFoot(x.model, b)
	b.End()
	x.print(b)
	if _, ok := x.front.(*question); ok {
		x.printLine("a line is the field's text; on the buttons y does it, esc cancels")
	}
}
