package board

import (
	"path/filepath"
	"strconv"
	"strings"

	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// header writes the first line: sides with counts and ages, ledger and table, state, verdict. State and verdict always fit; of the
// rest what does not fit is left out, the last first.
func (m *model) header(b *ink.Block) {
	b.Gap(1).Say("drainboard", ink.Strong)
	word, tone := m.verdictWord()
	state, glyph, stateTone := m.stateWord()
	right := safe.Width(safe.Line(word)) + 3
	room := b.Width() - right - safe.Width(safe.Line(state)) - 4 - b.Col()
	for _, part := range m.headParts() {
		n := 2 + headWidth(part)
		if n > room {
			continue
		}
		room -= n
		b.Gap(2)
		for _, s := range part {
			b.Text(s.text, s.tone)
		}
	}
	b.Gap(2).Sign(glyph, stateTone).Gap(1).Say(state, ink.Plain)
	b.To(b.Width()-right).Say(" "+word+" ", tone).End()
}

// headParts are the parts of the header between name and state, by how much they matter.
func (m *model) headParts() (parts [][]span) {
	for _, s := range m.snap.Sides {
		var p []span
		if s.Label != "" {
			p = append(p, say(s.Label+" ", ink.Accent))
		}
		p = append(p, say(ink.Thousands(s.Calls), ink.Plain))
		if s.Label == "" {
			p = append(p, say(" calls", ink.Plain))
		}
		if s.Last != trace.NoTime {
			p = append(p, say(" "+ago(float64(m.look.now-s.Last)/1e9), ink.Faint))
		}
		parts = append(parts, p)
	}
	if len(m.snap.Sides) == 0 {
		if m.dated != m.snap {
			m.dated, m.newest = m.snap, trace.NoTime
			for i := range m.snap.Sources {
				m.newest = max(m.newest, m.snap.Sources[i].Last)
			}
		}
		p := []span{say(count(m.snap.Totals.Calls, "call", "calls"), ink.Plain)}
		if m.newest != trace.NoTime {
			p = append(p, say(" "+ago(float64(m.look.now-m.newest)/1e9), ink.Faint))
		}
		parts = append(parts, p)
	}
	switch {
	case m.opt.Ledger == "":
		parts = append(parts, []span{say("no ledger", ink.Faint)})
	default:
		parts = append(parts, []span{say(filepath.Base(m.opt.Ledger), ink.Faint)})
	}
	switch {
	case m.opt.ReadOnly:
		parts = append(parts, []span{say("read-only", ink.Warn)})
	case m.opt.Ledger != "" && m.opt.LedgerFixed != "":
		parts = append(parts, []span{say("read only: "+m.opt.LedgerFixed, ink.Warn)})
	}
	if m.opt.Table != "" {
		p := []span{say(filepath.Base(m.opt.Table), ink.Faint)}
		if m.opt.TableFixed != "" {
			p = append(p, say(" "+m.opt.TableFixed, ink.Warn))
		}
		parts = append(parts, p)
	} else {
		parts = append(parts, []span{say("no table", ink.Faint)})
	}
	if m.snap.RecipeNote != "" {
		parts = append(parts, []span{say(m.snap.Recipe+": "+m.snap.RecipeNote, ink.Warn)})
	}
	if n := m.snap.Totals.Bad; n > 0 {
		parts = append(parts, []span{say(count(n, "bad line", "bad lines"), ink.Warn)})
	}
	return parts
}

// stateWord says what the board is doing; it never claims more than it does.
func (m *model) stateWord() (word, glyph string, tone ink.Tone) {
	g := m.theme.Glyph
	switch {
	case m.paused:
		word = "paused"
		if n := m.behind(); n > 0 {
			word += " (" + ink.Thousands(n) + " new)"
		}
		return word, g.Paused, ink.WarnBold
	case m.prog.Ledger != "":
		return "ledger " + cut(m.prog.Ledger, 32) + ", retrying", g.Broken, ink.BadBold
	case m.prog.Table != "":
		wrong := strings.TrimPrefix(m.prog.Table, filepath.Dir(m.opt.Table)+string(filepath.Separator))
		return "table not read: " + cut(wrong, 32), g.Broken, ink.BadBold
	case m.prog.Loading:
		word = "loading"
		if m.prog.Total > 0 {
			word += " " + strconv.Itoa(int(min(100*m.prog.Read/m.prog.Total, 100))) + "%"
		}
		if m.prog.Rate > 0 {
			word += " " + size(m.prog.Rate) + "/s"
		}
		return word, g.Loading, ink.Accent
	case m.prog.Behind > 1<<20:
		return "live, " + size(float64(m.prog.Behind)) + " behind", g.Live, ink.Warn
	}
	return "live", g.Live, ink.Good
}

func (m *model) verdictWord() (string, ink.Tone) {
	v := &m.snap.Verdict
	switch {
	case v.Waiting && m.snap.Window != nil:
		return "NO-GO, " + lasting(m.snap.Window.Left(m.look.now).Seconds()) + " left", ink.Stop
	case !v.Go:
		return "NO-GO " + ink.Thousands(v.Rows), ink.Stop
	case v.TracesOnly:
		return "GO (traces only)", ink.GoTraces
	}
	return "GO", ink.Go
}

func (m *model) verdict(b *ink.Block) {
	word, tone := m.verdictWord()
	b.Say(" "+word+" ", tone)
}

// tabs writes the second line: the screens with their counts, and in which zone times are.
func (m *model) tabs(b *ink.Block) {
	b.Gap(1)
	for s := range screens {
		if s > 0 {
			b.Gap(m.tabGap())
		}
		n, more := m.tabCounts(s)
		if s == m.screen {
			b.Say(strconv.Itoa(int(s)+1)+" "+screenNames[s], ink.TabOn)
			if n != "" {
				b.Gap(1).Say(n, ink.TabCount)
			}
		} else {
			b.Say(strconv.Itoa(int(s)+1)+" "+screenNames[s], ink.Faint)
			if n != "" {
				b.Gap(1).Say(n, ink.Faint)
			}
		}
		if more != "" {
			b.Say(more, ink.WarnBold)
		}
	}
	right := m.rightNote()
	if w := safe.Width(safe.Line(right)); b.Room() > w+1 {
		b.To(b.Width()-w-1).Say(right, ink.Faint)
	}
	b.End()
}

// rightNote says in which zone times are, how the list is sorted, and what else is not as it is by default.
func (m *model) rightNote() string {
	note := m.look.zoneName()
	g := m.grid()
	if g.follow {
		note = "follow  " + note
	}
	if n := len(m.pane().pos().marks); n > 0 && m.top() == nil {
		note = ink.Thousands(n) + " marked  " + note
	}
	if m.mouse {
		note = "mouse  " + note
	}
	return note
}

func (m *model) tabGap() int {
	switch {
	case m.w >= 100:
		return 3
	case m.w >= tabsFrom:
		return 2
	}
	return 1
}

// tabsFrom are the columns from which on all screens show their counts; below that only the one that is shown does.
const tabsFrom = 76

// tabCounts are a screen's count, and of the tools how many are unclassified.
func (m *model) tabCounts(s screen) (n, more string) {
	count := 0
	switch s {
	case onFindings:
		count = findingRows(m.snap, m.panes[onFindings].options()).Len()
	case onFlight:
		if m.counted != m.snap {
			m.counted, m.flights = m.snap, flights(m.snap)
		}
		count = m.flights
	case onRuns:
		count = m.snap.Runs.Len()
	case onTools:
		count = m.snap.Tools.Len()
		if u := m.snap.Kinds[triage.UnclassifiedTool]; u > 0 {
			more = "?" + strconv.Itoa(u)
		}
	case onDrain:
		count = m.snap.Verdict.Rows
	case onLog:
		count = len(m.entries)
	}
	if count == 0 || m.w < tabsFrom && s != m.screen {
		return "", more
	}
	if count >= 100_000 {
		return compact(count), more
	}
	return ink.Thousands(count), more
}

func (m *model) tabWidth(s screen) int {
	n, more := m.tabCounts(s)
	w := 2 + len(screenNames[s]) + len(more)
	if n != "" {
		w += 1 + len(n)
	}
	return w
}
