package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/sqlite"
	"drainboard/ledger/triage"

	"github.com/spf13/cobra"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	keys   choice
	expect []string
}

func newReplay(a *app) *cobra.Command {
	flags := replayFlags{keys: choice{"recomputed", []string{"recomputed", "recorded"}}}
	c := &cobra.Command{
		Use:   "replay TRACE...",
		Short: "Send recorded calls through the envelope, offline, and count what would be applied",
		Long: `replay takes the calls of a trace in order and sends them through the envelope, on a ledger in memory. Nothing is
run: the sender counts, and answers what was recorded. applied counts the sends of keyed and compensate
tools. --keys recorded uses the keys that the handler shipped, --keys recomputed those of the recipe: a test that
expects one send a side effect fails with the first and passes with the second when the keys were the fault.`,
		Example: `  drainboard replay run-22.jsonl --keys recorded --expect-applied 1     # before the fix: fails
  drainboard replay run-22.jsonl --expect-applied 1                     # after it
  drainboard replay run-22.jsonl --expect-applied open_pr=1 --expect-applied put_file=4`,
		Args: atLeast(1, "a trace"),
		RunE: func(c *cobra.Command, args []string) error { return a.replay(c.Context(), args, &flags) },
	}
	c.Flags().Var(&flags.keys, "keys", "`WHICH` keys: recomputed, or recorded by the handler")
	c.Flags().StringArrayVar(&flags.expect, "expect-applied", nil, "exit 1 unless `N`, or TOOL=N, were applied; may be given again")
	return c
}

// replayed is what `replay --json` prints.
type replayed struct {
	Applied  int            `json:"applied"`
	Passed   int            `json:"passed"`
	Replayed int            `json:"replayed"`
	Refused  []refusedCount `json:"refused"`
	Calls    []replayedCall `json:"calls"`

	byTool map[string]int // applied
	tools  map[string]bool
}

type refusedCount struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

type replayedCall struct {
	Key      string `json:"key"`
	Tool     string `json:"tool"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

// expectation is one --expect-applied.
type expectation struct {
	tool string // "" for all tools
	n    int
}

func parseExpectations(list []string) (out []expectation, err error) {
	for _, text := range list {
		tool, number := "", text
		if at := strings.LastIndexByte(text, '='); at >= 0 {
			tool, number = text[:at], text[at+1:]
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || strings.HasPrefix(text, "=") {
			return nil, &usage{"replay", fmt.Errorf("--expect-applied: expected N or TOOL=N, found %q", text)}
		}
		out = append(out, expectation{tool, n})
	}
	return out, nil
}

func (a *app) replay(ctx context.Context, args []string, flags *replayFlags) (err error) {
	expect, err := parseExpectations(flags.expect)
	if err != nil {
		return err
	}
	a.opts.ledger, a.opts.namedLedger = "", true // offline: the ledger is in memory
	s, err := a.open(ctx, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	report, err := s.report(ctx)
	if err != nil {
		return err
	}
	if err := s.nothing(report); err != nil {
		return err
	}
	store, err := sqlite.Memory()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	calls, _, err := s.Calls(ctx, triage.Question{})
	if err != nil {
		return err
	}
	out := replayed{Refused: []refusedCount{}, Calls: []replayedCall{}, byTool: map[string]int{}, tools: map[string]bool{}}
	env := &ledger.Envelope{Store: store, Now: a.env.Now, Random: rand.Reader, Actor: a.actor()}
	for i := range calls {
		if err := out.call(ctx, s, env, &calls[i], flags.keys.word == "recorded"); err != nil {
			return err
		}
	}
	if a.opts.json {
		err = a.printJSON(out)
	} else {
		p := a.page()
		p.replayed(&out)
		err = p.flush(a.env.Stdout)
	}
	if err != nil {
		return err
	}
	return out.expected(expect)
}

// call sends one recorded call through the envelope.
func (r *replayed) call(ctx context.Context, s *session, env *ledger.Envelope, v *triage.CallView, recorded bool) error {
	raw, err := s.Args(ctx, v.Pos)
	if err != nil {
		return err
	}
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	c := ledger.Call{
		Key: v.Key, Run: v.Run, Tool: v.Tool, Request: string(raw), Class: v.Class, Ignore: v.Rule.Ignore, Ceiling: s.table.Ceiling(v.Run),
	}
	if recorded {
		c.Key = v.Recorded
	}
	answer, err := env.Execute(ctx, c, func(ctx context.Context, _ string) ledger.Reply { return recordedReply(ctx, s, v) })
	if err != nil {
		return err
	}
	t := answer.Ticket
	line := replayedCall{Key: c.Key, Tool: v.Tool, File: v.Pos.File, Line: v.Pos.Line, Decision: string(t.Decision), Reason: string(t.Reason)}
	if t.Reason == ledger.RefusedNoKey && recorded && v.Key != "" {
		line.Reason = "no recorded key"
	}
	r.tools[v.Tool] = true
	switch t.Decision {
	case ledger.Send:
		r.Applied++
		r.byTool[v.Tool]++
	case ledger.Pass:
		r.Passed++
	case ledger.Replay:
		r.Replayed++
	default:
		at := slices.IndexFunc(r.Refused, func(c refusedCount) bool { return c.Reason == line.Reason })
		if at < 0 {
			at = len(r.Refused)
			r.Refused = append(r.Refused, refusedCount{Reason: line.Reason})
		}
		r.Refused[at].Count++
	}
	r.Calls = append(r.Calls, line)
	return nil
}

// recordedReply is what was recorded as the answer to a call.
func recordedReply(ctx context.Context, s *session, v *triage.CallView) ledger.Reply {
	reply := ledger.Reply{Outcome: ledger.Done, Response: "null", HasResponse: true}
	if len(v.Results) == 0 {
		return reply
	}
	switch first := &v.Results[0]; first.Status {
	case "ok", "replayed":
		if first.Same == 0 || v.Class == table.Pure {
			return reply
		}
		raw, err := s.Payload(ctx, first.Pos)
		if err != nil {
			return ledger.Reply{Why: err.Error()} // in doubt
		}
		if raw != nil {
			reply.Response = string(raw)
		}
		return reply
	case "ambiguous":
		return ledger.Reply{Why: "the recorded error leaves open whether it happened"}
	default:
		return ledger.Reply{Outcome: ledger.DidFail, Why: "recorded as " + first.Status}
	}
}

// expected is the error of an expectation that is not met.
func (r *replayed) expected(list []expectation) error {
	var errs []error
	for _, e := range list {
		switch {
		case e.tool == "" && r.Applied != e.n:
			errs = append(errs, fmt.Errorf("expected %d applied, found %d", e.n, r.Applied))
		case e.tool != "" && !r.tools[e.tool] && e.n > 0:
			errs = append(errs, fmt.Errorf("expected %d of %s applied, found no call of it", e.n, e.tool))
		case e.tool != "" && r.byTool[e.tool] != e.n:
			errs = append(errs, fmt.Errorf("expected %d of %s applied, found %d", e.n, e.tool, r.byTool[e.tool]))
		}
	}
	if len(errs) > 0 {
		return &refusal{errors.Join(errs...)}
	}
	return nil
}

// replayed prints what became of the calls.
func (p *page) replayed(r *replayed) {
	p.word(bold, "%d applied", r.Applied).word(dim, "  %d passed  %d replayed", r.Passed, r.Replayed)
	for _, c := range r.Refused {
		p.word(dim, "  ").word(yellow, "%d refused: %s", c.Count, c.Reason)
	}
	p.line()
	var rows [][]cell
	for _, c := range r.Calls {
		k := plain
		switch ledger.Decision(c.Decision) {
		case ledger.Send:
			k = bold
		case ledger.Refuse:
			k = yellow
		case ledger.Pass, ledger.Replay:
			k = dim
		}
		rows = append(rows, []cell{
			field(k, c.Decision), field(bold, c.Tool), field(cyan, prefix(c.Key)), field(dim, p.where(triage.Pos{File: c.File, Line: c.Line})), field(yellow, c.Reason),
		})
	}
	if len(rows) > 0 {
		p.line()
		p.table([]column{{title: "DECISION"}, {title: "TOOL", most: 32}, {title: "KEY", most: 40}, {title: "WHERE", spare: 1}, {title: "WHY"}}, rows)
	}
}
