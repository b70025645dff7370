package board

import (
	"strconv"
	"strings"

	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// strip writes a subject in the few lines under a list: what it means, what to do, its calls, its arguments, its row.
func (c *composer) strip(s subject, f *facts, height int) []line {
	c.lines = c.lines[:0]
	switch {
	case s.finding != nil:
		c.stripFinding(s.finding)
	case s.row != nil:
		c.stripHead(s.row.Tool, "", rowProse(s.row, c.now, f.firstRule()))
	case s.run != nil:
		c.run(s.run)
		if f != nil {
			c.firstCalls(f, height-len(c.lines)-2)
		}
		return c.lines
	case s.tool != nil:
		c.tool(s.tool)
		return c.lines
	case s.entry != nil:
		c.entry(s.entry)
		return c.lines
	}
	if f == nil || f.of != s {
		return c.lines
	}
	if f.err != nil {
		c.wrap([]span{say("the calls cannot be read: "+f.err.Error(), ink.Bad)})
	}
	c.stripCalls(f, height)
	if len(f.args) == 2 {
		c.stripDifference(f)
	} else if len(f.args) > 0 {
		c.put(say("args  ", ink.Faint), argsLine(f.args[0].doc, c.g))
	} else if f.asked != nil {
		c.put(say("request  ", ink.Faint), argsLine(f.asked, c.g))
	}
	switch {
	case f.rowErr != nil:
		c.put(say("ledger  ", ink.Faint), say(f.rowErr.Error(), ink.Bad))
	case f.hasRow:
		c.lines = append(c.lines, line{spans: append([]span{say("ledger  ", ink.Faint)}, rowSpans(f)...)})
	}
	return c.lines
}

// stripHead writes a name, what it means behind it, and what to do.
func (c *composer) stripHead(name, class string, p prose) {
	spans := []span{say(name, ink.Strong), say("  ", ink.Plain)}
	if class != "" {
		spans = append(spans, say(class, classTone(class)), say("  ", ink.Plain))
	}
	c.wrap(append(spans, p.what...))
	c.advice(p.advice)
}

func (c *composer) stripFinding(f *triage.Finding) {
	class := f.Class.String()
	name := f.Tool
	if name == "" {
		name, class = f.Run, ""
	}
	if name == "" {
		name = f.Kind.String()
	}
	if f.Ack != "" {
		c.stripHead(name, class, prose{what: prosaic(f, c.now).what, advice: []span{say("acknowledged: "+c.mask(f.Ack), ink.Good)}})
		return
	}
	c.stripHead(name, class, prosaic(f, c.now))
}

// stripCalls writes as many calls as leave room for what follows.
func (c *composer) stripCalls(f *facts, height int) {
	room := height - len(c.lines)
	if len(f.args) > 0 || f.asked != nil {
		room--
	}
	if f.hasRow || f.rowErr != nil {
		room--
	}
	room = max(room, 1)
	w := c.callWidths(f)
	shown := 0
	for i := range f.calls {
		lines := callSpans(f, i, w, c.look)
		left := f.total - i
		if shown+len(lines) > room || shown+len(lines) == room && left > 1 {
			c.more(left)
			return
		}
		for _, spans := range lines {
			c.lines = append(c.lines, line{spans: spans})
			shown++
		}
	}
}

// stripDifference names the first place at which two calls differ.
func (c *composer) stripDifference(f *facts) {
	a, b := f.args[0], f.args[1]
	if a.doc.err != nil || b.doc.err != nil {
		return
	}
	one, two := f.calls[a.call], f.calls[b.call]
	lines := differenceLines(&a.doc.args, &b.doc.args, &one, &two, c.width-6, c.look, c.g)
	c.lines = append(c.lines, line{spans: append([]span{say("differ  ", ink.Faint)}, lines[0].spans...)})
}

// argsLine is `amount 1500 · currency "NGN"`, or the first line of opaque arguments.
func argsLine(d *document, g *ink.Glyphs) span {
	if d.err != nil {
		return say(d.err.Error(), ink.Bad)
	}
	if d.args.Opaque() {
		return say(d.args.Root().Text()[:min(len(d.args.Root().Text()), 400)], ink.Plain)
	}
	all := d.leaves()
	if len(all) == 0 {
		return say("none", ink.Faint)
	}
	var parts []string
	for i, l := range all {
		if i == 12 {
			parts = append(parts, "and "+strconv.Itoa(len(all)-i)+" more")
			break
		}
		parts = append(parts, strings.TrimSpace(nameOf(l.pointer)+" "+cut(l.value, 40)))
	}
	return span{safe.Line(strings.Join(parts, g.Break)), ink.Plain}
}
