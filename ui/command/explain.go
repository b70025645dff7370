package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/trace"

	"github.com/spf13/cobra"
)

func newKeysExplain(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain A B [PATH | label=PATH]...",
		Short: "Why two calls have different keys",
		Long: `explain compares two calls, each named by its position (file:line, and #n for the nth call of a line)
or by the beginning of its key, and lists the JSON pointers at which their arguments differ, what kind
of volatile value each looks like, and the ignore: line that would merge them. It shows which other
calls that line would merge too: merging distinct intents deletes real work.

Without a PATH the files of the positions are read.`,
		Args: atLeast(2, "two calls, as file:line or the beginning of a key"),
		RunE: func(c *cobra.Command, args []string) error { return a.explain(c.Context(), args[0], args[1], args[2:]) },
	}
}

// position is a call's place on the command line: file:line[#n].
var position = regexp.MustCompile(`^(.+):([0-9]+)(?:#([0-9]+))?$`)

func (a *app) explain(ctx context.Context, first, second string, paths []string) error {
	if len(paths) == 0 {
		for _, arg := range []string{first, second} {
			if m := position.FindStringSubmatch(arg); m != nil && isFile(trace.ParseSource(m[1]).Path) && !slices.Contains(paths, m[1]) {
				paths = append(paths, m[1])
			}
		}
	}
	s, err := a.open(ctx, paths)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.list(ctx, s); err != nil {
		return err
	}
	x, err := s.named(ctx, first)
	if err != nil {
		return err
	}
	y, err := s.named(ctx, second)
	if err != nil {
		return err
	}
	e, err := s.compare(ctx, x, y)
	if err != nil {
		return err
	}
	if a.opts.json {
		return a.printJSON(e)
	}
	p := a.page()
	p.explanation(e)
	return p.flush(a.env.Stdout)
}

// named finds the call at a position, or the first call of a key.
func (s *session) named(ctx context.Context, arg string) (*triage.CallView, error) {
	if m := position.FindStringSubmatch(arg); m != nil {
		v, err := s.callAt(ctx, m[1], m[2], m[3])
		if v != nil || err != nil {
			return v, err
		}
	}
	calls, total, err := s.Calls(ctx, intake.Query{Key: arg, Limit: 1})
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the call %q: %w", arg, err)
	case total == 0:
		return nil, &refusal{fmt.Errorf("there is no call at %q and none with a key that begins so: drainboard keys lists them all", arg)}
	}
	return &calls[0], nil
}

// callAt finds a call by its place; nil when there is none.
func (s *session) callAt(ctx context.Context, file, line, number string) (*triage.CallView, error) {
	n := 0
	at, err := strconv.Atoi(line)
	if err == nil && number != "" {
		n, err = strconv.Atoi(number)
	}
	if err != nil {
		return nil, nil //nolint:nilerr // a number beyond all lines is at no call
	}
	for from := 0; ; {
		calls, total, err := s.Calls(ctx, intake.Query{From: from, Limit: pageOfCalls, Copies: true})
		if err != nil {
			return nil, err
		}
		for i := range calls {
			p := calls[i].Pos
			if p.Line == at && (n == 0 || p.N == n) && (p.File == file || strings.HasSuffix(p.File, "/"+file)) {
				return &calls[i], nil
			}
		}
		if from += len(calls); from >= total || len(calls) == 0 {
			return nil, nil
		}
	}
}

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

// explanation prints why two keys differ, and what to do about it.
func (p *page) explanation(e *explanation) {
	for _, c := range []struct {
		name string
		side
	}{{"A", e.A}, {"B", e.B}} {
		key := c.Key
		if key == "" {
			key = "no key: " + c.Reason
		}
		p.word(bold, "%s  %s", c.name, c.Tool).word(dim, "  %s  %s  %s", c.Run, c.CallID, c.At).line()
		p.word(dim, "   key ").word(cyan, "%s", key)
		if c.Ignored {
			p.word(yellow, "  (an ignore rule left something out)")
		}
		p.line()
		if c.Recorded != "" {
			p.word(dim, "   recorded ").word(magenta, "%s", c.Recorded).line()
		}
	}
	p.line()
	switch {
	case e.SameKey:
		p.word(green, "One key: ").word(plain, "recipe %s sees one intent in both calls.", e.Recipe).line()
		if e.A.Recorded != e.B.Recorded && e.A.Recorded != "" && e.B.Recorded != "" {
			p.word(yellow, "The handler recorded two: its key is a function of more than the intent, as of the time.").line()
		}
		return
	case len(e.Differs) == 0:
		p.word(plain, "Nothing differs but what leaves them without a key.").line()
		return
	}
	p.word(plain, "They differ in %s.", strings.Join(e.Differs, ", ")).line()
	if slices.Contains(e.Differs, "run") {
		p.word(plain, "  run: %s, %s. Recipe %s holds the run: a rotated run id makes new keys.", e.A.Run, e.B.Run, e.Recipe).line()
	}
	if slices.Contains(e.Differs, "tool") {
		p.word(plain, "  tool: %s, %s", e.A.Tool, e.B.Tool).line()
	}
	p.differences(e.Differences)
	p.ignoring(e)
}

func (p *page) differences(list []difference) {
	if len(list) == 0 {
		return
	}
	rows := make([][]cell, len(list))
	for i, d := range list {
		at := d.Pointer
		if at == "" {
			at = "(the whole)"
		}
		rows[i] = []cell{field(bold, at), field(plain, string(d.A)), field(plain, string(d.B)), field(yellow, d.Looks)}
	}
	p.line()
	p.table([]column{{title: "POINTER", most: 40}, {title: "A", most: 32}, {title: "B", most: 32}, {title: "LOOKS LIKE"}}, rows)
}

// ignoring prints the rule that would merge the two, and what else it would merge.
func (p *page) ignoring(e *explanation) {
	if len(e.Ignore) == 0 {
		return
	}
	p.line().word(plain, "Left out of the key, this would be one intent; in tools.yaml: ").word(cyan, "%s: {ignore: [%s]}", yamlName(e.A.Tool), strings.Join(e.Ignore, ", ")).line()
	if slices.Contains(e.Differs, "run") {
		p.word(dim, "  the run would still keep the two apart").line()
	}
	if e.Unread > 0 {
		p.word(yellow, "  %s could not be read again and is not in this preview", plural(e.Unread, "call", "calls")).line()
	}
	if len(e.Merges) == 0 {
		p.word(green, "  nothing else of %s would be merged", e.A.Tool).line()
		return
	}
	p.word(red, "  it would merge %s of %s too:", plural(len(e.Merges), "other group", "other groups"), e.A.Tool).line()
	const most = 10
	for i, m := range e.Merges {
		if i == most {
			p.word(dim, "    and %d more; --json lists all", len(e.Merges)-most).line()
			break
		}
		places := m.At
		end := ""
		if len(places) > 4 {
			places, end = places[:4], fmt.Sprintf(" and %d more", len(m.At)-4)
		}
		p.word(plain, "    %s: %s  ", m.Run, plural(len(m.Keys), "key", "keys")).word(dim, "%s", strings.Join(places, " ")+end).line()
	}
	p.word(plain, "  Merging distinct intents deletes real work: are these the same action?").line()
}

// readTable reads the text of the table that a command is to change.
func readTable(at place) ([]byte, error) {
	switch {
	case at.path == "":
		return nil, errors.New("there is no decision table: name one with --tools, or write one with drainboard init")
	case at.fixed != "":
		return nil, &refusal{fmt.Errorf("%s is not changed: %s; name it with --tools if it is yours", at.path, at.fixed)}
	}
	return os.ReadFile(at.path)
}
