package board

import (
	"context"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
)

// timelinePage is the calls of a run or a tool in order, fetched in chunks as one scrolls; calls of one key are joined.
type timelinePage struct {
	grid
	query  intake.Query
	name   string
	chunks map[int]*chunk
	gen    uint64 // of the newest question
	asking bool
	err    error
	cols   places
	known  bool // an answer has come
	search string
}

const (
	chunkSize  = 256
	keepChunks = 16
	maxLanes   = 4
)

// chunk is chunkSize calls, and how repeats in it are joined.
type chunk struct {
	calls []triage.CallView
	lanes [][maxLanes]joint
	fresh bool
}

// joint is what a lane shows beside a call.
type joint uint8

const (
	noJoint joint = iota
	firstJoint
	midJoint
	lastJoint
	through
)

type chunkMsg struct {
	gen   uint64
	at    int
	calls []triage.CallView
	total int
	err   error
}

func (p *timelinePage) scope() scope  { return inTimeline }
func (p *timelinePage) title() string { return p.name }
func (p *timelinePage) pos() *grid    { return &p.grid }

func (p *timelinePage) call(i int) *triage.CallView {
	c := p.chunks[i/chunkSize]
	if c == nil || i%chunkSize >= len(c.calls) {
		return nil
	}
	return &c.calls[i%chunkSize]
}

func (p *timelinePage) about() subject {
	if c := p.call(p.cursor); c != nil {
		return subject{call: c}
	}
	return subject{}
}

func (p *timelinePage) lineText(i int) string {
	c := p.call(i)
	if c == nil {
		return ""
	}
	return c.Tool + " " + c.CallID + " " + c.Key + " " + c.Run + " " + place(c.Pos)
}

// news says that more may be known: the chunks on screen are asked for again.
func (p *timelinePage) news() {
	p.err = nil
	for _, c := range p.chunks {
		c.fresh = false
	}
}

func (p *timelinePage) refresh(m *model, w, h int) tea.Cmd {
	p.setHeight(h - 1)
	if p.cols.width != w || p.cols.w == nil {
		cols := slices.Clone(timelineColumns)
		if p.query.Run != "" {
			cols[cRun].from = 1 << 20 // it is one run all along
		}
		p.cols = solve(cols, w, 8)
	}
	if p.asking || p.err != nil { // after an error only news ask again
		return nil
	}
	from, to := p.visible()
	for at := from / chunkSize; at <= max(to-1, from)/chunkSize; at++ {
		if c := p.chunks[at]; c != nil && c.fresh {
			continue
		}
		p.asking = true
		p.gen = m.generation()
		gen, q := p.gen, p.query
		q.From, q.Limit = at*chunkSize, chunkSize
		return m.run("timeline", func(ctx context.Context) tea.Msg {
			calls, total, err := m.eng.Calls(ctx, q)
			return chunkMsg{gen, at, calls, total, err}
		})
	}
	return nil
}

func (p *timelinePage) receive(m *model, msg any) tea.Cmd {
	d, ok := msg.(chunkMsg)
	if !ok || d.gen != p.gen {
		return nil
	}
	p.asking, p.err, p.known = false, d.err, true
	if d.err != nil {
		return nil
	}
	if p.chunks == nil || len(p.chunks) > keepChunks {
		p.chunks = map[int]*chunk{}
	}
	p.chunks[d.at] = &chunk{calls: d.calls, lanes: joined(d.calls), fresh: true}
	p.grid.n = d.total
	if p.follow {
		p.to(d.total - 1)
	}
	p.clamp()
	return nil
}

// joined gives every key that comes more than once a lane, as long as there are lanes.
func joined(calls []triage.CallView) [][maxLanes]joint {
	last := map[string]int{}
	times := map[string]int{}
	for i := range calls {
		if k := calls[i].Key; k != "" && !calls[i].Copy {
			last[k] = i
			times[k]++
		}
	}
	out := make([][maxLanes]joint, len(calls))
	var busy [maxLanes]string // the key that holds a lane
	for i := range calls {
		k := calls[i].Key
		repeats := k != "" && !calls[i].Copy && (times[k] > 1 || calls[i].Repeat > 1)
		mine := -1
		for l := range busy {
			switch {
			case repeats && busy[l] == k:
				mine = l
				out[i][l] = midJoint
				if last[k] == i {
					out[i][l] = lastJoint
					busy[l] = ""
				}
			case busy[l] != "":
				out[i][l] = through
			}
		}
		if !repeats || mine >= 0 {
			continue
		}
		for l := range busy {
			if busy[l] == "" && out[i][l] == noJoint {
				out[i][l] = firstJoint
				switch {
				case last[k] != i:
					busy[l] = k
				case calls[i].Repeat > 1:
					out[i][l] = lastJoint
				}
				break
			}
		}
	}
	return out
}

const (
	cTime = iota
	cLanes
	cTool
	cKey
	cRepeat
	cStatus
	cID
	cRun
	cWhere
)

var timelineColumns = []column{
	cTime:   {title: "TIME", min: 8},
	cLanes:  {title: "", min: maxLanes, gap: 1},
	cTool:   {title: "TOOL", min: 13, max: 24, gap: 1},
	cKey:    {title: "KEY", min: keyCols, gap: 1},
	cRepeat: {title: "", min: 5, gap: 1},
	cStatus: {title: "RESULT", min: 9},
	cID:     {title: "CALL ID", min: 8, max: 30, drop: 2},
	cRun:    {title: "RUN", min: 6, max: 20, drop: 3, from: 110},
	cWhere:  {title: "AT", min: 18, max: 60, drop: 1},
}

func (p *timelinePage) draw(m *model, b *ink.Block) {
	if p.err != nil {
		b.To(indent).Say("the calls cannot be read: "+p.err.Error(), ink.Bad).End()
		return
	}
	for i, c := range timelineColumns {
		if w := p.cols.cell(b, i); w > 0 {
			b.SayCell(c.title, w, ink.Head)
		}
	}
	b.End()
	if p.known && p.n == 0 {
		b.End().To(indent).Say("no calls", ink.Faint).End()
	}
	from, to := p.visible()
	for i := from; i < to; i++ {
		c := p.call(i)
		if i == p.cursor {
			b.Sign(b.Glyph().Caret, ink.Caret)
		}
		if c == nil {
			b.To(indent).Sign(b.Glyph().Ellipsis, ink.Faint).End()
			continue
		}
		p.row(m, b, c, p.chunks[i/chunkSize].lanes[i%chunkSize], i == p.cursor)
		b.End()
	}
}

func (p *timelinePage) row(m *model, b *ink.Block, c *triage.CallView, lanes [maxLanes]joint, on bool) {
	strong, faint := ink.Plain, ink.Faint
	if on {
		strong, faint = ink.Strong, ink.Accent
	}
	if c.Copy {
		strong = ink.Faint
	}
	p.cols.cell(b, cTime)
	b.Say(m.look.clock(c.Time), ink.Faint)
	p.cols.cell(b, cLanes)
	drawLanes(b, lanes)
	b.To(p.cols.x[cTool]).SayCell(c.Tool, p.cols.w[cTool], strong)
	b.To(p.cols.x[cKey])
	if c.Key == "" {
		b.SayCell("no key", keyCols, ink.Warn)
	} else {
		b.SayCell(prefix(c.Key), keyCols, faint)
	}
	b.To(p.cols.x[cRepeat])
	switch {
	case c.Copy:
		b.Say("copy", ink.Faint)
	case c.Repeat > 1:
		b.SayCell(ordinal(c.Repeat), 5, ink.Warn)
	}
	b.To(p.cols.x[cStatus])
	status := "open"
	if len(c.Results) > 0 {
		status = c.Results[0].Status
	}
	b.Say(status, statusTone(status))
	if len(c.Results) > 1 {
		b.Say("+"+strconv.Itoa(len(c.Results)-1), ink.BadBold)
	}
	if w := p.cols.cell(b, cID); w > 0 {
		b.SayCell(c.CallID, w, ink.Faint)
	}
	if w := p.cols.cell(b, cRun); w > 0 {
		b.SayCell(c.Run, w, ink.Faint)
	}
	if w := p.cols.cell(b, cWhere); w > 0 {
		b.Tail(place(c.Pos), w, ink.Faint)
	}
}

func drawLanes(b *ink.Block, lanes [maxLanes]joint) {
	g := b.Glyph()
	for _, j := range lanes {
		switch j {
		case noJoint:
			b.Gap(1)
		case firstJoint:
			b.Sign(g.First, ink.Warn)
		case midJoint:
			b.Sign(g.Join, ink.Warn)
		case lastJoint:
			b.Sign(g.LastOne, ink.Warn)
		case through:
			b.Sign(g.Through, ink.Faint)
		}
	}
}

func ordinal(n int) string {
	end := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return strconv.Itoa(n) + end
}
