package trace

import (
	"testing"
	"time"

	"drainboard/keys/pyjson"
)

func TestInstant(t *testing.T) {
	utc := func(s string) int64 {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return at.UnixNano()
	}
	for in, want := range map[string]int64{
		`"2026-03-25T02:17:51.027Z"`:           utc("2026-03-25T02:17:51.027Z"),
		`"2026-03-25t02:17:51z"`:               utc("2026-03-25T02:17:51Z"),
		`"2025-11-07T09:29:39.809995"`:         utc("2025-11-07T09:29:39.809995Z"),
		`"2025-11-07 09:29:39,5"`:              utc("2025-11-07T09:29:39.5Z"),
		`"2025-05-12T20:27:39.762878-04:00"`:   utc("2025-05-12T20:27:39.762878-04:00"),
		`"2025-05-12T20:27:39+0530"`:           utc("2025-05-12T20:27:39+05:30"),
		`"2025-05-12T20:27:39-04"`:             utc("2025-05-12T20:27:39-04:00"),
		`"2025-05-12 20:27:39 +02:00"`:         utc("2025-05-12T20:27:39+02:00"),
		`"2026-03-02T09:00"`:                   utc("2026-03-02T09:00:00Z"),
		`"2026-03-02"`:                         utc("2026-03-02T00:00:00Z"),
		`"2024-02-29T23:59:60Z"`:               utc("2024-03-01T00:00:00Z"),
		`"2024-02-29T24:00:00Z"`:               utc("2024-03-01T00:00:00Z"),
		`"1969-12-31T23:59:59.5Z"`:             -5e8,
		`"2026-03-02T09:00:00.1234567891234Z"`: utc("2026-03-02T09:00:00.123456789Z"),
		`1789000000`:                           1789000000e9,
		`1789000000.5`:                         1789000000.5e9,
		`1789000000.123456789`:                 1789000000123456789,
		`1789000000123`:                        1789000000123e6,
		`1789000000123.25`:                     1789000000123250000,
		`100000000000`:                         NoTime, // seconds, beyond the year 2262
		`100000000001`:                         100000000001e6,
		`-1.5`:                                 -1.5e9,
		`0`:                                    0,
		`1.789e9`:                              1789000000e9,
		`"2026-02-29T00:00:00Z"`:               NoTime,
		`"2026-13-01T00:00:00Z"`:               NoTime,
		`"2026-03-02T25:00:00Z"`:               NoTime,
		`"2026-03-02T09:00:00X"`:               NoTime,
		`"2026-03-02T09:00:00Z."`:              NoTime,
		`"yesterday"`:                          NoTime,
		`""`:                                   NoTime,
		`"9999-01-01T00:00:00Z"`:               NoTime,
		`1e300`:                                NoTime,
		`NaN`:                                  NoTime,
		`99999999999999999999999`:              NoTime,
		`true`:                                 NoTime,
		`null`:                                 NoTime,
	} {
		var doc pyjson.Doc
		if err := doc.ParseWhole([]byte(in)); err != nil {
			t.Fatal(in, err)
		}
		var w Scratch
		if got := w.Instant(doc.Root()); got != want {
			t.Errorf("%s: got %d, want %d", in, got, want)
		}
	}
	for day := time.Date(1890, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2110; day = day.AddDate(0, 0, 13) {
		if got := ParseTime([]byte(day.Format(time.RFC3339))); got != day.UnixNano() {
			t.Fatalf("%s: got %d, want %d", day, got, day.UnixNano())
		}
	}
}
