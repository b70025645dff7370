package command

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"drainboard/ledger"
	"drainboard/ledger/operate"
	"drainboard/ledger/triage"
)

// Bounds of a report: what is beyond them is counted.
const (
	mostIncidents = 2000 // findings
	mostPlaces    = 50   // calls of one finding
)

// incident is what export writes. Ages are seconds, times RFC 3339 in UTC; arrays are never null, missing text is "".
type incident struct {
	Made       string                `json:"made"`
	Verdict    string                `json:"verdict"`
	TracesOnly bool                  `json:"traces_only"`
	Ledger     string                `json:"ledger"`
	States     map[string]int        `json:"states"`
	Table      string                `json:"table"`
	Recipe     string                `json:"recipe"`
	RecipeNote string                `json:"recipe_note"`
	Draining   string                `json:"draining"`
	Lines      int                   `json:"lines"`
	BadLines   int                   `json:"bad_lines"`
	Calls      int                   `json:"calls"`
	Runs       int                   `json:"runs"`
	Sides      []incidentSide        `json:"sides"`
	Sources    []triage.ReportSource `json:"sources"`
	Blockers   []triage.ReportBlock  `json:"blockers"`
	Findings   []incidentFinding     `json:"findings"`
	LeftOut    int                   `json:"findings_left_out"` // beyond the first 2,000, worst first
	Timeline   []incidentMoment      `json:"timeline"`
	Actions    []incidentAction      `json:"actions"` // of operators, oldest first
	Unreadable []triage.ReportBad    `json:"unreadable"`
	Redacted   bool                  `json:"redacted"`
	Anonymous  bool                  `json:"anonymous"`
}

type (
	incidentSide struct {
		Label    string `json:"label"`
		Draining bool   `json:"draining"`
		Calls    int    `json:"calls"`
		Runs     int    `json:"runs"`
		Mutators int    `json:"mutators"`
		InLedger int    `json:"in_ledger"`
		OnlyKeys int    `json:"only_keys"`
		Last     string `json:"last"`
	}
	incidentFinding struct {
		Severity string `json:"severity"`
		Kind     string `json:"kind"`
		Blocks   string `json:"blocks"` // kind of blocker, "" for none
		Tool     string `json:"tool"`
		Class    string `json:"class"`
		Key      string `json:"key"`
		Run      string `json:"run"`
		Side     string `json:"side"`
		Calls    int    `json:"calls"`
		Results  int    `json:"results"`
		Words    string `json:"words"`
		Next     string `json:"next"`
		Ack      string `json:"acknowledged"`
		File     string `json:"file"`
		Line     int    `json:"line"`
	}
	// incidentMoment is one line of the timeline: a call of a finding, a result of it, or what an operator did.
	incidentMoment struct {
		Time   string `json:"time"` // "" when none was recorded: those stand last
		What   string `json:"what"` // call, result, action
		Who    string `json:"who"`
		Tool   string `json:"tool"`
		Key    string `json:"key"`
		Run    string `json:"run"`
		Side   string `json:"side"`
		CallID string `json:"call_id"`
		Words  string `json:"words"`
		File   string `json:"file"`
		Line   int    `json:"line"`
	}
	incidentAction struct {
		ID     int64  `json:"id"`
		Time   string `json:"time"`
		Actor  string `json:"actor"`
		Action string `json:"action"`
		Tool   string `json:"tool"`
		Key    string `json:"key"`
		From   string `json:"from"`
		To     string `json:"to"`
		Reason string `json:"reason"`
	}
)

// incident gathers everything.
func (a *app) incident(ctx context.Context, s *session, r *triage.Report) (*incident, error) {
	snap := s.Snapshot()
	n := &incident{
		Made: triage.Stamp(snap.Now), Verdict: snap.Verdict.Word(), TracesOnly: snap.Verdict.TracesOnly, Ledger: s.use.ledger, States: snap.States, Table: s.use.table,
		Recipe: snap.Recipe, RecipeNote: snap.RecipeNote, Draining: snap.Draining, Lines: r.Lines, BadLines: r.BadLines, Calls: r.Calls, Runs: r.Runs,
		Sides: []incidentSide{}, Sources: r.Sources, Blockers: r.Blockers, Findings: []incidentFinding{}, Timeline: []incidentMoment{}, Actions: []incidentAction{},
		Unreadable: r.Unreadable,
	}
	for _, v := range snap.Sides {
		n.Sides = append(n.Sides, incidentSide{v.Label, v.Draining, v.Calls, v.Runs, v.Mutators, v.InLedger, v.OnlyKeys, triage.Stamp(v.Last)})
	}
	seen := map[string]bool{}
	for i, f := range snap.Findings.All {
		if i >= mostIncidents {
			n.LeftOut = snap.Findings.Len() - i
			break
		}
		step, _ := nextStep(f, snap.Now)
		n.Findings = append(n.Findings, incidentFinding{
			f.Severity.String(), f.Kind.String(), f.Blocks(), f.Tool, f.Class.String(), f.Key, f.Run, f.Side, f.Calls, f.Results, describe(f, snap.Now).words, step.words, f.Ack,
			f.First.File, f.First.Line,
		})
		if f.Severity < triage.Medium {
			continue
		}
		calls, _, err := s.Calls(ctx, triage.Question{Finding: f, Limit: mostPlaces})
		if err != nil {
			return nil, err
		}
		for i := range calls {
			n.add(&calls[i], seen)
		}
	}
	if err := n.acts(ctx, s); err != nil {
		return nil, err
	}
	slices.SortStableFunc(n.Timeline, func(a, b incidentMoment) int {
		if (a.Time == "") != (b.Time == "") {
			return cmp.Compare(b.Time, a.Time) // those without a time stand last
		}
		return cmp.Or(strings.Compare(sortable(a.Time), sortable(b.Time)), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return n, nil
}

// sortable writes a stamp so that it sorts as text: with all digits of its fraction.
func sortable(stamp string) string {
	whole, frac, _ := strings.Cut(strings.TrimSuffix(stamp, "Z"), ".")
	return whole + "." + frac + strings.Repeat("0", max(0, 9-len(frac)))
}

// add puts a call and its results on the timeline, once however many findings it belongs to.
func (n *incident) add(c *triage.CallView, seen map[string]bool) {
	if seen[c.Pos.String()] {
		return
	}
	seen[c.Pos.String()] = true
	m := incidentMoment{triage.Stamp(c.Time), "call", "", c.Tool, c.Key, c.Run, c.Side, c.CallID, "", c.Pos.File, c.Pos.Line}
	if c.Repeat > 1 {
		m.Words = ordinal(c.Repeat) + " of its key"
	}
	n.Timeline = append(n.Timeline, m)
	for _, r := range c.Results {
		m := incidentMoment{triage.Stamp(r.Time), "result", "", c.Tool, c.Key, c.Run, c.Side, c.CallID, r.Status, r.Pos.File, r.Pos.Line}
		if r.Double {
			m.Words += ", a further result of one call"
		}
		n.Timeline = append(n.Timeline, m)
	}
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return thousands(n) + suffix
}

// acts reads what operators did, from the ledger's log.
func (n *incident) acts(ctx context.Context, s *session) error {
	if s.look == nil {
		return nil
	}
	for after := int64(0); ; {
		page, err := s.look.Entries(ctx, after, 1000)
		if err != nil {
			return err
		}
		for i := range page {
			e := &page[i]
			after = e.ID
			if operate.Operators(e.Action) {
				n.act(e)
			}
		}
		if len(page) < 1000 {
			return nil
		}
	}
}

func (n *incident) act(e *ledger.Entry) {
	n.Actions = append(n.Actions, incidentAction{e.ID, stamp(e.At), e.Actor, string(e.Action), e.Tool, e.Key, stateOf(e.From), stateOf(e.To), e.Reason})
	n.Timeline = append(n.Timeline, incidentMoment{Time: stamp(e.At), What: "action", Who: e.Actor, Tool: e.Tool, Key: e.Key, Words: strings.TrimSpace(string(e.Action) + " " + wayOf(e)), Line: 0})
}

// mask takes secrets out of what a person or an agent wrote, when they are to be masked. Keys stay.
func (n *incident) mask(a *app) {
	n.Redacted = a.opts.redact
	each := func(texts ...*string) {
		for _, t := range texts {
			*t = a.mask(*t)
		}
	}
	each(&n.Ledger, &n.Table)
	for i := range n.Sources {
		each(&n.Sources[i].File)
	}
	for i := range n.Unreadable {
		each(&n.Unreadable[i].File, &n.Unreadable[i].Reason)
	}
	for i := range n.Findings {
		f := &n.Findings[i]
		each(&f.Tool, &f.Run, &f.Words, &f.Next, &f.Ack, &f.File)
	}
	for i := range n.Timeline {
		m := &n.Timeline[i]
		each(&m.Who, &m.Tool, &m.Run, &m.CallID, &m.Words, &m.File)
	}
	for i := range n.Actions {
		c := &n.Actions[i]
		each(&c.Actor, &c.Tool, &c.Reason)
	}
}

// anonymous leaves out whatever a person or an agent wrote freely, and puts digests for names, so that what belongs together still does.
func (n *incident) anonymous() {
	n.Anonymous = true
	digest := func(kind, text string) string {
		if text == "" {
			return ""
		}
		sum := sha256.Sum256([]byte(kind + "\x00" + text))
		return kind + "-" + hex.EncodeToString(sum[:4])
	}
	key := func(k string) string {
		if p := prefix(k); p != k || k == "" {
			return p
		}
		return digest("key", k) // one that a handler made up
	}
	n.Ledger, n.Table = digest("ledger", n.Ledger), digest("table", n.Table)
	for i := range n.Sources {
		n.Sources[i].File = digest("file", n.Sources[i].File)
	}
	for i := range n.Unreadable {
		n.Unreadable[i].File, n.Unreadable[i].Reason = digest("file", n.Unreadable[i].File), "left out"
	}
	for i := range n.Findings {
		f := &n.Findings[i]
		f.Key, f.Run, f.File = key(f.Key), digest("run", f.Run), digest("file", f.File)
		f.Words, f.Next = "", ""
		if f.Ack != "" {
			f.Ack = "acknowledged"
		}
	}
	for i := range n.Timeline {
		m := &n.Timeline[i]
		m.Key, m.Run, m.File, m.CallID, m.Who = key(m.Key), digest("run", m.Run), digest("file", m.File), digest("call", m.CallID), digest("person", m.Who)
	}
	for i := range n.Actions {
		c := &n.Actions[i]
		c.Key, c.Actor = key(c.Key), digest("person", c.Actor)
		if c.Reason != "" {
			c.Reason = "left out"
		}
	}
}

func (a *app) writeJSON(out io.Writer, v any) error {
	enc := a.encoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
