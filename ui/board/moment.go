package board

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/trace"
	"drainboard/ui/board/ink"
)

// timePrompt asks for a moment to go to in a timeline.
type timePrompt struct {
	field
	wrong string
}

func (m *model) startTime() tea.Cmd {
	m.front = &timePrompt{}
	return nil
}

func (p *timePrompt) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "esc", "ctrl+c":
		m.front = nil
	case "enter":
		page, ok := m.top().(*timelinePage)
		if !ok || strings.TrimSpace(p.text) == "" {
			m.front = nil
			return nil
		}
		near := m.look.now
		if c := page.call(page.cursor); c != nil && c.Time != trace.NoTime {
			near = c.Time
		}
		at, err := moment(strings.TrimSpace(p.text), m.look, near)
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.front = nil
		return m.seek(page, at)
	default:
		p.wrong = ""
		p.field.key(k)
	}
	return nil
}

func (p *timePrompt) sheet(*model) int             { return 0 }
func (p *timePrompt) drawSheet(*model, *ink.Block) {}

func (p *timePrompt) drawFoot(_ *model, b *ink.Block) {
	b.Gap(1).Say("go to ", ink.Hint)
	p.draw(b, nil)
	b.Gap(3)
	if p.wrong != "" {
		b.Say(p.wrong, ink.Bad)
		return
	}
	b.Say("12:00:31, 2026-03-14 12:00, or an age such as 5m", ink.Faint)
}

// moment reads a moment: a time of day on the day of near, a date and time, RFC 3339, or an age. Times without a zone are in the look's.
func moment(text string, l look, near int64) (int64, error) {
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return l.now - int64(d), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t.UnixNano(), nil
	}
	for _, form := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, text, l.zone); err == nil {
			return t.UnixNano(), nil
		}
	}
	for _, form := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(form, text); err == nil {
			day := time.Unix(0, near).In(l.zone)
			return time.Date(day.Year(), day.Month(), day.Day(), t.Hour(), t.Minute(), t.Second(), 0, l.zone).UnixNano(), nil
		}
	}
	return 0, fmt.Errorf("expected a time such as 12:00:31 or an age such as 5m, found %s", text)
}

// seekMsg says at which place of a timeline a moment is.
type seekMsg struct {
	page *timelinePage
	at   int
	err  error
}

// seek looks for the first call at a moment or later. The calls stand in the order of their times, so a few questions are enough.
func (m *model) seek(p *timelinePage, to int64) tea.Cmd {
	q, n := p.query, p.grid.n
	return m.run("go to time", func(ctx context.Context) tea.Msg {
		var failed error
		at := sort.Search(n, func(i int) bool {
			one := q
			one.From, one.Limit = i, 1
			calls, _, err := m.eng.Calls(ctx, one)
			if err != nil {
				failed = err
			}
			if len(calls) == 0 {
				return true
			}
			return calls[0].Time != trace.NoTime && calls[0].Time >= to
		})
		return seekMsg{p, at, failed}
	})
}

func (m *model) found(msg seekMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.say("go to time: "+msg.err.Error(), ink.Bad)
	case m.top() != page(msg.page):
		return nil
	case msg.at >= msg.page.grid.n:
		m.say("that is after the last call", ink.Warn)
	}
	msg.page.to(msg.at)
	return nil
}
