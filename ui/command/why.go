package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
)

// explanation is what `keys explain --json` prints.
type explanation struct {
	Recipe      string       `json:"recipe"`
	A           side         `json:"a"`
	B           side         `json:"b"`
	SameKey     bool         `json:"same_key"`
	Differs     []string     `json:"differs"` // of run, tool, arguments
	Differences []difference `json:"differences"`
	Ignore      []string     `json:"ignore"` // the pointers that would merge the two, when leaving something out can
	Merges      []merge      `json:"merges"` // what else they would merge
	Unread      int          `json:"unread"` // calls whose arguments could not be read again
}

type side struct {
	Key      string `json:"key"`
	Recorded string `json:"recorded"`
	Run      string `json:"run"`
	Tool     string `json:"tool"`
	CallID   string `json:"call_id"`
	At       string `json:"at"`
	Time     string `json:"time"`
	Ignored  bool   `json:"ignored"`
	Reason   string `json:"reason"`
}

type difference struct {
	Pointer string          `json:"pointer"`
	A       json.RawMessage `json:"a"`
	B       json.RawMessage `json:"b"`
	Looks   string          `json:"looks_like"`
}

type merge struct {
	Run  string   `json:"run"`
	Keys []string `json:"keys"`
	At   []string `json:"at"`
}

func sideOf(v *triage.CallView) side {
	return side{
		Key: v.Key, Recorded: v.Recorded, Run: v.Run, Tool: v.Tool, CallID: v.CallID, At: where(v.Pos), Time: triage.Stamp(v.Time),
		Ignored: v.Ignored, Reason: v.NoKey,
	}
}

// compare says why two calls have different keys.
func (s *session) compare(ctx context.Context, x, y *triage.CallView) (*explanation, error) {
	e := &explanation{
		Recipe: s.Snapshot().Recipe, A: sideOf(x), B: sideOf(y), SameKey: x.Key == y.Key && x.Key != "", Differs: []string{},
		Differences: []difference{}, Ignore: []string{}, Merges: []merge{},
	}
	if x.Run != y.Run {
		e.Differs = append(e.Differs, "run")
	}
	if x.Tool != y.Tool {
		e.Differs = append(e.Differs, "tool")
	}
	var a, b keys.Args
	for _, of := range []struct {
		call *triage.CallView
		args *keys.Args
	}{{x, &a}, {y, &b}} {
		if err := s.arguments(ctx, of.call, of.args); err != nil {
			return nil, err
		}
	}
	for _, d := range keys.Differences(&a, &b, x.Time, y.Time) {
		looks := d.LooksA
		if looks == "" || d.LooksB == "" || looks != d.LooksB {
			looks = strings.Trim(d.LooksA+", "+d.LooksB, ", ")
		}
		e.Differences = append(e.Differences, difference{d.Pointer, valueOr(d.A), valueOr(d.B), looks})
		if d.Pointer != "" {
			e.Ignore = append(e.Ignore, d.Pointer)
		}
	}
	if len(e.Differences) > 0 {
		e.Differs = append(e.Differs, "arguments")
	}
	if len(e.Ignore) < len(e.Differences) || x.Tool != y.Tool || len(e.Ignore) == 0 {
		e.Ignore = []string{}
		return e, nil
	}
	return e, s.preview(ctx, e)
}

// valueOr is a raw value as JSON that encoding/json prints: null when there is none.
func valueOr(raw []byte) json.RawMessage {
	switch {
	case raw == nil:
		return json.RawMessage("null")
	case json.Valid(raw):
		return json.RawMessage(slices.Clone(raw))
	default: // NaN, Infinity, lone surrogates: told as text
		quoted, _ := json.Marshal(string(raw))
		return quoted
	}
}

// arguments reads the arguments of a call again, and leaves out what its rule ignores.
func (s *session) arguments(ctx context.Context, v *triage.CallView, into *keys.Args) error {
	raw, err := s.Args(ctx, v.Pos)
	if err == nil {
		err = into.Parse(raw)
	}
	if err != nil {
		return fmt.Errorf("read the arguments of %s again: %w", where(v.Pos), err)
	}
	if v.Rule != nil {
		into.Ignore(v.Rule.Ignore)
	}
	return nil
}

// preview finds the calls of the tool that an ignore rule with the explanation's pointers would bring under one key, beside the
// two that are compared.
func (s *session) preview(ctx context.Context, e *explanation) error {
	pointers := make([]keys.Pointer, len(e.Ignore))
	for i, text := range e.Ignore {
		p, err := keys.ParsePointer(text)
		if err != nil {
			return err
		}
		pointers[i] = p
	}
	return s.merges(ctx, e.A.Tool, pointers, func(m merge) {
		if slices.Contains(m.Keys, e.A.Key) && slices.Contains(m.Keys, e.B.Key) && len(m.Keys) == 2 {
			return
		}
		e.Merges = append(e.Merges, m)
	}, &e.Unread)
}

// merges calls each for every set of keys of a tool that become one when the pointers are left out too, in the order of their
// first calls. unread counts calls whose arguments could not be read again.
func (s *session) merges(ctx context.Context, tool string, pointers []keys.Pointer, each func(merge), unread *int) error {
	type group struct {
		run    string
		digest [16]byte
	}
	found := map[group]*merge{}
	var order []group
	var args keys.Args
	for from := 0; ; {
		calls, total, err := s.Calls(ctx, intake.Query{Tool: tool, From: from, Limit: pageOfCalls})
		if err != nil {
			return err
		}
		for i := range calls {
			v := &calls[i]
			if v.Key == "" {
				continue
			}
			if err := s.arguments(ctx, v, &args); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				*unread++
				continue
			}
			args.Ignore(slices.Concat(ruleIgnores(v.Rule), pointers))
			g := group{v.Run, args.Digest()}
			if v.Rule != nil && v.Rule.Forever {
				g.run = ""
			}
			m := found[g]
			if m == nil {
				m = &merge{Run: v.Run}
				found[g] = m
				order = append(order, g)
			}
			if !slices.Contains(m.Keys, v.Key) {
				m.Keys = append(m.Keys, v.Key)
				m.At = append(m.At, where(v.Pos))
			}
		}
		if from += len(calls); from >= total || len(calls) == 0 {
			break
		}
	}
	for _, g := range order {
		if m := found[g]; len(m.Keys) > 1 {
			each(*m)
		}
	}
	return nil
}

func ruleIgnores(r *table.Rule) []keys.Pointer {
	if r == nil {
		return nil
	}
	return r.Ignore
}
