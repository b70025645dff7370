package board

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// notices remember which critical findings were there, so that a new one rings once.
type notices struct {
	seen  map[string]bool
	most  int  // how many there were at once
	after bool // what was found while everything was read is known
}

// noticed bounds at how many of the list's first rows a look goes.
const noticed = 256

// fresh is the first critical finding that is new, nil when there is none. While sources are still read for the first time nothing is.
func (n *notices) fresh(s *triage.Snapshot, loading bool) (found *triage.Finding) {
	count := s.Levels[triage.Critical]
	if n.seen == nil || len(n.seen) > 16*noticed {
		n.seen, n.after = map[string]bool{}, false
	}
	for i := range min(count, noticed) {
		f, ok := s.Findings.At(i)
		if !ok || f.Severity != triage.Critical {
			break
		}
		if !n.seen[f.ID] && f.Ack == "" {
			n.seen[f.ID] = true
			if found == nil {
				found = f
			}
		}
	}
	if found == nil && count > n.most && count > noticed {
		found, _ = s.Findings.At(0)
	}
	n.most = max(n.most, count)
	if !n.after {
		n.after = !loading
		return nil
	}
	return found
}

// notify tells the terminal of a new critical finding, when that is wanted.
func (m *model) notify(s *triage.Snapshot) tea.Cmd {
	how := m.opt.Settings.Notify
	if how == "" || how == "off" {
		return nil
	}
	f := m.notices.fresh(s, m.prog.Loading)
	if f == nil {
		return nil
	}
	m.say("new critical finding: "+findingWords(f), ink.BadBold)
	seq := "\a"
	if how == "osc9" {
		seq = "\x1b]9;" + string(safe.Line("drainboard: critical: "+findingWords(f))) + "\a"
		if m.env("TMUX") != "" {
			seq = "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
		}
	}
	if m.term == nil {
		return nil
	}
	term := m.term
	return m.run("notice", func(context.Context) tea.Msg {
		_ = term.write(seq)
		return nil
	})
}

// findingWords names a finding in one line.
func findingWords(f *triage.Finding) string {
	what := f.Kind.String()
	if f.Kind == triage.Duplicate {
		what = string(f.Outcome)
	}
	return strings.TrimSpace(f.Tool+" "+prefix(f.Key)) + " " + what
}
