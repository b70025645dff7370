package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/ui/safe"

	"github.com/spf13/cobra"
)

func newLedger(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "ledger",
		Short: "Look at the replay ledger, and settle what stands in it",
		Args:  cobra.ArbitraryArgs,
		RunE:  subcommand,
	}
	c.AddCommand(newLedgerLs(a), newLedgerShow(a), newLedgerMark(a), newLedgerAck(a), newLedgerUndo(a), newLedgerHumanKey(a), newLedgerLog(a),
		newLedgerFence(a), newLedgerRecover(a), newLedgerPrune(a))
	return c
}

func newLedgerLs(a *app) *cobra.Command {
	var state string
	var limit int
	c := &cobra.Command{
		Use:   "ls",
		Short: "Rows of the ledger: in flight first, then the newest",
		Args:  exactly(0, "no arguments"),
		RunE:  func(c *cobra.Command, _ []string) error { return a.ledgerLs(c.Context(), state, limit) },
	}
	c.Flags().StringVar(&state, "state", "", "only rows in `STATE`, as inflight, committed, failed")
	limitVar(c.Flags(), &limit, 50, "list at most `N` rows; 0: all")
	return c
}

func newLedgerShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show KEY",
		Short: "One row, whole; the beginning of its key is enough",
		Args:  exactly(1, "a key, or its beginning"),
		RunE:  func(c *cobra.Command, args []string) error { return a.ledgerShow(c.Context(), args[0]) },
	}
}

// rowLine is one row of `ledger ls --json`.
type rowLine struct {
	Key     string  `json:"key"`
	Tool    string  `json:"tool"`
	State   string  `json:"state"`
	Created string  `json:"created"`
	Updated string  `json:"updated"`
	Age     float64 `json:"age_s"`
	Timeout float64 `json:"timeout_s"`
	Hung    bool    `json:"hung"`
	Owner   string  `json:"owner"`
	Doubt   bool    `json:"in_doubt"` // the process that holds it is gone
}

// rows reads the whole ledger once.
func (a *app) rows(ctx context.Context) (at place, rows []ledger.Row, err error) {
	at = a.findLedger("")
	if at.path == "" {
		return at, nil, &usage{"ledger", errNoLedger}
	}
	l, err := a.look(ctx, &at)
	if err != nil {
		return at, nil, err
	}
	changes, err := l.Look(ctx)
	return at, changes.Rows, errors.Join(err, l.Close())
}

func (a *app) ledgerLs(ctx context.Context, state string, limit int) error {
	t, _, err := a.findTable("")
	if err != nil {
		return err
	}
	at, rows, err := a.rows(ctx)
	if err != nil {
		return err
	}
	states := map[string]int{}
	for _, r := range rows {
		states[string(r.State)]++
	}
	if state != "" {
		rows = slices.DeleteFunc(rows, func(r ledger.Row) bool { return string(r.State) != state })
	}
	slices.SortStableFunc(rows, func(x, y ledger.Row) int {
		if f := x.State == ledger.InFlight; f != (y.State == ledger.InFlight) {
			if f {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(y.Updated, x.Updated), strings.Compare(x.Key, y.Key))
	})
	lines := make([]rowLine, len(rows))
	for i, r := range rows {
		lines[i] = a.lineOfRow(t, r)
	}
	if a.opts.json {
		return a.printJSON(map[string]any{"path": at.name(), "states": states, "rows": lines})
	}
	p := a.page()
	p.rows(at.name(), states, lines, limit)
	return p.flush(a.env.Stdout)
}

// lineOfRow judges the age of a row by the timeout that the table gives its tool.
func (a *app) lineOfRow(t *table.Table, r ledger.Row) rowLine {
	var args keys.Args
	rule := t.Row(r.Tool).Own()
	if args.Parse([]byte(r.Request)) == nil {
		rule = t.Lookup(r.Tool, &args)
	}
	l := rowLine{
		Key: r.Key, Tool: r.Tool, State: string(r.State), Created: stamp(r.Created), Updated: stamp(r.Updated),
		Age: a.since(r.Updated), Timeout: rule.Timeout.Seconds(), Owner: owner(r.Claim),
	}
	l.Hung = r.State == ledger.InFlight && l.Age > l.Timeout
	l.Doubt = r.State == ledger.InFlight && orphaned(r.Claim)
	return l
}

// owner names who holds a claim.
func owner(c *ledger.Claim) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s pid %d", c.Host, c.PID)
}

// orphaned says whether the process that holds a claim is known to be gone: nobody will settle its row by itself.
func orphaned(c *ledger.Claim) bool {
	self, err := proc().Self()
	return err == nil && c != nil && proc().Alive(self, ledger.Owner{Host: c.Host, BootID: c.BootID, PID: c.PID, PIDStart: c.PIDStart}) == ledger.Gone
}

// stamp prints seconds since 1970 as RFC 3339 in UTC.
// It is "" for what is no moment of a calendar: a column of a ledger may hold any number.
func stamp(seconds float64) string {
	if !datable(seconds) {
		return ""
	}
	return triage.Stamp(int64(math.Round(seconds*1e6)) * 1000)
}

// datable says whether seconds since 1970 fit a clock of nanoseconds: the years 1678 to 2261.
func datable(seconds float64) bool { return math.Abs(seconds) < 9.2e9 }

// since is how long ago a moment of the ledger was, in seconds; 0 when it is none.
func (a *app) since(seconds float64) float64 {
	if !datable(seconds) {
		return 0
	}
	return float64(a.clock().UnixNano())/1e9 - seconds
}

// rows prints the counts by state, and the rows.
func (p *page) rows(path string, states map[string]int, lines []rowLine, limit int) {
	p.word(bold, "%s", path)
	total := 0
	for _, s := range slices.Sorted(maps.Keys(states)) {
		total += states[s]
		p.word(dim, "  %s ", s).word(stateInk(s), "%s", thousands(states[s]))
	}
	p.line()
	if len(lines) == 0 {
		p.word(dim, "  no such row in %s", plural(total, "row", "rows")).line()
		return
	}
	shown := lines
	if limit > 0 && len(lines) > limit {
		shown = lines[:limit]
	}
	rows := make([][]cell, len(shown))
	for i, l := range shown {
		age, note := field(plain, ageText(l.Age)), ""
		if l.State == string(ledger.InFlight) {
			note = "of " + ageText(l.Timeout)
			if l.Hung {
				age, note = field(red, ageText(l.Age)), note+", hung"
			}
			if l.Doubt {
				note += ", in doubt"
			}
		}
		rows[i] = []cell{field(cyan, prefix(l.Key)), field(bold, l.Tool), field(stateInk(l.State), l.State), age, field(dim, note), field(dim, l.Owner)}
	}
	p.line()
	p.table([]column{{title: "KEY", most: 40}, {title: "TOOL", most: 32}, {title: "STATE"}, {title: "AGE", right: true}, {title: ""}, {title: "OWNER", most: 32}}, rows)
	if n := len(lines) - len(shown); n > 0 {
		p.word(dim, "  and %s; --limit 0 lists all", plural(n, "more row", "more rows")).line()
	}
}

func stateInk(state string) ink {
	switch ledger.State(state) {
	case ledger.Committed:
		return green
	case ledger.Failed:
		return magenta
	case ledger.InFlight:
		return yellow
	default:
		return plain
	}
}

func (a *app) ledgerShow(ctx context.Context, begin string) error {
	t, _, err := a.findTable("")
	if err != nil {
		return err
	}
	at, rows, err := a.rows(ctx)
	if err != nil {
		return err
	}
	row, err := rowOf(rows, begin, at.name())
	if err != nil {
		return err
	}
	line := a.lineOfRow(t, row)
	row.Request, row.Response = a.mask(row.Request), a.mask(row.Response)
	if a.opts.json {
		return a.printJSON(struct {
			rowLine
			Request  string  `json:"request_json"`
			Response *string `json:"response_json"`
		}{line, row.Request, responseOf(row)})
	}
	p := a.page()
	p.ledgerRow(line, row)
	return p.flush(a.env.Stdout)
}

func responseOf(r ledger.Row) *string {
	if !r.HasResponse {
		return nil
	}
	return &r.Response
}

// ledgerRow prints one row, whole.
func (p *page) ledgerRow(l rowLine, r ledger.Row) {
	p.word(bold, "%s", r.Tool).word(plain, "  ").word(cyan, "%s", r.Key).line()
	p.word(dim, "  state     ").word(stateInk(l.State), "%s", l.State)
	if l.Hung {
		p.word(red, "  hung: %s of %s", ageText(l.Age), ageText(l.Timeout))
	}
	if l.Doubt {
		p.word(yellow, "  in doubt: the process that held it is gone")
	}
	p.line()
	p.word(dim, "  created   ").word(plain, "%s", l.Created).line()
	p.word(dim, "  updated   ").word(plain, "%s", l.Updated).word(dim, "  %s ago", ageText(l.Age)).line()
	if l.Owner != "" {
		p.word(dim, "  claim     ").word(plain, "%s, attempt %d, run %s", l.Owner, r.Claim.Attempt, r.Claim.Run).line()
	} else if r.State == ledger.InFlight {
		p.word(dim, "  claim     ").word(yellow, "none: its writer knows of no claims").line()
	}
	p.value("request", r.Request)
	if r.HasResponse {
		p.value("response", r.Response)
	} else {
		p.word(dim, "  response  none").line()
	}
}

// value prints stored JSON, indented when it is valid.
func (p *page) value(title, raw string) {
	p.word(dim, "  %s", title).line()
	var v any
	text := raw
	if json.Unmarshal([]byte(raw), &v) == nil {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		var keep json.RawMessage = []byte(raw)
		if enc.Encode(keep) == nil {
			text = strings.TrimSuffix(b.String(), "\n")
		}
	}
	mode := safe.Unicode
	if p.ascii {
		mode = safe.ASCII
	}
	for _, line := range mode.Block(text) {
		p.word(plain, "    ").text(plain, line).line()
	}
}
