package intake

import (
	"time"

	"drainboard/ledger/triage"
	"drainboard/trace"
)

// watched is the drain window of an engine.
type watched struct {
	triage.Window
	keep func(triage.WindowState) // may be nil
	kept triage.WindowState       // that keep was told last
	late time.Duration            // how long after its end a window is through: until what is waited for has had its time
}

// watch begins to watch the window that was chosen, or returns nil.
func watch(c *Config) *watched {
	if c.Window <= 0 {
		return nil
	}
	state := c.Watched
	if state == (triage.WindowState{}) {
		state = triage.Unwatched()
	}
	w := &watched{Window: triage.Window{Need: c.Window, State: state}, keep: c.KeepWindow}
	if c.Follow && c.Ledger != nil {
		w.late = 2 * inGoodTime
	}
	return w
}

const (
	// overlook is how far back the ledger is asked, beyond the look before, what was in flight: a row that waits for the call that says whose it is has
	// had its time by then.
	overlook = 4 * inGoodTime
	// heartbeat is how old what was kept may be.
	heartbeat = 5 * time.Second
)

// look takes one snapshot in and puts the window on it. While sources are still being read nobody knows whether something blocks.
func (w *watched) look(s *triage.Snapshot, loading bool) {
	if !loading {
		floor := s.Now - int64(w.Need)
		if seen := w.State.Seen; seen != trace.NoTime {
			floor = max(floor, seen-int64(overlook))
		}
		w.Observe(s.Now, !s.Verdict.Go, s.LastBlocked(floor))
		w.save()
	}
	s.Apply(w.view(s.Now))
}

// view says how the window stands: through only when what came at its last second has had its time.
func (w *watched) view(now int64) *triage.WindowView {
	v := w.View(now)
	v.Through = v.Through && now-v.Until >= int64(w.late)
	return v
}

// save tells keep what changed, and now and then that somebody still looks.
func (w *watched) save() {
	s := w.State
	if w.keep == nil || s.Since == w.kept.Since && s.Broke == w.kept.Broke && s.Seen-w.kept.Seen < int64(heartbeat) {
		return
	}
	// While something blocks, every look moves Broke: that alone is told at the heartbeat's pace.
	if s.Since == trace.NoTime && w.kept.Since == trace.NoTime && w.kept.Seen != 0 && s.Seen-w.kept.Seen < int64(heartbeat) {
		return
	}
	w.kept = s
	w.keep(s)
}

// due says whether a snapshot is to be made although nothing came: the window runs out, or somebody has to be told that it is still watched.
// It may be called on nil.
func (w *watched) due(now int64) bool {
	if w == nil {
		return false
	}
	if w.State.Seen == trace.NoTime {
		return false
	}
	v := w.view(now)
	return v.Through && w.State.Seen < v.Until+int64(w.late) || now-w.State.Seen >= int64(heartbeat)
}
