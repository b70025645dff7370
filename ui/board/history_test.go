package board

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// diary is a journal in memory, newest first.
type diary struct{ all []Entry }

func (d *diary) Entries(_ context.Context, from, limit int) ([]Entry, int, error) {
	page := slices.Clone(d.all[min(from, len(d.all)):])
	return page[:min(limit, len(page))], len(d.all), nil
}

// TestHistory: a row's page lists what was done to its key, also far back in the log, and nothing of others.
func TestHistory(t *testing.T) {
	key := key64("9b1c22d0a7f3")
	d := &diary{all: []Entry{{ID: "9", Time: noon.UnixNano(), Actor: "alice", Action: "mark committed", Key: key, From: "failed", To: "committed", Reason: "seen it"}}}
	for range 1500 {
		d.all = append(d.all, Entry{ID: "x", Key: key64("other"), Action: "ack", Actor: "mallory"})
	}
	d.all = append(d.all, Entry{ID: "1", Time: noon.UnixNano(), Actor: "bob", Action: "mark failed", Key: key, From: "inflight", To: "failed", Reason: "gone"})
	opt := options()
	opt.Journal = d
	b := newBoard(t, newFake(), opt, 120, 60)
	b.keys(split(`/ "9b1c22 enter enter`)...)
	got := b.frame()
	_, got, ok := strings.Cut(got, "HISTORY")
	first, second := strings.Index(got, "mark committed  failed → committed  alice  seen it"), strings.Index(got, "mark failed  inflight → failed  bob  gone")
	if !ok || first < 0 || second < first || strings.Contains(got, "mallory") {
		t.Errorf("the page does not tell it:\n%s", b.frame())
	}
}

// TestLiveEntry: the page of a script that runs shows what it prints as it comes, and in the end what the log kept of it.
func TestLiveEntry(t *testing.T) {
	key := key64("9b1c22d0a7f3")
	d := &diary{all: []Entry{{ID: "1", Action: "compensating", Key: key, Output: "one\n"}}}
	opt := options()
	opt.Journal = d
	b := newBoard(t, newFake(), opt, 100, 24)
	b.keys("6", "enter")
	if !strings.Contains(b.frame(), "one") {
		t.Fatalf("no output:\n%s", b.frame())
	}
	d.all[0].Output = "one\ntwo\n"
	b.run(b.readLog())
	if !strings.Contains(b.frame(), "two") {
		t.Errorf("the page stands still:\n%s", b.frame())
	}
	d.all = []Entry{{ID: "2", Action: "compensated", Key: key, Output: "one\ntwo\nthree\n", Reason: "exit code 0"}, {ID: "1", Action: "compensation started", Key: key}}
	b.run(b.readLog())
	if got := b.frame(); !strings.Contains(got, "three") || !strings.Contains(got, "exit code 0") {
		t.Errorf("the end is not told:\n%s", got)
	}
}
