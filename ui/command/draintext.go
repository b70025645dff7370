package command

import (
	"fmt"
	"strings"
	"time"

	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/safe"
)

// drain prints the answer for people; most is how many rows of each kind are listed (0: all).
func (p *page) drain(d *drainAnswer, s *triage.Snapshot, use inUse, most int) {
	p.banner(s.Verdict)
	p.word(dim, "  ledger ").word(plain, "%s", orNone(p.file(use.ledger))).note(use.ledgerNote)
	p.word(dim, "  table ").word(plain, "%s", orNone(p.file(use.table))).note(use.tableNote)
	p.word(dim, "  recipe ").word(plain, "%s", d.Recipe)
	if d.Match != "none" {
		p.word(dim, "  match ").word(plain, "%s", d.Match)
	}
	p.line()
	p.windowLine(s)
	p.drainSides(d.Sides, s.Now)
	p.read(s.Totals)
	p.drainBlockers(d.Blockers, most)
	p.drainFlights(d.InFlight, most)
	p.drainUnmatched(d.Unmatched, most)
	p.drainOnly(d, most)
	p.drainNew(d, most)
}

func orNone(path string) string {
	if path == "" {
		return "none"
	}
	return path
}

// windowLine says how much of the window is left.
func (p *page) windowLine(s *triage.Snapshot) {
	w := s.Window
	switch {
	case w == nil:
	case w.Through:
		p.word(green, "  window: nothing has blocked for %s (%s wanted)", span(time.Duration(s.Now-w.Since)), span(w.Need)).line()
	case w.Until == trace.NoTime:
		p.word(yellow, "  window: %s, not begun: something blocks", span(w.Need)).line()
	default:
		p.word(yellow, "  window: nothing blocks since %s; %s of %s left, through at %s", clock(w.Since), span(w.Left(s.Now)), span(w.Need), clock(w.Until)).line()
	}
}

// span prints a duration without what nobody reads of it: 30m, 12m5s, 1.5s.
func span(d time.Duration) string {
	if d >= time.Minute {
		d = d.Round(time.Second)
	} else {
		d = d.Round(100 * time.Millisecond)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

func (p *page) drainSides(sides []drainSide, now int64) {
	if len(sides) == 0 {
		return
	}
	rows := make([][]cell, len(sides))
	for i, v := range sides {
		state, age := "", ""
		if v.Draining {
			state = "draining"
		}
		if v.last != trace.NoTime {
			age = ageText(float64(now-v.last)/1e9) + " ago"
		}
		rows[i] = []cell{
			field(cyan, v.Label), number(v.Calls), number(v.Runs), number(v.Mutators), number(v.InLedger), number(v.OnlyKeys),
			field(plain, strings.Join(v.OnlyTools, " ")), field(plain, age), field(yellow, state),
		}
	}
	p.line()
	p.table([]column{
		{title: "SIDE", most: 20},
		{title: "CALLS", right: true},
		{title: "RUNS", right: true},
		{title: "MUTATORS", right: true},
		{title: "IN LEDGER", right: true},
		{title: "KEYS ONLY HERE", right: true, spare: 1},
		{title: "TOOLS ONLY HERE", most: 32, spare: 2},
		{title: "LAST LINE", right: true},
		{},
	}, rows)
}

// drainBlockers prints each kind of blocker, its rows, and the next step of each.
func (p *page) drainBlockers(blockers []drainBlocker, most int) {
	if len(blockers) == 0 {
		return
	}
	p.head("BLOCKERS", "")
	for _, b := range blockers {
		one, many, words := blockerWords(b.Kind)
		if b.Count == 1 {
			many = one
		}
		p.word(red, "  %s", thousands(b.Count)).word(bold, " %s", many).word(dim, "  %s", words).line()
		for _, r := range shown(b.Rows, most) {
			p.word(plain, "    ").word(bold, "%s", orElse(r.Tool, p.file(r.File))).word(cyan, " %s", prefix(r.Key))
			p.word(dim, " %s", strings.TrimSpace(strings.Join([]string{r.Side, r.Run, r.Why, p.where(triage.Pos{File: r.File, Line: r.Line})}, "  "))).line()
			if r.Next != "" {
				p.word(dim, "      → ").wrapped(8, r.Next).line()
			}
			if r.Command != "" {
				p.word(plain, "        %s", r.Command).line()
			}
		}
		p.more(len(b.Rows), most)
	}
}

// wrapped adds a text that is broken between words at the width of the page, or at 100 columns where there is none; further lines begin
// under the first.
func (p *page) wrapped(indent int, text string) *page {
	width, at := 100, indent
	if p.width > 20 {
		width = p.width
	}
	for i, w := range strings.Fields(text) {
		t := p.safe(w)
		if n := safe.Width(t); i > 0 && at+1+n > width {
			p.line().word(plain, "%s", strings.Repeat(" ", indent))
			at = indent
		} else if i > 0 {
			p.word(plain, " ")
			at++
		}
		p.text(plain, t)
		at += safe.Width(t)
	}
	return p
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// shown is the first rows of a list; most 0 is all.
func shown[T any](rows []T, most int) []T {
	if most > 0 && len(rows) > most {
		return rows[:most]
	}
	return rows
}

// more says how many rows were left out.
func (p *page) more(n, most int) {
	if most > 0 && n > most {
		p.word(dim, "    and %s more; --limit 0 lists all", thousands(n-most)).line()
	}
}

func (p *page) drainFlights(flights []drainFlight, most int) {
	if len(flights) == 0 {
		return
	}
	p.head("IN FLIGHT "+thousands(len(flights)), "")
	var rows [][]cell
	for _, f := range shown(flights, most) {
		age, words := plain, "of "+ageText(f.Timeout)
		if f.Hung {
			age, words = red, words+", hung"
		}
		blocks := field(dim, "does not block")
		if f.Blocks {
			blocks = field(red, "blocks")
		}
		rows = append(rows, []cell{
			field(bold, f.Tool), field(cyan, prefix(f.Key)), field(plain, f.Side), field(dim, f.Run), field(age, ageText(f.Age)), field(dim, words),
			field(plain, orElse(f.Owner, "no claim")), field(plain, f.Process), blocks,
		})
	}
	p.table([]column{
		{title: "TOOL", most: 24},
		{title: "KEY", most: 24},
		{title: "SIDE", most: 16},
		{title: "RUN", most: 24, spare: 2},
		{title: "AGE", right: true},
		{},
		{title: "OWNER", most: 32, spare: 1},
		{title: "PROCESS"},
		{},
	}, rows)
	p.more(len(flights), most)
}

// drainUnmatched lists the unmatched mutators side by side.
func (p *page) drainUnmatched(unmatched []drainRow, most int) {
	if len(unmatched) == 0 {
		return
	}
	p.head("UNMATCHED "+thousands(len(unmatched)), "")
	bySide := map[string][]drainRow{}
	var sides []string
	for _, r := range unmatched {
		if bySide[r.Side] == nil {
			sides = append(sides, r.Side)
		}
		bySide[r.Side] = append(bySide[r.Side], r)
	}
	var rows [][]cell
	left := 0
	for _, side := range sides {
		list := shown(bySide[side], most)
		left += len(bySide[side]) - len(list)
		for _, r := range list {
			rows = append(rows, []cell{
				field(cyan, side), field(bold, r.Tool), field(cyan, prefix(r.Key)), field(plain, r.Why), field(dim, r.Run),
				field(dim, p.where(triage.Pos{File: r.File, Line: r.Line})),
			})
		}
	}
	p.table([]column{{title: "SIDE", most: 16}, {title: "TOOL", most: 24}, {title: "KEY", most: 24}, {title: "WHY"}, {title: "RUN", most: 24, spare: 2}, {title: "WHERE", spare: 1}}, rows)
	if left > 0 {
		p.word(dim, "    and %s more; --limit 0 lists all", thousands(left)).line()
	}
}

// drainOnly lists keys that one side has and no other, as prefixes: what to look for in the other log.
func (p *page) drainOnly(d *drainAnswer, most int) {
	if len(d.OnlyKeys) == 0 {
		return
	}
	wide := 0 // any
	if p.width > 0 {
		wide = max(40, p.width-32)
	}
	p.head("KEYS ON ONE SIDE ONLY", onlyNote(d.Match))
	var rows [][]cell
	for _, side := range d.Sides {
		n := 0
		var keys []string
		for _, k := range d.OnlyKeys {
			if k.Side != side.Label {
				continue
			}
			if n++; most == 0 || n <= most {
				keys = append(keys, k.Tool+" "+prefix(k.Key))
			}
		}
		if side.OnlyKeys > 0 {
			rows = append(rows, []cell{field(cyan, side.Label), number(side.OnlyKeys), field(dim, strings.Join(keys, ", "))})
		}
	}
	p.table([]column{{title: "SIDE", most: 16}, {title: "KEYS", right: true}, {title: "AS", most: wide}}, rows)
}

func onlyNote(match string) string {
	if match == "none" {
		return "blocks nothing; --match run or intent says that both sides were given the same work"
	}
	return ""
}

func (p *page) drainNew(d *drainAnswer, most int) {
	if len(d.NewRuns) == 0 {
		return
	}
	p.head("NEW RUNS WHILE DRAINING "+thousands(len(d.NewRuns)), fmt.Sprintf("%s should only resume; blocks nothing", safe.Line(d.Draining)))
	for _, r := range shown(d.NewRuns, most) {
		p.word(plain, "    %s", r.Run).line()
	}
	p.more(len(d.NewRuns), most)
}
