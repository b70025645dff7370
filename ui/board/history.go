package board

import (
	"context"

	"drainboard/ui/board/ink"
)

// maxHistory bounds the actions that a page lists.
const maxHistory = 20

// history reads what operators did to a key, newest first. The journal is in memory.
func history(ctx context.Context, j Journal, key string) (acts []Entry, err error) {
	const chunk = 1000
	for from := 0; ; from += chunk {
		list, total, err := j.Entries(ctx, from, chunk)
		if err != nil {
			return acts, err
		}
		for i := range list {
			if list[i].Key == key {
				if acts = append(acts, list[i]); len(acts) == maxHistory {
					return acts, nil
				}
			}
		}
		if len(list) == 0 || from+len(list) >= total {
			return acts, nil
		}
	}
}

// history writes what was done to the key.
func (c *composer) history(f *facts) {
	if f.actsErr != nil {
		c.section("HISTORY", "")
		c.wrap([]span{say("the log cannot be read: "+f.actsErr.Error(), ink.Bad)})
		return
	}
	if len(f.acts) == 0 {
		return
	}
	note := ""
	if len(f.acts) == maxHistory {
		note = "the newest " + ink.Thousands(maxHistory) + "; the rest is in the log"
	}
	c.section("HISTORY", note)
	for i := range f.acts {
		e := &f.acts[i]
		spans := []span{say(c.stamp(e.Time)+"  ", ink.Faint), say(e.Action, ink.Strong)}
		if e.From != e.To {
			spans = append(spans, say("  "+e.From+" "+c.g.To+" "+e.To, ink.Plain))
		}
		spans = append(spans, say("  "+e.Actor, ink.Faint))
		if e.Reason != "" {
			spans = append(spans, say("  "+e.Reason, ink.Plain))
		}
		c.wrap(spans)
	}
}
