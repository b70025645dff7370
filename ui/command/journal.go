package command

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"drainboard/ledger"
	"drainboard/ledger/operate"
	"drainboard/ui/redact"
	"drainboard/ui/safe"

	"github.com/spf13/cobra"
)

func newLedgerLog(a *app) *cobra.Command {
	var all, output bool
	var limit int
	c := &cobra.Command{
		Use:   "log [KEY]",
		Short: "Who did what, when and why, newest first",
		Long: `log prints the triage log of the ledger, which is only ever appended to. --all adds what the envelope did:
claims, commits, failures, doubts. With --json it prints one object an entry, oldest first, with the
images of the row before and after.`,
		Args: atMost(1, "at most the beginning of a key"),
		RunE: func(c *cobra.Command, args []string) error {
			key := ""
			if len(args) == 1 {
				key = args[0]
			}
			return a.ledgerLog(c.Context(), key, all, output, limit)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "what the envelope did, too")
	c.Flags().BoolVar(&output, "output", false, "what compensations printed, too")
	limitVar(c.Flags(), &limit, 50, "print at most the newest `N`; 0: all")
	return c
}

// logLine is one entry of `ledger log --json`.
type logLine struct {
	ID     int64           `json:"id"`
	Time   string          `json:"time"`
	Actor  string          `json:"actor"`
	Action string          `json:"action"`
	Key    string          `json:"key"`
	Tool   string          `json:"tool"`
	Reason string          `json:"reason"`
	Detail json.RawMessage `json:"detail"` // an object, or null
	From   *imageLine      `json:"from"`   // the row before; null when it does not matter
	To     *imageLine      `json:"to"`     // the row after; null when it was not changed
}

type imageLine struct {
	State    string  `json:"state"` // "" when the row was taken away
	Response *string `json:"response_json"`
	Created  float64 `json:"created_at"`
	Updated  float64 `json:"updated_at"`
}

func lineOfImage(im *ledger.Image) *imageLine {
	if im == nil {
		return nil
	}
	l := &imageLine{State: string(im.State), Created: im.Created, Updated: im.Updated}
	if im.HasResponse {
		l.Response = &im.Response
	}
	return l
}

func lineOfEntry(e *ledger.Entry) logLine {
	l := logLine{
		ID: e.ID, Time: stamp(e.At), Actor: e.Actor, Action: string(e.Action), Key: e.Key, Tool: e.Tool, Reason: e.Reason,
		From: lineOfImage(e.From), To: lineOfImage(e.To),
	}
	if json.Valid([]byte(e.Detail)) {
		l.Detail = json.RawMessage(e.Detail)
	}
	return l
}

func (a *app) ledgerLog(ctx context.Context, key string, all, output bool, limit int) (err error) {
	at := a.findLedger("")
	if at.path == "" {
		return &usage{"ledger log", errNoLedger}
	}
	l, err := a.look(ctx, &at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var last []ledger.Entry // the newest
	for after := int64(0); ; {
		page, err := l.Entries(ctx, after, 1000)
		if err != nil {
			return err
		}
		for i := range page {
			after = page[i].ID
			if (all || operate.Operators(page[i].Action)) && strings.HasPrefix(page[i].Key, key) {
				last = append(last, page[i])
			}
		}
		if limit > 0 && len(last) > limit {
			last = append(last[:0:0], last[len(last)-limit:]...)
		}
		if len(page) < 1000 {
			break
		}
	}
	if a.opts.redact {
		for i := range last {
			maskEntry(&last[i])
		}
	}
	if a.opts.json {
		for i := range last {
			if err := a.printJSON(lineOfEntry(&last[i])); err != nil {
				return err
			}
		}
		return nil
	}
	p := a.page()
	p.log(last, output)
	return p.flush(a.env.Stdout)
}

// maskEntry takes secrets out of what an entry shows. The entry is this command's own copy.
func maskEntry(e *ledger.Entry) {
	e.Reason = redact.Text(e.Reason)
	if e.Detail != "" {
		e.Detail = string(redact.JSON([]byte(e.Detail)))
	}
	for _, im := range []*ledger.Image{e.From, e.To} {
		if im != nil {
			im.Response = string(redact.JSON([]byte(im.Response)))
		}
	}
}

// log prints entries, newest first.
func (p *page) log(list []ledger.Entry, output bool) {
	if len(list) == 0 {
		p.word(dim, "nothing was done by an operator yet; --all lists what the envelope did").line()
		return
	}
	var rows [][]cell
	for i := len(list) - 1; i >= 0; i-- {
		e := &list[i]
		rows = append(rows, []cell{
			number(int(e.ID)), field(dim, stamp(e.At)), field(plain, e.Actor), field(bold, string(e.Action)), field(bold, e.Tool), field(cyan, prefix(e.Key)),
			field(plain, wayOf(e)), field(plain, e.Reason),
		})
	}
	p.table([]column{
		{right: true},
		{title: "TIME"},
		{title: "WHO", most: 32},
		{title: "ACTION"},
		{title: "TOOL", most: 24},
		{title: "KEY", most: 24},
		{title: "STATE", spare: 1},
		{title: "REASON", spare: 2},
	}, rows)
	if !output {
		return
	}
	for i := len(list) - 1; i >= 0; i-- {
		text := operate.Output(&list[i])
		if text == "" {
			continue
		}
		p.head("OUTPUT of "+string(list[i].Action)+" "+prefix(list[i].Key), stamp(list[i].At))
		mode := safe.Unicode
		if p.ascii {
			mode = safe.ASCII
		}
		for _, l := range mode.Block(text) {
			p.word(plain, "  ").text(plain, l).line()
		}
	}
}

// stateOf is the state of a row's image; "" when there is none.
func stateOf(im *ledger.Image) string {
	switch {
	case im == nil:
		return ""
	case im.State == "":
		return "gone"
	}
	return string(im.State)
}

// wayOf is the row's way in an entry.
func wayOf(e *ledger.Entry) string {
	from, to := stateOf(e.From), stateOf(e.To)
	if from == "" || to == "" {
		return from + to
	}
	return from + " → " + to
}
