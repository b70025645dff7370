package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drainboard/ledger/operate"
	"drainboard/ledger/triage"

	"github.com/spf13/cobra"
)

func newLedgerAck(a *app) *cobra.Command {
	var flags handFlags
	var expires time.Duration
	c := &cobra.Command{
		Use:   "ack KEY... --reason TEXT",
		Short: "Acknowledge what blocks, so that it blocks no longer",
		Long: `ack takes findings out of the verdict: critical repeats, unmatched keys, overwritten rows, critical late
replies. It holds until calls or results are added to them, or until --for is over. Repeats and
unmatched keys stand in the traces: name these with --from PATH. A finding without a key is named by
its place, FILE:LINE.`,
		Example: `  drainboard ledger ack 9b1c22d0 --from traces/ --reason "refunded by hand, ticket 4711"
  drainboard ledger ack 3f9a1c07 --reason "both images are right" --for 12h`,
		Args: atLeast(1, "a key, or its beginning"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := flags.need(c); err != nil {
				return err
			}
			if expires < 0 {
				return &usage{name(c), fmt.Errorf("%s: expected --for to be above zero, as 12h", name(c))}
			}
			return a.ack(c.Context(), args, expires, &flags)
		},
	}
	flags.bind(c, true)
	flags.bindFrom(c)
	c.Flags().DurationVar(&expires, "for", 0, "it blocks again after `DURATION`; 0: never by the clock")
	return c
}

func (a *app) ack(ctx context.Context, begins []string, expires time.Duration, flags *handFlags) error {
	h, err := a.hands(ctx, flags, len(flags.from) > 0)
	if err != nil {
		return err
	}
	defer h.Close()
	snap := h.findings()
	var all []operate.Seen
	var words []string
	for _, b := range begins {
		found, err := findingsOf(snap, b, h.session != nil)
		if err != nil {
			return err
		}
		for _, f := range found {
			s, err := operate.SeenNow(f)
			if err != nil {
				return &refusal{err}
			}
			all = append(all, s)
			words = append(words, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Kind, f.Tool, prefix(f.Key))))
		}
	}
	if err := h.open(ctx); err != nil {
		return err
	}
	if err := h.ask("Acknowledge "+strings.Join(words, ", ")+"? It blocks no longer, until calls or results are added to it.", ""); err != nil {
		return err
	}
	done, err := h.Acknowledge(ctx, all, flags.reason, expires)
	return after(a.told("acknowledged", done), err)
}

// findings are those of the traces, or, without any, those that the ledger alone decides.
func (h *hands) findings() *triage.Snapshot {
	if h.session != nil {
		return h.session.Snapshot()
	}
	b := triage.NewBook(triage.Config{Table: h.Table(), Recipe: h.Recipe(), Ledger: true})
	if h.facts != nil {
		b.Facts(h.facts)
	}
	return b.Snapshot(h.a.clock().UnixNano(), true)
}

// findingsOf finds what can be acknowledged and is not, of the one key that is, or begins with, a text, or of a place.
func findingsOf(snap *triage.Snapshot, begin string, traces bool) ([]*triage.Finding, error) {
	var found []*triage.Finding
	var keys []string
	whole := false
	for _, f := range snap.Findings.All {
		if f.Acknowledgeable() != "" || f.Ack != "" {
			continue
		}
		switch {
		case f.Key == begin:
			whole = true
		case f.Key != "" && strings.HasPrefix(f.Key, begin):
		case f.Key == "" && where(f.First) == begin:
		default:
			continue
		}
		found = append(found, f)
		if !slices.Contains(keys, f.Key) {
			keys = append(keys, f.Key)
		}
	}
	switch {
	case whole:
		found = slices.DeleteFunc(found, func(f *triage.Finding) bool { return f.Key != begin })
	case len(keys) > 1:
		return nil, &refusal{fmt.Errorf("%d keys with findings begin with %q, as %s and %s: give more of it", len(keys), begin, keys[0], keys[1])}
	case len(found) == 0 && !traces:
		return nil, &refusal{fmt.Errorf("the ledger alone holds nothing to acknowledge of %q: repeats and unmatched keys stand in the traces, name them with --from PATH", begin)}
	case len(found) == 0:
		return nil, &refusal{errors.New("there is nothing to acknowledge of " + begin + ": drainboard check lists what blocks")}
	}
	return found, nil
}
