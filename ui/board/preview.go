package board

import (
	"context"

	"drainboard/ui/board/ink"
)

// Previewer is an Actor that says what an ignore rule would merge before it is confirmed (PRODUCT.md "Keys").
type Previewer interface {
	// Preview reads the tool's calls again and changes nothing.
	Preview(ctx context.Context, tool, pointer string) (Preview, error)
}

// Preview is what leaving an argument out would merge.
type Preview struct {
	Pointer string
	Sets    int      // sets of keys that would become one each
	Lines   []string // the first of them, a sentence each
	Differs bool     // keys of one set were answered differently: they are hardly one intent
	Unread  int      // calls that could not be read again, and are missing in it: then nothing is written
}

// maxPreviews bounds for how many pointers a question looks.
const maxPreviews = 6

// previews looks for each pointer of a drift.
func previews(ctx context.Context, p Previewer, s subject) (all []Preview, err error) {
	for _, pointer := range s.finding.Details().Pointers[:min(len(s.finding.Details().Pointers), maxPreviews)] {
		one, err := p.Preview(ctx, s.finding.Tool, pointer)
		if err != nil {
			return nil, err
		}
		one.Pointer = pointer
		all = append(all, one)
	}
	return all, nil
}

// note says in a few words what a choice would do.
func (p *Preview) note() string {
	switch {
	case p.Unread > 0:
		return count(p.Unread, "call cannot", "calls cannot") + " be read again: not to be written"
	case p.Differs:
		return "merges " + count(p.Sets, "set", "sets") + " of keys, whose results differ: dangerous"
	case p.Sets == 0:
		return "merges nothing"
	}
	return "merges " + count(p.Sets, "set", "sets") + " of keys"
}

// previewed shows beside each choice what it would merge, and below them the sets of the chosen one.
func (q *question) previewed(s subject, all []Preview) {
	tool := s.finding.Tool
	q.choices = q.choices[:len(all)]
	for i := range all {
		note := all[i].note()
		if was := q.choices[i].note; was != "" {
			note = was + "; " + note
		}
		q.choices[i].note = note
	}
	for i := range all {
		if all[i].Differs {
			q.fields = []entry{{label: "tool"}}
			break
		}
	}
	q.below = func(q *question) (out []span) {
		p := &all[q.chosen]
		for _, l := range p.Lines {
			out = append(out, say(l, ink.Faint))
		}
		if p.Differs {
			out = append(out, say("One key for them drops real work. To mean it, type "+tool+".", ink.BadBold))
		}
		return out
	}
	most := 0
	for i := range all {
		n := len(all[i].Lines)
		if all[i].Differs {
			n++
		}
		most = max(most, n)
	}
	q.room = most
	q.make = func(q *question) (Intent, string) {
		p := &all[q.chosen]
		if p.Differs && q.text("tool") != tool {
			return nil, "the results differ: type the tool's name, " + tool
		}
		return AddIgnore{Tool: tool, Pointer: p.Pointer, Different: p.Differs}, ""
	}
}
