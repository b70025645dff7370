package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// NoPayload is the extra of an effect that left no payload: an ambiguous one.
const NoPayload = "none"

// CompensationID is the key of a compensation: of the effect's key, the canonical payload of the extra result and its
// number among the group's extras with that payload. It is also the idempotency key that its script is given.
func CompensationID(key, extra string, number int) string {
	h := sha256.New()
	for _, s := range []string{key, extra, strconv.Itoa(number)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Standing is what a compensation stands at, given what is known of the process that runs it: one that was started
// by a process that is not known to live has an unknown outcome.
func (c *Compensation) Standing(alive func(Owner) Liveness) CompensationState {
	if c.State == CompensationStarted && (alive == nil || alive(c.Owner) != Alive) {
		return CompensationUnknown
	}
	return c.State
}

// Start records that a compensation is about to run, before it does. It is done once an extra effect: a second start
// is refused whoever asks, unless again is set, which an operator chooses in a question of its own, and the attempt
// before is known to have ended without success or its outcome is unknown. The returned compensation is the one that
// was started, or the one that stands in the way.
func (o *Operator) Start(ctx context.Context, c Compensation, again bool, reason string) (Compensation, Result, error) {
	var out Compensation
	res, err := o.do(ctx, string(ActStart), func(tx Tx, now float64) (Result, error) {
		out = c
		out.ID = CompensationID(c.Key, c.Extra, c.Number)
		out.Attempt, out.State, out.Owner = 1, CompensationStarted, o.Owner
		out.Started, out.Ended, out.Exit = now, 0, 0
		before, err := tx.Compensation(out.ID)
		if err != nil {
			return Result{}, err
		}
		if before != nil {
			if why := o.inTheWay(before, again); why != "" {
				out = *before
				return Result{Why: why}, nil
			}
			out.Attempt = before.Attempt + 1
		}
		if err := tx.PutCompensation(&out); err != nil {
			return Result{}, err
		}
		id, err := tx.Log(&Entry{
			At: now, Actor: o.Actor, Action: ActStart, Key: c.Key, Tool: c.Tool, Reason: reason,
			Detail: detail("compensation", out.ID, "attempt", out.Attempt),
		})
		return Result{Done: true, Log: id}, err
	})
	return out, res, err
}

// inTheWay says why a compensation is not run after the attempt before; it is empty when it may.
func (o *Operator) inTheWay(before *Compensation, again bool) string {
	switch state := before.Standing(o.Alive); {
	case state == CompensationEnded && before.Exit == 0:
		return "this effect has been compensated already"
	case state == CompensationStarted:
		return fmt.Sprintf("it is running: process %d on %s", before.Owner.PID, before.Owner.Host)
	case again:
		return ""
	case state == CompensationEnded:
		return fmt.Sprintf("it ran before and ended with exit code %d: run again to try once more", before.Exit)
	}
	return "it was started before and its outcome is unknown: find out what it did, then run again"
}

// End records how the attempt that Start recorded ended. detail is a JSON object (head and tail of the output, byte
// count). It is refused when another attempt has been started since.
func (o *Operator) End(ctx context.Context, c Compensation, exit int, detail string) (Result, error) {
	return o.do(ctx, string(ActEnd), func(tx Tx, now float64) (Result, error) {
		is, err := tx.Compensation(c.ID)
		if err != nil {
			return Result{}, err
		}
		if is == nil || is.Attempt != c.Attempt || is.State != CompensationStarted || is.Owner != c.Owner {
			return Result{Why: "the attempt is no longer the one under way"}, nil
		}
		is.State, is.Exit, is.Ended = CompensationEnded, exit, now
		if err := tx.PutCompensation(is); err != nil {
			return Result{}, err
		}
		id, err := tx.Log(&Entry{
			At: now, Actor: o.Actor, Action: ActEnd, Key: is.Key, Tool: is.Tool,
			Reason: fmt.Sprintf("exit code %d", exit), Detail: detail,
		})
		return Result{Done: true, Log: id}, err
	})
}
