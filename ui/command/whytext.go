package command

import (
	"slices"
	"strings"
)

// explanation prints why two keys differ, and what to do about it.
func (p *page) explanation(e *explanation) {
	for _, c := range []struct {
		name string
		side
	}{{"A", e.A}, {"B", e.B}} {
		key := c.Key
		if key == "" {
			key = "no key: " + c.Reason
		}
		p.word(bold, "%s  %s", c.name, c.Tool).word(dim, "  %s  %s  %s", c.Run, c.CallID, c.At).line()
		p.word(dim, "   key ").word(cyan, "%s", key)
		if c.Ignored {
			p.word(yellow, "  (an ignore rule left something out)")
		}
		p.line()
		if c.Recorded != "" {
			p.word(dim, "   recorded ").word(magenta, "%s", c.Recorded).line()
		}
	}
	p.line()
	switch {
	case e.SameKey:
		p.word(green, "One key: ").word(plain, "recipe %s sees one intent in both calls.", e.Recipe).line()
		if e.A.Recorded != e.B.Recorded && e.A.Recorded != "" && e.B.Recorded != "" {
			p.word(yellow, "The handler recorded two: its key is a function of more than the intent, as of the time.").line()
		}
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
		rows[i] = []cell{field(bold, at), field(plain, string(d.A)), field(plain, string(d.B)), field(yellow, d.Looks)}
	}
	p.line()
	p.table([]column{{title: "POINTER", most: 40}, {title: "A", most: 32}, {title: "B", most: 32}, {title: "LOOKS LIKE"}}, rows)
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
	p.word(plain, "  beside these two:").line()
	p.merged(e.Merges, e.Unread)
}
