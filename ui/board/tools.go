package board

import (
	"cmp"
	"strings"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

const (
	tTool = iota
	tClass
	tCalls
	tRepeats
	tErrors
	tOpen
	tTimeout
	tNatural
	tUndo
	tSides
	tLast
)

// toolsSpec is the inventory; rule finds a rule of the decision table by its ID.
func toolsSpec(rule func(id int) *table.Rule) *spec[*triage.ToolView] {
	return &spec[*triage.ToolView]{
		subject: filter.Tools,
		columns: []column{
			tTool:    {title: "TOOL", min: 18, max: 44},
			tClass:   {title: "CLASS", min: 14},
			tCalls:   {title: "CALLS", min: 7, right: true},
			tRepeats: {title: "REPEATS", min: 7, right: true},
			tErrors:  {title: "ERRORS", min: 6, right: true, drop: 3},
			tOpen:    {title: "OPEN", min: 4, right: true, drop: 5},
			tTimeout: {title: "TIMEOUT", min: 7, from: 90, drop: 6},
			tNatural: {title: "NATURAL KEY", min: 18, max: 40, from: 102, drop: 7},
			tUndo:    {title: "COMPENSATION", min: 18, max: 60, from: 124, drop: 8},
			tSides:   {title: "SIDES", min: 9, max: 24, from: 140, drop: 9},
			tLast:    {title: "LAST", when: true, gap: 1, right: true, drop: 1},
		},
		orders: []order[*triage.ToolView]{
			{name: "unclassified first"},
			{name: "repeats", column: tRepeats, less: func(a, b *triage.ToolView) int { return cmp.Compare(b.Repeats, a.Repeats) }},
			{name: "errors", column: tErrors, less: func(a, b *triage.ToolView) int { return cmp.Compare(b.Errors, a.Errors) }},
			{name: "tool", column: tTool, less: func(a, b *triage.ToolView) int { return strings.Compare(a.Tool, b.Tool) }},
			{name: "latest first", column: tLast, less: func(a, b *triage.ToolView) int { return cmp.Compare(b.Last, a.Last) }},
		},
		id:     func(t *triage.ToolView) string { return t.Tool },
		record: filter.OfTool,
		rows:   func(s *triage.Snapshot, _ *listState) source[*triage.ToolView] { return s.Tools },
		row: func(b *ink.Block, p *places, t *triage.ToolView, r rowLook) {
			toolRow(b, p, t, ruleOf(t, rule(t.Rule)), r)
		},
		about: func(t *triage.ToolView) subject { return subject{tool: t} },
	}
}

// ruleOf is the rule that a tool's calls go by, nil when they go by several or by none.
func ruleOf(t *triage.ToolView, r *table.Rule) *table.Rule {
	if r == nil || r.Class == table.Unclassified || r.Class.String() != t.Class {
		return nil
	}
	return r
}

func toolRow(b *ink.Block, p *places, t *triage.ToolView, rule *table.Rule, r rowLook) {
	strong := ink.Plain
	if r.on {
		strong = ink.Strong
	}
	if w := p.cell(b, tTool); w > 0 {
		b.SayCell(t.Tool, w, strong)
	}
	if w := p.cell(b, tClass); w > 0 {
		class, tone := t.Class, classTone(t.Class)
		if rule != nil && rule.Class == table.Keyed {
			class = table.Shape(rule)
		}
		if t.Unclassified > 0 {
			class, tone = "? "+class, ink.WarnBold
		}
		b.SayCell(class, w, tone)
	}
	for _, c := range [...]struct {
		column, n int
		tone      ink.Tone
	}{{tCalls, t.Calls, ink.Plain}, {tRepeats, t.Repeats, ink.Plain}, {tErrors, t.Errors, ink.Bad}, {tOpen, t.Open, ink.Warn}} {
		if w := p.cell(b, c.column); w > 0 {
			b.Count(c.n, w, c.tone)
		}
	}
	toolRule(b, p, t, rule)
	if w := p.cell(b, tSides); w > 0 {
		b.SayCell(strings.Join(t.Sides, " "), w, ink.Faint)
	}
	if w := p.cell(b, tLast); w > 0 {
		b.Right(r.when(t.Last), w, ink.Faint)
	}
}

// suggestion is what a tool's name suggests, such as "its name looks like keyed create"; "" when nothing does.
func suggestion(tool string) string {
	s := table.Suggest(tool, table.Hint{})
	if s.Class == table.Unclassified {
		return ""
	}
	r := table.Rule{Class: s.Class, Effect: s.Effect}
	if s.Class == table.Compensate {
		return "compensate"
	}
	return strings.TrimSuffix(table.Shape(&r), " read")
}

// toolRule writes what the decision table says of a tool, or what its name suggests.
func toolRule(b *ink.Block, p *places, t *triage.ToolView, rule *table.Rule) {
	if rule == nil {
		if w := p.cell(b, tNatural); w > 0 && t.Unclassified > 0 {
			if looks := suggestion(t.Tool); looks != "" {
				b.SayCell("looks "+looks, w, ink.Faint)
			}
		}
		return
	}
	if w := p.cell(b, tTimeout); w > 0 && rule.Class != table.Pure {
		b.SayCell(timeout(rule.Timeout.Seconds()), w, ink.Faint)
	}
	if w := p.cell(b, tNatural); w > 0 {
		b.SayCell(joinPointers(rule.NaturalKey), w, ink.Faint)
	}
	if w := p.cell(b, tUndo); w > 0 && rule.Compensate != nil {
		b.SayCell(strings.Join(rule.Compensate.Run, " "), w, ink.Faint)
	}
}
