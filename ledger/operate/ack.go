package operate

import (
	"context"
	"fmt"
	"time"

	"drainboard/ledger"
	"drainboard/ledger/triage"
)

// Seen is a finding as it was on screen when it was acknowledged.
type Seen struct{ Kind, Key, Seen, Tool string }

// SeenNow is a finding as it is. It is an error when findings like it are not acknowledged.
func SeenNow(f *triage.Finding) (Seen, error) {
	if why := f.Acknowledgeable(); why != "" {
		return Seen{}, fmt.Errorf("%s: %s", name(f.Tool, f.Key), why)
	}
	kind, key, seen := f.Acknowledgement()
	return Seen{kind, key, seen, f.Tool}, nil
}

// Acknowledge takes findings out of the verdict, for a while (0: for good) or until calls or results are added to them.
func (d *Desk) Acknowledge(ctx context.Context, all []Seen, reason string, for_ time.Duration) ([]Outcome, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	expires := 0.0
	if for_ > 0 {
		expires = ledger.Seconds(d.Op.Now().Add(for_))
	}
	var out []Outcome
	for _, s := range all {
		r, err := d.Op.Acknowledge(ctx, ledger.Ack{Kind: s.Kind, Key: s.Key, Seen: s.Seen, Reason: reason, Expires: expires}, s.Tool)
		if err != nil {
			return out, err
		}
		out = append(out, outcome(s.Key, s.Tool, r, nil))
	}
	return out, nil
}
