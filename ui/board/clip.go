package board

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"

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
	raw, err := json.Marshal(rowJSON(m.about()).masked(m.look))
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
