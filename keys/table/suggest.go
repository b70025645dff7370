package table

import (
	"slices"
	"strings"
	"unicode"
)

// Suggestion is what a tool's class might be. It is not a decision: nothing acts on it.
type Suggestion struct {
	Class  Class  // Unclassified when nothing suggests one
	Effect Effect // of Keyed
	Why    string // a few words of this package's own, with no text from the trace in it
}

// Flag is an MCP annotation, which may be missing.
type Flag uint8

// The values of a Flag.
const (
	Missing Flag = iota
	No
	Yes
)

// Hint is what else is known about a tool.
type Hint struct {
	// Annotated says that the trace holds the tool's MCP annotations; one that is missing among them
	// then has MCP's default, which is the unsafe one.
	Annotated                         bool
	ReadOnly, Idempotent, Destructive Flag
	Pack                              *Pack // the agent whose own tool it may be; nil: none
}

// Suggest guesses the class of a tool: from the agent's pack when it knows the tool, else from its MCP annotations
// and the verbs in its name, the more harmful of both: a server's word is a hint that nobody checked. Among several verbs joined by and, or, then, the most
// harmful counts; a name without a known verb suggests nothing.
func Suggest(tool string, hint Hint) Suggestion {
	if hint.Pack != nil {
		switch row := hint.Pack.table.Row(tool); {
		case row.own.Class != Unclassified:
			return Suggestion{row.own.Class, row.own.Effect, "a tool of " + hint.Pack.Title}
		case row.NeedsArgs():
			return Suggestion{Why: "one tool, many effects: give it cases"}
		}
	}
	named := byName(tool)
	if !hint.Annotated {
		return named
	}
	s := hint.Says()
	if s.Effect = named.Effect; named.Class > s.Class {
		return Suggestion{named.Class, named.Effect, s.Why + ", but " + named.Why}
	}
	return s
}

// Says is what the annotations of a tool suggest by themselves; nothing when there are none.
func (h *Hint) Says() Suggestion {
	switch {
	case !h.Annotated:
		return Suggestion{}
	case h.ReadOnly == Yes:
		return Suggestion{Class: Pure, Why: "its server calls it read-only, unchecked"}
	case h.Destructive != No:
		return Suggestion{Class: Compensate, Why: "its server does not call it harmless"}
	case h.Idempotent == Yes:
		return Suggestion{Class: Keyed, Why: "its server calls it idempotent and not destructive, unchecked"}
	default:
		return Suggestion{Class: Keyed, Why: "its server calls it not destructive, unchecked"}
	}
}

// verbs, by what they do to the world. A verb stands in one list only.
const (
	pureVerbs = "get list search read find fetch query lookup describe show view status check count exists diff " +
		"compare grep glob ls cat head tail stat inspect browse validate verify preview explain summarize " +
		"wait poll watch ping peek scan select whoami help history info"
	createVerbs = "create open add post insert make register book reserve schedule upload import fork clone " +
		"comment reply start launch assign attach invite subscribe generate capture enqueue init"
	writeVerbs = "put update set write edit patch upsert replace save rename move modify change configure rotate " +
		"enable disable label tag close reopen lock unlock archive restore copy mkdir touch sync apply mark resolve push download"
	harmVerbs = "send charge refund pay payout transfer withdraw debit credit page notify alert email sms call dial " +
		"delete remove drop purge destroy erase truncate wipe rm kill terminate stop cancel revoke merge deploy " +
		"release publish rollback run exec execute eval shell bash command trigger dispatch invoke submit approve " +
		"reject buy sell order purchase tweet broadcast ban"
)

// byName reads the words of a name in order; the first verb decides, unless a conjunction joins another.
func byName(tool string) Suggestion {
	var best Suggestion
	joined := false
	for _, w := range words(tool) {
		if w == "and" || w == "or" || w == "then" {
			joined = true
			continue
		}
		s := verb(w)
		if s.Class == Unclassified || best.Class != Unclassified && !joined {
			continue
		}
		if s.Class > best.Class || s.Class == best.Class && s.Effect > best.Effect {
			best = s
		}
		joined = false
	}
	return best
}

func verb(w string) Suggestion {
	in := func(list string) bool { return slices.Contains(strings.Fields(list), w) }
	switch {
	case in(pureVerbs):
		return Suggestion{Class: Pure, Why: "its name says " + w}
	case in(createVerbs):
		return Suggestion{Class: Keyed, Why: "its name says " + w}
	case in(writeVerbs):
		return Suggestion{Class: Keyed, Effect: Write, Why: "its name says " + w}
	case in(harmVerbs):
		return Suggestion{Class: Compensate, Why: "its name says " + w}
	default:
		return Suggestion{}
	}
}

// words are a name's words in lower case: without what stands before the last `__`, `.`, `/` or `:` (the
// server of an MCP tool, a namespace) unless nothing behind it is left, cut at every other sign and at
// humps. Only the first 256 bytes are looked at.
func words(tool string) []string {
	tool = tool[:min(len(tool), 256)]
	for _, sep := range []string{"__", "/", ":", "."} {
		if i := strings.LastIndex(tool, sep); i >= 0 && i+len(sep) < len(tool) {
			tool = tool[i+len(sep):]
		}
	}
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	text := []rune(tool)
	for i, c := range text {
		if !unicode.IsLetter(c) {
			flush()
			continue
		}
		hump := unicode.IsUpper(c) && i > 0 && (unicode.IsLower(text[i-1]) ||
			unicode.IsUpper(text[i-1]) && i+1 < len(text) && unicode.IsLower(text[i+1]))
		if hump {
			flush()
		}
		word = append(word, c)
	}
	flush()
	return out
}
