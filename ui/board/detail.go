package board

import (
	"strconv"
	"strings"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// composer writes what is known of a subject as lines, for the pane beside a list and for a page of its own.
type composer struct {
	look
	g      *ink.Glyphs
	width  int
	recipe string
	ruleBy func(id int) *table.Rule
	page   bool // a page of its own: everything; else what matters most
	folded folds
	press  func(name string) string // the key of an action, as it is by now
	opens  string                   // the action that opens the subject
	lines  []line
}

func (c *composer) put(spans ...span) { c.lines = append(c.lines, line{spans: spans}) }

func (c *composer) blank() {
	if n := len(c.lines); n > 0 && len(c.lines[n-1].spans) > 0 {
		c.put()
	}
}

func (c *composer) section(title, note string) {
	c.blank()
	spans := []span{say(title, ink.Head)}
	if note != "" {
		spans = append(spans, say("  "+note, ink.Faint))
	}
	c.put(spans...)
}

// wrap adds sentences, broken between words.
func (c *composer) wrap(spans []span) { c.lines = append(c.lines, wrapped(spans, c.width)...) }

// opener names the action that opens a subject from its list.
func opener(s subject) string {
	switch {
	case s.run != nil:
		return "timeline"
	case s.tool != nil:
		return "calls"
	}
	return "open"
}

// more says how many calls are not shown, and how to see them from a list.
func (c *composer) more(n int) {
	spans := []span{say("and "+ink.Thousands(n)+" more", ink.Faint)}
	if !c.page {
		spans = append(spans, say(": ", ink.Faint), say(c.press(c.opens), ink.Hint), say(" shows them", ink.Faint))
	}
	c.put(spans...)
}

// compose writes a subject with what was read about it; f may be nil while that is on its way.
func (c *composer) compose(s subject, f *facts) []line {
	c.lines, c.opens = c.lines[:0], opener(s)
	switch {
	case s.finding != nil:
		c.finding(s.finding)
	case s.row != nil:
		c.ledgerRow(s.row, f)
	case s.run != nil:
		c.run(s.run)
	case s.tool != nil:
		c.tool(s.tool)
	case s.call != nil:
		c.title(s.call.Tool, s.call.Class.String(), s.call.Key)
	case s.entry != nil:
		c.entry(s.entry)
	}
	if f == nil {
		return c.lines
	}
	if f.err != nil {
		c.blank()
		c.wrap([]span{say("the calls cannot be read: "+f.err.Error(), ink.Bad)})
	}
	if s.run != nil || s.tool != nil {
		c.firstCalls(f, 12)
		return c.lines
	}
	c.calls(f)
	c.arguments(f)
	c.results(f)
	c.row(f)
	c.history(f)
	c.keys(s, f)
	return c.lines
}

func (c *composer) title(name, class, key string) {
	spans := []span{say(name, ink.Strong)}
	if class != "" {
		spans = append(spans, say("  ", ink.Plain), say(class, classTone(class)))
	}
	if key != "" {
		spans = append(spans, say("  ", ink.Plain), say(prefix(key)+c.g.Ellipsis, ink.Accent), say("  "+c.recipe, ink.Faint))
	}
	c.put(spans...)
}

func (c *composer) finding(f *triage.Finding) {
	class := f.Class.String()
	if f.Rule != nil && f.Class == table.Keyed {
		class = table.Shape(f.Rule)
	}
	if f.Tool == "" {
		class = ""
	}
	name := f.Tool
	if name == "" {
		name = f.Run
	}
	if name == "" {
		name = f.Kind.String()
	}
	c.title(name, class, f.Key)
	if f.Kind != triage.Duplicate {
		glyph, tone := severity(c.g, f.Severity)
		text, _ := kindCell(f, c.look)
		c.put(say(glyph+" "+f.Severity.String(), tone), say("  "+text, ink.Plain))
	}
	c.blank()
	p := prosaic(f, c.now)
	c.wrap(p.what)
	c.advice(p.advice)
	if f.Ack != "" {
		c.wrap([]span{say("acknowledged: "+c.mask(f.Ack), ink.Good)})
	}
	if len(f.Details().Runs) > 1 {
		c.section("RUNS", "")
		c.wrap([]span{say(strings.Join(f.Details().Runs, ", "), ink.Plain)})
	}
}

// advice adds what to do. A Hint in it names an action, in the place of its key.
func (c *composer) advice(spans []span) {
	for i := range spans {
		if spans[i].tone == ink.Hint {
			spans[i] = say(c.press(string(spans[i].text)), ink.Hint)
		}
	}
	if len(spans) > 0 {
		c.wrap(append([]span{say(c.g.Arrow+" ", ink.Accent)}, spans...))
	}
}

// firstCalls lists the first calls of a run or a tool.
func (c *composer) firstCalls(f *facts, most int) {
	if most < 1 || len(f.calls) == 0 {
		return
	}
	note := ""
	if f.total > most {
		note = "the first of " + ink.Thousands(f.total)
	}
	c.section("CALLS", note)
	c.callLines(f, most)
}

// firstRule is the rule of the first call that was read, or nil.
func (f *facts) firstRule() *table.Rule {
	if f == nil || len(f.calls) == 0 {
		return nil
	}
	return f.calls[0].Rule
}

func (c *composer) ledgerRow(v *triage.RowView, f *facts) {
	class := ""
	if r := f.firstRule(); r != nil {
		class = r.Class.String()
	}
	c.title(v.Tool, class, v.Key)
	c.blank()
	p := rowProse(v, c.now, f.firstRule())
	c.wrap(p.what)
	c.advice(p.advice)
	if v.Foreign {
		c.wrap([]span{say("Foreign: ", ink.Warn), say("no call that was read meets this row, and the recipe in force does not make its key from its request.", ink.Plain)})
	}
}

func (c *composer) entry(e *Entry) {
	c.title(e.Action, "", e.Key)
	c.put(say(c.stamp(e.Time)+"  "+e.Actor, ink.Faint))
	c.blank()
	way := e.Tool
	if e.From != "" || e.To != "" { // what moves no row has neither
		way += ": " + e.From + " " + c.g.To + " " + e.To
	}
	c.wrap([]span{say(way, ink.Plain)})
	c.wrap([]span{say("reason: "+e.Reason, ink.Plain)})
	if e.Output != "" {
		c.section("OUTPUT", "")
		for _, l := range safe.Block(e.Output) {
			c.put(span{l, ink.Plain})
		}
	}
}

func (c *composer) run(v *triage.RunView) {
	c.title(v.Run, "", "")
	c.put(say(strings.TrimSpace(v.Side+"  "+c.stamp(v.Started)), ink.Faint))
	c.blank()
	if v.Over {
		c.wrap([]span{say(count(v.Calls, "call", "calls")+", ceiling "+ink.Thousands(v.Ceiling)+": ", ink.Plain), say("over by "+ink.Thousands(v.Calls-v.Ceiling)+".", ink.BadBold)})
	} else {
		c.wrap([]span{say(count(v.Calls, "call", "calls")+" of "+ink.Thousands(v.Ceiling)+" that its ceiling allows.", ink.Plain)})
	}
	if v.Tree != v.Calls {
		c.wrap([]span{say(ink.Thousands(v.Tree)+" with the runs below it.", ink.Plain)})
	}
	if v.Parent != "" {
		c.wrap([]span{say("Started by "+v.Parent+".", ink.Plain)})
	}
	if v.Findings > 0 {
		c.wrap([]span{say(count(v.Findings, "finding", "findings")+" in it. ", ink.Warn)})
	}
	c.advice([]span{say("timeline", ink.Hint), say(" opens its calls in order, repeats joined", ink.Plain)})
}

func (c *composer) tool(v *triage.ToolView) {
	c.title(v.Tool, v.Class, "")
	c.blank()
	if v.Unclassified > 0 {
		text := count(v.Unclassified, "call", "calls") + " in no class: "
		c.wrap([]span{say(text, ink.Plain), say("the drain cannot go.", ink.BadBold)})
		advice := []span{say("classify", ink.Hint), say(" classify", ink.Plain)}
		if looks := suggestion(v.Tool); looks != "" {
			advice = append(advice, say("; its name looks like ", ink.Plain), say(looks, classTone(looks)))
		}
		c.advice(advice)
	}
	text := count(v.Calls, "call", "calls")
	for _, n := range []struct {
		n         int
		one, many string
	}{{v.Repeats, "repeat", "repeats"}, {v.Errors, "error", "errors"}, {v.Open, "open", "open"}} {
		if n.n > 0 {
			text += ", " + count(n.n, n.one, n.many)
		}
	}
	c.wrap([]span{say(text, ink.Plain)})
	if r := ruleOf(v, c.ruleBy(v.Rule)); r != nil {
		c.rule(r)
	}
}

func (c *composer) arguments(f *facts) {
	if len(f.args) == 0 {
		if f.asked != nil {
			c.section("REQUEST", "as the ledger has it")
			c.lines = append(c.lines, f.asked.tree(1, c.width, c.folded, c.g)...)
		}
		return
	}
	if len(f.args) == 2 {
		c.differences(f)
	}
	a := f.args[0]
	note := "canonical"
	if a.doc.args.Opaque() {
		note = "opaque: a string that is no JSON object, keyed as it is"
	}
	if call := f.calls[a.call]; call.NoKey != "" {
		note = "no key: " + call.NoKey
	}
	if len(f.args) == 2 {
		note += ", of #" + strconv.Itoa(a.call+1)
	}
	c.section("ARGUMENTS", note)
	c.lines = append(c.lines, a.doc.tree(1, c.width, c.folded, c.g)...)
}

func (c *composer) row(f *facts) {
	switch {
	case f.rowErr != nil:
		c.section("LEDGER", "")
		c.wrap([]span{say(f.rowErr.Error(), ink.Bad)})
		return
	case !f.hasRow:
		return
	}
	c.section("LEDGER", "")
	c.wrap(rowSpans(f))
	if c.page {
		c.put(say("created ", ink.Faint), say(c.stamp(int64(f.row.Created*1e9)), ink.Plain))
		c.put(say("updated ", ink.Faint), say(c.stamp(int64(f.row.Updated*1e9)), ink.Plain))
		if f.stored != nil {
			c.section("STORED RESPONSE", "")
			c.lines = append(c.lines, f.stored.tree(2, c.width, c.folded, c.g)...)
		}
	}
}

// rowSpans says in one line what the ledger holds.
func rowSpans(f *facts) []span {
	out := []span{say(string(f.row.State), stateTone(string(f.row.State)))}
	if f.stored != nil {
		out = append(out, say("  "+cut(f.stored.brief(), 32), ink.Plain))
	}
	owner := ""
	if f.of.row != nil {
		owner = f.of.row.Owner
	} else if f.of.finding != nil {
		owner = f.of.finding.Details().Owner
	}
	if c := f.row.Claim; c != nil {
		if owner == "" {
			owner = "pid " + strconv.Itoa(c.PID) + " on " + c.Host
		}
		owner += "  attempt " + strconv.Itoa(max(c.Attempt, 1))
	}
	if owner != "" {
		out = append(out, say("  "+owner, ink.Faint))
	}
	return out
}

// keys writes the key in full, its recipe, and what the handler recorded.
func (c *composer) keys(s subject, f *facts) {
	if !c.page {
		return
	}
	if len(f.calls) > 0 && f.calls[0].Rule != nil {
		c.rule(f.calls[0].Rule)
	}
	key := s.key()
	if key == "" && len(f.calls) == 0 {
		return
	}
	c.section("KEY", c.recipe)
	if key != "" {
		c.wrap([]span{say(key, ink.Accent)})
	}
	seen := map[string]bool{}
	for i := range f.calls {
		call := &f.calls[i]
		if i == 0 && call.Ignored {
			c.put(say("made with an ignore rule: "+joinPointers(call.Rule.Ignore)+" left out", ink.Warn))
		}
		if r := call.Recorded; r != "" && !seen[r] && len(seen) < 8 {
			seen[r] = true
			switch {
			case r == call.Key:
				c.put(say("recorded  ", ink.Faint), say("the same", ink.Good))
			default:
				c.put(say("recorded  ", ink.Faint), say(cut(r, 64), ink.Warn), say("  by #"+strconv.Itoa(i+1), ink.Faint))
			}
		}
	}
	if s.finding != nil && s.finding.Kind == triage.Drift {
		for _, k := range s.finding.Details().Keys {
			c.put(say(k, ink.Plain))
		}
	}
}

// drawLine writes a line of a detail.
func drawLine(b *ink.Block, l *line) {
	for _, s := range l.spans {
		b.Text(s.text, s.tone)
	}
	b.End()
}
