package intake

import "testing"

func TestHolds(t *testing.T) {
	for _, c := range []struct {
		source, path string
		want         bool
	}{
		{"paid", "paid/a.jsonl", true},
		{"paid/", "paid/x/a.jsonl", true},
		{"./paid", "paid/a.jsonl", true},
		{"/t/paid", "/t/paid/a.jsonl", true},
		{"paid", "paid2/a.jsonl", false},
		{"paid", "a.jsonl", false},
		{"*.jsonl", "a.jsonl", true},
		{"*.jsonl", "a.log", false},
		{".", "a.jsonl", true},
		{".", "/t/a.jsonl", false},
		{"/", "/a.jsonl", true},
	} {
		if got := holds(c.source, c.path); got != c.want {
			t.Errorf("%s holds %s: %v, want %v", c.source, c.path, got, c.want)
		}
	}
}
