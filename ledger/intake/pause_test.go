package intake

import (
	"testing"
	"time"
)

// TestPauseSettles has snapshots whose cost grows with what came since the one before: the board must not fall further and further behind.
func TestPauseSettles(t *testing.T) {
	for _, c := range []struct {
		name        string
		rate        int           // calls a second
		fixed, each time.Duration // cost of a snapshot, and of each call since the one before
		behind      time.Duration // at most so long between two snapshots in the end
		share       int           // of the owner's time, at most so much for snapshots
	}{
		{"quiet", 100, 200 * time.Microsecond, 4 * time.Microsecond, 60 * time.Millisecond, 2},
		{"busy", 5_000, 200 * time.Microsecond, 4 * time.Microsecond, 60 * time.Millisecond, 10},
		{"flood", 50_000, time.Millisecond, 4 * time.Microsecond, 100 * time.Millisecond, 25},
		{"flood on a slow machine", 50_000, 10 * time.Millisecond, 6 * time.Microsecond, 400 * time.Millisecond, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			between, took := time.Duration(0), c.fixed
			for range 100 {
				between = pause(took, false) + took
				took = c.fixed + time.Duration(float64(c.each)*between.Seconds()*float64(c.rate))
			}
			if between > c.behind {
				t.Errorf("%v between two snapshots in the end, want at most %v", between, c.behind)
			}
			if share := int(100 * took / between); share > c.share {
				t.Errorf("%d %% of the time goes into snapshots, want at most %d", share, c.share)
			}
		})
	}
	if got := pause(100*time.Millisecond, true); got != 2*time.Second {
		t.Errorf("while loading, a snapshot of 100 ms is followed by a pause of %v, want 2s", got)
	}
}
