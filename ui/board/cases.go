package board

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/keys/table"
	"drainboard/ui/board/ink"
)

// caseSheet edits the cases of a tool that does many things: each beginning of its commands with its class and the calls that fall under
// it. Nothing is written before y, and then all of it at once.
type caseSheet struct {
	tool   string
	e      *Evidence
	own    *table.Rule
	rows   []caseRow // the row's cases in their order, then what is suggested
	falls  []fall    // of each of rows, and of what falls under none
	at     int
	adding *field // the glob of a further case, while it is typed
	wrong  string
}

// caseRow is a case in the making.
type caseRow struct {
	table.Case
	was  table.Class // as tools.yaml has it
	eff  table.Effect
	here bool // tools.yaml has it
	gone bool // it is to be taken out
	why  string
}

// fall is what falls under a case.
type fall struct {
	calls, mixed int
	first        []*Ran
	at           int // position of their text
}

func newCaseSheet(m *model, tool string, e *Evidence) *caseSheet {
	row := m.eng.Table().Row(tool)
	s := &caseSheet{tool: tool, e: e, own: row.Own()}
	for _, c := range row.Cases() {
		s.rows = append(s.rows, caseRow{Case: c, was: c.Class, eff: c.Effect, here: true})
	}
	for _, c := range e.Cases {
		if s.find(&c.Case) < 0 {
			s.rows = append(s.rows, caseRow{Case: table.Case{At: c.At, Glob: c.Glob}, why: suggested(c)})
		}
	}
	s.count()
	return s
}

// suggested says what speaks for a class of a case.
func suggested(c SeenCase) string {
	if c.Class == table.Unclassified {
		return c.Why
	}
	r := table.Rule{Class: c.Class, Effect: c.Effect}
	return strings.TrimSuffix(table.Shape(&r), " read") + "? " + c.Why
}

func (s *caseSheet) find(c *table.Case) int {
	for i := range s.rows {
		if r := &s.rows[i]; r.Glob == c.Glob && r.At.String() == c.At.String() {
			return i
		}
	}
	return -1
}

// set says that the case decides as things stand in the sheet.
func (r *caseRow) set() bool { return !r.gone && r.Class != table.Unclassified }

// changed says that y would write the case.
func (r *caseRow) changed() bool {
	if r.gone {
		return r.here
	}
	return r.Class != r.was || r.Class == table.Keyed && r.Effect != r.eff
}

// count finds what falls under each case, in the order in which they would stand: a call goes to the first that fits, and what is not
// set counts what it would take if it were.
func (s *caseSheet) count() {
	var order []table.Case
	var which []int
	for i := range s.rows {
		if r := &s.rows[i]; r.here && !r.gone {
			order, which = append(order, r.Case), append(which, i)
		}
	}
	for i := range s.rows {
		if r := &s.rows[i]; !r.here && r.set() {
			at := r.Place(order)
			order = append(order[:at:at], append([]table.Case{r.Case}, order[at:]...)...)
			which = append(which[:at:at], append([]int{i}, which[at:]...)...)
		}
	}
	s.falls = make([]fall, len(s.rows)+1)
	for _, ran := range s.e.Ran {
		first := 0
		for first < len(order) && !s.fits(&order[first], ran) {
			first++
		}
		to := len(s.rows)
		if first < len(order) {
			to = which[first]
		}
		s.take(to, ran)
		for i := range s.rows {
			if r := &s.rows[i]; !r.set() && !r.here && r.Place(order) <= first && s.fits(&r.Case, ran) {
				s.take(i, ran)
			}
		}
	}
}

func (s *caseSheet) fits(c *table.Case, ran *Ran) bool {
	text, _ := s.text(c, ran)
	return text != "" && c.Fits(text)
}

// take counts calls for a case.
func (s *caseSheet) take(to int, ran *Ran) {
	f := &s.falls[to]
	if to < len(s.rows) {
		_, f.at = s.text(&s.rows[to].Case, ran)
	} else {
		for f.at = len(ran.Texts) - 1; f.at > 0 && ran.Texts[f.at] == ""; {
			f.at--
		}
	}
	if f.calls += ran.Calls; table.Mixed(ran.Texts[f.at]) {
		f.mixed += ran.Calls
	}
	if len(f.first) < 4 {
		f.first = append(f.first, ran)
	}
}

// text is what a case looks at in some calls, and at which place it stands.
func (s *caseSheet) text(c *table.Case, ran *Ran) (string, int) {
	for i, p := range s.e.At {
		if p.String() == c.At.String() {
			return ran.Texts[i], i
		}
	}
	return "", 0
}

func (s *caseSheet) key(m *model, k tea.KeyMsg) tea.Cmd {
	s.wrong = ""
	if s.adding != nil {
		s.typed(k)
		return nil
	}
	switch key := k.String(); key {
	case "esc", "ctrl+c":
		m.front = nil
		return m.say("classify: cancelled", ink.Faint)
	case "down", "j", "enter":
		s.at = max(min(s.at+1, len(s.rows)-1), 0)
	case "up", "k":
		s.at = max(s.at-1, 0)
	case "g", "home":
		s.at = 0
	case "G", "end":
		s.at = max(len(s.rows)-1, 0)
	case "1", "2", "3", "4":
		if s.at < len(s.rows) {
			c, r := classChoices[key[0]-'1'], &s.rows[s.at]
			r.Class, r.Effect, r.gone = c.class, c.effect, false
			s.count()
		}
	case "x", "delete":
		s.drop()
	case "+", "a":
		s.adding = &field{}
		if s.at < len(s.rows) && m.theme.Name != "none" { // a narrower one, as a rule
			s.adding.set(s.rows[s.at].Glob)
			s.adding.at = len(strings.TrimRight(s.adding.text, "*"))
		}
	case "y":
		return s.yes(m)
	}
	return nil
}

// drop takes a case out, or back what was chosen for one that is not written.
func (s *caseSheet) drop() {
	if s.at >= len(s.rows) {
		return
	}
	r := &s.rows[s.at]
	switch {
	case r.here && !r.gone:
		r.Class, r.Effect, r.gone = r.was, r.eff, true
	case r.here:
		r.gone = false
	default:
		r.Class, r.Effect = table.Unclassified, table.Create
	}
	s.count()
}

// typed takes in a key for the glob of a further case.
func (s *caseSheet) typed(k tea.KeyMsg) {
	switch k.String() {
	case "esc", "ctrl+c":
		s.adding = nil
	case "enter":
		c := s.draft()
		switch i := s.find(&c); {
		case c.Glob == "":
			s.wrong = "expected a glob, such as git push*"
			return
		case i >= 0:
			s.at = i
		default:
			s.rows = append(s.rows, caseRow{Case: c, why: "new"})
			s.at = len(s.rows) - 1
		}
		s.adding = nil
		s.count()
	default:
		s.adding.key(k)
	}
}

// draft is the case whose glob is being typed: it looks where the one under the cursor does.
func (s *caseSheet) draft() table.Case {
	c := table.Case{Glob: strings.TrimSpace(s.adding.text)}
	if s.at < len(s.rows) {
		c.At = s.rows[s.at].At
	} else if len(s.e.At) > 0 {
		c.At = s.e.At[0]
	}
	return c
}

// yes writes what was changed.
func (s *caseSheet) yes(m *model) tea.Cmd {
	in := EditCases{Tool: s.tool}
	for i := range s.rows {
		switch r := &s.rows[i]; {
		case !r.changed():
		case r.gone:
			in.Gone = append(in.Gone, r.Case)
		default:
			in.Put = append(in.Put, r.Case)
		}
	}
	if len(in.Put)+len(in.Gone) == 0 {
		s.wrong = "nothing is changed yet"
		return nil
	}
	m.front = nil
	return m.act(in)
}

func (s *caseSheet) sheet(m *model) int { return min(len(s.rows), max(m.h-bodyRest-9, 4)) + 7 }

func (s *caseSheet) drawSheet(_ *model, b *ink.Block) {
	said := []span{say("Cases of ", ink.Plain), say(s.tool, ink.Strong), say(": ", ink.Plain), say("the first that fits decides; a glob sees the whole text. tools.yaml changes in place, its comments stay.", ink.Warn)}
	lines := wrapped(said, b.Width()-3)
	most := 2
	if b.Height() < 12 {
		most = 1
	}
	for i := range lines[:min(len(lines), most)] {
		b.To(indent)
		drawLine(b, &lines[i])
	}
	glob := min(max(b.Width()/3, 18), 44)
	b.To(indent+2).SayCell("GLOB", glob, ink.Head).SayCell("CLASS", 15, ink.Head).Right("CALLS", 7, ink.Head).End()
	room := max(b.Left()-4, 1)
	from := min(max(s.at-room+1, 0), max(len(s.rows)-room, 0))
	for i := from; i < min(from+room, len(s.rows)); i++ {
		s.drawRow(b, i, glob)
	}
	rest := &s.falls[len(s.rows)]
	class := s.own.Class.String()
	if s.own.Class == table.Keyed {
		class = table.Shape(s.own)
	}
	b.To(indent+2).SayCell("everything else", glob, ink.Faint).SayCell(class, 15, classTone(s.own.Class.String())).Count(rest.calls, 7, ink.Plain)
	if s.e.Beyond > 0 {
		b.Gap(2).Say("and "+count(s.e.Beyond, "call", "calls")+" that are not looked at", ink.Faint)
	}
	b.End().End()
	s.drawFall(b)
}

func (s *caseSheet) drawRow(b *ink.Block, i, glob int) {
	r := &s.rows[i]
	if i == s.at {
		b.To(indent).Sign(b.Glyph().Caret, ink.Caret)
	}
	tone := ink.Plain
	if !r.set() {
		tone = ink.Faint
	}
	class := "?"
	if r.Class != table.Unclassified {
		class = r.Class.String()
		if r.Class == table.Keyed {
			class = table.Shape(&table.Rule{Class: r.Class, Effect: r.Effect})
		}
	}
	note, noteTone := r.why, ink.Faint
	switch {
	case r.gone:
		class, note, noteTone = "taken out", "is taken out", ink.Warn
	case r.changed() && r.here:
		note, noteTone = "changes", ink.Warn
	case r.changed():
		note, noteTone = "is added", ink.Warn
	}
	b.To(indent+2).SayCell(r.Glob, glob-1, tone).Gap(1).SayCell(class, 15, classTone(r.Class.String())).Count(s.falls[i].calls, 7, tone)
	b.Gap(2).Say(note, noteTone).End()
}

// drawFall says what falls under the case at the cursor.
func (s *caseSheet) drawFall(b *ink.Block) {
	if s.at >= len(s.rows) {
		b.To(indent).Say("no command was seen; + adds a case", ink.Faint).End().End()
		return
	}
	f := &s.falls[s.at]
	var texts []string
	for _, r := range f.first {
		text := r.Texts[f.at]
		if r.Calls > 1 {
			text += " x" + ink.Thousands(r.Calls)
		}
		texts = append(texts, text)
	}
	switch {
	case len(texts) > 0:
		b.To(indent).Say("seen: "+strings.Join(texts, b.Glyph().Break), ink.Plain).End()
	default:
		b.To(indent).Say("no call falls under it", ink.Faint).End()
	}
	if f.mixed > 0 {
		b.To(indent).Say(count(f.mixed, "call of these goes", "calls of these go")+" on with another command, a pipe or a redirection", ink.Warn)
	}
	b.End()
}

func (s *caseSheet) drawFoot(_ *model, b *ink.Block) {
	b.Gap(1)
	switch {
	case s.wrong != "":
		b.Say(s.wrong, ink.Bad)
		return
	case s.adding != nil:
		b.Say("glob ", ink.Hint)
		s.adding.draw(b, nil)
		n, c := 0, s.draft()
		for _, ran := range s.e.Ran {
			if s.fits(&c, ran) {
				n += ran.Calls
			}
		}
		b.Gap(3).Say("fits "+count(n, "call", "calls"), ink.Faint)
		return
	}
	hints := [][2]string{{"1", "pure"}, {"2", "create"}, {"3", "write"}, {"4", "compensate"}, {"x", "out"}, {"+", "add"}}
	if b.Width() < 78 {
		hints = append([][2]string{{"1 2 3 4", "class"}}, hints[4:]...)
	}
	for _, h := range hints {
		b.Say(h[0], ink.Hint).Say(" "+h[1]+"  ", ink.Faint)
	}
	n := 0
	for i := range s.rows {
		if s.rows[i].changed() {
			n++
		}
	}
	if n > 0 {
		b.Say("y", ink.Hint).Say(" write "+ink.Thousands(n)+"  ", ink.Faint)
	}
	b.Say("esc", ink.Hint).Say(" cancel", ink.Faint)
}
