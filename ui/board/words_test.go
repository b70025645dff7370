package board

import (
	"math"
	"testing"
	"time"

	"drainboard/ledger/triage"
	"drainboard/trace"
)

func TestAges(t *testing.T) {
	for _, c := range []struct {
		seconds              float64
		ago, lasting, timeou string
	}{
		{-1, "", "0:00", "none"},
		{math.NaN(), "", "0:00", ""},
		{0, "0s", "0:00", "none"},
		{12, "12s", "0:12", "12s"},
		{59.9, "59s", "0:59", "59.9s"},
		{60, "1m", "1:00", "60s"},
		{372, "6m", "6:12", "372s"},
		{600, "10m", "10:00", "10m"},
		{3599, "59m", "59:59", "3599s"},
		{3723, "1h", "1h02m", "3723s"},
		{7200, "2h", "2h00m", "2h"},
		{86400 * 2, "2d", "48h00m", "48h"},
		{86400 * 21, "21d", "21d", "504h"},
		{86400 * 900, "900d", "900d", "21600h"},
		{86400 * 4000, "10y", "4000d", "96000h"},
		{1e12, "old", "11574074d", ""},
	} {
		if got := ago(c.seconds); got != c.ago {
			t.Errorf("ago(%v) = %q, want %q", c.seconds, got, c.ago)
		}
		if len(ago(c.seconds)) > 4 {
			t.Errorf("ago(%v) = %q is wider than its column", c.seconds, ago(c.seconds))
		}
		if got := lasting(c.seconds); got != c.lasting {
			t.Errorf("lasting(%v) = %q, want %q", c.seconds, got, c.lasting)
		}
		if got := timeout(c.seconds); c.timeou != "" && got != c.timeou {
			t.Errorf("timeout(%v) = %q, want %q", c.seconds, got, c.timeou)
		}
	}
}

func TestWhen(t *testing.T) {
	lagos := time.FixedZone("WAT", 3600)
	for _, c := range []struct {
		look look
		t    int64
		want string
	}{
		{look{now: noon.UnixNano(), zone: time.UTC}, at(2 * time.Minute), "2m"},
		{look{now: noon.UnixNano(), zone: time.UTC, absolute: true}, at(2 * time.Minute), "11:58:00"},
		{look{now: noon.UnixNano(), zone: lagos, absolute: true}, at(2 * time.Minute), "12:58:00"},
		{look{now: noon.UnixNano(), zone: time.UTC, absolute: true}, at(48 * time.Hour), "Mar 12"},
		{look{now: noon.UnixNano(), zone: time.UTC, absolute: true}, at(400 * 24 * time.Hour), "2025-02"},
		{look{now: noon.UnixNano(), zone: time.UTC}, trace.NoTime, ""},
		{look{now: noon.UnixNano(), zone: time.UTC}, at(-time.Minute), ""}, // a clock ahead of ours has no age
	} {
		if got := c.look.when(c.t); got != c.want || len(got) > c.look.whenWidth() {
			t.Errorf("when(%d) = %q, want %q in %d columns", c.t, got, c.want, c.look.whenWidth())
		}
	}
}

func TestSizesAndPlaces(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 123456: "123 kB", 1.2e9: "1.2 GB", 99.6e6: "100 MB", 5e15: "5000 TB"} {
		if got := size(n); got != want {
			t.Errorf("size(%v) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{123456: "123k", 1_234_567: "1.2M"} {
		if got := compact(n); got != want || len(got) > 5 {
			t.Errorf("compact(%d) = %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		pos  triage.Pos
		want string
	}{
		{triage.Pos{File: "/var/traces/paid/run-22.jsonl", Line: 41, N: 1}, "paid/run-22.jsonl:41"},
		{triage.Pos{File: "run.jsonl", Line: 1, N: 3}, "run.jsonl:1#3"},
		{triage.Pos{File: "-", Line: 7}, "-:7"},
		{triage.Pos{}, ""},
		{triage.Pos{File: "/a.jsonl", Line: 2}, "a.jsonl:2"},
	} {
		if got := place(c.pos); got != c.want {
			t.Errorf("place(%v) = %q, want %q", c.pos, got, c.want)
		}
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th"} {
		if got := ordinal(n); got != want {
			t.Errorf("ordinal(%d) = %q, want %q", n, got, want)
		}
	}
}

// TestMarked marks whole words where two texts differ, and nothing else.
func TestMarked(t *testing.T) {
	for _, c := range []struct{ text, other, want string }{
		{`{"charge":"ch_2"}`, `{"charge":"ch_1"}`, `{"charge":"[ch_2]"}`},
		{"same", "same", "same"},
		{"one", "", "one"},
		{"a b c", "a x c", "a [b] c"},
		{"longer text", "text", "[longer text]"},
		{"", "x", ""},
		{"xyz", "x", "[xyz]"},
	} {
		got := ""
		for _, s := range marked(c.text, c.other) {
			if s.tone.String() == "badbold" {
				got += "[" + string(s.text) + "]"
			} else {
				got += string(s.text)
			}
		}
		if got != c.want {
			t.Errorf("marked(%q, %q) = %q, want %q", c.text, c.other, got, c.want)
		}
	}
}

// TestProse: every kind of finding says what is the case, and every one that is not information says what to do.
func TestProse(t *testing.T) {
	seen := map[triage.Kind]bool{}
	f := newFake()
	for i := range f.snap.Findings.Len() {
		x, _ := f.snap.Findings.At(i)
		seen[x.Kind] = true
		p := prosaic(x, noon.UnixNano())
		text := spansText(p.what)
		if len(text) < 20 || text[len(text)-1] != '.' {
			t.Errorf("%s: says %q", x.ID, text)
		}
		for _, brace := range text + spansText(p.advice) {
			if brace == '{' || brace == '}' {
				t.Errorf("%s: a word was not filled in: %q %q", x.ID, text, spansText(p.advice))
			}
		}
		if spansText(p.advice) == "" {
			t.Errorf("%s: gives no advice", x.ID)
		}
	}
	for k := triage.Duplicate; k <= triage.OrphanResult; k++ {
		if !seen[k] {
			t.Errorf("no finding of kind %s in the test's world", k)
		}
	}
}
