package board

import (
	"strconv"
	"strings"

	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

func (c *composer) calls(f *facts) {
	if len(f.calls) == 0 {
		return
	}
	note := ""
	if f.total > len(f.calls) {
		note = "the first " + strconv.Itoa(len(f.calls)) + " of " + ink.Thousands(f.total)
	}
	c.section("CALLS", note)
	most := 8
	if c.page {
		most = detailCalls
	}
	c.callLines(f, most)
}

func (c *composer) callLines(f *facts, most int) {
	w := c.callWidths(f)
	for i := range f.calls {
		if i == most {
			c.more(f.total - most)
			return
		}
		for _, spans := range callSpans(f, i, w, c.look) {
			c.lines = append(c.lines, line{spans: spans, call: i + 1})
		}
	}
}

// widths are those of the parts of call lines.
type widths struct{ id, brief, tool, status, room int }

func (c *composer) callWidths(f *facts) widths {
	w := widths{id: 4, brief: 2, room: c.width}
	for i := range f.calls {
		w.id = max(w.id, safe.Width(safe.Line(f.calls[i].CallID)))
		for _, r := range f.calls[i].Results {
			w.status = max(w.status, len(r.Status))
		}
	}
	for _, r := range f.result {
		w.brief = max(w.brief, safe.Width(safe.Line(r.doc.brief())))
	}
	if f.of.run != nil || f.of.finding != nil && f.of.finding.Tool == "" {
		w.tool = 14
	}
	w.id = min(w.id, max(c.width/5, 8))
	if w.tool > 0 && c.width < 64 {
		w.id = 0 // the place says more
	}
	w.brief = min(w.brief, max(c.width/4, 10))
	return w
}

// callSpans writes a call, and its further results on lines of their own.
func callSpans(f *facts, i int, w widths, lk look) (out [][]span) {
	call := &f.calls[i]
	number := "#" + strconv.Itoa(i+1)
	if len(f.calls) > 9 && i < 9 {
		number += " "
	}
	head := []span{say(number+" ", ink.Plain), say(lk.clock(call.Time)+"  ", ink.Faint)}
	if w.tool > 0 {
		head = append(head, span{safe.Fit(safe.Line(call.Tool), w.tool) + "  ", ink.Plain})
	}
	id := call.CallID
	if id == "" {
		id = "no id"
	}
	if w.id > 0 {
		head = append(head, span{safe.Fit(safe.Line(id), w.id) + "  ", ink.Plain})
	}
	if call.Copy {
		head = append(head, say("copy  ", ink.Faint))
	}
	first := ""
	if kept := f.kept(); kept >= 0 {
		first = f.result[kept].doc.brief()
	}
	if len(call.Results) == 0 {
		return [][]span{append(head, say("no result", ink.Warn), say("  "+place(call.Pos), ink.Faint))}
	}
	for n, r := range call.Results {
		spans := head
		if n > 0 {
			spans = []span{say(strings.Repeat(" ", headWidth(head)), ink.Plain)}
		}
		spans = append(spans, say(r.Status+strings.Repeat(" ", max(w.status-len(r.Status), 0)+2), statusTone(r.Status)))
		if reply := f.reply(r.Same); reply != nil {
			text := safe.Truncate(safe.Line(reply.doc.brief()), w.brief)
			other := cut(first, w.brief)
			if !answered(r.Status) {
				other = "" // what an error says differs from a result, and that is no news
			}
			spans = append(spans, marked(string(text), other)...)
			if pad := w.brief - safe.Width(text); pad > 0 {
				spans = append(spans, say(strings.Repeat(" ", pad), ink.Plain))
			}
			spans = append(spans, say("  ", ink.Plain))
		}
		at := call.Pos
		if n > 0 {
			at = r.Pos
		}
		if where := safe.Line(place(at)); where != "" {
			room := w.room - headWidth(spans)
			switch {
			case safe.Width(where) <= room:
				spans = append(spans, span{where, ink.Faint})
			case room >= 6: // of a place the end says most
				spans = append(spans, span{safe.Tail(where, room), ink.Faint})
			}
		}
		out = append(out, spans)
	}
	return out
}

func cut(text string, w int) string { return string(safe.Truncate(safe.Line(text), w)) }

func headWidth(spans []span) (n int) {
	for _, s := range spans {
		n += safe.Width(s.text)
	}
	return n
}
