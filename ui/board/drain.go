package board

import (
	"fmt"
	"strings"

	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

// drainItem is one line of the checklist.
type drainItem struct {
	kind   string // a blocker's kind, or "quiet"
	label  string
	count  int
	done   bool
	note   string
	screen screen // where its rows stand
	filter string // that shows them there
}

// checklist names the kinds of blockers in the order in which one works through them.
var checklist = []struct{ kind, label, empty, filter string }{
	{"unread", "read everything", "every source was read", ""},
	{"inflight", "in flight", "no row of the ledger is in flight", ""},
	{"unclassified", "unclassified tools", "every tool has a class", "class:unclassified,cases"},
	{"unmatched", "unmatched mutators", "every mutator met a ledger row", "kind:unmatched"},
	{"critical", "critical, not acked", "no critical repeat is left", "sev:critical kind:duplicate"},
	{"overwritten", "overwritten rows", "nobody wrote over a settled row", "kind:overwritten,late-reply"},
	{"compensation", "compensations", "none is running or unknown", "kind:compensation"},
}

func drainSpec() *spec[*drainItem] {
	return &spec[*drainItem]{
		subject: filter.Findings,
		columns: []column{
			{title: "BEFORE THE SWITCH", min: 21},
			{title: "LEFT", min: 5, right: true},
			{title: "", min: 10, max: 400, gap: 3},
		},
		orders: []order[*drainItem]{{name: "as one works through it"}},
		id:     func(d *drainItem) string { return d.kind },
		record: func(d *drainItem, _ int64) filter.Record { return filter.Record{Kind: d.kind, Tool: d.note} },
		rows:   func(s *triage.Snapshot, _ *listState) source[*drainItem] { return array[*drainItem](drainItems(s)) },
		row:    drainRow,
		about:  func(d *drainItem) subject { return subject{item: d} },
	}
}

func drainItems(s *triage.Snapshot) []*drainItem {
	var out []*drainItem
	for _, c := range checklist {
		d := &drainItem{kind: c.kind, label: c.label, done: true, note: c.empty, filter: c.filter}
		switch c.kind {
		case "inflight":
			d.screen = onFlight
		case "unclassified":
			d.screen = onTools
		}
		if s.Verdict.TracesOnly && (c.kind == "inflight" || c.kind == "overwritten") {
			d.note = "no ledger was given: not known"
		}
		if s.Verdict.TracesOnly && c.kind == "unmatched" && s.Kinds[triage.Unmatched] == 0 {
			d.note = "no ledger was given: only the sides were compared"
		}
		for _, b := range s.Verdict.Blockers {
			if b.Kind == c.kind && b.Count > 0 {
				d.count, d.done = b.Count, false
				d.note = blockerNote(s, b)
			}
		}
		out = append(out, d)
	}
	return append(out, quietItem(s))
}

// quietItem says whether the draining side still starts runs.
func quietItem(s *triage.Snapshot) *drainItem {
	d := &drainItem{kind: "quiet", label: "draining side quiet", done: true, filter: "kind:new-run"}
	n := s.Kinds[triage.NewWhileDraining]
	switch {
	case len(s.Sides) < 2:
		d.note = "one side only: nothing is compared"
	case n > 0:
		d.done, d.note = false, count(n, "run", "runs")+" began on "+s.Draining+" after the drain began; blocks nothing, but it should only resume"
	default:
		d.note = "no new run on " + s.Draining
	}
	return d
}

// blockerNote names a blocker's first rows. IDs lead to findings, which say more than they do.
func blockerNote(s *triage.Snapshot, b triage.Blocker) string {
	if b.Kind == "unread" {
		for _, bad := range s.Bad {
			if bad.Line == 0 {
				return short(bad.File) + ": " + bad.Reason
			}
		}
		return "still reading"
	}
	want := map[string]bool{}
	for _, id := range b.IDs[:min(len(b.IDs), 8)] {
		want[id] = true
	}
	var names []string
	if b.Kind == "unclassified" {
		s.Tools.All(func(_ int, t *triage.ToolView) bool {
			if t.Unclassified > 0 {
				names = append(names, t.Tool)
			}
			return t.Unclassified > 0 && len(names) < 8
		})
		return strings.Join(names, ", ")
	}
	seen := 0
	s.Findings.All(func(_ int, f *triage.Finding) bool {
		seen++
		if want[f.ID] {
			names = append(names, blockerName(f))
		}
		return len(names) < len(want) && seen < 4096
	})
	return strings.Join(names, ", ")
}

func blockerName(f *triage.Finding) string {
	name := f.Tool
	if f.Key != "" {
		name += " " + prefix(f.Key)
	}
	switch f.Kind {
	case triage.Hung:
		return name + " (hung)"
	case triage.Unmatched:
		return name + " (" + f.Why + ")"
	}
	return name
}

func drainRow(b *ink.Block, p *places, d *drainItem, r rowLook) {
	strong := ink.Plain
	if r.on {
		strong = ink.Strong
	}
	b.To(p.x[0])
	switch {
	case d.done:
		b.Sign(b.Glyph().Yes, ink.Good)
	case d.kind == "quiet":
		b.Say("?", ink.WarnBold)
	default:
		b.Sign(b.Glyph().No, ink.BadBold)
	}
	b.Gap(1).SayCell(d.label, p.w[0]-2, strong)
	if w := p.cell(b, 1); w > 0 && d.count > 0 {
		b.Count(d.count, w, ink.BadBold)
	}
	if w := p.cell(b, 2); w > 0 {
		tone := ink.Plain
		if d.done {
			tone = ink.Faint
		}
		b.SayCell(d.note, w, tone)
	}
}

// drainBelow writes what stands under the checklist: what the verdict waits for, and the sides.
func drainBelow(b *ink.Block, s *triage.Snapshot, lk look, enter string) {
	b.End()
	b.To(indent)
	switch {
	case s.Verdict.Waiting && s.Window != nil:
		drainWindow(b, s.Window, lk)
	case !s.Verdict.Go:
		b.Say("NO-GO", ink.BadBold).Say(": "+count(s.Verdict.Rows, "row blocks", "rows block")+". ", ink.Plain)
		b.Say(enter, ink.Hint).Say(" goes to the rows of a line.", ink.Faint)
		if s.Window != nil {
			b.End()
			b.To(indent).Say("GO comes when nothing has blocked for "+timeout(s.Window.Need.Seconds())+" without a break.", ink.Plain)
		}
	case s.Verdict.TracesOnly:
		b.Say("GO", ink.Good).Say(" as far as the traces tell. Start with --ledger to know what is in flight.", ink.Plain)
	default:
		b.Say("GO", ink.Good).Say(": nothing blocks.", ink.Plain)
		if s.Window != nil {
			b.Say(" Nothing has for "+lasting(float64(lk.now-s.Window.Since)/1e9)+"; the window of "+timeout(s.Window.Need.Seconds())+" is through.", ink.Plain)
		}
	}
	b.End().End()
	drainSides(b, s, lk)
	if s.RecipeNote != "" {
		b.End()
		b.To(indent).Say("recipe "+s.Recipe+": ", ink.Warn).Say(s.RecipeNote, ink.Plain).End()
	}
}

// drainWindow counts down while nothing blocks.
func drainWindow(b *ink.Block, w *triage.WindowView, lk look) {
	left := w.Left(lk.now).Seconds()
	b.Say("NO-GO", ink.BadBold).Say(" for ", ink.Plain).Say(lasting(left), ink.WarnBold)
	b.Say(" more: nothing may block for "+timeout(w.Need.Seconds())+", and nothing has since "+lk.clock(w.Since)+".", ink.Plain).End()
	const cells = 40
	full := max(min(int((1-left/max(w.Need.Seconds(), 1))*cells), cells), 0)
	b.To(indent).Times(b.Glyph().Bar, full, ink.Bar).Times(b.Glyph().BarRest, cells-full, ink.BarRest)
}

var sideColumns = []column{
	{title: "SIDE", min: 8, max: 20},
	{title: "CALLS", min: 9, right: true},
	{title: "MUTATORS", min: 9, right: true},
	{title: "IN LEDGER", min: 9, right: true},
	{title: "RUNS", min: 6, right: true, drop: 1},
	{title: "KEYS ONLY HERE", min: 14, right: true, drop: 3},
	{title: "TOOLS ONLY HERE", min: 15, max: 200, drop: 2},
	{title: "LAST", when: true, right: true},
}

func drainSides(b *ink.Block, s *triage.Snapshot, lk look) {
	if len(s.Sides) == 0 {
		return
	}
	p := solve(sideColumns, b.Width()-11, lk.whenWidth())
	for i, c := range sideColumns {
		if w := p.cell(b, i); w > 0 {
			if c.right {
				b.Right(c.title, w, ink.Head)
			} else {
				b.SayCell(c.title, w, ink.Head)
			}
		}
	}
	b.End()
	for _, v := range s.Sides {
		if w := p.cell(b, 0); w > 0 {
			label := v.Label
			if label == "" {
				label = "all"
			}
			b.SayCell(label, w, ink.Accent)
		}
		for i, n := range []int{v.Calls, v.Mutators, v.InLedger, v.Runs, v.OnlyKeys} {
			if w := p.cell(b, i+1); w > 0 {
				b.Right(ink.Thousands(n), w, ink.Plain)
			}
		}
		if w := p.cell(b, 6); w > 0 {
			tools := strings.Join(v.OnlyTools, ", ")
			if n := len(v.OnlyTools); n > 0 {
				tools = fmt.Sprintf("%d: %s", n, tools)
			}
			b.SayCell(tools, w, ink.Plain)
		}
		if w := p.cell(b, 7); w > 0 {
			b.Right(lk.when(v.Last), w, ink.Plain)
		}
		if v.Draining {
			b.Gap(2).Say("draining", ink.Warn)
		}
		b.End()
	}
}
