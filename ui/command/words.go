package command

import (
	"fmt"
	"strings"

	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// description is a finding in the columns of a list.
type description struct{ what, key, calls, words string }

// describe says in few words what a finding is.
func describe(f *triage.Finding, now int64) description {
	d := description{what: f.Kind.String(), key: prefix(f.Key)}
	if f.Calls > 0 {
		d.calls = thousands(f.Calls)
	}
	switch f.Kind {
	case triage.Duplicate:
		if f.Doubles > 0 {
			d.calls = fmt.Sprintf("%d→%d", f.Calls, f.Calls+f.Doubles)
		}
		d.words = string(f.Cause) + ", " + string(f.Outcome)
		if f.Overlap {
			d.words += ", at once"
		}
		if f.Undone > 0 {
			d.words += fmt.Sprintf(", %d of %d undone", f.Undone, f.Extras)
		}
	case triage.Drift:
		d.key = strings.Join(f.Details().Pointers, " ")
		d.words = strings.Join(f.Details().Looks, ", ")
	case triage.TemporalKey:
		d.words = plural(len(f.Details().Recorded), "recorded key", "recorded keys")
	case triage.KeyConflict:
		d.key = prefix(strings.Join(f.Details().Recorded, " "))
		d.words = fmt.Sprintf("one key, %d intents", len(f.Details().Keys))
	case triage.CrossRun:
		d.words = "runs " + strings.Join(f.Details().Runs, " ")
	case triage.Hung, triage.InFlight:
		d.words = fmt.Sprintf("%s of %s", ageText(ageOf(f, now)), ageText(f.Details().Timeout))
		if f.Details().Owner != "" {
			d.words += ", " + f.Details().Owner
		}
		if doubted(f) {
			d.words = "in doubt, " + d.words
		}
	case triage.OrphanResult:
		d.words = "answers no call: " + f.CallID
	case triage.FailedButDone:
		d.words = "row failed, trace ok"
	case triage.OtherResponse:
		d.words = "stored answer differs"
	case triage.SettledInTrace:
		d.words = "row in flight, trace ok"
	case triage.LostResult:
		d.words = "committed, never answered"
	case triage.OpenCall:
		d.words = "no result"
	case triage.AfterEnd:
		d.words = "its run had ended"
	case triage.NewWhileDraining:
		d.words = "began on " + f.Side
	case triage.UnclassifiedTool:
		d.words = "in no class"
	default:
		d.words = f.Why
	}
	return d
}

// prefix is how keys are shown in lists; a key that a handler made up is shown whole.
func prefix(key string) string {
	if len(key) == 64 || len(key) == 16 {
		return key[:12]
	}
	return key
}

// ageOf is how long ago, in seconds, the row of a finding in flight was written.
func ageOf(f *triage.Finding, now int64) float64 {
	if f.Started == trace.NoTime {
		return 0
	}
	return float64(now-f.Started) / 1e9
}

// step is one sentence of what to do next. Findings with one kind of step share a line.
type step struct {
	kind, name, words string
	more              int
}

// nextStep says what to do about a finding; ok is false when there is nothing to do.
func nextStep(f *triage.Finding, now int64) (s step, ok bool) {
	s = step{kind: f.Kind.String(), name: strings.TrimSpace(f.Tool + " " + prefix(f.Key))}
	switch f.Kind {
	case triage.Duplicate:
		if f.Extras > 0 && f.Undone == f.Extras {
			return s, false
		}
		s.kind += string(f.Outcome) + f.Class.String()
		s.words = causeWords(f) + " " + outcomeWords(f)
	case triage.LateReply:
		s.words = "A reply came after its claim was gone: compare it with what the row holds."
	case triage.Overwritten:
		s.words = "A writer without a claim replaced a settled row: look at both images."
	case triage.Compensation:
		s.words = "A compensation did not end well: look at what it did before it is run again."
	case triage.Unmatched:
		s.kind += f.Why
		s.words = unmatchedWords(f.Why)
	case triage.FailedButDone:
		s.words = "The row says failed, the trace shows that it was done: the next retry would do it again."
	case triage.OtherResponse:
		s.words = "The ledger stored another answer than the trace shows: find out which object is real."
	case triage.KeyConflict:
		s.name = strings.Join(f.Details().Tools, ", ") + " " + prefix(strings.Join(f.Details().Recorded, " "))
		s.words = "One key stands for different requests: one of them gets the other's answer."
	case triage.Runaway:
		s.kind += f.Why
		s.name = strings.TrimSpace(f.Run + " " + f.Tool)
		s.words = fmt.Sprintf("Stop the run: %d calls in a row with one outcome.", f.Calls)
		if f.Why == "errors" {
			s.words = fmt.Sprintf("Stop the run: %d failures in a row.", f.Calls)
		}
	case triage.Hung:
		s.words = fmt.Sprintf("In flight for %s with a timeout of %s: look at the effect itself, then settle the row.", ageText(ageOf(f, now)), ageText(f.Details().Timeout))
	case triage.InFlight:
		s.words = "In flight: wait until it is committed or failed; do not kill its process."
		if doubted(f) {
			s.kind += "gone"
			s.words = "In doubt: the process that held it is gone and will not settle the row: look at the effect itself, then settle it."
		}
	case triage.SettledInTrace:
		s.words = "The trace holds the answer that the row in flight waits for: commit that payload."
	case triage.LostResult:
		s.words = "Committed, but the agent was never answered: give it the stored response, do not send again."
	case triage.TemporalKey:
		s.words = fmt.Sprintf("One intent, %d recorded keys: the key is a function of when. Make it one of what.", len(f.Details().Recorded))
	case triage.Drift:
		s.name = f.Tool
		s.words = fmt.Sprintf("The calls differ in %s only: compare two with `drainboard keys explain`.", strings.Join(f.Details().Pointers, ", "))
	case triage.CrossRun:
		s.name = f.Tool
		s.words = "The same request in several runs: a key that holds the run cannot see it. Was the run id rotated?"
	case triage.NewWhileDraining:
		s.name = f.Run
		s.words = fmt.Sprintf("Started on side %s after the drain began: send new runs to the other side.", f.Side)
	case triage.AfterEnd:
		s.name = strings.TrimSpace(f.Run + " " + f.Tool)
		s.words = "It called after its run had ended."
	case triage.OpenCall:
		s.words = "Asked for, and never answered: look at the effect before anybody sends again."
	case triage.OverBudget:
		s.name = f.Run
		s.words = fmt.Sprintf("%s: above the run's ceiling.", plural(f.Calls, "call", "calls"))
	case triage.UnclassifiedTool:
		s.name = f.Tool
		s.words = fmt.Sprintf("In no class: drainboard tools set %s pure|keyed|compensate", f.Tool)
	default:
		return s, false
	}
	return s, true
}

func unmatchedWords(why string) string {
	switch why {
	case "no key":
		return "Nothing says what it was called with, and no key was recorded: no ledger can guard it."
	case "only on this side":
		return "Only one side did it, although both were given the same work."
	default:
		return "It has no row in the ledger: it went around the envelope."
	}
}

// causeWords answers: is the repeat in the model's output or in the handler?
func causeWords(f *triage.Finding) string {
	switch {
	case f.Cause == triage.CauseHandler && f.Calls == 1:
		return "One call id was answered twice: the repeat is in the handler."
	case f.Cause == triage.CauseHandler:
		return "One call id was sent more than once: the repeat is in the handler."
	case f.Cause == triage.CauseModel:
		return fmt.Sprintf("The model asked %d times.", f.Calls)
	case f.Cause == triage.CauseMixed:
		return "The model asked more than once, and the handler sent one call more than once."
	default:
		return "Without call ids nobody can say whether the model or the handler repeated it."
	}
}

// outcomeWords says what the world probably looks like, and what the decision table says about that.
func outcomeWords(f *triage.Finding) string {
	switch f.Outcome {
	case triage.OutcomeExtra:
		return "Results differ, a second effect is confirmed: " + advice(f, table.OnExtra) + "."
	case triage.OutcomeAmbiguous:
		return "A timeout is no failure, it may have been done twice: " + advice(f, table.OnTimeout) + "."
	case triage.OutcomeSame:
		return "Equal answers, from one effect or two: " + advice(f, table.OnRetry) + "."
	case triage.OutcomeOpen:
		return "One call has no answer: " + advice(f, table.OnTimeout) + "."
	case triage.OutcomeUnknown:
		return "The trace records no results: " + advice(f, table.OnRetry) + "."
	case triage.OutcomeReplayed:
		return "The guard absorbed it."
	default:
		return "It failed for certain before it went through."
	}
}

// doubted says of a row in flight that the process which held it is gone.
func doubted(f *triage.Finding) bool { return strings.HasSuffix(f.Details().Owner, "(gone)") }
