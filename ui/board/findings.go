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
	fSeverity = iota
	fTool
	fKey
	fCalls
	fCause
	fOutcome
	fRun
	fSide
	fWhere
	fLast
)

func findingsSpec() *spec[*triage.Finding] {
	return &spec[*triage.Finding]{
		subject: filter.Findings,
		columns: []column{
			fSeverity: {title: "SEVERITY", min: 10},
			fTool:     {title: "TOOL", min: 11, want: 13, max: 30},
			fKey:      {title: "KEY", min: 8, want: keyCols, gap: 1},
			fCalls:    {title: "CALLS", min: 5, right: true},
			fCause:    {title: "CAUSE", min: 7, drop: 2},
			fOutcome:  {title: "OUTCOME", min: 9},
			fRun:      {title: "RUN", min: 6, max: 26, drop: 3},
			fSide:     {title: "SIDE", min: 4, max: 10, from: 106, drop: 5},
			fWhere:    {title: "FIRST AT", min: 16, max: 44, from: 126, drop: 4},
			fLast:     {title: "LAST", when: true, gap: 1, right: true, drop: 1},
		},
		orders: []order[*triage.Finding]{
			{name: "severity"},
			{name: "latest first", column: fLast, less: func(a, b *triage.Finding) int { return cmp.Compare(b.Last, a.Last) }},
			{name: "calls", column: fCalls, less: func(a, b *triage.Finding) int { return cmp.Compare(b.Calls, a.Calls) }},
			{name: "tool", column: fTool, less: func(a, b *triage.Finding) int { return strings.Compare(a.Tool, b.Tool) }},
			{name: "run", column: fRun, less: func(a, b *triage.Finding) int { return strings.Compare(a.Run, b.Run) }},
		},
		id:     func(f *triage.Finding) string { return f.ID },
		record: filter.OfFinding,
		rows:   findingRows,
		keep:   func(f *triage.Finding, s *listState) bool { return !s.hushed || f.Ack == "" },
		seek:   seekFinding,
		row:    findingRow,
		about:  func(f *triage.Finding) subject { return subject{finding: f} },
	}
}

// findingRows are all findings, or all but those that only inform, which stand at the end: repeats of pure tools.
func findingRows(s *triage.Snapshot, st *listState) source[*triage.Finding] {
	n := s.Findings.Len()
	if !st.pure {
		n -= s.Levels[triage.Info]
	}
	return stretch[*triage.Finding]{of: s.Findings, n: max(n, 0)}
}

// seekFinding finds a finding's place by the list's own order, whatever its severity has become.
func seekFinding(src source[*triage.Finding], f *triage.Finding) int {
	in, ok := src.(stretch[*triage.Finding])
	if !ok {
		return -1
	}
	all, ok := in.of.(triage.List[*triage.Finding])
	if !ok {
		return -1
	}
	like := *f
	for sev := range [triage.Critical + 1]struct{}{} {
		like.Severity = (f.Severity + triage.Severity(sev)) % (triage.Critical + 1)
		i := all.Search(&like)
		if at, ok := all.At(i); ok && at.ID == f.ID {
			return i - in.from
		}
	}
	return -1
}

func findingRow(b *ink.Block, p *places, f *triage.Finding, r rowLook) {
	acked := f.Ack != ""
	glyph, tone := severity(b.Glyph(), f.Severity)
	strong, faint := ink.Plain, ink.Faint
	switch {
	case r.on:
		strong, faint = ink.Strong, ink.Accent
	case acked:
		strong = ink.Faint
	}
	if acked {
		tone = ink.Faint
	}
	if w := p.cell(b, fSeverity); w > 0 {
		b.Sign(glyph, tone).Sign(" ", tone).SayCell(f.Severity.String(), w-2, tone)
	}
	if w := p.cell(b, fTool); w > 0 {
		b.SayCell(f.Tool, w, strong)
	}
	if w := p.cell(b, fKey); w > 0 {
		b.SayCell(keyText(keyCell(f), w), w, faint)
	}
	if w := p.cell(b, fCalls); w > 0 {
		b.Right(callsCell(f, b.Glyph()), w, ink.Plain)
	}
	findingWhy(b, p, f, r.look, acked)
	if w := p.cell(b, fRun); w > 0 {
		b.SayCell(runCell(f), w, ink.Faint)
	}
	if w := p.cell(b, fSide); w > 0 {
		b.SayCell(f.Side, w, ink.Faint)
	}
	if w := p.cell(b, fWhere); w > 0 {
		b.Tail(place(f.First), w, ink.Faint)
	}
	if w := p.cell(b, fLast); w > 0 {
		b.Right(r.when(f.Last), w, ink.Faint)
	}
}

// findingWhy writes cause and outcome of a group, and for every other kind what it is.
func findingWhy(b *ink.Block, p *places, f *triage.Finding, lk look, acked bool) {
	if f.Kind == triage.Duplicate {
		if w := p.cell(b, fCause); w > 0 {
			b.SayCell(string(f.Cause), w, ink.Plain)
		}
		if w := p.cell(b, fOutcome); w > 0 {
			text, tone := string(f.Outcome), outcomeTone(f.Outcome)
			if f.Class == table.Pure && f.Outcome == triage.OutcomeExtra {
				tone = ink.Plain
			}
			if acked {
				text, tone = "acked", ink.Faint
			}
			b.SayCell(text, w, tone)
		}
		return
	}
	from := fCause
	if p.w[fCause] == 0 {
		from = fOutcome
	}
	if p.cell(b, from) == 0 {
		return
	}
	end := p.x[fOutcome] + p.w[fOutcome]
	text, tone := kindCell(f, lk)
	if acked {
		text, tone = "acked: "+text, ink.Faint
	}
	b.SayCell(text, end-b.Col(), tone)
}

// keyCell is what stands in the key column.
func keyCell(f *triage.Finding) string {
	switch f.Kind {
	case triage.Drift:
		if len(f.Details().Pointers) > 0 {
			return "drift " + strings.Join(f.Details().Pointers, " ")
		}
		return "drift"
	case triage.KeyConflict:
		if len(f.Details().Recorded) > 0 {
			return prefix(f.Details().Recorded[0])
		}
	}
	if f.Key != "" {
		return prefix(f.Key)
	}
	switch f.Kind {
	case triage.Unmatched:
		return "no key"
	case triage.OverBudget:
		return "budget"
	case triage.NewWhileDraining:
		return "run"
	case triage.UnclassifiedTool:
		return "class"
	}
	return f.Kind.String()
}

// kindCell says in two or three words what a finding that is no duplicate is.
func kindCell(f *triage.Finding, lk look) (string, ink.Tone) {
	switch f.Kind {
	case triage.LateReply:
		return "late reply", ink.Warn
	case triage.Overwritten:
		return "overwritten", ink.BadBold
	case triage.Compensation:
		if f.Why != "" {
			return f.Why, ink.Warn
		}
		return "undo not ended", ink.Warn
	case triage.Unmatched:
		return f.Why, ink.BadBold
	case triage.FailedButDone:
		return "failed, yet done", ink.BadBold
	case triage.OtherResponse:
		return "other response", ink.BadBold
	case triage.KeyConflict:
		return "key conflict", ink.Bad
	case triage.Runaway:
		if f.Why == "errors" {
			return "runaway of errors", ink.Bad
		}
		return "runaway, identical", ink.Bad
	case triage.Hung:
		return "hung " + lasting(ageOf(f, lk.now)) + " / " + timeout(f.Details().Timeout), ink.Bad
	case triage.InFlight:
		if strings.HasSuffix(f.Details().Owner, "(gone)") {
			return "in doubt " + lasting(ageOf(f, lk.now)), ink.Bad
		}
		return "in flight " + lasting(ageOf(f, lk.now)), ink.Warn
	case triage.SettledInTrace:
		return "settled in trace", ink.Warn
	case triage.LostResult:
		return "result lost", ink.Warn
	case triage.TemporalKey:
		return "temporal, " + count(len(f.Details().Recorded), "key", "keys"), ink.Warn
	case triage.Drift:
		return strings.Join(f.Details().Looks, ", "), ink.Warn
	case triage.CrossRun:
		return "in " + count(len(f.Details().Runs), "run", "runs"), ink.Warn
	case triage.NewWhileDraining:
		return "new while draining", ink.Warn
	case triage.AfterEnd:
		return "after its run's end", ink.Warn
	case triage.OpenCall:
		return "no result yet", ink.Warn
	case triage.OverBudget:
		return "over its ceiling", ink.Warn
	case triage.UnclassifiedTool:
		return "in no class", ink.Warn
	case triage.OrphanResult:
		return "result of no call", ink.Faint
	}
	return f.Why, ink.Plain
}

// callsCell counts calls, and effects when one call had several.
func callsCell(f *triage.Finding, g *ink.Glyphs) string {
	if f.Kind == triage.OrphanResult || f.Calls == 0 {
		return ""
	}
	n := ink.Thousands(f.Calls)
	if f.Doubles > 0 {
		return n + g.To + ink.Thousands(f.Calls+f.Doubles)
	}
	if len(n) > 5 {
		return compact(f.Calls)
	}
	return n
}

// compact prints a large count in five columns.
func compact(n int) string {
	s := size(float64(n))
	return strings.TrimSuffix(strings.Replace(s, " ", "", 1), "B")
}

func runCell(f *triage.Finding) string {
	if f.Kind == triage.CrossRun && len(f.Details().Runs) > 0 {
		return strings.Join(f.Details().Runs, " ")
	}
	return f.Run
}
