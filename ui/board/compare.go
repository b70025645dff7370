package board

import (
	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
)

// showComparison opens the page that explains why two keys differ.
func (m *model) showComparison(msg compareMsg) tea.Cmd {
	for _, f := range []*facts{msg.a, msg.b} {
		switch {
		case f.err != nil:
			return m.say("compare: the calls cannot be read: "+f.err.Error(), ink.Bad)
		case len(f.calls) == 0:
			return m.say("compare: no call that was read stands behind "+f.of.toolName()+" "+prefix(f.of.key()), ink.Warn)
		}
	}
	return m.push(&textPage{name: "why the keys differ", make: func(m *model, width int) []line { return comparison(m, msg.a, msg.b, width) }})
}

// comparison says where two calls differ in what goes into a key: run, tool and arguments.
func comparison(m *model, a, b *facts, width int) []line {
	one, two := &a.calls[0], &b.calls[0]
	c := composer{look: m.look, g: m.theme.Glyph, width: width, recipe: m.snap.Recipe, press: m.press}
	switch {
	case one.Key == two.Key && one.Key != "":
		c.wrap([]span{say("One key: ", ink.Strong), say("these calls ask for the same.", ink.Plain)})
	case one.Key == "" || two.Key == "":
		c.wrap([]span{say("One of the calls has no key: ", ink.Strong), say(one.NoKey+two.NoKey, ink.Plain)})
	default:
		c.wrap([]span{say("Two keys. ", ink.Strong), say("A key is made of run, tool and arguments ("+m.snap.Recipe+"):", ink.Plain)})
	}
	for i, call := range []*triage.CallView{one, two} {
		key := prefix(call.Key)
		if key == "" {
			key = "no key"
		}
		c.put(say([]string{"A  ", "B  "}[i], ink.Strong), say(key, ink.Accent), say("  "+call.Tool, ink.Plain), say("  "+place(call.Pos), ink.Faint))
	}
	c.section("RUN", "")
	c.same(one.Run, two.Run)
	c.section("TOOL", "")
	c.same(one.Tool, two.Tool)
	c.section("ARGUMENTS", "")
	if len(a.args) == 0 || len(b.args) == 0 {
		c.put(say("the arguments cannot be read again", ink.Bad))
		return c.lines
	}
	x, y := a.args[0].doc, b.args[0].doc
	if x.err != nil || y.err != nil {
		for _, d := range []*document{x, y} {
			if d.err != nil {
				c.wrap([]span{say(d.err.Error(), ink.Bad)})
			}
		}
		return c.lines
	}
	c.lines = append(c.lines, differenceLines(&x.args, &y.args, one, two, width, c.look, c.g)...)
	if one.Ignored || two.Ignored {
		c.blank()
		c.put(say("An ignore rule left something out of these keys: "+joinPointers(one.Rule.Ignore), ink.Warn))
	}
	return c.lines
}

func (c *composer) same(a, b string) {
	if a == b {
		c.put(say("the same: ", ink.Faint), say(a, ink.Plain))
		return
	}
	c.put(say("A  ", ink.Strong), say(a, ink.Plain))
	c.put(say("B  ", ink.Strong), say(b, ink.Bad))
}
