package command

import (
	"context"
	"strconv"

	"drainboard/ledger/intake"
	"drainboard/ledger/triage"

	"github.com/spf13/cobra"
)

func newKeys(a *app) *cobra.Command {
	var copies bool
	c := &cobra.Command{
		Use:   "keys [PATH | label=PATH | -]...",
		Short: "The key of every call, one line a call",
		Long: `keys prints one line a call: the beginning of its recomputed key, tool, run, call id, the number of
the repeat, the key that the handler recorded, and where it stands. A key that a rule of the table
left something out of is marked with ~. --json prints one object a call.`,
		Example: `  drainboard keys run-22.jsonl
  drainboard keys explain run-22.jsonl:4 run-22.jsonl:9
  drainboard keys explain 9b1c22 3f9a1c traces/`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.keys(c.Context(), args, copies) },
	}
	c.Flags().BoolVar(&copies, "copies", false, "list the lines too that only restate a call")
	c.AddCommand(newKeysExplain(a), newKeysIgnore(a))
	return c
}

// keyLine is one call of `keys --json`.
type keyLine struct {
	Key      string `json:"key"`
	Recipe   string `json:"recipe"`
	Run      string `json:"run"`
	Tool     string `json:"tool"`
	CallID   string `json:"call_id"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Time     string `json:"time"`
	Recorded string `json:"recorded"`
	Repeat   int    `json:"repeat"`
	Opaque   bool   `json:"opaque"`
	Ignored  bool   `json:"ignored"` // a rule of the table left something out of the key
	Reason   string `json:"reason"`  // why there is no key
	Copy     bool   `json:"copy"`
}

// pageOfCalls is how many calls are asked for at once.
const pageOfCalls = 100_000

func (a *app) keys(ctx context.Context, args []string, copies bool) error {
	s, err := a.open(ctx, args)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.list(ctx, s); err != nil {
		return err
	}
	recipe := s.Snapshot().Recipe
	enc := a.encoder(a.env.Stdout)
	p := a.page()
	for from := 0; ; {
		calls, total, err := s.Calls(ctx, intake.Query{From: from, Limit: pageOfCalls, Copies: copies})
		if err != nil {
			return err
		}
		if a.opts.json {
			for i := range calls {
				if err := enc.Encode(keyLineOf(&calls[i], recipe)); err != nil {
					return err
				}
			}
		} else {
			p.calls(calls)
			if err := p.flush(a.env.Stdout); err != nil {
				return err
			}
		}
		if from += len(calls); from >= total || len(calls) == 0 {
			return nil
		}
	}
}

func keyLineOf(v *triage.CallView, recipe string) keyLine {
	return keyLine{
		Key: v.Key, Recipe: recipe, Run: v.Run, Tool: v.Tool, CallID: v.CallID, File: v.Pos.File, Line: v.Pos.Line, Time: triage.Stamp(v.Time),
		Recorded: v.Recorded, Repeat: v.Repeat, Opaque: v.Opaque, Ignored: v.Ignored, Reason: v.NoKey, Copy: v.Copy,
	}
}

// calls prints one line a call.
func (p *page) calls(calls []triage.CallView) {
	rows := make([][]cell, len(calls))
	for i := range calls {
		v := &calls[i]
		key := field(cyan, prefix(v.Key))
		switch {
		case v.Key == "":
			key = field(dim, "no key: "+v.NoKey)
		case v.Ignored:
			key = field(cyan, prefix(v.Key)+" ~")
		}
		repeat := field(dim, "·")
		if v.Repeat > 1 {
			repeat = field(yellow, strconv.Itoa(v.Repeat))
		}
		note := ""
		switch {
		case v.Copy:
			note = "copy"
		case v.Opaque:
			note = "opaque arguments"
		}
		rows[i] = []cell{
			key, field(bold, v.Tool), field(dim, v.Run), field(plain, v.CallID), repeat, field(magenta, v.Recorded),
			field(yellow, note), field(dim, p.where(v.Pos)),
		}
	}
	p.table([]column{
		{title: "KEY", most: 40},
		{title: "TOOL", most: 32},
		{title: "RUN", most: 32, spare: 2},
		{title: "CALL ID", most: 32},
		{title: "REPEAT", right: true},
		{title: "RECORDED", most: 40, spare: 1},
		{title: ""},
		{title: "WHERE"},
	}, rows)
}
