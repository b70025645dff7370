package board

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"drainboard/ledger/triage"
	"drainboard/trace"
	"drainboard/ui/board/ink"
)

// look is how times are shown, and by which clock.
type look struct {
	now      int64 // nanoseconds
	absolute bool
	zone     *time.Location
	redact   bool // what is only looked at is masked
}

// ago is an age for a column of 4: 12s, 3m, 4h, 21d.
func ago(seconds float64) string {
	switch {
	case seconds < 0 || math.IsNaN(seconds):
		return ""
	case seconds < 60:
		return strconv.Itoa(int(seconds)) + "s"
	case seconds < 3600:
		return strconv.Itoa(int(seconds/60)) + "m"
	case seconds < 48*3600:
		return strconv.Itoa(int(seconds/3600)) + "h"
	case seconds < 999.5*86400:
		return strconv.Itoa(int(seconds/86400)) + "d"
	case seconds < 99*365*86400:
		return strconv.Itoa(int(seconds/(365*86400))) + "y"
	}
	return "old"
}

// when is a moment as the look wants it: its age, or the time of day, or the date when it is another day.
func (l look) when(t int64) string {
	if t == trace.NoTime || t == 0 {
		return ""
	}
	if !l.absolute {
		return ago(float64(l.now-t) / 1e9)
	}
	at, now := time.Unix(0, t).In(l.zone), time.Unix(0, l.now).In(l.zone)
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04:05")
	}
	if at.Year() == now.Year() {
		return at.Format("Jan 02")
	}
	return at.Format("2006-01")
}

// whenWidth is the width of the column that when needs.
func (l look) whenWidth() int {
	if l.absolute {
		return 8
	}
	return 4
}

// clock is the time of day, whatever the look wants.
func (l look) clock(t int64) string {
	if t == trace.NoTime || t == 0 {
		return "--:--:--"
	}
	return time.Unix(0, t).In(l.zone).Format("15:04:05")
}

// stamp is a whole moment.
func (l look) stamp(t int64) string {
	if t == trace.NoTime || t == 0 {
		return "no time recorded"
	}
	return time.Unix(0, t).In(l.zone).Format("2006-01-02 15:04:05.000 MST")
}

// zoneName is the name of the zone that absolute times are in.
func (l look) zoneName() string {
	return time.Unix(0, l.now).In(l.zone).Format("MST")
}

// lasting is a duration as 0:44, 6:12, 1h02m or 21d.
func lasting(seconds float64) string {
	if seconds < 0 || math.IsNaN(seconds) {
		seconds = 0
	}
	s := int64(min(seconds, 1e15))
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	if s >= 100*3600 {
		return strconv.FormatInt(s/86400, 10) + "d"
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
}

// timeout is a limit as 30s, 5m or 2h.
func timeout(seconds float64) string {
	switch {
	case seconds <= 0:
		return "none"
	case seconds < 120 || math.Mod(seconds, 60) != 0:
		return strconv.FormatFloat(seconds, 'g', 6, 64) + "s"
	case seconds < 7200 || math.Mod(seconds, 3600) != 0:
		return strconv.FormatFloat(seconds/60, 'g', 6, 64) + "m"
	}
	return strconv.FormatFloat(seconds/3600, 'g', 6, 64) + "h"
}

// size is a count of bytes as 1.2 GB.
func size(n float64) string {
	for _, u := range []string{"B", "kB", "MB", "GB", "TB"} {
		if n < 999.5 || u == "TB" {
			if u == "B" || n >= 99.5 {
				return fmt.Sprintf("%.0f %s", n, u)
			}
			return fmt.Sprintf("%.1f %s", n, u)
		}
		n /= 1000
	}
	return ""
}

// keyCols is how many characters of a key lists show.
const keyCols = 12

// prefix is the beginning of a key, as lists show it.
func prefix(key string) string {
	if len(key) > keyCols {
		return key[:keyCols]
	}
	return key
}

// keyText is a key in w columns: one of hexadecimal digits is cut without a sign, as its beginning is what people read.
func keyText(key string, w int) string {
	for i := range len(key) {
		if c := key[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return key
		}
	}
	return key[:min(len(key), max(w, 0))]
}

// place is where a call stands: the last two parts of its file's path, and the line.
func place(p triage.Pos) string {
	if p.File == "" {
		return ""
	}
	s := short(p.File) + ":" + strconv.Itoa(p.Line)
	if p.N > 1 {
		s += "#" + strconv.Itoa(p.N)
	}
	return s
}

// short is the last two parts of a path.
func short(path string) string {
	dir, base := filepath.Split(path)
	dir = filepath.Base(strings.TrimRight(dir, "/"))
	if dir == "." || dir == "/" || dir == "" {
		return base
	}
	return dir + "/" + base
}

// count is "1 call" or "1,204 calls".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return ink.Thousands(n) + " " + many
}

// glyphs of a severity.
func severity(g *ink.Glyphs, s triage.Severity) (glyph string, tone ink.Tone) {
	switch s {
	case triage.Critical:
		return g.Critical, ink.Critical
	case triage.High:
		return g.High, ink.High
	case triage.Medium:
		return g.Medium, ink.Medium
	}
	return g.Low, ink.Low
}

// outcomeTone is how an outcome is shown.
func outcomeTone(o triage.Outcome) ink.Tone {
	switch o {
	case triage.OutcomeExtra:
		return ink.BadBold
	case triage.OutcomeAmbiguous, triage.OutcomeSame, triage.OutcomeOpen, triage.OutcomeUnknown:
		return ink.Warn
	case triage.OutcomeReplayed:
		return ink.Good
	}
	return ink.Plain
}

// statusTone is how the status of a result is shown.
func statusTone(status string) ink.Tone {
	switch status {
	case "ok":
		return ink.Good
	case "replayed":
		return ink.Keyed
	case "refused":
		return ink.Faint
	case "error":
		return ink.Bad
	}
	return ink.Warn
}

// stateTone is how the state of a ledger row is shown.
func stateTone(state string) ink.Tone {
	switch state {
	case "committed":
		return ink.Good
	case "failed":
		return ink.Bad
	case "inflight":
		return ink.Warn
	}
	return ink.WarnBold
}

// classTone is how a class is shown.
func classTone(class string) ink.Tone {
	switch {
	case strings.HasPrefix(class, "keyed"):
		return ink.Keyed
	case class == "compensate":
		return ink.Undo
	case class == "pure":
		return ink.Faint
	case class == "cases":
		return ink.Plain
	}
	return ink.WarnBold
}

// ageOf is how long ago the row of a finding in flight was written, in seconds; 0 when that is not known.
func ageOf(f *triage.Finding, now int64) float64 {
	if f.Started == trace.NoTime || f.Started == 0 {
		return 0
	}
	return max(float64(now-f.Started)/1e9, 0)
}

// rfc3339 is a moment in UTC as JSON has it.
func rfc3339(t int64) string { return time.Unix(0, t).UTC().Format(time.RFC3339Nano) }
