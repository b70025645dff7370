package triage

import (
	"strconv"
	"strings"
	"testing"
)

// TestTexts puts texts of all sizes, some as large as a block and larger, among small ones, and finds each again under its number, with its note, until the notes
// are cleared.
func TestTexts(t *testing.T) {
	var x texts
	x.init()
	var all []string
	for i := range 30_000 {
		all = append(all, "id-"+strconv.Itoa(i))
		if i%1000 == 0 {
			all = append(all, strings.Repeat("x", i*13+1), strings.Repeat("y", textBlock-20+i/1000))
		}
	}
	numbers := map[uint32]string{}
	for i, s := range all {
		n := x.put(s)
		if was, ok := numbers[n]; ok || n == 0 {
			t.Fatalf("text %d of %d bytes has the number %d, which has %d bytes already", i, len(s), n, len(was))
		}
		numbers[n] = s
		x.setNote(n, uint32(i+1))
	}
	for i, s := range all {
		n := x.find(s)
		if n != x.put(s) || x.text(n) != s || x.note(n) != uint32(i+1) {
			t.Fatalf("text %d of %d bytes: number %d, %d bytes, note %d", i, len(s), n, len(x.text(n)), x.note(n))
		}
	}
	if n := x.find("none"); n != 0 {
		t.Errorf("a text that was never put has the number %d", n)
	}
	if x.put("") != 0 || x.text(0) != "" || x.note(0) != 0 {
		t.Error("the empty text has another number than 0")
	}
	x.clearNotes()
	for i, s := range all {
		if n := x.find(s); x.text(n) != s || x.note(n) != 0 {
			t.Fatalf("text %d of %d bytes after clearing: %d bytes, note %d", i, len(s), len(x.text(n)), x.note(n))
		}
	}
}
