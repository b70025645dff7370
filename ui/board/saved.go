package board

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

// View is a list with a name: a screen, narrowed and sorted. It is an action of the palette.
type View struct {
	Name      string `json:"name" yaml:"name"`
	Key       string `json:"key,omitempty" yaml:"key"`       // a key of its own; "": none
	Screen    string `json:"screen,omitempty" yaml:"screen"` // "": findings
	ListState `yaml:",inline"`
}

func (v *View) check() error {
	if strings.TrimSpace(v.Name) == "" {
		return errors.New("expected a name")
	}
	if v.Key != "" && !isKey(v.Key) {
		return fmt.Errorf("%s: key %q is no key", v.Name, v.Key)
	}
	at, ok := v.screen()
	if !ok {
		return fmt.Errorf("%s: there is no screen %q", v.Name, v.Screen)
	}
	if f := filter.Parse(v.Filter, subjectOf(at)); len(f.Problems) > 0 {
		return fmt.Errorf("%s: %w", v.Name, f.Problems[0])
	}
	return nil
}

func (v *View) screen() (screen, bool) {
	if v.Screen == "" {
		return onFindings, true
	}
	return screenNamed(v.Screen)
}

// binding makes the view an action.
func (v *View) binding() binding {
	b := binding{name: "view " + v.Name, help: "shows " + strings.TrimSpace(strings.ToLower(v.Screen)+" "+v.Filter), where: inAll, view: true}
	if v.Key != "" {
		b.press = on(v.Key)
	}
	b.do = func(m *model) tea.Cmd {
		at, _ := v.screen()
		m.narrow(at, v.ListState)
		g := m.panes[at].pos()
		g.top, g.cursor, g.touched = 0, 0, false
		return tea.Batch(m.show(at), m.restate())
	}
	return b
}

// bindViews makes the views that were saved here actions; those of the settings are ones already.
func (m *model) bindViews() {
	m.binds = slices.DeleteFunc(m.binds, func(b binding) bool { return b.saved })
	for i := range m.saved {
		b := m.saved[i].binding()
		b.press, b.saved = on(), true
		m.binds = append(m.binds, b)
	}
}

// viewPrompt asks for the name of a view to be saved or taken away.
type viewPrompt struct {
	field
	forget bool
}

func (m *model) saveView() tea.Cmd {
	m.front = &viewPrompt{}
	return nil
}

func (m *model) forgetView() tea.Cmd {
	m.front = &viewPrompt{forget: true}
	return nil
}

func (m *model) whyForget() string {
	if len(m.saved) == 0 {
		return "no view was saved here"
	}
	return ""
}

func (p *viewPrompt) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc", "ctrl+c":
		m.front = nil
	case "enter":
		m.front = nil
		return p.done(m, strings.TrimSpace(p.text))
	default:
		p.field.key(k)
	}
	return nil
}

func (p *viewPrompt) done(m *model, name string) tea.Cmd {
	at := slices.IndexFunc(m.saved, func(v View) bool { return v.Name == name })
	switch {
	case name == "":
		return m.say("a view needs a name", ink.Warn)
	case p.forget && at < 0:
		var names []string
		for _, v := range m.saved {
			names = append(names, v.Name)
		}
		return m.say("no view is called "+name+"; there are: "+strings.Join(names, ", "), ink.Warn)
	case p.forget:
		m.saved = slices.Delete(m.saved, at, at+1)
		m.bindViews()
		return m.say("view "+name+": gone", ink.Plain)
	}
	v := View{Name: name, Screen: screenNames[m.screen], ListState: m.listState(m.screen)}
	if at >= 0 {
		m.saved[at] = v
	} else {
		m.saved = append(m.saved, v)
	}
	m.bindViews()
	return m.say("view "+name+": saved for this directory; "+m.press("actions")+" lists it", ink.Good)
}

func (p *viewPrompt) sheet(*model) int             { return 0 }
func (p *viewPrompt) drawSheet(*model, *ink.Block) {}

func (p *viewPrompt) drawFoot(m *model, b *ink.Block) {
	what := "save this view as "
	if p.forget {
		what = "forget the view "
	}
	b.Gap(1).Say(what, ink.Hint)
	p.draw(b, nil)
}
