package board

import (
	"strconv"
	"strings"

	"drainboard/keys"
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// differences says where the arguments of two calls differ, and which ignore rule would merge them.
func (c *composer) differences(f *facts) {
	a, b := f.args[0], f.args[1]
	if a.doc.err != nil || b.doc.err != nil {
		return
	}
	one, two := f.calls[a.call], f.calls[b.call]
	c.section("DIFFERENCES", "between #"+strconv.Itoa(a.call+1)+" and #"+strconv.Itoa(b.call+1))
	if one.Run != two.Run {
		c.put(say("run  ", ink.Accent), say(one.Run, ink.Plain), say("  "+c.g.Differ+"  ", ink.Bad), say(two.Run, ink.Bad))
	}
	if one.Tool != two.Tool {
		c.put(say("tool  ", ink.Accent), say(one.Tool, ink.Plain), say("  "+c.g.Differ+"  ", ink.Bad), say(two.Tool, ink.Bad))
	}
	c.lines = append(c.lines, differenceLines(&a.doc.args, &b.doc.args, &one, &two, c.width, c.look, c.g)...)
}

// differenceLines lists the pointers at which two calls' arguments differ.
func differenceLines(a, b *keys.Args, one, two *triage.CallView, width int, l look, g *ink.Glyphs) (out []line) {
	all := keys.Differences(a, b, one.Time, two.Time)
	if len(all) == 0 && l.redact && one.Key != two.Key && one.Run == two.Run && one.Tool == two.Tool {
		return []line{{spans: []span{say("they differ in what is masked", ink.Warn)}}}
	}
	if len(all) == 0 {
		return []line{{spans: []span{say("the arguments are the same", ink.Faint)}}}
	}
	for i, d := range all {
		if i == 40 {
			out = append(out, line{spans: []span{say("and "+strconv.Itoa(len(all)-i)+" more", ink.Faint)}})
			break
		}
		at := d.Pointer
		if at == "" {
			at = "(all of it)"
		}
		looks := d.LooksA
		if looks == "" {
			looks = d.LooksB
		}
		room := max((width-safe.Width(safe.Line(at))-6)/2, 8)
		spans := []span{say(at+"  ", ink.Accent), say(missing(d.A, room), ink.Plain), say("  "+g.Differ+"  ", ink.Bad), say(missing(d.B, room), ink.Bad)}
		out = append(out, line{spans: spans})
		if looks != "" {
			out = append(out, line{spans: []span{say("  looks like "+looks, ink.Warn)}})
		}
		if d.Merges && one.Tool == two.Tool {
			out = append(out, line{spans: []span{say("  in tools.yaml  ", ink.Faint), say(one.Tool+": {ignore: ["+d.Pointer+"]}", ink.Strong), say("  would merge them", ink.Faint)}})
		}
	}
	return out
}

func missing(raw []byte, room int) string {
	if raw == nil {
		return "(missing)"
	}
	return cut(newDocument(raw, nil).oneLine(), room)
}

// results shows the payloads: beside each other where there is room, else below each other; what differs from the first is marked.
func (c *composer) results(f *facts) {
	if len(f.result) == 0 {
		return
	}
	var all [][]leaf
	for _, r := range f.result {
		all = append(all, r.doc.leaves())
	}
	note := ""
	if len(f.result) == 1 {
		note = "one payload"
	} else if len(f.result) < c.payloads(f) {
		note = "the first " + strconv.Itoa(len(f.result))
	}
	c.section("RESULTS", note)
	if len(f.result) > 1 && c.page && c.width >= 76 {
		c.sideBySide(f, all)
		return
	}
	for i, r := range f.result {
		c.stacked(f, r, all, i)
	}
}

// payloads counts the different payloads of the calls that were read.
func (c *composer) payloads(f *facts) (n int) {
	for _, call := range f.calls {
		for _, r := range call.Results {
			n = max(n, r.Same)
		}
	}
	return n
}

// stacked writes payload i: all of it, or of an outcome that differs from the one kept only what differs.
func (c *composer) stacked(f *facts, r reply, all [][]leaf, i int) {
	if r.doc.err != nil {
		c.wrap([]span{say("#"+strconv.Itoa(r.call+1)+" "+r.doc.err.Error(), ink.Bad)})
		return
	}
	kept := f.kept()
	compared := kept >= 0 && i != kept && answered(r.status)
	first, names := map[string]string{}, 0
	if compared {
		for _, l := range all[kept] {
			first[l.pointer] = l.value
		}
	}
	for _, l := range all[i] {
		names = max(names, min(safe.Width(safe.Line(nameOf(l.pointer))), maxNames))
	}
	sign, name, value := "  ", ink.Faint, ink.Plain
	if compared {
		sign, name, value = c.g.Differ+" ", ink.Bad, ink.Bad
	} else if !answered(r.status) {
		c.put(say("  "+r.status, statusTone(r.status)))
	}
	shown := 0
	for _, l := range all[i] {
		if was, ok := first[l.pointer]; compared && ok && was == l.value {
			continue
		}
		if shown++; shown > 12 && !c.page {
			c.put(say("  "+c.g.Ellipsis, ink.Faint))
			break
		}
		label := safe.Line(nameOf(l.pointer))
		if label == "" {
			for n, part := range safe.Block(strings.Trim(l.value, `"`)) {
				if n == 20 {
					break
				}
				c.put(say(sign, name), span{part, value})
			}
			continue
		}
		if safe.Width(label) < names {
			label = safe.Pad(label, names)
		}
		c.put(say(sign, name), span{label + "  ", name}, say(l.value, value))
	}
}

// nameOf is a pointer as a name: without its first slash.
func nameOf(pointer string) string { return strings.TrimPrefix(pointer, "/") }

// sideBySide writes a table: a line for each pointer, a column for each payload.
func (c *composer) sideBySide(f *facts, all [][]leaf) {
	n := min(len(all), 4)
	var order []string
	values := map[string][]string{}
	for i := range n {
		for _, l := range all[i] {
			if values[l.pointer] == nil {
				values[l.pointer] = make([]string, n)
				order = append(order, l.pointer)
			}
			values[l.pointer][i] = l.value
		}
	}
	names := 6
	for _, p := range order {
		names = max(names, min(safe.Width(safe.Line(nameOf(p))), maxNames))
	}
	w := 20
	for _, v := range values {
		for _, one := range v {
			w = max(w, safe.Width(safe.Line(one)))
		}
	}
	w = min(w, max((c.width-2-names)/n-2, 8))
	head := []span{say(strings.Repeat(" ", names+2), ink.Plain)}
	for _, r := range f.result[:n] {
		title := "#" + strconv.Itoa(r.call+1) + " " + r.status
		if f.stored != nil && f.row.State == ledger.Committed && r.doc.oneLine() == f.stored.oneLine() {
			title += ", stored"
		}
		head = append(head, say("  ", ink.Plain), span{safe.Fit(safe.Line(title), w), statusTone(r.status)})
	}
	c.put(head...)
	kept := f.kept()
	for _, p := range order {
		differs := false
		for i, v := range values[p] {
			differs = differs || kept >= 0 && answered(f.result[i].status) && v != values[p][kept]
		}
		sign, tone := "  ", ink.Faint
		if differs {
			sign, tone = c.g.Differ+" ", ink.Bad
		}
		spans := []span{say(sign, tone), {safe.Fit(safe.Line(nameOf(p)), names), tone}}
		for i, v := range values[p] {
			cellTone := ink.Plain
			if differs && i != kept && answered(f.result[i].status) && v != values[p][kept] {
				cellTone = ink.BadBold
			}
			if v == "" {
				cellTone = ink.Faint
				if v = "(missing)"; !answered(f.result[i].status) {
					v = ""
				}
			}
			spans = append(spans, say("  ", ink.Plain), span{safe.Fit(safe.Line(v), w), cellTone})
		}
		c.put(spans...)
	}
}
