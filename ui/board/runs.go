package board

import (
	"cmp"
	"strings"

	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

const (
	rRun = iota
	rBar
	rSpark
	rTree
	rFindings
	rSide
	rEnd
	rFirst
	rLast
)

func runsSpec() *spec[*triage.RunView] {
	return &spec[*triage.RunView]{
		subject: filter.Runs,
		columns: []column{
			rRun:      {title: "RUN", min: 10, want: 12, max: 40},
			rBar:      {title: "CALLS / CEILING", min: 20, want: 22, max: 44},
			rSpark:    {title: "CALLS OVER TIME", name: "spark", min: 15, max: 24, drop: 4},
			rTree:     {title: "TREE", min: 5, right: true, drop: 6},
			rFindings: {title: "FINDINGS", min: 8, right: true, drop: 2},
			rSide:     {title: "SIDE", min: 4, max: 10, from: 100, drop: 7},
			rEnd:      {title: "END", min: 5, from: 110, drop: 8},
			rFirst:    {title: "FIRST", when: true, right: true, drop: 5},
			rLast:     {title: "LAST", when: true, gap: 1, right: true, drop: 1},
		},
		orders: []order[*triage.RunView]{
			{name: "over the ceiling first"},
			{name: "findings", column: rFindings, less: func(a, b *triage.RunView) int { return cmp.Compare(b.Findings, a.Findings) }},
			{name: "latest first", column: rLast, less: func(a, b *triage.RunView) int { return cmp.Compare(b.Last, a.Last) }},
			{name: "run", column: rRun, less: func(a, b *triage.RunView) int { return strings.Compare(a.Run, b.Run) }},
		},
		id:     func(r *triage.RunView) string { return r.Run },
		record: filter.OfRun,
		rows:   func(s *triage.Snapshot, _ *listState) source[*triage.RunView] { return s.Runs },
		row:    runRow,
		about:  func(r *triage.RunView) subject { return subject{run: r} },
	}
}

func runRow(b *ink.Block, p *places, v *triage.RunView, r rowLook) {
	strong := ink.Plain
	if r.on {
		strong = ink.Strong
	}
	if w := p.cell(b, rRun); w > 0 {
		b.SayCell(v.Run, w, strong)
	}
	if w := p.cell(b, rBar); w > 0 {
		runBar(b, v, w)
	}
	if w := p.cell(b, rSpark); w > 0 {
		spark(b, v.Spark[:], w)
	}
	if w := p.cell(b, rTree); w > 0 && v.Tree != v.Calls {
		b.Count(v.Tree, w, ink.Faint)
	}
	if w := p.cell(b, rFindings); w > 0 {
		b.Count(v.Findings, w, ink.Plain)
	}
	if w := p.cell(b, rSide); w > 0 {
		b.SayCell(v.Side, w, ink.Faint)
	}
	if w := p.cell(b, rEnd); w > 0 && v.Ended {
		b.SayCell("ended", w, ink.Faint)
	}
	if w := p.cell(b, rFirst); w > 0 {
		b.Right(r.when(v.Started), w, ink.Faint)
	}
	if w := p.cell(b, rLast); w > 0 {
		b.Right(r.when(v.Last), w, ink.Faint)
	}
}

// runBar draws calls against the ceiling: the bar is full at the ceiling, and red above it.
func runBar(b *ink.Block, v *triage.RunView, w int) {
	bar := w - 14
	part := 0.0
	if v.Ceiling > 0 {
		part = min(float64(v.Calls)/float64(v.Ceiling), 1)
	}
	full, tone := int(part*float64(bar)+0.5), ink.Bar
	words := ink.Plain
	if v.Over {
		full, tone, words = bar, ink.BarOver, ink.BadBold
	}
	if full == 0 && v.Calls > 0 {
		full = 1
	}
	b.Times(b.Glyph().Bar, full, tone).Times(b.Glyph().BarRest, bar-full, ink.BarRest)
	b.Gap(1).Say(ink.Thousands(v.Calls), words)
	if v.Over {
		b.Say(" over by "+ink.Thousands(v.Calls-v.Ceiling), words)
	} else {
		b.Say(" of "+ink.Thousands(v.Ceiling), ink.Faint)
	}
}

// spark draws counts over time; nothing stands where there is nothing.
func spark(b *ink.Block, counts []uint16, w int) {
	w = min(w, len(counts))
	most := uint16(8) // a few calls are a low bar, whatever the others are
	for _, n := range counts {
		most = max(most, n)
	}
	for i := range w {
		// Where there are more counts than columns, a column is the largest of its counts.
		var n uint16
		for j := i * len(counts) / w; j < max((i+1)*len(counts)/w, i*len(counts)/w+1); j++ {
			n = max(n, counts[j])
		}
		if n == 0 {
			b.Gap(1)
			continue
		}
		b.Times(b.Glyph().Spark[(int(n)*8-1)/int(most)], 1, ink.Faint)
	}
}
