package board

import (
	"context"
	"slices"

	"drainboard/ledger/triage"
	"drainboard/ui/redact"
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
	return redact.JSON(raw), nil
}

// unseen masks the text of a row that is only looked at.
func unseen(e Engine, raw string) []byte {
	if _, ok := e.(masked); ok {
		return redact.JSON([]byte(raw))
	}
	return []byte(raw)
}

// maskedJournal is a log whose reasons and output show no secrets.
type maskedJournal struct{ Journal }

func (j maskedJournal) Entries(ctx context.Context, from, limit int) ([]Entry, int, error) {
	list, n, err := j.Journal.Entries(ctx, from, limit)
	for i := range list {
		list[i].Output, list[i].Reason = redact.Text(list[i].Output), redact.Text(list[i].Reason)
	}
	return list, n, err
}

// mask takes secrets out of a text that is only looked at.
func (l look) mask(text string) string {
	if !l.redact {
		return text
	}
	return redact.Text(text)
}

// masked is the row with what a person wrote, or a trace calls things, without secrets. Keys stay as they are.
func (f fields) masked(l look) fields {
	for name, v := range f {
		switch v := v.(type) {
		case string:
			if name != "key" && name != "recorded" {
				f[name] = l.mask(v)
			}
		case []string:
			if name != "keys" && name != "recorded" {
				v = slices.Clone(v)
				for i := range v {
					v[i] = l.mask(v[i])
				}
				f[name] = v
			}
		}
	}
	return f
}
