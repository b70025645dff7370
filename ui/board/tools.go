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
	tSides
	tSeen
	tLast
)

func toolsSpec() *spec[*triage.ToolView] {
	return &spec[*triage.ToolView]{
		subject: filter.Tools,
		columns: []column{
			tTool:    {title: "TOOL", min: 18, max: 44},
			tClass:   {title: "CLASS", min: 14},
			tCalls:   {title: "CALLS", min: 7, right: true},
			tRepeats: {title: "REPEATS", min: 7, right: true},
			tErrors:  {title: "ERRORS", min: 6, right: true, drop: 3},
			tOpen:    {title: "OPEN", min: 4, right: true, drop: 5},
			tSides:   {title: "SIDES", min: 9, max: 24, from: 92, drop: 6},
			tSeen:    {title: "FIRST AT", min: 16, max: 40, from: 120, drop: 7},
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
		row:    toolRow,
		about:  func(t *triage.ToolView) subject { return subject{tool: t} },
	}
}

func toolRow(b *ink.Block, p *places, t *triage.ToolView, r rowLook) {
	strong := ink.Plain
	if r.on {
		strong = ink.Strong
	}
	if w := p.cell(b, tTool); w > 0 {
		b.SayCell(t.Tool, w, strong)
	}
	if w := p.cell(b, tClass); w > 0 {
		class, tone := t.Class, classTone(t.Class)
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
	if w := p.cell(b, tSides); w > 0 {
		b.SayCell(strings.Join(t.Sides, " "), w, ink.Faint)
	}
	if w := p.cell(b, tSeen); w > 0 {
		b.SayCell(place(t.First), w, ink.Faint)
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
