package board

import (
	"strconv"
	"strings"

	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/ui/board/ink"
	"drainboard/ui/safe"
)

// span is a stretch of text with one meaning.
type span struct {
	text safe.Text
	tone ink.Tone
}

// say makes a span of any text.
func say(text string, tone ink.Tone) span { return span{safe.Line(text), tone} }

// prose is what a finding means and what to do about it.
type prose struct {
	what   []span // sentences
	advice []span // what to do; empty when there is nothing to do. A Hint names an action, whose key is to stand there
}

// prosaic says what a finding means (PRODUCT.md "cause", "outcome", "advice").
func prosaic(f *triage.Finding, now int64) prose {
	switch f.Kind {
	case triage.Duplicate:
		return duplicateProse(f)
	case triage.Hung, triage.InFlight:
		return flightProse(f.Details().Owner, ageOf(f, now), f.Details().Timeout, f.Kind == triage.Hung, f.Rule)
	}
	c, ok := proseOf[f.Kind]
	if !ok {
		return prose{what: []span{say(f.Why, ink.Plain)}}
	}
	what, bold, do := c.what, c.bold, c.do
	if c.fill != nil {
		what = strings.NewReplacer(c.fill(f)...).Replace(what)
		bold = strings.NewReplacer(c.fill(f)...).Replace(bold)
		do = strings.NewReplacer(c.fill(f)...).Replace(do)
	}
	p := prose{what: []span{say(what+" ", ink.Plain), say(bold, c.tone)}}
	if f.Kind == triage.Unmatched {
		p.what = unmatchedWhat(f)
	}
	if do != "" {
		p.advice = []span{say(do, ink.Plain)}
		if c.key != "" {
			p.advice = append([]span{say(c.key, ink.Hint), say(" ", ink.Plain)}, p.advice...)
		}
	}
	return p
}

// kindProse is the text of a kind of finding: what is the case, in bold what that means, and what to do. Words in braces are
// filled in.
type kindProse struct {
	what, bold string
	tone       ink.Tone
	key, do    string // key: the action whose key stands before do; "": none
	fill       func(*triage.Finding) []string
}

var proseOf = map[triage.Kind]kindProse{
	triage.LateReply: {
		what: "A worker whose claim was gone answered after all.", bold: "It was sent twice.", tone: ink.BadBold,
		key: "ack", do: "acknowledge it once the extra effect is dealt with",
	},
	triage.Overwritten: {
		what: "The row is not what drainboard wrote last:", bold: "another writer replaced it.", tone: ink.BadBold,
		key: "ack", do: "acknowledge it after comparing both images",
	},
	triage.Compensation: {
		what: "A compensation was started and no end is on record:", bold: "its outcome is unknown.", tone: ink.BadBold,
		key: "compensate", do: "run it again only when the provider shows that it did not work",
	},
	triage.Unmatched: {do: "find what the call did, then settle its row or acknowledge it", key: "ack"},
	triage.FailedButDone: {
		what: "The ledger says failed, the trace holds an ok result:", bold: "the next retry would send again.", tone: ink.BadBold,
		key: "committed", do: "mark committed, with the payload that the trace holds",
	},
	triage.OtherResponse: {
		what: "The ledger's stored response is none of the ok results in the trace:", bold: "one of them is an effect that nobody keeps.", tone: ink.BadBold,
		do: "compare the results below with the stored one, then undo the one that is not kept",
	},
	triage.KeyConflict: {
		what: "One key names {n} different calls:", bold: "the second one would get the first one's answer.", tone: ink.BadBold,
		do: "put what tells them apart into the key", fill: func(f *triage.Finding) []string {
			return []string{"{n}", strconv.Itoa(max(f.Calls, len(f.Details().Keys), len(f.Details().Tools), 2))}
		},
	},
	triage.Runaway: {
		what: "{n} calls in a row{same}:", bold: "a loop.", tone: ink.BadBold,
		do: "stop the run, or tell the table that the tool polls", fill: func(f *triage.Finding) []string {
			same := ", same arguments, same result"
			if f.Why == "errors" {
				same = ", all of them failed"
			}
			return []string{"{n}", ink.Thousands(f.Calls), "{same}", same}
		},
	},
	triage.SettledInTrace: {
		what: "In flight in the ledger, answered in the trace:", bold: "only the commit is missing.", tone: ink.Strong,
		key: "committed", do: "mark committed, with the payload that the trace holds",
	},
	triage.LostResult: {
		what: "Committed in the ledger, never answered in the trace:", bold: "the answer was lost on its way back.", tone: ink.Strong,
		do: "return the stored response, never send again",
	},
	triage.TemporalKey: {
		what: "One intent, {n} recorded keys:", bold: "the handler's key depends on when it is made.", tone: ink.BadBold,
		do: "derive the key from run, tool and arguments only", fill: func(f *triage.Finding) []string {
			return []string{"{n}", strconv.Itoa(len(f.Details().Recorded))}
		},
	},
	triage.Drift: {
		what: "{n} calls differ only at {at}:", bold: "without that they would share one key.", tone: ink.Strong,
		key: "ignore rule", do: "leave {pointers} out of the key, after a preview", fill: func(f *triage.Finding) []string {
			at := strings.Join(f.Details().Pointers, ", ")
			if looks := strings.Join(f.Details().Looks, ", "); looks != "" && len(f.Details().Pointers) == 1 {
				at += " (" + looks + ")"
			}
			return []string{"{n}", ink.Thousands(f.Calls), "{at}", at, "{pointers}", strings.Join(f.Details().Pointers, ", ")}
		},
	},
	triage.CrossRun: {
		what: "The same call in {n} runs:", bold: "keys with the run in them cannot see that.", tone: ink.Strong,
		do: "give the tool scope: forever if it must happen once and for all", fill: func(f *triage.Finding) []string {
			return []string{"{n}", strconv.Itoa(len(f.Details().Runs))}
		},
	},
	triage.NewWhileDraining: {
		what: "This run began on the draining side after the drain began:", bold: "it should only resume.", tone: ink.Strong,
		do: "start new work on the other side",
	},
	triage.AfterEnd: {
		what: "A call after its run had ended:", bold: "something resumed it.", tone: ink.Strong,
		do: "see who resumed the run, and whether its work was done already",
	},
	triage.OpenCall: {
		what: "A call without a result:", bold: "it may be running, or lost.", tone: ink.Strong,
		do: "wait for its timeout, then look at the provider",
	},
	triage.OverBudget: {
		what: "{n} calls:", bold: "over the ceiling of its run.", tone: ink.Strong,
		do: "see what repeats in the run, or raise budget.runs in the table", fill: func(f *triage.Finding) []string {
			return []string{"{n}", ink.Thousands(f.Calls)}
		},
	},
	triage.UnclassifiedTool: {
		what: "{n} of a tool in no class:", bold: "everything that sends refuses it.", tone: ink.Strong,
		key: "classify", do: "classify it{looks}", fill: func(f *triage.Finding) []string {
			looks := ""
			if s := suggestion(f.Tool); s != "" {
				looks = "; its name looks like " + s
			}
			return []string{"{n}", count(f.Calls, "call", "calls"), "{looks}", looks}
		},
	},
	triage.OrphanResult: {
		what: "A result that belongs to no call:", bold: "its call is in no trace that was read.", tone: ink.Strong,
		do: "name the trace that holds the call, or --since to leave it out",
	},
}

func unmatchedWhat(f *triage.Finding) []span {
	switch f.Why {
	case "no ledger row":
		return []span{say("No row of the ledger meets this key: ", ink.Plain), say("the call went around the envelope.", ink.BadBold)}
	case "no key":
		return []span{say("The call has no key, computed or recorded: ", ink.Plain), say("nothing can keep it from happening twice.", ink.BadBold)}
	case "only on this side":
		side := f.Side
		if side == "" {
			side = "one side"
		}
		return []span{say("Only "+side+" did this: ", ink.Plain), say("the other side has no such call.", ink.BadBold)}
	}
	return []span{say("Unmatched: "+f.Why, ink.BadBold)}
}

func duplicateProse(f *triage.Finding) prose {
	var p prose
	p.what = append(causeSpans(f), say(" ", ink.Plain))
	situation := table.OnRetry
	switch f.Outcome {
	case triage.OutcomeExtra:
		situation = table.OnExtra
		if f.Class == table.Pure {
			p.what = append(p.what, say("The results differ, as those of reads may.", ink.Plain))
		} else {
			p.what = append(p.what, say(number(max(f.Results, 2))+" results differ: ", ink.Plain), say("confirmed extra write", ink.BadBold), say(".", ink.Plain))
		}
	case triage.OutcomeAmbiguous:
		situation = table.OnTimeout
		p.what = append(p.what, say("One attempt failed without a definite answer: ", ink.Plain), say("a second effect is possible", ink.BadBold), say(".", ink.Plain))
	case triage.OutcomeOpen:
		situation = table.OnTimeout
		p.what = append(p.what, say("One attempt has ", ink.Plain), say("no result yet", ink.WarnBold), say(".", ink.Plain))
	case triage.OutcomeSame:
		p.what = append(p.what, say("The results are equal: ", ink.Plain), say("one object perhaps, but nothing vouches for it", ink.Strong), say(".", ink.Plain))
	case triage.OutcomeReplayed:
		p.what = append(p.what, say("The guard absorbed it", ink.Good), say(": one effect.", ink.Plain))
	case triage.OutcomeRetried:
		p.what = append(p.what, say("The failures were definite: ", ink.Plain), say("an honest retry", ink.Good), say(".", ink.Plain))
	default:
		p.what = append(p.what, say("This trace records no results: ", ink.Plain), say("the effects cannot be counted", ink.WarnBold), say(".", ink.Plain))
	}
	if f.Overlap {
		p.what = append(p.what, say(" Two attempts ran at the same time.", ink.Warn))
	}
	if f.Rule == nil {
		return p
	}
	p.advice = []span{say(table.Advice(f.Rule, situation), ink.Plain)}
	if f.Class == table.Unclassified {
		p.advice = append(p.advice, say("  ", ink.Plain), say("classify", ink.Hint))
	}
	undoes := situation == table.OnExtra || situation == table.OnTimeout && f.Class == table.Compensate
	if u := f.Rule.Compensate; u != nil && len(u.Run) > 0 && undoes {
		if situation == table.OnTimeout {
			p.advice = append(p.advice, say("; look at the provider, then", ink.Plain))
		}
		p.advice = append(p.advice, say("  ", ink.Plain), say("compensate", ink.Hint), say(" "+strings.Join(u.Run, " "), ink.Faint))
	}
	return p
}

// number writes small counts as words at the start of a sentence.
func number(n int) string {
	if n < 10 {
		return [...]string{"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"}[max(n, 0)]
	}
	return ink.Thousands(n)
}

func causeSpans(f *triage.Finding) []span {
	switch f.Cause {
	case triage.CauseHandler:
		what := "One call id was sent " + times(f.Calls) + ": "
		if f.Calls < 2 {
			what = "One call id was answered " + times(1+f.Doubles) + ": "
		}
		return []span{say(what, ink.Plain), say("the repeat is in the handler.", ink.Strong)}
	case triage.CauseModel:
		return []span{say(number(f.Calls)+" call ids ask for the same: ", ink.Plain), say("the repeat is in the model's output.", ink.Strong)}
	case triage.CauseMixed:
		return []span{say("Several call ids, and one of them was sent again: ", ink.Plain), say("the repeat is in the model's output and in the handler.", ink.Strong)}
	}
	return []span{say("A call has no id: ", ink.Plain), say("model or handler, this trace cannot tell.", ink.Strong)}
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return ink.Thousands(n) + " times"
}

// flightProse is about a row in flight.
func flightProse(owner string, age, limit float64, hung bool, rule *table.Rule) prose {
	var p prose
	text := "In flight for " + lasting(age)
	if limit > 0 {
		text += ", timeout " + timeout(limit)
	}
	p.what = []span{say(text+". ", ink.Plain)}
	gone := strings.HasSuffix(owner, "(gone)")
	switch {
	case gone:
		p.what = append(p.what, say("Its worker ("+strings.TrimSuffix(owner, " (gone)")+") is gone: ", ink.Plain), say("the outcome is unknown.", ink.BadBold))
	case hung && owner == "":
		p.what = append(p.what, say("No claim says whose it is: ", ink.Plain), say("the outcome is unknown.", ink.BadBold))
	case hung:
		p.what = append(p.what, say("Its worker ("+owner+") has not answered: ", ink.Plain), say("the outcome is unknown.", ink.BadBold))
	default:
		p.what = append(p.what, say("It may still come back.", ink.Strong))
	}
	if !hung && !gone {
		p.advice = []span{say("wait", ink.Plain)}
		return p
	}
	do := "do not retry. Look at the provider, then "
	if rule != nil && rule.Class != table.Unclassified {
		do = table.Advice(rule, table.OnTimeout) + ". Look at the provider, then "
	}
	p.advice = []span{say(do, ink.Plain), say("committed", ink.Hint), say(" mark committed, or ", ink.Plain), say("failed", ink.Hint), say(" mark failed", ink.Plain)}
	if rule != nil && rule.Compensate != nil && len(rule.Compensate.Run) > 0 {
		p.advice = append(p.advice, say(", or ", ink.Plain), say("compensate", ink.Hint), say(" compensate ", ink.Plain), say(strings.Join(rule.Compensate.Run, " "), ink.Faint))
	}
	return p
}

// rowProse is about a row of the ledger.
func rowProse(v *triage.RowView, now int64, rule *table.Rule) prose {
	switch ledger.State(v.State) {
	case ledger.InFlight:
		return flightProse(v.Owner, max(float64(now)/1e9-v.Updated, 0), v.Timeout, v.Hung, rule)
	case ledger.Committed:
		if !v.HasResponse {
			return prose{what: []span{say("Committed without a response: ", ink.Plain), say("a replay would answer null.", ink.WarnBold)}}
		}
		return prose{what: []span{say("Committed: ", ink.Plain), say("a repeat gets the stored response, nothing is sent.", ink.Good)}}
	case ledger.Failed:
		return prose{what: []span{say("Failed, as its writer says: ", ink.Plain), say("the next call of this key is sent again.", ink.WarnBold)}}
	}
	return prose{what: []span{say("A state that drainboard does not know: ", ink.Plain), say(v.State, ink.WarnBold)}}
}
