package command

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"drainboard/keys/table"
	"drainboard/ledger"
)

// TestOddTimes prints rows whose times are no times: any number may stand in the column.
func TestOddTimes(t *testing.T) {
	for _, c := range []struct {
		at  float64
		age float64
	}{{math.Inf(1), 0}, {math.Inf(-1), 0}, {1e300, 0}, {-1e300, 0}, {math.NaN(), 0}, {float64(testNow.Unix()) - 90, 90}} {
		a := &app{env: &newWorld(t).Env, opts: newOptions()}
		line := a.lineOfRow(table.Default(), ledger.Row{Key: "k", Tool: "t", Request: "{}", State: ledger.InFlight, Created: c.at, Updated: c.at})
		if line.Age != c.age || line.Hung != (c.age > 0) || strings.HasPrefix(line.Updated, "2026-") != (c.age > 0) {
			t.Errorf("at %g: %+v, want the age %g", c.at, line, c.age)
		}
		if _, err := json.Marshal(line); err != nil {
			t.Errorf("at %g: %v", c.at, err)
		}
	}
}
