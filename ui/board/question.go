package board

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"drainboard/ledger"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// question asks once before an action: a sentence that names count, tool, key and what will happen, the fields that it needs, and
// Cancel. Enter never means yes: it goes on to the next field, and on the buttons it cancels; y carries the action out, there and
// where one of several answers is chosen.
type question struct {
	said    []span // the sentence
	list    []string
	below   func(q *question) []span // lines below the choices, of the chosen one
	room    int                      // how many lines that may be
	fields  []entry
	choices []choice
	chosen  int
	at      int // what has the focus: choices, then fields, then Cancel
	wrong   string
	make    func(q *question) (Intent, string)
	verb    string                                        // what y does
	do      func(m *model, q *question) (tea.Cmd, string) // instead of make, where the answer is no intent
	stop    context.CancelFunc                            // ends what is still being looked up for it; nil: nothing is
}

// entry is a field with its label.
type entry struct {
	label string
	field
}

// choice is one of several answers.
type choice struct {
	name, note string
}

func newQuestion(a Action, targets []subject, rows []ledger.Row, skipped int) *question {
	q := &question{verb: string(a)}
	n := len(targets)
	if len(rows) > 0 {
		n = len(rows)
	}
	who := named(targets, n)
	reason := entry{label: "reason"}
	switch a {
	case ActFail:
		q.sentence("Mark ", who, " failed? ", "The next call of the key is sent again.")
		q.fields = []entry{reason}
		q.make = func(q *question) (Intent, string) {
			return MarkFailed{rows, q.text("reason")}, q.need("reason")
		}
	case ActCommit:
		q.sentence("Mark ", who, " committed? ", "A repeat then gets the response, nothing is sent.")
		q.fields = []entry{{label: "response"}, reason}
		q.list = []string{"response: JSON, or empty for the ok payload that the trace holds"}
		q.make = func(q *question) (Intent, string) { return commitIntent(q, rows) }
	case ActHumanKey:
		q.sentence("Allow one more send of ", who, "? ", "It is a second effect, on purpose, under a row of its own.")
		q.fields = []entry{{label: "word"}, reason}
		q.make = func(q *question) (Intent, string) {
			return GiveHumanKey{rows[0], q.text("word"), q.text("reason")}, q.need("word", "reason")
		}
	case ActCompensate, ActKept:
		q.compensate(targets, who, reason)
	case ActAck:
		q.sentence("Acknowledge ", who, "? ", "It blocks no longer, until calls or results are added to it.")
		q.fields = []entry{reason, {label: "expires after"}}
		q.list = []string{"expires after: such as 2h or 30m; empty is never"}
		q.make = func(q *question) (Intent, string) { return ackIntent(q, targets) }
	case ActUndo:
		q.sentence("Take back what was last done to ", who, "? ", "State and response become what they were, the claim does not.")
		q.fields = []entry{reason}
		q.make = func(q *question) (Intent, string) {
			return UndoLast{keysOf(targets), q.text("reason")}, q.need("reason")
		}
	case ActClassify:
		q.classify(targets)
	case ActIgnore:
		q.ignore(targets[0])
	}
	if skipped > 0 {
		q.list = append(q.list, count(skipped, "marked row is", "marked rows are")+" left out: the ledger has none for it, or it is settled")
	}
	q.at = 0
	return q
}

func (q *question) sentence(before, who, after, effect string) {
	q.said = []span{say(before, ink.Plain), say(who, ink.Strong), say(after, ink.Plain), say(effect, ink.Warn)}
}

func (q *question) compensate(targets []subject, who string, reason entry) {
	var script []string
	tool := targets[0].toolName()
	for _, s := range targets {
		if f := s.finding; f != nil && f.Rule != nil && f.Rule.Compensate != nil {
			line := strings.Join(f.Rule.Compensate.Run, " ")
			if !slices.Contains(script, line) {
				script = append(script, line)
			}
		}
	}
	q.sentence("Compensate ", who, "? ", "It runs "+strings.Join(script, ", ")+" once for each extra effect.")
	q.fields = []entry{reason}
	if len(targets) > 1 {
		q.fields = append(q.fields, entry{label: "tool"})
		q.list = append(q.list, "tool: type "+tool+" to say that you mean all of them")
	}
	q.make = func(q *question) (Intent, string) {
		if len(targets) > 1 && q.text("tool") != tool {
			return nil, "type the tool's name, " + tool
		}
		return RunCompensation{keysOf(targets), nil, q.text("reason")}, q.need("reason")
	}
}

// maxPlanned bounds the effects that a question lists.
const maxPlanned = 6

// planned says what a compensation would do: count, commands and environment. For more than one effect the tool's name is typed.
func (q *question) planned(targets []subject, p *Plan, kept bool) {
	tool := targets[0].toolName()
	who := count(p.Effects, "effect", "effects") + " of " + named(targets, len(targets))
	switch {
	case kept:
		effect := "It is the effect that was kept: afterwards nothing of the intent is left. This runs once:"
		if p.Again {
			effect = "It is the effect that was kept. It was undone before and nobody knows that it ended well: this runs again:"
		}
		q.sentence("Undo what the ledger stored of ", named(targets, len(targets)), "? ", effect)
	case p.Again:
		q.sentence("Run again for ", who, "? ", "It ran before and nobody knows that it ended well: what it did then may be done twice.")
	default:
		q.sentence("Compensate ", who, "? ", "Each of these runs once:")
	}
	q.fields, q.list = q.fields[:1], nil
	for i, l := range p.Lines {
		if i == maxPlanned {
			q.list = append(q.list, "and "+count(len(p.Lines)-i, "more", "more"))
			break
		}
		q.list = append(q.list, l)
	}
	q.list = append(q.list, "environment: "+p.Env)
	if p.Left != "" {
		q.list = append(q.list, p.Left)
	}
	if p.Effects > 1 || kept {
		q.fields = append(q.fields, entry{label: "tool"})
		meant := "all of them"
		if kept {
			meant = "the one that is kept"
		}
		q.list = append(q.list, "tool: type "+tool+" to say that you mean "+meant)
	}
	q.make = func(q *question) (Intent, string) {
		if (p.Effects > 1 || kept) && q.text("tool") != tool {
			return nil, "type the tool's name, " + tool
		}
		return RunCompensation{keysOf(targets), p, q.text("reason")}, q.need("reason")
	}
}

func (q *question) ignore(s subject) {
	f := s.finding
	q.sentence("Leave an argument out of the keys of ", f.Tool, "? ", "Calls that differ only there become one; merging distinct intents deletes real work.")
	for i, p := range f.Details().Pointers {
		note := ""
		if i < len(f.Details().Looks) {
			note = "looks like " + f.Details().Looks[i]
		}
		q.choices = append(q.choices, choice{p, note})
	}
	q.make = func(q *question) (Intent, string) {
		return AddIgnore{Tool: f.Tool, Pointer: f.Details().Pointers[q.chosen]}, ""
	}
}

func commitIntent(q *question, rows []ledger.Row) (Intent, string) {
	in := MarkCommitted{Rows: rows, Reason: q.text("reason")}
	if r := strings.TrimSpace(q.text("response")); r != "" {
		if !json.Valid([]byte(r)) {
			return nil, "the response is no JSON value"
		}
		in.Response = []byte(r)
	}
	return in, q.need("reason")
}

func ackIntent(q *question, targets []subject) (Intent, string) {
	in := Acknowledge{Reason: q.text("reason")}
	for _, s := range targets {
		in.Findings = append(in.Findings, s.finding.ID)
		in.Keys = append(in.Keys, s.finding.Key)
		_, _, seen := s.finding.Acknowledgement()
		in.Seen = append(in.Seen, seen)
	}
	if t := strings.TrimSpace(q.text("expires after")); t != "" {
		d, err := time.ParseDuration(t)
		if err != nil || d <= 0 {
			return nil, "expected a time such as 2h or 30m, found " + t
		}
		in.For = d
	}
	return in, q.need("reason")
}

// keysOf gives the keys of targets, each once.
func keysOf(targets []subject) (out []string) {
	for _, s := range targets {
		if key := s.key(); !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

func (q *question) text(label string) string {
	for i := range q.fields {
		if q.fields[i].label == label {
			return strings.TrimSpace(q.fields[i].text)
		}
	}
	return ""
}

// need says which field is missing.
func (q *question) need(labels ...string) string {
	for _, l := range labels {
		if q.text(l) == "" {
			return "give a " + l
		}
	}
	return ""
}

// stops is how many things can have the focus.
func (q *question) stops() int {
	n := len(q.fields) + 1
	if len(q.choices) > 0 {
		n++
	}
	return n
}

// focus says which field has the focus, whether the choices have it, or the buttons.
func (q *question) focus() (field int, choices, buttons bool) {
	at := q.at
	if len(q.choices) > 0 {
		if at == 0 {
			return -1, true, false
		}
		at--
	}
	if at < len(q.fields) {
		return at, false, false
	}
	return -1, false, true
}

func (q *question) key(m *model, k tea.KeyMsg) tea.Cmd {
	q.wrong = ""
	field, choices, buttons := q.focus()
	switch key := k.String(); {
	case key == "esc" || key == "ctrl+c":
		return q.cancel(m)
	case choices && key == "y":
		return q.yes(m)
	case choices && (key == "down" || key == "j"):
		q.chosen = min(q.chosen+1, len(q.choices)-1)
	case choices && (key == "up" || key == "k"):
		q.chosen = max(q.chosen-1, 0)
	case key == "tab" || key == "down" || key == "enter" && !buttons:
		q.at = (q.at + 1) % q.stops()
	case key == "shift+tab" || key == "up":
		q.at = (q.at + q.stops() - 1) % q.stops()
	case buttons && (key == "enter" || key == "n" || key == "q"):
		return q.cancel(m)
	case buttons && key == "y":
		return q.yes(m)
	case field >= 0:
		q.fields[field].key(k)
	}
	return nil
}

func (q *question) cancel(m *model) tea.Cmd {
	q.end()
	m.front = nil
	return m.say(q.verb+": cancelled", ink.Faint)
}

// end stops what is still being looked up.
func (q *question) end() {
	if q.stop != nil {
		q.stop()
	}
}

// yes carries out what was asked, or says what is missing.
func (q *question) yes(m *model) tea.Cmd {
	var cmd tea.Cmd
	var in Intent
	if q.do != nil {
		cmd, q.wrong = q.do(m, q)
	} else {
		in, q.wrong = q.make(q)
	}
	if q.wrong != "" {
		return nil
	}
	q.end()
	m.front = nil
	if q.do != nil {
		return cmd
	}
	return m.act(in)
}

func (q *question) sheet(*model) int {
	return 3 + len(q.list) + len(q.fields) + len(q.choices) + q.room + 2
}

func (q *question) drawSheet(_ *model, b *ink.Block) {
	field, choices, buttons := q.focus()
	said := wrapped(q.said, b.Width()-3)
	list, below, airy := q.fit(b.Left() - len(said))
	for i := range said {
		b.To(indent)
		drawLine(b, &said[i])
	}
	for _, l := range list {
		b.To(indent).Say(l, ink.Faint).End()
	}
	if airy {
		b.End()
	}
	for i, c := range q.choices {
		if i == q.chosen {
			tone := ink.Faint
			if choices {
				tone = ink.Caret
			}
			b.To(indent).Sign(b.Glyph().Caret, tone)
		}
		b.To(indent+2).SayCell(c.name, 16, ink.Plain).Say(c.note, ink.Faint).End()
	}
	for _, l := range below {
		b.To(indent).Text(l.text, l.tone).End()
	}
	width := 0
	for _, f := range q.fields {
		width = max(width, safe.Width(safe.Line(f.label)))
	}
	for i := range q.fields {
		tone := ink.Faint
		if i == field {
			tone = ink.Hint
		}
		b.To(indent).SayCell(q.fields[i].label, width+2, tone)
		if i == field {
			q.fields[i].draw(b, nil)
		} else {
			b.Say(q.fields[i].text, ink.Plain)
		}
		b.End()
	}
	if airy {
		b.End()
	}
	tone := ink.ButtonOff
	if buttons {
		tone = ink.Button
	}
	b.To(indent).Say(" Cancel ", tone).Gap(3)
	b.Say("y", ink.Hint).Say(" "+q.verb, ink.Faint)
	b.End()
}

// fit leaves out, where there are too few lines, what is not to be answered: blank lines first, then what stands below the choices, then the
// end of the list, and says so.
func (q *question) fit(lines int) (list []string, below []span, airy bool) {
	list = q.list
	if q.below != nil {
		below = q.below(q)
	}
	spare := lines - len(q.choices) - len(q.fields) - 3
	if airy = spare >= len(list)+len(below); !airy {
		spare += 2
	}
	if cut := len(list) - max(spare, 0); cut > 0 {
		list = slices.Clone(list[:max(spare, 0)])
		if n := len(list); n > 0 {
			list[n-1] = "and " + count(cut+1, "line", "lines") + " more, for which the terminal is too low"
		}
	}
	return list, below[:min(max(spare-len(list), 0), len(below))], airy
}

func (q *question) drawFoot(_ *model, b *ink.Block) {
	_, choices, buttons := q.focus()
	b.Gap(1)
	switch {
	case q.wrong != "":
		b.Say(q.wrong, ink.Bad)
	case choices:
		b.Say("j k", ink.Hint).Say(" choose   ", ink.Faint).Say("y", ink.Hint).Say(" "+q.verb+"   ", ink.Faint)
		b.Say(b.Glyph().Enter, ink.Hint).Say(" goes on   ", ink.Faint).Say("esc", ink.Hint).Say(" cancels", ink.Faint)
	case buttons:
		b.Say("y", ink.Hint).Say(" "+q.verb+"   ", ink.Faint).Say(b.Glyph().Enter, ink.Hint).Say(" cancel   ", ink.Faint).Say("tab", ink.Hint).Say(" back to the fields", ink.Faint)
	default:
		b.Say(b.Glyph().Enter, ink.Hint).Say(" goes on   ", ink.Faint).Say("esc", ink.Hint).Say(" cancels", ink.Faint)
	}
}
