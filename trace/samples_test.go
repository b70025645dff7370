package trace

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// tally is what a file's events add up to.
type tally struct {
	Stats
	runs   map[string]bool
	errs   int
	bad    []string
	events []Event
}

// decodeAll decodes a whole file's bytes as one closed block, sniffing as a Reader does.
func decodeAll(t testing.TB, data []byte, path string) (*Format, tally) {
	t.Helper()
	s := sniffer{formats: Formats()}
	start := head(data)
	document := s.spansLines(data)
	f := s.sniff(start, path, document)
	if f == nil {
		f = unknownFormat()
	}
	return f, decodeAs(f, data, path, document)
}

func decodeAs(f *Format, data []byte, path string, document bool) tally {
	b := &Block{File: &File{Path: path}, Data: data, Last: true, Document: document}
	out := tally{runs: map[string]bool{}}
	var w Scratch
	out.Stats = decode(b, f.New(head(data), path), f, &w, func(e *Event) {
		if e.Kind == Call {
			out.runs[string(e.Run)] = true
		}
		if e.Kind == Result && (e.Status == Error || e.Status == Refused || e.Status == Ambiguous) {
			out.errs++
		}
		if e.Kind == Bad {
			out.bad = append(out.bad, strconv.Itoa(e.Line)+": "+e.Reason)
		}
		out.events = append(out.events, keepEvent(e))
	})
	return out
}

func keepEvent(e *Event) Event {
	k := *e
	for _, p := range []*[]byte{&k.Run, &k.RunRaw, &k.Parent, &k.CallID, &k.Tool, &k.Args, &k.Recorded, &k.Conn, &k.Payload, &k.Span} {
		if *p != nil {
			*p = append([]byte{}, *p...)
		}
	}
	return k
}

// TestSamplesGiveTheirCounts holds the decoders against the counts that came with the samples.
func TestSamplesGiveTheirCounts(t *testing.T) {
	const dir = "../testdata/samples"
	table, err := os.Open(filepath.Join(dir, "counts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	known := map[string]bool{}
	for _, f := range Formats() {
		known[f.Name] = true
	}
	seen := 0
	for rows := bufio.NewScanner(table); rows.Scan(); {
		col := strings.Split(rows.Text(), "\t")
		if col[0] == "file" || !known[col[1]] {
			continue
		}
		seen++
		t.Run(col[0], func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, col[0]))
			if err != nil {
				t.Fatal(err)
			}
			f, got := decodeAll(t, data, col[0])
			want := col[1]
			if strings.HasPrefix(col[0], "iflow-") { // Claude Code's envelope, but its call ids reach less far
				want = "iflow"
			}
			if f.Name != want {
				t.Fatalf("format: got %s, want %s", f.Name, want)
			}
			for _, c := range []struct {
				name string
				got  int
				want string
			}{
				{"lines", got.Lines, col[2]},
				{"json", got.Values, col[3]},
				{"runs", len(got.runs), col[5]},
				{"occ", got.Calls, col[6]},
				{"err", got.errs, col[12]},
				{"bad", got.Bad, "0"},
			} {
				if strconv.Itoa(c.got) != c.want {
					t.Errorf("%s: got %d, want %s %v", c.name, c.got, c.want, got.bad)
				}
			}
			if !got.accounted() {
				t.Errorf("not accounted for: %+v", got.Stats)
			}
		})
	}
	if seen < 8 {
		t.Errorf("only %d samples of known formats", seen)
	}
}

// accounted is the equation of Stats.
func (s Stats) accounted() bool {
	return s.Values+s.Torn+s.Noise+s.Extra == s.Calls+s.Results+s.Others+s.Bad+s.Held
}

// samples gives the bytes of every sample by its path.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("../testdata/samples/*.[jlt]*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no samples", err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		if all[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
