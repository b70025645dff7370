package trace

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"drainboard/keys"
)

// identities is what FORMATS.md §1.1 makes of a file's events, in the plainest way: occurrences with one run, id, tool and
// arguments are one call.
type identities struct {
	calls, reemit, idreuse, orphan, unanswered, rep int
}

func identify(t *testing.T, events []Event) identities {
	t.Helper()
	var n identities
	var args keys.Args
	type id struct{ run, call string }
	known := map[string]bool{}   // run, id, tool, arguments
	intents := map[string]bool{} // run, tool, arguments
	perID := map[id]int{}        // calls
	answers := map[id]int{}
	for _, e := range events {
		if e.Kind != Call {
			continue
		}
		if err := args.Parse(e.Args); err != nil {
			t.Fatal(err)
		}
		text, err := args.AppendDefault(nil)
		if err != nil {
			t.Fatal(err)
		}
		intent := string(e.Run) + "\x00" + string(e.Tool) + "\x00" + string(text)
		at := id{string(e.Run), string(e.CallID)}
		if len(e.CallID) > 0 {
			if known[intent+"\x00"+at.call] {
				n.reemit++
				continue
			}
			known[intent+"\x00"+at.call] = true
			if perID[at] > 0 {
				n.idreuse++
			}
		}
		perID[at]++
		n.calls++
		if intents[intent] {
			n.rep++
		}
		intents[intent] = true
	}
	seen := map[string]bool{}
	for _, e := range events {
		if e.Kind != Result {
			continue
		}
		at := id{string(e.Run), string(e.CallID)}
		if perID[at] == 0 {
			n.orphan++
		}
		if echo := at.run + "\x00" + at.call + "\x00" + string(e.Payload); len(e.CallID) == 0 || !seen[echo] {
			seen[echo] = true
			answers[at]++
		}
	}
	for at, calls := range perID {
		n.unanswered += max(calls-answers[at], 0)
	}
	return n
}

// TestSamplesGiveTheirIdentities holds calls, re-emissions, reused ids, orphans, open calls and exact repeats against the
// counts that came with the samples.
func TestSamplesGiveTheirIdentities(t *testing.T) {
	const dir = "../testdata/samples"
	table, err := os.Open(filepath.Join(dir, "counts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	seen := 0
	for rows := bufio.NewScanner(table); rows.Scan(); {
		col := strings.Split(rows.Text(), "\t")
		if col[0] == "file" {
			continue
		}
		seen++
		t.Run(col[0], func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, col[0]))
			if err != nil {
				t.Fatal(err)
			}
			_, file := decodeAll(t, data, col[0])
			got := identify(t, file.events)
			for _, c := range []struct {
				name string
				got  int
				want string
			}{
				{"calls", got.calls, col[7]},
				{"reemit", got.reemit, col[8]},
				{"idreuse", got.idreuse, col[9]},
				{"orphan", got.orphan, col[10]},
				{"unanswered", got.unanswered, col[11]},
				{"rep", got.rep, col[13]},
			} {
				if strconv.Itoa(c.got) != c.want {
					t.Errorf("%s: got %d, want %s", c.name, c.got, c.want)
				}
			}
		})
	}
	if seen != 23 {
		t.Errorf("got %d samples, want 23", seen)
	}
}
