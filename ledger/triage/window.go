package triage

import (
	"math"
	"time"

	"drainboard/trace"
)

// Window is the drain window (PRODUCT.md "verdict"): it is through when nothing has blocked for Need without a break. It is pure: whoever
// looks says when. What it knows is a WindowState, which outlives the process that looked.
type Window struct {
	Need  time.Duration
	State WindowState
}

// WindowState is what was seen of the blockers, in nanoseconds since 1970 UTC; trace.NoTime where something was never seen.
type WindowState struct {
	Since int64 // from when on nothing blocked; trace.NoTime while something does
	Broke int64 // when something blocked for the last time
	Seen  int64 // when it was looked for the last time
}

// Unwatched is the state of a window that nobody has looked at.
func Unwatched() WindowState { return WindowState{trace.NoTime, trace.NoTime, trace.NoTime} }

// WindowView is how a window stands at one moment.
type WindowView struct {
	Need    time.Duration
	Since   int64 // from when on nothing blocks; trace.NoTime while something does
	Until   int64 // when it is through unless something blocks before; trace.NoTime while something does
	Through bool
}

// Left is what is left of the window at a time; Need while something blocks.
func (v *WindowView) Left(now int64) time.Duration {
	if v.Until == trace.NoTime {
		return v.Need
	}
	return time.Duration(max(0, v.Until-now))
}

// Observe takes in one look: whether something blocks now, and when something blocked for the last time as far as the ledger tells, which knows of
// rows that came and went between two looks. A window that began after now was timed by another clock and begins anew.
func (w *Window) Observe(now int64, blocked bool, broke int64) {
	s := &w.State
	if now < s.Since {
		s.Since = trace.NoTime
	}
	s.Seen = now
	if blocked {
		s.Since, s.Broke = trace.NoTime, now
		return
	}
	if s.Since == trace.NoTime {
		s.Since = now
	}
	if broke = min(broke, now); broke > s.Since {
		s.Since, s.Broke = broke, broke
	}
}

// View says how the window stands.
func (w *Window) View(now int64) *WindowView {
	v := &WindowView{Need: w.Need, Since: w.State.Since, Until: trace.NoTime}
	if v.Since != trace.NoTime {
		v.Until = v.Since + int64(w.Need)
		v.Through = now >= v.Until
	}
	return v
}

// Merge joins what two processes saw of one window: a break that either saw counts.
func (s WindowState) Merge(o WindowState) WindowState {
	out := WindowState{Since: max(s.Since, o.Since), Broke: max(s.Broke, o.Broke), Seen: max(s.Seen, o.Seen)}
	if out.Since < out.Broke {
		out.Since = trace.NoTime
	}
	return out
}

// Apply puts a window on a snapshot: while it is not through, the verdict is NO-GO although nothing blocks.
func (s *Snapshot) Apply(v *WindowView) {
	s.Window = v
	s.Verdict.Waiting = s.Verdict.Go && !v.Through
	s.Verdict.Go = s.Verdict.Go && v.Through
}

// LastBlocked is the latest time, not before floor, at which the ledger shows that something blocked the drain: a row that the draining side or no
// side called was in flight until it was settled, and what an operator settled had blocked until then. trace.NoTime: it shows none. Its cost
// grows with the rows that were settled after floor.
func (s *Snapshot) LastBlocked(floor int64) int64 {
	last := trace.NoTime
	if s.Acted >= floor {
		last = s.Acted
	}
	for _, state := range [...]string{"", "failed", "committed"} {
		from := s.Rows.Search(&RowView{State: state, Updated: math.Inf(1)})
		for i := from; ; i++ {
			r, ok := s.Rows.At(i)
			if !ok || stateRank(r.State) != stateRank(state) {
				break
			}
			at := nanos(r.Updated)
			if at == trace.NoTime {
				continue
			}
			if at < floor || at <= last {
				break
			}
			if r.Drains {
				last = at
				break
			}
		}
	}
	return last
}
