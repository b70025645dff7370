package board

import (
	"time"

	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

// pane is a list whatever its rows are.
type pane interface {
	update(*triage.Snapshot, time.Time) func() jobDone
	take(jobDone, time.Time) func() jobDone
	restate(time.Time) func() jobDone
	retry(time.Time) func() jobDone
	draw(*ink.Block, look)
	pick()
	about() subject
	each(func(string, subject)) bool
	shown() int
	busy() bool // rows that were asked for are not there yet
	values(name string, rest *filter.Filter, now int64) map[string]int
	pos() *grid
	options() *listState
	orders() []string
	subject() filter.Subject
}

// subject is what a row, a page or an action is about: one of these is set.
type subject struct {
	finding *triage.Finding
	row     *triage.RowView
	run     *triage.RunView
	tool    *triage.ToolView
	call    *triage.CallView
	item    *drainItem
	entry   *Entry
}

// none says that the subject is about nothing.
func (s subject) none() bool { return s == subject{} }

// key is the key that the subject is about, or "".
func (s subject) key() string {
	switch {
	case s.finding != nil:
		return s.finding.Key
	case s.row != nil:
		return s.row.Key
	case s.call != nil:
		return s.call.Key
	case s.entry != nil:
		return s.entry.Key
	}
	return ""
}

// toolName is the tool that the subject is about, or "".
func (s subject) toolName() string {
	switch {
	case s.finding != nil:
		return s.finding.Tool
	case s.row != nil:
		return s.row.Tool
	case s.tool != nil:
		return s.tool.Tool
	case s.call != nil:
		return s.call.Tool
	case s.entry != nil:
		return s.entry.Tool
	}
	return ""
}
