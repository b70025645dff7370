// Package filter reads and applies the filter language of the board and of `check --filter`.
//
// Contract. A filter is a list of terms, all of which must hold. A plain word matches a tool, a run, a call id or a file that
// contains it, or a key that begins with it; `name:value` looks at one thing (`*` in a value is any run of characters, a comma
// separates alternatives); sev, age and calls also take >=, >, <= and <; a term after `-` must not hold; "..." keeps blanks.
// `arg.NAME=value` looks at an argument of the row's first call, the whole of it, and `arg.NAME:value` at a part of it; NAME may go on into
// objects with dots. Runs and tools are about many calls: there it is wrong. Letters count the same in both cases. A wrong term is a Problem with its place and a reason, matches everything, and is never
// silently dropped. A Filter is immutable and may be used by any number of goroutines.
package filter

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"drainboard/ledger/triage"
)

// Subject says what kind of rows a filter is for: not every name means something for each.
type Subject uint8

// The subjects.
const (
	Findings Subject = iota
	Rows             // ledger rows and open calls
	Runs
	Tools
	Calls
)

// Record is what a filter sees of a row. Missing texts are empty, a missing age is negative.
type Record struct {
	Kind, Tool, Run, Class, Cause, Outcome, State, Side, Owner, Why string
	Key, OtherKey, CallID, File                                     string
	Sev                                                             triage.Severity
	Age                                                             float64 // seconds
	Calls                                                           int
	// Args reads the raw arguments of the row's first call, nil where there are none; it is called only for arg. terms, after all
	// others have passed. A nil Args: no arg. term holds.
	Args func() []byte
}

// Filter is a filter that was read.
type Filter struct {
	Text     string
	Problems []Problem
	terms    []term
	reads    bool // there are arg. terms
}

// Problem is a wrong term: the bytes of the text that it stands at, and what is wrong with it.
type Problem struct {
	Start, End int
	Message    string
}

// Error says what is wrong, and where.
func (p Problem) Error() string {
	return fmt.Sprintf("filter: %s (at byte %d)", p.Message, p.Start+1)
}

type field uint8

const (
	anyField field = iota
	kind
	tool
	run
	class
	cause
	outcome
	state
	side
	key
	call
	file
	owner
	sev
	age
	calls
	arg
)

type compare uint8

const (
	is compare = iota
	atLeast
	above
	atMost
	below
)

type term struct {
	field   field
	compare compare
	not     bool
	values  []string // lower case
	number  float64
	path    []string // of an argument, as it was typed
	whole   bool     // the value is all of the argument
}

// named says which names there are, which subjects they mean something for, and which words a value may be (nil: any).
var named = []struct {
	name   string
	field  field
	on     []Subject
	number bool
	words  func() []string
}{
	{"kind", kind, []Subject{Findings}, false, kinds},
	{"tool", tool, []Subject{Findings, Rows, Runs, Tools, Calls}, false, nil},
	{"run", run, []Subject{Findings, Rows, Runs, Calls}, false, nil},
	{"class", class, []Subject{Findings, Tools, Calls}, false, classes},
	{"cause", cause, []Subject{Findings}, false, causes},
	{"outcome", outcome, []Subject{Findings}, false, outcomes},
	{"state", state, []Subject{Rows}, false, nil},
	{"side", side, []Subject{Findings, Runs, Calls}, false, nil},
	{"key", key, []Subject{Findings, Rows, Calls}, false, nil},
	{"call", call, []Subject{Findings, Rows, Calls}, false, nil},
	{"file", file, []Subject{Findings, Runs, Tools, Calls}, false, nil},
	{"owner", owner, []Subject{Findings, Rows}, false, nil},
	{"sev", sev, []Subject{Findings}, true, severities},
	{"age", age, []Subject{Findings, Rows, Runs, Tools, Calls}, true, nil},
	{"calls", calls, []Subject{Findings, Runs, Tools}, true, nil},
}

func kinds() (out []string) {
	for k := triage.Kind(0); ; k++ {
		name := kindName(k)
		if name == "" {
			return out
		}
		out = append(out, name)
	}
}

func severities() []string { return []string{"critical", "high", "medium", "low", "info"} }
func classes() []string    { return []string{"pure", "keyed", "compensate", "unclassified", "cases"} }
func causes() []string     { return []string{"handler", "model", "mixed", "unknown"} }
func outcomes() []string {
	return []string{"unknown", "extra", "ambiguous", "replayed", "same", "open", "retried"}
}

// Names lists what can stand before a colon for a subject.
func Names(on Subject) (out []string) {
	for _, n := range named {
		if applies(n.on, on) {
			out = append(out, n.name)
		}
	}
	if on != Runs && on != Tools { // a row is about one call, or begins with one
		out = append(out, "arg.NAME")
	}
	return out
}

// Parse reads a filter; it always returns one.
func Parse(text string, on Subject) *Filter {
	f := &Filter{Text: text}
	for start, word := range pieces(text) {
		t, err := parseTerm(word, on)
		if err != nil {
			f.Problems = append(f.Problems, Problem{Start: start, End: start + len(word), Message: err.Error()})
			continue
		}
		if t != nil {
			f.terms = append(f.terms, *t)
			f.reads = f.reads || t.field == arg
		}
	}
	return f
}

// Empty says that the filter lets everything pass.
func (f *Filter) Empty() bool { return f == nil || len(f.terms) == 0 }

// pieces cuts a text at blanks that stand outside of quotes; it yields where each piece starts.
func pieces(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start, quoted := -1, false
		for i := 0; i <= len(text); i++ {
			blank := i == len(text) || text[i] == ' ' && !quoted
			switch {
			case blank && start >= 0:
				if !yield(start, text[start:i]) {
					return
				}
				start = -1
			case !blank && start < 0:
				start = i
			}
			if i < len(text) && text[i] == '"' {
				quoted = !quoted
			}
		}
	}
}

func parseTerm(word string, on Subject) (*term, error) {
	if strings.Count(word, `"`)%2 != 0 {
		return nil, fmt.Errorf(`expected a closing "`)
	}
	body, t := word, &term{}
	if len(body) > 1 && body[0] == '-' {
		t.not, body = true, body[1:]
	}
	if strings.HasPrefix(strings.ToLower(body), "arg.") {
		return argTerm(t, body[len("arg."):], on)
	}
	at := strings.IndexAny(body, `:<>="`)
	if at <= 0 || body[at] == '"' || !letters(body[:at]) {
		if value := strings.ToLower(strings.ReplaceAll(body, `"`, "")); value != "" {
			t.values = []string{value}
			return t, nil
		}
		return nil, nil
	}
	name, rest := strings.ToLower(body[:at]), body[at:]
	for _, n := range named {
		if n.name != name {
			continue
		}
		if !applies(n.on, on) {
			return nil, fmt.Errorf("%s: says nothing about this list; here: %s", name, strings.Join(Names(on), ", "))
		}
		t.field = n.field
		var op string
		t.compare, op = operator(rest)
		value := strings.ToLower(strings.ReplaceAll(rest[len(op):], `"`, ""))
		if t.compare != is && !n.number {
			return nil, fmt.Errorf("%s can be compared with : only", name)
		}
		if value == "" {
			return nil, fmt.Errorf("expected a value after %s%s", name, op)
		}
		return t, t.value(name, value, n.number, n.words)
	}
	return nil, unknown(name, on)
}

func unknown(name string, on Subject) error {
	if name == "arg" {
		return fmt.Errorf("expected arg.NAME=value, such as arg.head=feat/keys")
	}
	for _, n := range Names(on) {
		if strings.HasPrefix(n, name) || strings.HasPrefix(name, n) || near(name, n) {
			return fmt.Errorf("unknown name %s: did you mean %s:?", name, n)
		}
	}
	return fmt.Errorf("unknown name %s: expected one of %s", name, strings.Join(Names(on), ", "))
}

// value reads what stands behind a name.
func (t *term) value(name, value string, number bool, words func() []string) error {
	t.values = strings.Split(value, ",")
	if words != nil {
		for _, v := range t.values {
			if !strings.Contains(v, "*") && !oneOf(v, words()) {
				return unknownWord(name, v, words())
			}
		}
	}
	if !number {
		return nil
	}
	var err error
	switch t.field {
	case sev:
		s, ok := triage.ParseSeverity(value)
		if !ok && t.compare != is {
			return fmt.Errorf("expected one severity, found %q", value)
		}
		t.number = float64(s)
	case age:
		if t.number, err = seconds(value); err != nil {
			return err
		}
		if t.compare == is {
			t.compare = atLeast
		}
	case calls:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("expected a count after calls, found %q", value)
		}
		t.number = float64(n)
	}
	return nil
}

// unknownWord names the word that is meant, or all there are.
func unknownWord(name, word string, all []string) error {
	for _, w := range all {
		if near(word, w) {
			return fmt.Errorf("unknown %s %q: did you mean %s?", name, word, w)
		}
	}
	return fmt.Errorf("unknown %s %q: expected %s", name, word, strings.Join(all, ", "))
}

// near says whether two words are one slip apart, or two in longer words: a letter too many, too few, another, or two swapped.
func near(a, b string) bool {
	slips := 1 + min(len(a), len(b))/5
	was, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], was[j-1]+1)
			}
		}
		was, row, next = row, next, was
	}
	return row[len(b)] <= slips
}

// seconds reads a duration: Go's, and days.
func seconds(value string) (float64, error) {
	if days, ok := strings.CutSuffix(value, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil {
			return n * 86400, nil
		}
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, fmt.Errorf("expected a duration such as 30s, 5m, 2h or 1d, found %q", value)
	}
	return d.Seconds(), nil
}

func operator(rest string) (compare, string) {
	for _, o := range []struct {
		text string
		c    compare
	}{{">=", atLeast}, {"<=", atMost}, {":>=", atLeast}, {":<=", atMost}, {":>", above}, {":<", below}, {">", above}, {"<", below}} {
		if strings.HasPrefix(rest, o.text) {
			return o.c, o.text
		}
	}
	return is, rest[:1]
}

func applies(subjects []Subject, on Subject) bool { return oneOf(on, subjects) }

func oneOf[T comparable](v T, all []T) bool {
	for _, w := range all {
		if v == w {
			return true
		}
	}
	return false
}

func letters(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
