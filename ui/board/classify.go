package board

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ui/board/ink"
)

// Evidencer is an Actor that says what speaks for a class of a tool.
type Evidencer interface {
	// Evidence reads the tool's calls again and changes nothing. It may take long.
	Evidence(ctx context.Context, tool string) (*Evidence, error)
}

// Evidence is what speaks for a class of a tool. Nothing of it decides.
type Evidence struct {
	Class      table.Class // that it suggests; Unclassified: none
	Effect     table.Effect
	Why        []string // a sentence each, such as "keyed: its name says create"
	NaturalKey []string // pointers that seem to name the object

	At     []keys.Pointer // where cases, or commands, are looked for in the arguments
	Ran    []*Ran         // what stood there, most called first
	Beyond int            // calls whose texts are too many or too long to be kept in Ran
	Cases  []SeenCase     // that the commands suggest, most called first; none of a tool that runs none
	Unread int            // calls that could not be read again
}

// Ran is what stood in the arguments of some calls.
type Ran struct {
	Texts []string // one for each Evidence.At, "" where nothing stood
	Calls int
}

// SeenCase is a case that is suggested; its class may be none.
type SeenCase struct {
	table.Case
	Why string
}

// The answers to what class a tool has, in their order.
var classChoices = [...]struct {
	name, note string
	class      table.Class
	effect     table.Effect
}{
	{"pure", "changes nothing: repeats are fine", table.Pure, table.Create},
	{"keyed create", "makes an object that its key names", table.Keyed, table.Create},
	{"keyed write", "writes an object that is there already", table.Keyed, table.Write},
	{"compensate", "only an undo helps", table.Compensate, table.Create},
}

func (q *question) classify(targets []subject) {
	tools := toolsOf(targets)
	who := strings.Join(tools[:min(len(tools), 3)], ", ")
	if len(tools) > 3 {
		who += " and " + count(len(tools)-3, "more tool", "more tools")
	}
	q.sentence("Classify ", who, "? ", "tools.yaml changes in place, its comments stay.")
	looks := suggestion(tools[0])
	for _, c := range classChoices {
		one := choice{c.name, c.note}
		if c.name == looks && len(tools) == 1 {
			one.note += "; its name looks like this"
		}
		q.choices = append(q.choices, one)
	}
	q.chosen = -1 // a class is a decision: none is there before it is made
	q.room = len(decided(0))
	q.below = func(q *question) []span { return decided(q.chosen) }
	q.make = func(q *question) (Intent, string) {
		if q.chosen < 0 {
			return nil, "choose a class first, with j and k"
		}
		c := classChoices[q.chosen]
		in := Classify{Tools: tools, Class: c.class, Effect: c.effect}
		if text := strings.Fields(q.text(naturalKey)); c.class == table.Keyed && len(text) > 0 {
			for _, t := range text {
				p, err := keys.ParsePointer(t)
				if err != nil || t == "" {
					return nil, "expected pointers such as /repo /head, found " + t
				}
				in.NaturalKey = append(in.NaturalKey, p)
			}
		}
		return in, ""
	}
}

const naturalKey = "natural key"

// decided are the decision table's cells for an answer.
func decided(chosen int) []span {
	switch {
	case chosen < 0:
		return nil
	case chosen >= len(classChoices):
		return []span{say("One tool, many effects: each beginning of its commands gets a class.", ink.Faint)}
	}
	r := table.Rule{Class: classChoices[chosen].class, Effect: classChoices[chosen].effect}
	var out []span
	for _, cell := range cells(&r) {
		out = append(out, say(cell[0]+strings.Repeat(" ", max(26-len(cell[0]), 1))+cell[1], ink.Faint))
	}
	return out
}

// toolsOf names the tools of targets, each once.
func toolsOf(targets []subject) (tools []string) {
	for _, s := range targets {
		if t := s.toolName(); !slices.Contains(tools, t) {
			tools = append(tools, t)
		}
	}
	return tools
}

// evidenceMsg brings what speaks for the class of a tool that a question is about.
type evidenceMsg struct {
	q        *question
	tool     string
	evidence *Evidence
	err      error
}

// lookAt reads the calls of the one tool that a question is about, while it stands there already.
func (m *model) lookAt(q *question, targets []subject) tea.Cmd {
	tools := toolsOf(targets)
	e, ok := m.opt.Actor.(Evidencer)
	if !ok || len(tools) != 1 {
		return nil
	}
	q.list = []string{"looking at its calls " + m.theme.Glyph.Ellipsis}
	ctx, stop := context.WithCancel(m.ctx)
	q.stop = stop
	return m.guard.command("evidence", func() tea.Msg {
		defer stop()
		msg := evidenceMsg{q: q, tool: tools[0]}
		msg.evidence, msg.err = e.Evidence(ctx, tools[0])
		return msg
	})
}

// mostWhy bounds the sentences of evidence that a question shows.
const mostWhy = 4

// showEvidence adds what was found to the question, if that still is there.
func (m *model) showEvidence(msg evidenceMsg) tea.Cmd {
	q := msg.q
	if m.front != q {
		return nil
	}
	e := msg.evidence
	if q.list = nil; msg.err != nil {
		q.list = []string{"its calls cannot be read again: " + msg.err.Error()}
		return nil
	}
	q.list = append(q.list, e.Why[:min(len(e.Why), mostWhy)]...)
	if len(e.Why) == 0 {
		q.list = append(q.list, "neither its name nor its calls suggest a class")
	}
	if e.Unread > 0 {
		q.list = append(q.list, count(e.Unread, "call", "calls")+" could not be read again")
	}
	row := m.eng.Table().Row(msg.tool)
	cases := len(e.Cases) > 0 || row.NeedsArgs()
	if len(e.NaturalKey) > 0 && len(row.Own().NaturalKey) == 0 && !cases {
		_, _, buttons := q.focus()
		q.fields = append(q.fields, entry{label: naturalKey})
		q.fields[len(q.fields)-1].set(strings.Join(e.NaturalKey, " "))
		q.list = append(q.list, "natural key: names the object, in the calls that were seen; empty is none")
		if buttons {
			q.at = q.stops() - 1
		}
	}
	if !cases {
		return nil
	}
	q.choices = append(q.choices, choice{"by its commands", "opens its cases: a class for each beginning of its commands"})
	if row.NeedsArgs() && q.chosen < 0 {
		q.chosen = len(q.choices) - 1
	}
	intent := q.make
	q.do = func(m *model, q *question) (tea.Cmd, string) {
		if q.chosen == len(classChoices) {
			return func() tea.Msg { return casesMsg{msg.tool, e} }, ""
		}
		in, wrong := intent(q)
		if wrong != "" {
			return nil, wrong
		}
		return m.act(in), ""
	}
	return nil
}

// casesMsg opens the cases of a tool.
type casesMsg struct {
	tool     string
	evidence *Evidence
}
