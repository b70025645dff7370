package command

import (
	"context"
	"fmt"
	"strings"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// evidence is what speaks for a class of a tool: its name, the agent whose tool it is, what its MCP server says of it, and what its calls did. Nothing of it decides.
type evidence struct {
	Class      string       `json:"class"` // suggested; "" when nothing suggests one
	Effect     string       `json:"effect,omitempty"`
	Why        []string     `json:"why"`
	NaturalKey []string     `json:"natural_key"` // picked from the arguments that were seen
	Cases      []commandRow `json:"cases"`       // of a tool that runs commands
	Unread     int          `json:"unread"`      // calls that could not be read again
}

// commandRow is one beginning of the commands that a tool ran.
type commandRow struct {
	Begin string `json:"begin"`
	Calls int    `json:"calls"`
	Case  string `json:"case"` // as tools.yaml would have it
	Why   string `json:"why"`
}

// mostErrors is how many errors of a tool are read for what they say.
const mostErrors = 50

// evidence gathers what speaks for a class of a tool.
func (s *session) evidence(ctx context.Context, v *triage.ToolView, notes annotations) (*evidence, error) {
	o, unread, err := s.observe(ctx, v.Tool, nil)
	if err != nil {
		return nil, err
	}
	e := s.speaks(v, notes, o)
	e.Unread = unread
	return e, nil
}

// speaks is what speaks for a class of a tool whose calls were looked through.
func (s *session) speaks(v *triage.ToolView, notes annotations, o *table.Observed) *evidence {
	e := &evidence{Why: []string{}, NaturalKey: append([]string{}, o.NaturalKey()...), Cases: []commandRow{}}
	take := func(got table.Suggestion) {
		if got.Why == "" {
			return
		}
		class := got.Class.String()
		if got.Class == table.Unclassified {
			e.Why = append(e.Why, got.Why)
			return
		}
		e.Why = append(e.Why, class+": "+got.Why)
		if e.Class == "" {
			if e.Class = class; got.Class == table.Keyed {
				e.Effect = got.Effect.String()
			}
		}
	}
	hint := notes.hint(v.Tool, s.pack(v))
	all := table.Suggest(v.Tool, hint)
	take(all)
	for _, one := range []table.Suggestion{table.Suggest(v.Tool, table.Hint{Pack: hint.Pack}), hint.Says()} {
		if !strings.Contains(all.Why, one.Why) {
			take(one)
		}
	}
	take(o.Behaved())
	for _, c := range o.Commands() {
		got := c.Suggest()
		e.Cases = append(e.Cases, commandRow{c.Begin, c.Calls, c.Case(got), got.Why})
	}
	return e
}

// pack is what is known of the agent that wrote the file in which a tool was first seen.
func (s *session) pack(v *triage.ToolView) *table.Pack {
	for _, f := range s.Snapshot().Sources {
		if f.File == v.First.File {
			p, _ := table.PackFor(f.Format)
			return p
		}
	}
	return nil
}

// annotations are what MCP servers say of their tools, by name.
type annotations map[string]trace.Annotation

// hint is what is known about a tool beside its name.
func (n annotations) hint(tool string, pack *table.Pack) table.Hint {
	note, ok := n[tool]
	if !ok && strings.HasPrefix(tool, "mcp__") { // as agents call a server's tool: mcp__SERVER__TOOL
		note, ok = n[tool[strings.LastIndex(tool, "__")+2:]]
	}
	return table.Hint{Pack: pack, Annotated: ok, ReadOnly: saidFlag(note.ReadOnly), Idempotent: saidFlag(note.Idempotent), Destructive: saidFlag(note.Destructive)}
}

func saidFlag(s trace.Said) table.Flag {
	switch s {
	case trace.SaidNo:
		return table.No
	case trace.SaidYes:
		return table.Yes
	}
	return table.Missing
}

// annotations are what MCP servers say of their tools in the traces of their messages, which are read for it again. Of several
// servers with a tool of one name, and of one that says different things, the worst counts.
func (s *session) annotations(ctx context.Context) annotations {
	all := annotations{}
	for _, f := range s.Snapshot().Sources {
		if !strings.HasPrefix(f.Format, "mcp") {
			continue
		}
		_ = trace.Annotations(ctx, f.File, func(a trace.Annotation) { // a file that cannot be read again says nothing more
			if was, twice := all[a.Tool]; twice {
				a = a.With(was)
			}
			all[a.Tool] = a
		})
	}
	return all
}

// observe looks through the calls of a tool: their arguments, whether repeats had the same results, and what errors say. also, unless it is
// nil, sees the arguments too.
func (s *session) observe(ctx context.Context, tool string, also func(args *keys.Args)) (*table.Observed, int, error) {
	o := &table.Observed{}
	results := map[string]map[[16]byte]bool{} // ok payloads by key
	calls := map[string]int{}
	var failed []triage.Pos
	unread, err := s.Arguments(ctx, tool, func(v *triage.CallView, args *keys.Args) bool {
		o.Add(args)
		if also != nil {
			also(args)
		}
		for i := range v.Results {
			r := &v.Results[i]
			switch {
			case r.Status == "ok" && v.Key != "":
				if results[v.Key] == nil {
					results[v.Key] = map[[16]byte]bool{}
				}
				results[v.Key][r.Payload] = true
				calls[v.Key]++
			case r.Status == "error" && len(failed) < mostErrors:
				failed = append(failed, r.Pos)
			}
		}
		return true
	})
	if err != nil {
		return nil, unread, err
	}
	for key, payloads := range results {
		switch {
		case len(payloads) > 1:
			o.Changing++
		case calls[key] > 1:
			o.Steady++
		}
	}
	for _, at := range failed {
		if payload, err := s.Payload(ctx, at); err == nil && table.SaysExists(string(payload)) {
			o.Exists++
		}
	}
	return o, unread, nil
}

// evidence prints what speaks for a class of a tool, and the row that could be added.
func (p *page) evidence(l *toolLine) {
	e := l.Evidence
	p.line().word(bold, "%s", l.Tool).word(dim, "  %s", plural(l.Calls, "call", "calls"))
	if e.Class == "" {
		p.word(yellow, "  no suggestion").line()
	} else {
		p.word(yellow, "  %s?", strings.TrimSuffix(e.Class+" "+e.Effect, " ")).line()
	}
	for _, why := range e.Why {
		p.word(plain, "  %s", why).line()
	}
	if e.Unread > 0 {
		p.word(yellow, "  %s could not be read again", plural(e.Unread, "call", "calls")).line()
	}
	if len(e.NaturalKey) > 0 {
		p.word(dim, "  natural_key: ").word(plain, "[%s]", strings.Join(e.NaturalKey, ", ")).line()
	}
	const most = 12
	for i, c := range e.Cases {
		if i == most {
			p.word(dim, "  and %d more beginnings; --json lists all", len(e.Cases)-most).line()
			break
		}
		if i == 0 {
			p.word(dim, "  cases, by the commands that were seen; a glob sees the whole text, so that \"git status*\" fits \"git status; rm x\" too:").line()
		}
		note := fmt.Sprintf("  # %s", plural(c.Calls, "call", "calls"))
		if c.Why != "" {
			note += "; " + c.Why
		}
		p.word(plain, "    - %s", c.Case).word(dim, "%s", note).line()
	}
}
