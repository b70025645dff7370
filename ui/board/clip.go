package board

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// maxClip bounds what is sent to a clipboard: terminals drop longer sequences without a word.
const maxClip = 74_000

func (m *model) copyKey() tea.Cmd {
	key := m.about().key()
	return m.clip(string(safe.Line(key)), "key "+prefix(key))
}

func (m *model) copyRow() tea.Cmd {
	raw, err := json.Marshal(rowJSON(m.about()))
	if err != nil {
		return m.say("copy: "+err.Error(), ink.Bad)
	}
	return m.clip(string(raw), "row as JSON")
}

// clip sends a text to the terminal's clipboard with one write. Whether the terminal took it, it does not say.
func (m *model) clip(text, what string) tea.Cmd {
	if len(text) > maxClip {
		return m.say(what+": "+size(float64(len(text)))+" is more than terminals take ("+size(maxClip)+")", ink.Warn)
	}
	write := func(seq string) error { _, err := io.WriteString(m.opt.Out, seq); return err }
	if m.term != nil {
		write = m.term.write
	}
	seq := osc52.New(text)
	switch {
	case m.env("TMUX") != "":
		seq = seq.Tmux()
	case strings.HasPrefix(m.env("TERM"), "screen"):
		seq = seq.Screen()
	}
	return m.run("clipboard", func(context.Context) tea.Msg {
		if err := write(seq.String()); err != nil {
			return saidMsg{what + ": cannot be sent: " + err.Error(), ink.Bad}
		}
		return saidMsg{what + ": sent to the terminal's clipboard", ink.Good}
	})
}

// env looks a variable up in the environment that was given.
func (m *model) env(name string) string {
	for _, kv := range m.opt.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// rowJSON is a row as the board shows it, with names as `check --json` has them where it has them.
func rowJSON(s subject) any {
	out := map[string]any{}
	put := func(name string, v any) {
		switch v := v.(type) {
		case string:
			if v != "" {
				out[name] = v
			}
		case []string:
			if len(v) > 0 {
				out[name] = v
			}
		case int:
			if v != 0 {
				out[name] = v
			}
		default:
			out[name] = v
		}
	}
	moment := func(name string, t int64) {
		if t != trace.NoTime && t != 0 {
			out[name] = rfc3339(t)
		}
	}
	where := func(p triage.Pos) {
		put("file", p.File)
		put("line", p.Line)
	}
	switch {
	case s.finding != nil:
		f := s.finding
		put("kind", f.Kind.String())
		put("severity", f.Severity.String())
		for name, v := range map[string]string{"key": f.Key, "tool": f.Tool, "run": f.Run, "side": f.Side, "cause": string(f.Cause),
			"outcome": string(f.Outcome), "call_id": f.CallID, "why": f.Why, "owner": f.Owner, "acknowledged": f.Ack} {
			put(name, v)
		}
		put("class", f.Class.String())
		put("calls", f.Calls)
		put("results", f.Results)
		put("overlap", f.Overlap)
		for name, v := range map[string][]string{"pointers": f.Pointers, "looks_like": f.Looks, "keys": f.Keys, "recorded": f.Recorded, "tools": f.Tools, "runs": f.Runs} {
			put(name, v)
		}
		where(f.First)
		moment("first", f.Started)
		moment("last", f.Last)
	case s.row != nil:
		r := s.row
		for name, v := range map[string]string{"key": r.Key, "tool": r.Tool, "state": r.State, "run": r.Run, "owner": r.Owner} {
			put(name, v)
		}
		put("hung", r.Hung)
		put("timeout_s", r.Timeout)
		moment("created", int64(r.Created*1e9))
		moment("updated", int64(r.Updated*1e9))
	case s.run != nil:
		r := s.run
		put("run", r.Run)
		put("side", r.Side)
		put("parent", r.Parent)
		put("calls", r.Calls)
		put("tree_calls", r.Tree)
		put("ceiling", r.Ceiling)
		put("over", r.Over)
		put("findings", r.Findings)
		where(r.First)
		moment("first", r.Started)
		moment("last", r.Last)
	case s.tool != nil:
		t := s.tool
		put("tool", t.Tool)
		put("class", t.Class)
		put("calls", t.Calls)
		put("repeats", t.Repeats)
		put("errors", t.Errors)
		put("open", t.Open)
		put("sides", t.Sides)
		where(t.First)
		moment("last", t.Last)
	case s.call != nil:
		c := s.call
		for name, v := range map[string]string{"key": c.Key, "tool": c.Tool, "run": c.Run, "call_id": c.CallID, "recorded": c.Recorded, "side": c.Side} {
			put(name, v)
		}
		put("class", c.Class.String())
		put("repeat", c.Repeat)
		put("copy", c.Copy)
		where(c.Pos)
		moment("time", c.Time)
	case s.entry != nil:
		return s.entry
	}
	return out
}
