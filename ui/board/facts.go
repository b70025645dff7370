package board

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drainboard/ledger"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
)

// facts are what engine, files and ledger say of a subject: what a detail shows beyond the row itself.
type facts struct {
	of     subject
	calls  []triage.CallView
	total  int
	err    error
	args   []argument // of the first call, and of the first that differs from it in a finding about differing calls
	result []reply    // one for each payload, in order of appearance
	row    ledger.Row
	hasRow bool
	rowErr error
	stored *document // the row's response
	asked  *document // the row's request, when there is no call

	acts    []Entry // what operators did to the key, newest first; on a page of its own only
	actsErr error
}

// argument are the arguments of call number call.
type argument struct {
	call int
	doc  *document
}

// reply is a payload: the result of call number call that brought it first.
type reply struct {
	call, number int // number: triage.ResultView.Same
	status       string
	doc          *document
}

// Limits of what a detail reads.
const (
	detailCalls   = 200
	detailReplies = 6
)

// read asks for everything; it may take long and runs in a command.
func read(ctx context.Context, e Engine, s subject, copies bool) *facts {
	f := &facts{of: s}
	q := intake.Query{Finding: s.finding, Copies: copies, Limit: detailCalls}
	switch {
	case s.finding != nil:
	case s.run != nil:
		q.Run, q.Limit = s.run.Run, 40
	case s.tool != nil:
		q.Tool, q.Limit = s.tool.Tool, 40
	case s.key() != "":
		q.Key = s.key()
	case s.call != nil:
		f.calls, f.total = []triage.CallView{*s.call}, 1
	default:
		return f
	}
	if s.call == nil || s.key() != "" {
		f.calls, f.total, f.err = e.Calls(ctx, q)
	}
	if s.run != nil || s.tool != nil {
		return f
	}
	f.readArgs(ctx, e)
	f.readReplies(ctx, e)
	f.readRow(ctx, e)
	return f
}

func (f *facts) readArgs(ctx context.Context, e Engine) {
	for i := range f.calls {
		c := &f.calls[i]
		if len(f.args) == 1 && (c.Key == f.calls[0].Key && c.Run == f.calls[0].Run || !f.differing()) {
			continue
		}
		raw, err := e.Args(ctx, c.Pos)
		f.args = append(f.args, argument{i, newDocument(raw, gone(err))})
		if len(f.args) == 2 {
			return
		}
	}
}

// differing says that the subject is about calls whose arguments or runs differ.
func (f *facts) differing() bool {
	if f.of.finding == nil {
		return false
	}
	switch f.of.finding.Kind {
	case triage.Drift, triage.KeyConflict, triage.CrossRun:
		return true
	}
	return false
}

func (f *facts) readReplies(ctx context.Context, e Engine) {
	seen := map[int]bool{}
	for i := range f.calls {
		for _, r := range f.calls[i].Results {
			if r.Same == 0 || seen[r.Same] || len(f.result) >= detailReplies {
				continue
			}
			seen[r.Same] = true
			raw, err := e.Payload(ctx, r.Pos)
			f.result = append(f.result, reply{i, r.Same, r.Status, newDocument(raw, gone(err))})
		}
	}
}

func (f *facts) readRow(ctx context.Context, e Engine) {
	key := f.of.key()
	if key == "" && f.of.finding != nil && len(f.of.finding.Details().Recorded) > 0 {
		key = f.of.finding.Details().Recorded[0]
	}
	if key == "" {
		return
	}
	if e.Snapshot().Verdict.TracesOnly { // there is no ledger: the header says so
		return
	}
	f.row, f.hasRow, f.rowErr = e.Row(ctx, key)
	if f.hasRow && f.row.HasResponse {
		f.stored = newDocument(unseen(e, f.row.Response), nil)
	}
	if f.hasRow && len(f.calls) == 0 {
		f.asked = newDocument(unseen(e, f.row.Request), nil)
	}
}

// answered says whether a result of a status is the outcome of a call rather than an error.
func answered(status string) bool { return status == "ok" || status == "replayed" }

// kept is the position of the first payload that is no error: what others are compared with. -1: there is none.
func (f *facts) kept() int {
	for i := range f.result {
		if answered(f.result[i].status) && f.result[i].doc.err == nil {
			return i
		}
	}
	return -1
}

// reply finds the payload with a number.
func (f *facts) reply(number int) *reply {
	for i := range f.result {
		if f.result[i].number == number {
			return &f.result[i]
		}
	}
	return nil
}

// gone says in the detail's words that bytes could not be read again.
func gone(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("cannot be read again: %w", err)
}

// argNames are the names of the arguments that were read, those of the first call first.
func (f *facts) argNames() (out []string) {
	if f == nil {
		return nil
	}
	for _, a := range f.args {
		if a.doc == nil || a.doc.err != nil {
			continue
		}
		for name := range a.doc.args.Root().Members() {
			if text := name.Text(); !slices.Contains(out, text) && !strings.ContainsAny(text, ":=<> ") {
				out = append(out, text)
			}
		}
	}
	return out
}
