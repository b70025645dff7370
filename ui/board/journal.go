package board

import (
	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

// journalSpec is the triage log; entries gives what was read of it last.
func journalSpec(entries func() []*Entry) *spec[*Entry] {
	return &spec[*Entry]{
		subject: filter.Calls,
		columns: []column{
			{title: "WHEN", when: true, right: true},
			{title: "WHO", min: 10, max: 24, drop: 2},
			{title: "ACTION", min: 14},
			{title: "TOOL", min: 12, max: 24},
			{title: "KEY", min: keyCols, gap: 1},
			{title: "FROM", min: 9, drop: 3},
			{title: "TO", min: 9, drop: 1},
			{title: "REASON", min: 8, max: 200, drop: 4},
		},
		orders: []order[*Entry]{{name: "newest first"}},
		id:     func(e *Entry) string { return e.ID },
		record: func(e *Entry, now int64) filter.Record {
			return filter.Record{Tool: e.Tool, Key: e.Key, CallID: e.Action, Run: e.Actor, Age: max(float64(now-e.Time)/1e9, 0)}
		},
		rows:  func(*triage.Snapshot, *listState) source[*Entry] { return array[*Entry](entries()) },
		row:   journalRow,
		about: func(e *Entry) subject { return subject{entry: e} },
	}
}

func journalRow(b *ink.Block, p *places, e *Entry, r rowLook) {
	strong, faint := ink.Plain, ink.Faint
	if r.on {
		strong, faint = ink.Strong, ink.Accent
	}
	for i, c := range [...]struct {
		text string
		tone ink.Tone
	}{
		{r.when(e.Time), ink.Faint},
		{e.Actor, ink.Plain},
		{e.Action, strong},
		{e.Tool, ink.Plain},
		{prefix(e.Key), faint},
		{e.From, stateTone(e.From)},
		{e.To, stateTone(e.To)},
		{e.Reason, ink.Faint},
	} {
		w := p.cell(b, i)
		switch {
		case w == 0:
		case i == 0:
			b.Right(c.text, w, c.tone)
		default:
			b.SayCell(c.text, w, c.tone)
		}
	}
}
