package table

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"drainboard/keys"
)

// Seen is one tool of a trace.
type Seen struct {
	Tool       string // WTF-8, as the trace has it
	Calls      int
	Suggestion Suggestion
}

const initialHead = `# What each tool does to the world. No class is set yet, because a suggestion is not a decision: take the
# "# " away from a suggested class, or write another one. Until then a tool is refused by all that sends.
#   pure        changes nothing: may always be sent again
#   keyed       a key makes it safe to repeat; effect: create (an object) or write (over one)
#   compensate  only an undo helps: is never sent again by itself
# A case's glob sees the whole text: "git status*" fits "git status; rm -rf ." too.
`

// Init writes a tools.yaml from what a trace holds: each tool in the order given, with its calls and the
// suggested class as a comment, and no class set. Of a pack (nil: none) the volatile arguments, the polling
// and, as comments, the cases of those tools are written as well. The result is a valid table. A tool
// that cannot stand there as itself is named in a comment: one whose name is no UTF-8 or begins like a
// glob; so is the number of those that are too many for a table.
func Init(tools []Seen, pack *Pack) []byte {
	var b, left strings.Builder
	b.WriteString(initialHead)
	b.WriteString("tools:")
	written := map[string]bool{}
	for i, s := range tools {
		if b.Len() > maxSource/2 {
			fmt.Fprintf(&left, "# %d further tools are left out: a table has room for %d bytes\n", len(tools)-i, maxSource)
			break
		}
		switch {
		case written[s.Tool]:
			continue
		case !utf8.ValidString(s.Tool) || len(s.Tool) > 1024:
			fmt.Fprintf(&left, "# left out: a tool of %d calls whose name is not UTF-8 or above 1,024 bytes\n", s.Calls)
		case s.Tool == "" || isGlob(s.Tool) && prefix(s.Tool) == "":
			fmt.Fprintf(&left, "# left out: a tool of %d calls whose name %s would be a glob over all tools\n", s.Calls, quote(s.Tool))
		default:
			if len(written) == 0 {
				b.WriteString("\n")
			}
			b.WriteString(initialRow(s, pack))
		}
		written[s.Tool] = true
	}
	if !strings.HasSuffix(b.String(), "\n") {
		b.WriteString(" {}\n")
	}
	b.WriteString(left.String())
	return []byte(b.String())
}

func initialRow(s Seen, pack *Pack) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s: # %s\n", plain(s.Tool), count(s.Calls))
	switch s.Suggestion.Class {
	case Unclassified:
		why := s.Suggestion.Why
		if why == "" {
			why = "nothing suggests a class"
		}
		fmt.Fprintf(&b, "    # class: # %s\n", why)
	default:
		fmt.Fprintf(&b, "    # class: %s # suggested: %s\n", s.Suggestion.Class, s.Suggestion.Why)
		if s.Suggestion.Class == Keyed && s.Suggestion.Effect == Write {
			fmt.Fprintf(&b, "    # effect: write\n")
		}
	}
	if pack == nil {
		return b.String()
	}
	row := pack.table.Row(s.Tool)
	if row.own.Polling {
		b.WriteString("    polling: true\n")
	}
	if len(row.own.Ignore) > 0 {
		fmt.Fprintf(&b, "    ignore: %s\n", pointerList(row.own.Ignore))
	}
	b.WriteString(initialCases(row))
	return b.String()
}

// initialCases writes a pack's cases: those that set a class as comments.
func initialCases(row *Row) string {
	var live, decided strings.Builder
	for _, c := range row.cases {
		m := c.meaning(row.own)
		if m["class"] == nil {
			fmt.Fprintf(&live, "      - %s\n", render(m, false))
		} else {
			fmt.Fprintf(&decided, "      # - %s\n", render(m, false))
		}
	}
	switch {
	case len(row.cases) == 0:
		return ""
	case live.Len() == 0:
		return "    # cases:\n" + decided.String()
	default:
		return "    cases:\n" + live.String() + decided.String()
	}
}

// meaning is the case as the file would say it, without what it has from its row.
func (c *branch) meaning(own *Rule) members {
	m := members{"at": text(c.at.String()), "glob": text(c.glob)}
	if c.rule.Class != own.Class {
		m["class"] = text(c.rule.Class.String())
	}
	if c.rule.Effect != own.Effect {
		m["effect"] = text(c.rule.Effect.String())
	}
	if c.rule.Polling != own.Polling {
		m["polling"] = scalar{"!!bool", "true"}
	}
	return m
}

func pointerList(ps []keys.Pointer) string {
	list := make([]any, len(ps))
	for i, p := range ps {
		list[i] = text(p.String())
	}
	return render(list, false)
}

func count(calls int) string {
	if calls == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", calls)
}
