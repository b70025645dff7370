package board

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// scope is where a binding works: a set of screens and pages.
type scope uint16

// The scopes: the six screens in the order of their digits, then the pages.
const (
	inFindings scope = 1 << iota
	inFlight
	inRuns
	inTools
	inDrain
	inLog
	inDetail
	inTimeline
	inText
	scopes = iota

	inLists = inFindings | inFlight | inRuns | inTools | inDrain | inLog
	inRows  = inFindings | inFlight | inRuns | inTools | inLog
	inPages = inDetail | inTimeline | inText
	inAll   = inLists | inPages
)

// The scopes of the screens are the first ones, in the order of their numbers: another screen does not compile without its scope.
var _ = [1]struct{}{}[inDetail-1<<screens]

// binding is a key that does something. Footer, help and palette are made of this data.
type binding struct {
	press  key.Binding
	show   string // as people read them; "": the first of keys
	name   string // in the footer and the palette
	help   string // one sentence without a full stop
	where  scope
	foot   int                  // place in the footer, from 1; 0: not in it
	why    func(*model) string  // why it does not work now; nil or "": it does
	do     func(*model) tea.Cmd // what it does
	action Action               // of an operator's action, else ""
	view   bool                 // it shows a view of the settings, or a saved one
	saved  bool                 // the view was saved from the board
}

// on binds keys, named as tea.KeyMsg prints them or as people do.
func on(names ...string) key.Binding {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = keyName(name)
	}
	return key.NewBinding(key.WithKeys(keys...))
}

// keyName is a key as tea.KeyMsg prints it, by what people call it.
func keyName(name string) string {
	if name == "space" {
		return " "
	}
	return name
}

// keyType finds the key with a name that is no character.
func keyType(name string) (tea.KeyType, bool) {
	for k := tea.KeyType(-128); k < 128; k++ {
		if k != tea.KeyRunes && k != tea.KeySpace && name != "" && k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// typed is a key by its name.
type typed string

func (t typed) String() string { return string(t) }

// label is the key as people read it.
func (b *binding) label(m *model) string {
	switch {
	case b.show == "enter":
		return m.theme.Glyph.Enter
	case b.show == "space":
		return m.theme.Glyph.Space
	case b.show != "":
		return b.show
	}
	switch keys := b.press.Keys(); {
	case len(keys) == 0:
		return ""
	case keys[0] == " ":
		return m.theme.Glyph.Space
	default:
		return keys[0]
	}
}

// press is the key of an action by its name, where one is by now; that of elsewhere when it does nothing here.
func (m *model) press(name string) string {
	elsewhere := ""
	for i := range m.binds {
		b := &m.binds[i]
		if b.name != name {
			continue
		}
		if b.where&m.in() != 0 {
			return b.label(m)
		}
		elsewhere = b.label(m)
	}
	return elsewhere
}

// reason says why the binding does not work now, "" when it does.
func (b *binding) reason(m *model) string {
	if b.why == nil {
		return ""
	}
	return b.why(m)
}

// bound finds what a key does in a scope.
func bound(all []binding, k typed, in scope) *binding {
	for i := range all {
		if all[i].where&in != 0 && key.Matches(k, all[i].press) {
			return &all[i]
		}
	}
	return nil
}

// bindings are all keys of the board, in the order of the palette. One key means one thing in one scope.
func bindings() []binding {
	var all []binding
	all = append(append(all, actions()...), verbs()...)
	for i, name := range screenNames {
		to := screen(i)
		all = append(all, binding{
			press: on(string(rune('1' + i))), name: strings.ToLower(name), help: "shows the screen " + name, where: inAll,
			do: func(m *model) tea.Cmd { return m.show(to) },
		})
	}
	return append(all, moves()...)
}

func moves() []binding {
	step := func(by int) func(*model) tea.Cmd {
		return func(m *model) tea.Cmd { return m.moved(func(g *grid) bool { return g.move(by) }) }
	}
	page := func(by float64) func(*model) tea.Cmd {
		return func(m *model) tea.Cmd { return m.moved(func(g *grid) bool { return g.page(by) }) }
	}
	return []binding{
		{press: on("j", "down"), show: "j", name: "down", help: "one row down", where: inAll, do: step(1)},
		{press: on("k", "up"), show: "k", name: "up", help: "one row up", where: inAll, do: step(-1)},
		{press: on("ctrl+d"), name: "half a page down", help: "half a page down", where: inAll, do: page(0.5)},
		{press: on("ctrl+u"), name: "half a page up", help: "half a page up", where: inAll, do: page(-0.5)},
		{press: on("pgdown", "ctrl+f"), show: "pgdn", name: "page down", help: "a page down", where: inAll, do: page(1)},
		{press: on("pgup", "ctrl+b"), show: "pgup", name: "page up", help: "a page up", where: inAll, do: page(-1)},
		{
			press: on("g", "home"), name: "first", help: "the first row", where: inAll,
			do: func(m *model) tea.Cmd { return m.moved(func(g *grid) bool { return g.to(0) }) },
		},
		{
			press: on("G", "end"), name: "last", help: "the last row", where: inAll,
			do: func(m *model) tea.Cmd { return m.moved(func(g *grid) bool { return g.to(g.n - 1) }) },
		},
	}
}

func verbs() []binding {
	return []binding{
		{press: on("/"), name: "filter", help: "narrows the list as you type; enter keeps it, esc takes it back", where: inRows, foot: 1, do: (*model).startFilter},
		{press: on("/"), name: "search", help: "searches the page, then goes on with the next hit and the one before", where: inPages, foot: 1, do: (*model).startSearch},
		{press: on("n"), name: "next hit", help: "the next hit of the search", where: inPages, why: (*model).whySearch, do: func(m *model) tea.Cmd { return m.searchOn(1) }},
		{press: on("N"), name: "hit before", help: "the hit of the search before", where: inPages, why: (*model).whySearch, do: func(m *model) tea.Cmd { return m.searchOn(-1) }},
		{press: on("@"), name: "go to time", help: "goes to the first call at a time, or so long ago", where: inTimeline, foot: 3, do: (*model).startTime},
		{press: on("enter"), show: "enter", name: "open", help: "opens the row under the cursor", where: inFindings | inFlight | inLog, foot: 2, why: (*model).whyRow, do: (*model).open},
		{press: on("enter"), show: "enter", name: "timeline", help: "opens the run's calls in order, repeats joined", where: inRuns, foot: 2, why: (*model).whyRow, do: (*model).open},
		{press: on("enter"), show: "enter", name: "calls", help: "opens the tool's calls", where: inTools, foot: 2, why: (*model).whyRow, do: (*model).open},
		{press: on("enter"), show: "enter", name: "go to", help: "goes to the rows that block", where: inDrain, foot: 2, why: (*model).whyRow, do: (*model).open},
		{press: on("enter"), show: "enter", name: "open", help: "opens the call under the cursor", where: inTimeline, foot: 2, do: (*model).open},
		{press: on("enter", "o", "right", "left", "l", "h"), show: "enter", name: "fold", help: "folds and unfolds the value under the cursor", where: inDetail, foot: 2, do: (*model).fold},
		{press: on("esc", "backspace"), show: "esc", name: "back", help: "goes back", where: inPages, foot: 1, do: (*model).back},
		{press: on("esc"), name: "clear", help: "takes back the filter, then the marks", where: inLists, do: (*model).clear},
		{press: on("tab"), name: "next list", help: "the screen's next list", where: inFlight, foot: 3, do: (*model).nextTab},
		{press: on(" "), show: "space", name: "mark", help: "marks the row; actions go to marked rows", where: inRows, foot: 3, why: (*model).whyRow, do: (*model).mark},
		{press: on("V"), name: "mark all", help: "marks all rows shown", where: inRows, why: (*model).whyRow, do: (*model).markAll},
		{press: on("*"), name: "invert marks", help: "marks what is not marked, and the other way round", where: inRows, why: (*model).whyRow, do: (*model).invertMarks},
		{press: on("d"), name: "compare", help: "explains why the keys of two marked rows differ", where: inFindings | inFlight, foot: 8, why: (*model).whyCompare, do: (*model).compare},
		{press: on("y"), name: "copy key", help: "sends the key to the terminal's clipboard", where: inFindings | inFlight | inDetail | inTimeline | inLog, foot: 9, why: (*model).whyKey, do: (*model).copyKey},
		{press: on("Y"), name: "copy row", help: "sends the row as JSON to the terminal's clipboard", where: inRows | inDetail | inTimeline, why: (*model).whyRow, do: (*model).copyRow},
		{press: on("x"), name: "export", help: "writes the rows shown to a file: JSON lines, CSV or Markdown", where: inRows, foot: 11, why: (*model).whyRow, do: (*model).export},
		{press: on("e"), name: "pager", help: "opens what is shown in $PAGER or $EDITOR, as a private read-only text", where: inAll, do: (*model).pager},
		{name: "open trace", help: "opens the trace itself, as it is, at the call's line in $PAGER or $EDITOR", where: inFindings | inFlight | inRuns | inTools | inDetail | inTimeline, why: (*model).whyTrace, do: (*model).openTrace},
		{press: on("s"), name: "sort", help: "sorts the list another way", where: inFindings | inFlight | inRuns | inTools, foot: 10, do: (*model).nextOrder},
		{press: on("p"), name: "pause", help: "holds the screen still; reading goes on", where: inAll, foot: 11, do: (*model).pause},
		{press: on("T"), name: "times", help: "changes between ages and times of day", where: inAll, foot: 12, do: (*model).times},
		{press: on("P"), name: "pure tools", help: "shows or hides repeats of pure tools", where: inFindings, do: (*model).togglePure},
		{press: on("A"), name: "acknowledged", help: "hides or shows what is acknowledged", where: inFindings, do: (*model).toggleAcked},
		{press: on("C"), name: "copies", help: "shows or hides calls that only restate others", where: inRows | inDetail | inTimeline, do: (*model).toggleCopies},
		{press: on("F"), name: "follow", help: "keeps the cursor on the newest row", where: inRows | inTimeline, do: (*model).follow},
		{press: on("<"), name: "wider detail", help: "gives the detail beside the list more room", where: inLists, do: func(m *model) tea.Cmd { return m.resplit(4) }},
		{press: on(">"), name: "narrower detail", help: "gives the list more room", where: inLists, do: func(m *model) tea.Cmd { return m.resplit(-4) }},
		{press: on("W"), name: "save view", help: "keeps screen, filter and order under a name, for this directory", where: inLists, do: (*model).saveView},
		{name: "forget view", help: "takes a saved view away", where: inLists, why: (*model).whyForget, do: (*model).forgetView},
		{press: on("!"), name: "blockers", help: "goes to what blocks, then to the first rows of it", where: inAll, do: (*model).blockers},
		{press: on("S"), name: "sources", help: "lists what is read, and what could not be", where: inAll, do: (*model).sources},
		{press: on("M"), name: "mouse", help: "turns the mouse on or off; while it is on the terminal's own selection needs shift", where: inAll, do: (*model).toggleMouse},
		{press: on(":"), name: "actions", help: "lists every action by name", where: inAll, foot: 13, do: (*model).startPalette},
		{press: on("?"), name: "help", help: "all keys that work here", where: inAll, foot: 14, do: (*model).help},
		{press: on("ctrl+l"), name: "redraw", help: "draws the screen anew", where: inAll, do: (*model).redraw},
		{press: on("ctrl+z"), name: "suspend", help: "goes to the shell; fg comes back", where: inAll, do: (*model).suspend},
		{press: on("q", "ctrl+c"), show: "q", name: "quit", help: "ends the board", where: inAll, foot: 15, do: (*model).quit},
	}
}

// actions are the operator's.
func actions() []binding {
	settle := inFindings | inFlight | inDetail
	group := inFindings | inDetail
	act := func(key, name, help string, a Action, where scope, foot int) binding {
		press := on(key)
		if key == "" {
			press = on()
		}
		return binding{
			press: press, name: name, help: help, where: where, foot: foot, action: a,
			why: func(m *model) string { return m.whyAct(a) }, do: func(m *model) tea.Cmd { return m.ask(a) },
		}
	}
	return []binding{
		act("f", "failed", "marks rows in flight as failed", ActFail, settle, 4),
		act("m", "committed", "marks rows as committed, with the payload that the trace holds", ActCommit, settle, 5),
		act("H", "human key", "allows one more send of one compensate intent", ActHumanKey, inDetail, 0),
		act("h", "human key", "allows one more send of one compensate intent", ActHumanKey, inFindings|inFlight, 0),
		act("c", "compensate", "runs the documented compensation of an extra effect", ActCompensate, group|inFlight, 6),
		act("", "compensate kept", "undoes the effect that the ledger stored, which otherwise is kept", ActKept, group|inFlight, 0),
		act("a", "ack", "acknowledges findings with a reason", ActAck, group, 7),
		act("u", "undo", "takes back the last mark or acknowledgement of a row", ActUndo, settle|inLog, 0),
		act("t", "classify", "gives the tool a class in the decision table", ActClassify, inTools, 1),
		act("t", "classify", "gives the tool a class in the decision table", ActClassify, group, 0),
		act("i", "ignore rule", "leaves a volatile argument out of the tool's keys", ActIgnore, group|inTools, 0),
	}
}
