package command

import (
	"fmt"
	"slices"
	"strings"
)

// side prints one call.
func (p *page) side(name string, c *side) {
	key := c.Key
	if key == "" {
		key = "no key: " + c.Reason
	}
	if name != "" {
		name += "  "
	}
	p.word(bold, "%s%s", name, c.Tool).word(dim, "  %s  %s  %s", c.Run, c.CallID, c.At).line()
	p.word(dim, "   key ").word(cyan, "%s", key)
	if c.Ignored {
		p.word(yellow, "  (an ignore rule left something out)")
	}
	p.line()
	if c.Recorded != "" {
		p.word(dim, "   recorded ").word(magenta, "%s", c.Recorded).line()
	}
}

// explanation prints why two keys differ, and what to do about it.
func (p *page) explanation(e *explanation) {
	p.side("A", &e.A)
	p.side("B", &e.B)
	p.line()
	switch {
	case e.SameKey:
		p.word(green, "One key: ").word(plain, "recipe %s sees one intent in both calls.", e.Recipe).line()
		if e.A.Recorded != e.B.Recorded && e.A.Recorded != "" && e.B.Recorded != "" {
			p.word(yellow, "Temporal key: the handler recorded two, so its key is a function of more than the intent, as of the time.").line()
		}
		p.hashed(e)
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
	p.hashed(e)
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
		rows[i] = []cell{field(bold, at), field(plain, string(d.A)), field(plain, string(d.B)), field(yellow, d.Looks), field(dim, d.Why)}
	}
	p.line()
	p.table([]column{{title: "POINTER", most: 40}, {title: "A", most: 32}, {title: "B", most: 32}, {title: "LOOKS LIKE"}, {title: "", most: 72, spare: 1}}, rows)
}

// hashed prints what the recipe hashes for both, around the first byte that differs.
func (p *page) hashed(e *explanation) {
	if e.A.Hashed == "" && e.B.Hashed == "" {
		return
	}
	p.line()
	if e.FirstByte < 0 {
		p.word(dim, "recipe %s hashes ", e.Recipe).word(plain, "%s", shortened(e.A.Hashed)).line()
	} else {
		p.word(dim, "recipe %s hashes %d and %d bytes; the first that differs is %d:", e.Recipe, e.A.bytes, e.B.bytes, e.FirstByte).line()
		p.apart(e)
	}
	for _, d := range e.Doubts {
		p.word(yellow, "  %s", d).line()
	}
}

// apart prints the hashed bytes around the first that differs. Behind a mask they stand elsewhere, or differ no more.
func (p *page) apart(e *explanation) {
	at := e.FirstByte
	if e.masked {
		for at = 0; at < min(len(e.A.Hashed), len(e.B.Hashed)) && e.A.Hashed[at] == e.B.Hashed[at]; at++ {
		}
	}
	if e.masked && e.A.Hashed == e.B.Hashed {
		p.word(plain, "  %s", shortened(e.A.Hashed)).line().word(yellow, "  what differs is masked").line()
		return
	}
	for _, c := range []struct{ name, text string }{{"A", e.A.Hashed}, {"B", e.B.Hashed}} {
		before, after := around(c.text, at)
		p.word(bold, "  %s  ", c.name).word(dim, "%s", before).word(red, "%s", after).line()
	}
}

// around is what stands before and behind a byte, some of it.
func around(s string, at int) (before, after string) {
	const before_, behind = 40, 60
	at = min(at, len(s))
	before, after = s[:at], s[at:]
	if len(before) > before_ {
		before = "…" + before[len(before)-before_:]
	}
	if len(after) > behind {
		after = after[:behind] + "…"
	}
	return before, after
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
	if e.Dangerous && !dangerous(e.Merges) {
		p.word(red, "  Dangerous: ").word(plain, "these two were answered differently, so they are hardly one intent.").line()
	}
	p.word(plain, "  beside these two:").line()
	p.merged(e.Merges, e.Unread)
}

// merged lists sets of calls that would come under one key.
func (p *page) merged(list []merge, unread int) {
	if unread > 0 {
		p.word(yellow, "  %s could not be read again and is not in this preview", plural(unread, "call", "calls")).line()
	}
	if len(list) == 0 {
		p.word(green, "  nothing would be merged").line()
		return
	}
	differ := 0
	for _, m := range list {
		if m.Differs {
			differ++
		}
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b merge) int {
		switch {
		case a.Differs == b.Differs:
			return 0
		case a.Differs:
			return -1
		}
		return 1
	})
	const most, places = 10, 4
	for i, m := range sorted {
		if i == most {
			p.word(dim, "    and %d more; --json lists all", len(list)-most).line()
			break
		}
		at, end := m.At, ""
		if len(at) > places {
			at, end = at[:places], fmt.Sprintf(" and %d more", len(m.At)-places)
		}
		run := m.Run
		if run == "" {
			run = "all runs"
		}
		p.word(plain, "    %s: %s, %s  ", run, plural(len(m.Keys), "key", "keys"), plural(m.Calls, "call", "calls"))
		switch {
		case m.Differs:
			p.word(red, "their results differ  ")
		case m.Unknown:
			p.word(dim, "results do not tell  ")
		default:
			p.word(green, "one result  ")
		}
		p.word(dim, "%s", strings.Join(at, " ")+end).line()
	}
	if differ > 0 {
		p.word(red, "  Dangerous: ").word(plain, "calls of %s were answered differently. That says that they are not one intent; one key for them drops real work.", thousands(differ)+" of these sets").line()
		return
	}
	p.word(plain, "  Merging distinct intents deletes real work: are these the same action?").line()
}
