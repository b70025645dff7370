package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drainboard/keys"
	"drainboard/ledger/triage"
	"drainboard/ui/redact"
)

// explanation is what `keys explain A B --json` prints.
type explanation struct {
	Recipe      string       `json:"recipe"`
	A           side         `json:"a"`
	B           side         `json:"b"`
	SameKey     bool         `json:"same_key"`
	Differs     []string     `json:"differs"`    // of run, tool, arguments
	FirstByte   int          `json:"first_byte"` // at which the hashed bytes differ, from 0; -1: nowhere
	Differences []difference `json:"differences"`
	Ignore      []string     `json:"ignore"` // the pointers that would merge the two, when leaving something out can
	Merges      []merge      `json:"merges"` // what else they would merge
	Dangerous   bool         `json:"dangerous"`
	Unread      int          `json:"unread"` // calls whose arguments could not be read again
	masked      bool
	Doubts      []string `json:"doubts"` // what keys of this recipe do not tell apart
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
	Hashed   string `json:"hashed"` // the bytes that the recipe hashes
	bytes    int    // how many
}

type difference struct {
	Pointer string          `json:"pointer"`
	A       json.RawMessage `json:"a"`
	B       json.RawMessage `json:"b"`
	Looks   string          `json:"looks_like"`
	Why     string          `json:"why"`
}

// merge is a set of keys that a rule would make one.
type merge struct {
	Run     string   `json:"run"`
	Keys    []string `json:"keys"`
	At      []string `json:"at"` // the first call of each
	Calls   int      `json:"calls"`
	Differs bool     `json:"results_differ"`
	Unknown bool     `json:"results_unknown"` // fewer than two of the keys were answered
}

func mergeOf(m *triage.Merge) merge {
	out := merge{Run: m.Run, Calls: m.Calls, Differs: m.Differs, Unknown: m.Unknown}
	for i := range m.Keys {
		out.Keys = append(out.Keys, m.Keys[i].Key)
		out.At = append(out.At, where(m.Keys[i].First))
	}
	return out
}

// dangerous says whether any of the merges joins calls that were answered differently.
func dangerous(list []merge) bool {
	return slices.ContainsFunc(list, func(m merge) bool { return m.Differs })
}

func sideOf(v *triage.CallView) side {
	return side{
		Key: v.Key, Recorded: v.Recorded, Run: v.Run, Tool: v.Tool, CallID: v.CallID, At: where(v.Pos), Time: triage.Stamp(v.Time),
		Ignored: v.Ignored, Reason: v.NoKey,
	}
}

// basis is what the key of a call is made of.
type basis struct {
	call *triage.CallView
	run  keys.RunID
	args keys.Args
}

func (s *session) basis(ctx context.Context, v *triage.CallView) (*basis, error) {
	b := &basis{call: v}
	var err error
	if b.run, err = s.Basis(ctx, v, &b.args); err != nil {
		return nil, fmt.Errorf("read the arguments of %s again: %w", where(v.Pos), err)
	}
	return b, nil
}

// hashed is the bytes that a recipe hashes for the call; as far as it gets, when it refuses.
func (b *basis) hashed(r *keys.Recipe) []byte {
	out, err := r.Bytes(nil, b.run, []byte(b.call.Tool), &b.args)
	if err != nil {
		return nil
	}
	return out
}

// compare says why two calls have different keys.
func (s *session) compare(ctx context.Context, x, y *triage.CallView) (*explanation, error) {
	recipe := s.Recipe()
	e := &explanation{
		Recipe: recipe.Name(), A: sideOf(x), B: sideOf(y), SameKey: x.Key == y.Key && x.Key != "", Differs: []string{}, FirstByte: -1,
		Differences: []difference{}, Ignore: []string{}, Merges: []merge{}, Doubts: append([]string{}, recipe.Doubts()...),
	}
	if x.Run != y.Run {
		e.Differs = append(e.Differs, "run")
	}
	if x.Tool != y.Tool {
		e.Differs = append(e.Differs, "tool")
	}
	a, err := s.basis(ctx, x)
	if err != nil {
		return nil, err
	}
	b, err := s.basis(ctx, y)
	if err != nil {
		return nil, err
	}
	p, q := a.hashed(recipe), b.hashed(recipe)
	e.A.bytes, e.B.bytes = len(p), len(q)
	if e.A.Hashed, e.B.Hashed = string(p), string(q); p != nil && q != nil && !bytes.Equal(p, q) {
		for e.FirstByte = 0; e.FirstByte < min(len(p), len(q)) && p[e.FirstByte] == q[e.FirstByte]; e.FirstByte++ {
		}
	}
	for _, d := range keys.Differences(&a.args, &b.args, x.Time, y.Time) {
		looks := d.LooksA
		if looks == "" || d.LooksB == "" || looks != d.LooksB {
			looks = strings.Trim(d.LooksA+", "+d.LooksB, ", ")
		}
		e.Differences = append(e.Differences, difference{d.Pointer, valueOr(d.A), valueOr(d.B), looks, whyVolatile(looks)})
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

// mask takes secrets out of the values and of the bytes that were hashed, when they are to be masked: the keys stay, and where the bytes differ.
func (e *explanation) mask(a *app) {
	e.A.Hashed, e.B.Hashed = a.mask(e.A.Hashed), a.mask(e.B.Hashed)
	for i := range e.Differences {
		d := &e.Differences[i]
		d.A, d.B = a.maskAt(d.Pointer, d.A), a.maskAt(d.Pointer, d.B)
	}
	e.masked = a.opts.redact
}

// maskAt is mask of the value at a pointer.
func (a *app) maskAt(pointer string, v json.RawMessage) json.RawMessage {
	if !a.opts.redact {
		return v
	}
	return redact.At(pointer, v)
}

// whyVolatile says what makes a value look volatile.
func whyVolatile(looks string) string {
	switch first, _, _ := strings.Cut(looks, ","); {
	case first == "":
		return "nothing about it looks volatile: another value is another intent, unless you know better"
	case first == "timestamp":
		return "a time near the call's own: it says when, not what"
	case first == "path":
		return "an absolute path with a part that looks made up: another place for the same"
	case first == "number spelling":
		return "one number in two spellings"
	default: // named ...
		return "its name says that it changes from try to try"
	}
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
	list, unread, err := s.Merges(ctx, e.A.Tool, pointers)
	if err != nil {
		return err
	}
	e.Unread = unread
	for i := range list {
		m := mergeOf(&list[i])
		e.Dangerous = e.Dangerous || m.Differs
		if slices.Contains(m.Keys, e.A.Key) && slices.Contains(m.Keys, e.B.Key) && len(m.Keys) == 2 {
			continue
		}
		e.Merges = append(e.Merges, m)
	}
	return nil
}
