package command

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/safe"
)

// inUse says which ledger and table a command reads, and how it came by them.
type inUse struct {
	ledger, ledgerNote string // "" when there is none
	table, tableNote   string
	ledgerErr          string // why the ledger cannot be read
}

// verdict prints what check has found: the verdict, what blocks, the findings, and what to do next. findings are those to
// be listed, in order; most is how many of them are (0: all). bad is what could not be read.
func (p *page) verdict(s *triage.Snapshot, use inUse, findings iter.Seq2[int, *triage.Finding], most int, bad []triage.ReportBad) {
	p.banner(s.Verdict)
	if use.ledger != "" {
		p.word(dim, "  ledger ").word(plain, "%s", p.file(use.ledger)).note(use.ledgerNote)
	} else {
		p.word(dim, "  no ledger")
	}
	if use.table != "" {
		p.word(dim, "  table ").word(plain, "%s", p.file(use.table)).note(use.tableNote)
	} else {
		p.word(dim, "  no table")
	}
	p.word(dim, "  recipe ").word(plain, "%s", s.Recipe).line()
	if s.RecipeNote != "" {
		p.word(yellow, "  %s", s.RecipeNote).line()
	}
	p.windowLine(s)
	p.sides(s)
	p.read(s.Totals)
	p.blockers(s, use)
	p.findings(s, findings, most)
	p.next(s, use)
	p.unreadable(bad)
}

// banner prints the verdict as the board's header has it.
func (p *page) banner(v triage.Verdict) {
	k, words := badgeGo, "GO"
	switch {
	case v.Waiting:
		k, words = badgeNo, "NO-GO"
	case !v.Go:
		k, words = badgeNo, fmt.Sprintf("NO-GO %d", v.Rows)
	case v.TracesOnly:
		words = "GO (traces only)"
	}
	if p.colour {
		words = " " + words + " "
	}
	p.word(k, "%s", words)
}

// note adds a remark in brackets.
func (p *page) note(words string) *page {
	if words != "" {
		p.word(yellow, " (%s)", words)
	}
	return p
}

func (p *page) sides(s *triage.Snapshot) {
	if len(s.Sides) < 2 {
		return
	}
	rows := make([][]cell, len(s.Sides))
	for i, v := range s.Sides {
		state := ""
		if v.Draining {
			state = "draining"
		}
		rows[i] = []cell{
			field(cyan, v.Label), number(v.Calls), number(v.Runs), number(v.Mutators), number(v.InLedger), number(v.OnlyKeys),
			field(plain, strings.Join(v.OnlyTools, " ")), field(dim, clock(v.Last)), field(yellow, state),
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
		{title: "LAST", spare: 3},
		{},
	}, rows)
}

// clock prints a recorded time, in UTC.
func clock(at int64) string {
	if at == trace.NoTime {
		return ""
	}
	return time.Unix(0, at).UTC().Format("2006-01-02 15:04:05Z")
}

func (p *page) read(t triage.Totals) {
	p.line().word(dim, "  read %s, %s: ", plural(t.Lines, "line", "lines"), bytesText(t.Bytes))
	p.word(plain, "%s", plural(t.Calls, "call", "calls")).word(dim, ", %s, %s, %s", plural(t.Results, "result", "results"),
		plural(t.Runs, "run", "runs"), plural(t.Tools, "tool", "tools"))
	if t.Copies > 0 {
		p.word(dim, ", %s left out", plural(t.Copies, "copy", "copies"))
	}
	if t.Tails > 0 {
		p.word(yellow, ", %s", plural(t.Tails, "unfinished last line", "unfinished last lines"))
	}
	if t.Bad > 0 {
		p.word(yellow, ", %s unreadable", thousands(t.Bad))
	}
	p.line()
}

// blockers prints what stands between here and GO.
func (p *page) blockers(s *triage.Snapshot, use inUse) {
	if s.Verdict.Go {
		return
	}
	p.head("BLOCKERS", "")
	names := blockerNames(s)
	var rows [][]cell
	for i, b := range s.Verdict.Blockers {
		one, many, words := blockerWords(b.Kind)
		if b.Kind == "unread" && use.ledgerErr != "" {
			words = use.ledgerErr
		}
		if b.Kind == "inflight" && s.Kinds[triage.Hung] > 0 {
			words += fmt.Sprintf("; %d above the timeout", s.Kinds[triage.Hung])
		}
		if b.Count == 1 {
			many = one
		}
		rows = append(rows, []cell{field(red, thousands(b.Count)), field(bold, many), field(plain, words), field(dim, names[i])})
	}
	most := 88
	if p.width > 0 {
		most = min(max(p.width-32, 20), most)
	}
	p.table([]column{{title: "ROWS", right: true}, {title: "WHAT"}, {title: "WHY", spare: 1}, {title: "WHICH", most: most}}, rows)
}

// mostNames is how many rows of a blocker are named.
const mostNames = 3

// blockerNames names the worst rows of each blocker.
func blockerNames(s *triage.Snapshot) []string {
	blocks := s.Verdict.Blockers
	wanted := map[string]int{}
	for i, b := range blocks {
		for _, id := range b.IDs[:min(len(b.IDs), mostNames)] {
			wanted[id] = i
		}
	}
	names, named := make([]string, len(blocks)), make([]int, len(blocks))
	for _, f := range s.Findings.All {
		i, ok := wanted[f.ID]
		if !ok {
			continue
		}
		if named[i]++; named[i] > 1 {
			names[i] += ", "
		}
		names[i] += strings.TrimSpace(f.Tool + " " + prefix(f.Key))
		if delete(wanted, f.ID); len(wanted) == 0 {
			break
		}
	}
	for i, b := range blocks {
		if n := b.Count - named[i]; n > 0 && named[i] > 0 {
			names[i] += fmt.Sprintf(" and %d more", n)
		}
	}
	return names
}

// blockerWords names a kind of blocker, and what ends it.
func blockerWords(kind string) (one, many, words string) {
	switch kind {
	case "critical":
		return "critical repeat", "critical repeats", "a second effect is confirmed, or cannot be ruled out"
	case "inflight":
		return "row in flight", "rows in flight", "wait until they are committed or failed"
	case "unclassified":
		return "unclassified tool", "unclassified tools", "say in the table what they do"
	case "unmatched":
		return "unmatched mutator", "unmatched mutators", "sent without a row of the ledger, or on one side only"
	case "overwritten":
		return "overwritten row", "overwritten rows", "somebody wrote after the row was settled"
	case "compensation":
		return "open compensation", "open compensations", "started, and nobody knows how they ended"
	case "unread":
		return "unread source", "unread sources", "it was named and could not be read"
	default:
		return kind, kind, ""
	}
}

// glyphs stand before severities, beside their words and colours.
var glyphs = [...]struct {
	sign, ascii string
	ink         ink
}{
	triage.Info: {"·", ".", dim}, triage.Low: {"·", ".", dim}, triage.Medium: {"●", "o", yellow}, triage.High: {"◆", "#", magenta}, triage.Critical: {"▲", "!", red},
}

// severity is the cell of a severity.
func (p *page) severity(v triage.Severity) cell {
	g := glyphs[v]
	if p.ascii {
		return field(g.ink, g.ascii+" "+v.String())
	}
	return field(g.ink, g.sign+" "+v.String())
}

// findings lists what was found, worst first.
func (p *page) findings(s *triage.Snapshot, findings iter.Seq2[int, *triage.Finding], most int) {
	var rows [][]cell
	all := 0
	for _, f := range findings {
		all++
		if most > 0 && all > most {
			continue
		}
		d := describe(f, s.Now)
		rows = append(rows, []cell{
			p.severity(f.Severity), field(plain, d.what), field(bold, f.Tool), field(cyan, d.key), field(plain, d.calls), field(plain, d.words),
			field(dim, f.Run), field(dim, p.where(f.First)),
		})
	}
	if all == 0 {
		p.line().word(dim, "  nothing found in %s", plural(s.Totals.Calls, "call", "calls")).line()
		return
	}
	note := ""
	if all > len(rows) {
		note = fmt.Sprintf("the first %d; --limit 0 lists all, --filter narrows", len(rows))
	}
	p.head("FINDINGS "+thousands(all), note)
	p.table([]column{
		{title: "SEVERITY"},
		{title: "WHAT"},
		{title: "TOOL", most: 24},
		{title: "KEY", most: 24},
		{title: "CALLS", right: true, spare: 1},
		{title: "DETAIL", most: 36},
		{title: "RUN", most: 24, spare: 2},
		{title: "WHERE", spare: 3},
	}, rows)
}

// mostSteps is how many steps next prints.
const mostSteps = 10

// next says what to do now, a sentence for each kind of trouble, worst first.
func (p *page) next(s *triage.Snapshot, use inUse) {
	var steps []step
	seen := map[string]int{}
	for _, f := range s.Findings.All {
		st, ok := nextStep(f, s.Now)
		if !ok || f.Severity < triage.Medium || f.Ack != "" {
			continue
		}
		if at, again := seen[st.kind]; again {
			steps[at].more++
			continue
		}
		seen[st.kind] = len(steps)
		steps = append(steps, st)
	}
	if use.ledger == "" {
		steps = append(steps, step{words: "Name a ledger with --ledger: without one nobody knows what is in flight."})
	}
	if use.table == "" && s.Totals.Tools > 0 {
		steps = append(steps, step{words: "Write a decision table: drainboard init, then give every tool its class."})
	}
	if len(steps) == 0 {
		return
	}
	note := ""
	if len(steps) > mostSteps {
		note = fmt.Sprintf("the first %d of %d", mostSteps, len(steps))
		steps = steps[:mostSteps]
	}
	p.head("NEXT", note)
	for _, st := range steps {
		words := st.words
		if st.more > 0 {
			words += fmt.Sprintf(" (and %d more)", st.more)
		}
		first := 4
		p.word(dim, "  - ")
		if st.name != "" {
			p.word(bold, "%s", st.name).word(plain, ": ")
			first += safe.Width(p.safe(st.name)) + 2
		}
		p.sentence(first, words).line()
	}
}

// unreadable lists the first sources and lines that could not be read.
func (p *page) unreadable(list []triage.ReportBad) {
	if len(list) == 0 {
		return
	}
	const most = 5
	note := ""
	if len(list) > most {
		note = fmt.Sprintf("the first %d of %s; --json has all", most, thousands(len(list)))
	}
	p.head("UNREADABLE", note)
	var rows [][]cell
	for _, b := range list[:min(most, len(list))] {
		rows = append(rows, []cell{field(plain, p.where(triage.Pos{File: b.File, Line: b.Line})), field(yellow, b.Reason)})
	}
	p.table([]column{{}, {}}, rows)
}

// advice is the cell of the decision table for a finding's rule.
func advice(f *triage.Finding, when table.Situation) string {
	if f.Rule == nil {
		return "classify the tool first"
	}
	return table.Advice(f.Rule, when)
}
