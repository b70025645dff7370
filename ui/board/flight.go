package board

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

// flight is a row of the ledger, or a call of the trace without a result.
type flight struct {
	row  *triage.RowView
	open *triage.Finding
}

// flightTabs are the lists of the screen.
var flightTabs = [...]string{"in flight", "committed", "failed", "all"}

const (
	lState = iota
	lTool
	lKey
	lBar
	lOwner
	lRun
	lMet
	lUpdated
)

func flightSpec() *spec[flight] {
	return &spec[flight]{
		subject: filter.Rows,
		columns: []column{
			lState:   {title: "STATE", min: 11},
			lTool:    {title: "TOOL", min: 11, want: 13, max: 30},
			lKey:     {title: "KEY", min: 8, want: keyCols, gap: 1},
			lBar:     {title: "AGE / TIMEOUT", min: 20, max: 31},
			lOwner:   {title: "OWNER", min: 9, max: 26, drop: 2},
			lRun:     {title: "RUN", min: 6, max: 26, drop: 3},
			lMet:     {title: "CALLS", min: 5, right: true, from: 110, drop: 4},
			lUpdated: {title: "LAST", when: true, gap: 1, right: true, from: 90, drop: 5},
		},
		orders: []order[flight]{
			{name: "hung first", column: -1, less: hungFirst},
			{name: "latest first", column: lUpdated, less: func(a, b flight) int { return cmp.Compare(b.since(), a.since()) }},
			{name: "tool", column: lTool, less: func(a, b flight) int { return strings.Compare(a.tool(), b.tool()) }},
			{name: "run", column: lRun, less: func(a, b flight) int { return strings.Compare(a.run(), b.run()) }},
		},
		id:     flight.id,
		record: flightRecord,
		rows:   flightRows,
		keep:   flightKeep,
		row:    flightRow,
		about: func(f flight) subject {
			if f.open != nil {
				return subject{finding: f.open}
			}
			return subject{row: f.row}
		},
	}
}

func (f flight) id() string {
	if f.open != nil {
		return f.open.ID
	}
	return "row " + f.row.Key
}

func (f flight) tool() string {
	if f.open != nil {
		return f.open.Tool
	}
	return f.row.Tool
}

func (f flight) run() string {
	if f.open != nil {
		return f.open.Run
	}
	return f.row.Run
}

// since is when the row was last written, or the call made, in seconds since 1970; 0 when unknown.
func (f flight) since() float64 {
	if f.row != nil {
		return f.row.Updated
	}
	if f.open.Started == trace.NoTime {
		return 0
	}
	return float64(f.open.Started) / 1e9
}

// limit is the tool's timeout in seconds, 0 when unknown.
func (f flight) limit() float64 {
	if f.row != nil {
		return f.row.Timeout
	}
	if f.open.Rule != nil {
		return f.open.Rule.Timeout.Seconds()
	}
	return f.open.Details().Timeout
}

func (f flight) rank() int {
	switch {
	case f.row != nil && f.row.Hung:
		return 0
	case f.row != nil && f.row.State == string(ledger.InFlight):
		return 1
	case f.open != nil:
		return 2
	}
	return 3
}

// hungFirst puts what hangs on top and within that what has waited longest; settled rows stay newest first.
func hungFirst(a, b flight) int {
	if d := a.rank() - b.rank(); d != 0 {
		return d
	}
	if a.rank() == 3 {
		return cmp.Compare(b.since(), a.since())
	}
	return cmp.Compare(a.since(), b.since())
}

func flightRecord(f flight, now int64) filter.Record {
	if f.open != nil {
		r := filter.OfFinding(f.open, now)
		r.State = "open"
		return r
	}
	return filter.OfRow(f.row, now)
}

// rowSource gives ledger rows as flights.
type rowSource struct{ rows triage.List[*triage.RowView] }

func (s rowSource) Len() int { return s.rows.Len() }

func (s rowSource) At(i int) (flight, bool) {
	r, ok := s.rows.At(i)
	return flight{row: r}, ok
}

// flightRows: in flight are the first rows of the ledger and the open calls of the trace that meet none of these, which stand
// together among the findings.
func flightRows(s *triage.Snapshot, st *listState) source[flight] {
	rows := rowSource{s.Rows}
	if st.tab != 0 {
		return rows
	}
	n := s.States[string(ledger.InFlight)]
	out := make(array[flight], 0, n+s.Kinds[triage.OpenCall])
	for i := range n {
		if f, ok := rows.At(i); ok {
			out = append(out, f)
		}
	}
	return append(out, traceOnly(s)...)
}

// maxMatched is how many open calls are held against the rows in flight with every snapshot; more are all shown.
const maxMatched = 20_000

// traceOnly are the open calls that meet no row in flight.
func traceOnly(s *triage.Snapshot) []flight {
	open := openCalls(s)
	n := s.States[string(ledger.InFlight)]
	if n == 0 || len(open) > maxMatched {
		return open
	}
	keys := make(map[string]bool, n)
	for i := range n {
		if r, ok := s.Rows.At(i); ok {
			keys[r.Key] = true
		}
	}
	return slices.DeleteFunc(open, func(f flight) bool { return f.open.Key != "" && keys[f.open.Key] })
}

// flights counts what flightRows gives.
func flights(s *triage.Snapshot) int {
	n, open := s.States[string(ledger.InFlight)], s.Kinds[triage.OpenCall]
	if n == 0 || open > maxMatched {
		return n + open
	}
	return n + len(traceOnly(s))
}

// openCalls are the findings of calls without a result. Findings are sorted by severity, then kind, and these are medium.
func openCalls(s *triage.Snapshot) (out []flight) {
	n := s.Findings.Len()
	from := sort.Search(n, func(i int) bool {
		f, _ := s.Findings.At(i)
		return f.Severity < triage.Medium || f.Severity == triage.Medium && f.Kind >= triage.OpenCall
	})
	for i := from; i < n; i++ {
		f, _ := s.Findings.At(i)
		if f.Kind != triage.OpenCall {
			break
		}
		out = append(out, flight{open: f})
	}
	return out
}

func flightKeep(f flight, st *listState) bool {
	switch st.tab {
	case 1:
		return f.row != nil && f.row.State == string(ledger.Committed)
	case 2:
		return f.row != nil && f.row.State == string(ledger.Failed)
	}
	return true
}

func flightRow(b *ink.Block, p *places, f flight, r rowLook) {
	strong, faint := ink.Plain, ink.Faint
	if r.on {
		strong, faint = ink.Strong, ink.Accent
	}
	glyph, state, tone := f.stateWords(b.Glyph())
	if w := p.cell(b, lState); w > 0 {
		b.Sign(glyph, tone).Sign(" ", tone).SayCell(state, w-2, tone)
	}
	if w := p.cell(b, lTool); w > 0 {
		b.SayCell(f.tool(), w, strong)
	}
	if w := p.cell(b, lKey); w > 0 {
		if f.row != nil {
			b.SayCell(keyText(prefix(f.row.Key), w), w, faint)
		} else {
			b.SayCell("trace only", w, ink.Faint)
		}
	}
	if w := p.cell(b, lBar); w > 0 {
		flightAge(b, f, r, w)
	}
	if w := p.cell(b, lOwner); w > 0 && f.row != nil {
		owner, note, tone := ownerWords(f.row)
		b.SayCell(owner, w-len(note)-min(len(note), 1), ink.Plain)
		if note != "" {
			b.To(p.x[lOwner]+w-len(note)).Say(note, tone)
		}
	}
	if w := p.cell(b, lRun); w > 0 {
		b.SayCell(f.run(), w, ink.Faint)
	}
	if w := p.cell(b, lMet); w > 0 && f.row != nil {
		b.Count(f.row.Met, w, ink.Plain)
	}
	if w := p.cell(b, lUpdated); w > 0 {
		b.Right(r.when(int64(f.since()*1e9)), w, ink.Faint)
	}
}

func (f flight) stateWords(g *ink.Glyphs) (glyph, state string, tone ink.Tone) {
	switch {
	case f.open != nil:
		return g.Medium, "open", ink.Medium
	case f.row.Hung:
		return g.High, "hung", ink.High
	case f.row.State == string(ledger.InFlight):
		return g.Medium, "in flight", ink.Medium
	case f.row.State == string(ledger.Committed):
		return g.Yes, "committed", ink.Good
	case f.row.State == string(ledger.Failed):
		return g.No, "failed", ink.Bad
	}
	return "?", f.row.State, ink.WarnBold
}

// flightAge draws an age against its timeout; settled rows have neither.
func flightAge(b *ink.Block, f flight, r rowLook, w int) {
	if f.rank() == 3 {
		if f.row.Foreign {
			b.SayCell("foreign", w, ink.Warn)
		}
		return
	}
	since, limit := f.since(), f.limit()
	if since <= 0 {
		b.SayCell("no time recorded", w, ink.Faint)
		return
	}
	age := max(float64(r.now)/1e9-since, 0)
	text := lasting(age)
	if limit > 0 {
		text += " / " + timeout(limit)
	}
	bar := w - 12
	if bar < 5 || limit <= 0 {
		b.SayCell(text, w, ink.Plain)
		return
	}
	tone := ink.Warn
	if age > limit {
		tone = ink.BarOver
	}
	full := int(min(age/limit, 1)*float64(bar) + 0.5)
	b.Times(b.Glyph().Bar, full, tone).Times(b.Glyph().BarRest, bar-full, ink.BarRest)
	b.Gap(1).SayCell(text, 11, ink.Plain)
}

// ownerWords splits what is known of an owner into who it is and whether that process still lives.
func ownerWords(r *triage.RowView) (owner, note string, tone ink.Tone) {
	for _, end := range []string{"gone", "alive"} {
		if rest, ok := strings.CutSuffix(r.Owner, " ("+end+")"); ok {
			tone = ink.Bad
			if end == "alive" {
				tone = ink.Good
			}
			return rest, end, tone
		}
	}
	if r.Owner == "" && r.State == string(ledger.InFlight) {
		return "no claim", "", ink.Plain
	}
	return r.Owner, "", ink.Plain
}
