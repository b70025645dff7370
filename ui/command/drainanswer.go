package command

import (
	"context"
	"fmt"
	"strings"

	"drainboard/ledger"
	"drainboard/ledger/run"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// drainAnswer is what `drain --json` prints. Ages and durations are seconds; arrays are never null and missing text is "".
type drainAnswer struct {
	Verdict    string               `json:"verdict"`
	TracesOnly bool                 `json:"traces_only"`
	Waiting    bool                 `json:"waiting"` // nothing blocks, and the window is not through
	Window     *triage.ReportWindow `json:"window"`  // null without --window
	Draining   string               `json:"draining"`
	Match      string               `json:"match"`
	Recipe     string               `json:"recipe"`
	Ledger     string               `json:"ledger"`
	States     map[string]int       `json:"states"`
	Table      string               `json:"table"`
	Sides      []drainSide          `json:"sides"`
	Blockers   []drainBlocker       `json:"blockers"`
	InFlight   []drainFlight        `json:"inflight"`
	Unmatched  []drainRow           `json:"unmatched"`
	NewRuns    []triage.ReportNew   `json:"new_while_draining"`
	OnlyKeys   []drainKey           `json:"only_keys"` // at most 100 a side; Sides counts them all
}

type (
	drainSide struct {
		Label     string   `json:"label"`
		Draining  bool     `json:"draining"`
		Calls     int      `json:"calls"`
		Runs      int      `json:"runs"`
		Mutators  int      `json:"mutators"`
		InLedger  int      `json:"in_ledger"`
		OnlyKeys  int      `json:"only_keys"`
		OnlyTools []string `json:"only_tools"`
		Last      string   `json:"last"`
		LastAge   *float64 `json:"last_age_s"` // null when no line has a time
		last      int64
	}
	drainBlocker struct {
		Kind  string     `json:"kind"`
		Count int        `json:"count"`
		Rows  []drainRow `json:"rows"`
	}
	// drainRow is one row that blocks, with the next step.
	drainRow struct {
		Kind    string `json:"kind"`
		ID      string `json:"id"`
		Key     string `json:"key"`
		Tool    string `json:"tool"`
		Run     string `json:"run"`
		Side    string `json:"side"`
		Why     string `json:"why"`
		File    string `json:"file"`
		Line    int    `json:"line"`
		Next    string `json:"next"`
		Command string `json:"command"` // what does it, "" when nothing is to be run
	}
	drainFlight struct {
		Key     string  `json:"key"`
		Tool    string  `json:"tool"`
		Run     string  `json:"run"`
		Side    string  `json:"side"`
		Age     float64 `json:"age_s"`
		Timeout float64 `json:"timeout_s"`
		Hung    bool    `json:"hung"`
		Owner   string  `json:"owner"`
		Process string  `json:"process"` // lives, gone, cannot tell; settled meanwhile
		Blocks  bool    `json:"blocks"`
	}
	drainKey struct {
		Side string `json:"side"`
		Key  string `json:"key"`
		Tool string `json:"tool"`
		Run  string `json:"run"`
	}
)

// mostOnly is how many keys of one side only are named.
const mostOnly = 100

// drainAnswer gathers the answer from what is known. snap is what it speaks of; rows of the ledger are read as they are now.
func (a *app) drainAnswer(ctx context.Context, s *session, snap *triage.Snapshot) (*drainAnswer, error) {
	d := &drainAnswer{
		Verdict: snap.Verdict.Word(), TracesOnly: snap.Verdict.TracesOnly, Waiting: snap.Verdict.Waiting, Window: triage.ReportOf(snap.Window, snap.Now),
		Draining: snap.Draining, Match: a.opts.match.word, Recipe: snap.Recipe, Ledger: s.use.ledger, States: snap.States, Table: s.use.table,
		Sides: []drainSide{}, Blockers: []drainBlocker{}, InFlight: []drainFlight{}, Unmatched: []drainRow{}, NewRuns: []triage.ReportNew{}, OnlyKeys: []drainKey{},
	}
	for _, v := range snap.Sides {
		side := drainSide{v.Label, v.Draining, v.Calls, v.Runs, v.Mutators, v.InLedger, v.OnlyKeys, append([]string{}, v.OnlyTools...), triage.Stamp(v.Last), nil, v.Last}
		if v.Last != trace.NoTime {
			age := float64(snap.Now-v.Last) / 1e9
			side.LastAge = &age
		}
		d.Sides = append(d.Sides, side)
	}
	lone, err := s.LoneKeys(ctx, mostOnly)
	if err != nil {
		return nil, err
	}
	for _, k := range lone {
		d.OnlyKeys = append(d.OnlyKeys, drainKey(k))
	}
	a.drainRows(ctx, s, snap, d)
	return d, nil
}

// drainRows gathers the findings that a drain is about, worst first, and the blockers' rows.
func (a *app) drainRows(ctx context.Context, s *session, snap *triage.Snapshot, d *drainAnswer) {
	rows := map[string][]drainRow{}
	for _, f := range snap.Findings.All {
		kind := f.Blocks()
		row := drainRow{Kind: f.Kind.String(), ID: f.ID, Key: f.Key, Tool: f.Tool, Run: f.Run, Side: f.Side, Why: describe(f, snap.Now).words, File: f.First.File, Line: f.First.Line}
		row.Next, row.Command = drainStep(f, snap.Now)
		switch f.Kind {
		case triage.InFlight, triage.Hung:
			flight := drainFlight{f.Key, f.Tool, f.Run, f.Side, ageOf(f, snap.Now), f.Details().Timeout, f.Kind == triage.Hung, f.Details().Owner, "", kind != ""}
			flight.Owner, _, _ = strings.Cut(f.Details().Owner, " (") // whether it lives stands beside it
			flight.Process = s.process(ctx, f.Key)
			d.InFlight = append(d.InFlight, flight)
			row.Next += processWords(flight.Process)
		case triage.Unmatched:
			d.Unmatched = append(d.Unmatched, row)
		case triage.NewWhileDraining:
			d.NewRuns = append(d.NewRuns, triage.ReportNew{Run: f.Run, Side: f.Side})
		}
		if kind != "" {
			rows[kind] = append(rows[kind], row)
		}
	}
	for _, b := range snap.Verdict.Blockers {
		block := drainBlocker{b.Kind, b.Count, rows[b.Kind]}
		if b.Kind == "unread" {
			block.Rows = unreadRows(b, s.use)
		}
		if block.Rows == nil {
			block.Rows = []drainRow{}
		}
		d.Blockers = append(d.Blockers, block)
	}
}

// unreadRows names the sources that could not be read.
func unreadRows(b triage.Blocker, use inUse) []drainRow {
	var rows []drainRow
	for _, id := range b.IDs {
		row := drainRow{Kind: "unread", ID: id, File: strings.TrimPrefix(id, "unread "), Next: "It was named and cannot be read: name another path, or make it readable."}
		if row.File == use.ledger && use.ledgerErr != "" {
			row.Why = use.ledgerErr
		}
		rows = append(rows, row)
	}
	return rows
}

// What is known of the process that holds a row.
const (
	lives      = "lives"
	gone       = "gone"
	cannotTell = "cannot tell"
	over       = "settled" // meanwhile: the row is no longer in flight
)

// process says whether the process that holds a row still lives, as seen from this host.
func (s *session) process(ctx context.Context, key string) string {
	row, ok, err := s.Row(ctx, key)
	switch {
	case err == nil && (!ok || row.State != ledger.InFlight):
		return over
	case err != nil || row.Claim == nil:
		return cannotTell
	}
	at := run.Proc{Root: "/proc"}
	self, err := at.Self()
	if err != nil {
		return cannotTell
	}
	c := row.Claim
	switch at.Alive(self, ledger.Owner{Host: c.Host, BootID: c.BootID, PID: c.PID, PIDStart: c.PIDStart}) {
	case ledger.Alive:
		return lives
	case ledger.Gone:
		return gone
	default:
		return cannotTell
	}
}

// processWords says what follows from that for the row.
func processWords(process string) string {
	switch process {
	case lives:
		return " Its process lives here: let it finish."
	case gone:
		return " Its process is gone: it will not settle the row."
	default:
		return ""
	}
}

// drainStep says what to do about a row that blocks, and with which command.
func drainStep(f *triage.Finding, now int64) (next, command string) {
	step, _ := nextStep(f, now)
	key := prefix(f.Key)
	switch f.Kind {
	case triage.Hung, triage.InFlight:
		command = fmt.Sprintf("drainboard ledger mark %s failed|committed --reason TEXT", key)
	case triage.UnclassifiedTool:
		step.words = "In no class: say in the table what it does."
		command = fmt.Sprintf("drainboard tools set %s pure|keyed|compensate", f.Tool)
	case triage.Duplicate:
		command = fmt.Sprintf("drainboard compensate %s --reason TEXT", key)
		if f.Outcome != triage.OutcomeExtra && f.Outcome != triage.OutcomeAmbiguous {
			command = fmt.Sprintf("drainboard ledger ack %s --reason TEXT", key)
		}
	case triage.Unmatched, triage.Overwritten, triage.LateReply:
		if key != "" {
			command = fmt.Sprintf("drainboard ledger ack %s --reason TEXT", key)
		}
	case triage.Compensation:
		command = fmt.Sprintf("drainboard compensate %s --reason TEXT", key)
	}
	return step.words, command
}
