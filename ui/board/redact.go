package board

import (
	"context"

	"drainboard/ledger/triage"
	"drainboard/ui/safe"
)

// masked is an engine whose arguments and payloads show no secrets. What actions go by, rows above all, it leaves as it is.
type masked struct{ Engine }

func (e masked) Args(ctx context.Context, at triage.Pos) ([]byte, error) {
	return mask(e.Engine.Args(ctx, at))
}

func (e masked) Payload(ctx context.Context, at triage.Pos) ([]byte, error) {
	return mask(e.Engine.Payload(ctx, at))
}

func mask(raw []byte, err error) ([]byte, error) {
	if raw == nil || err != nil {
		return raw, err
	}
	return safe.Mask(raw), nil
}

// unseen masks the text of a row that is only looked at.
func unseen(e Engine, raw string) []byte {
	if _, ok := e.(masked); ok {
		return safe.Mask([]byte(raw))
	}
	return []byte(raw)
}

// maskedJournal is a log whose reasons and output show no secrets.
type maskedJournal struct{ Journal }

func (j maskedJournal) Entries(ctx context.Context, from, limit int) ([]Entry, int, error) {
	list, n, err := j.Journal.Entries(ctx, from, limit)
	for i := range list {
		list[i].Output, list[i].Reason = safe.MaskText(list[i].Output), safe.MaskText(list[i].Reason)
	}
	return list, n, err
}
