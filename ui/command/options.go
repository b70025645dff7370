package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// options are the flags that commands share (PRODUCT.md "Shared flags").
type options struct {
	ledger, tools string
	namedLedger   bool // --ledger was given; empty then means none
	namedTools    bool
	recipe, run   string
	since, now    moment
	agent         string // narrow what is found when no path is given
	project       string
	json          bool
	draining      string
	match         choice
	maxLine       size
	readOnly, utc bool
	redact        bool
	namedRedact   bool // --redact was given
	actor         string
	theme         choice
	ascii         bool
	window        time.Duration // of watch and drain; 0: none
}

func newOptions() *options {
	return &options{
		match:   choice{"none", []string{"none", "run", "intent"}},
		theme:   choice{"auto", []string{"auto", "light", "dark", "mono"}},
		maxLine: 100 << 20,
	}
}

// bind declares the shared flags.
func (o *options) bind(f *pflag.FlagSet) {
	f.StringVar(&o.ledger, "ledger", "", "replay ledger `FILE` (else $DRAINBOARD_LEDGER, else tool_replay.sqlite beside the first path or here)")
	f.StringVar(&o.tools, "tools", "", "decision table `FILE` (else tools.yaml here or above, up to the repository's root, else beside the first path)")
	f.StringVar(&o.recipe, "recipe", "", "key recipe `NAME`: intent, dedup16, jcs (else the table's, else the ledger's)")
	f.StringVar(&o.run, "run", "", "run `ID` of lines that name none")
	f.Var(&o.since, "since", "the drain began at `TIME` (RFC 3339, or how long ago, as 2h); results of calls before it are left out, and without a path old files too")
	f.StringVar(&o.agent, "agent", "", "without a path: only what the agent `NAME` left, as claude-code")
	f.StringVar(&o.project, "project", "", "without a path: only what agents left that worked in `DIR`")
	f.Var(&o.now, "now", "fix the clock at `TIME` (RFC 3339) for ages")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.StringVar(&o.draining, "draining", "", "`LABEL` of the side to be switched off (else the first)")
	f.Var(&o.match, "match", "both sides were given the same work: compare by `HOW`: run, or intent (run id left out)")
	f.Var(&o.maxLine, "max-line", "longest line that is read, in `BYTES` (k, M, G); longer ones are counted and skipped")
	f.BoolVar(&o.readOnly, "read-only", false, "refuse every action that changes something")
	f.StringVar(&o.actor, "actor", "", "`NAME` of who acts, for the log, beside user@host (else $DRAINBOARD_ACTOR)")
	f.BoolVar(&o.redact, "redact", false, "mask what looks like a secret, by its name or its shape, in whatever is shown or exported (else $DRAINBOARD_REDACT)")
	f.BoolVar(&o.utc, "utc", false, "times in UTC")
	f.Var(&o.theme, "theme", "`NAME`: auto, light, dark, mono")
	f.BoolVar(&o.ascii, "ascii", false, "draw with ASCII only")
}

// limitVar declares --limit.
func limitVar(f *pflag.FlagSet, to *int, usual int, help string) {
	*to = usual
	f.Var((*limit)(to), "limit", help)
}

// limit is a flag that holds how much is listed at most; 0: all.
type limit int

func (l *limit) String() string { return strconv.Itoa(int(*l)) }

func (l *limit) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fmt.Errorf("expected a number from 0 on, found %q", s)
	}
	*l = limit(n)
	return nil
}

func (l *limit) Type() string { return "int" }

// moment is a flag that holds a time.
type moment struct {
	time.Time
	ago time.Duration // before the clock, until it is settled
}

func (m *moment) String() string {
	if m.ago > 0 {
		return m.ago.String()
	}
	if m.IsZero() {
		return ""
	}
	return m.Format(time.RFC3339Nano)
}

func (m *moment) Set(s string) (err error) {
	if ago, err := time.ParseDuration(s); err == nil && ago > 0 {
		m.ago = ago
		return nil
	}
	if m.Time, err = time.Parse(time.RFC3339Nano, s); err != nil {
		return fmt.Errorf("expected RFC 3339, as 2026-03-02T12:00:00Z, or how long ago, as 2h; found %q", s)
	}
	return nil
}

func (m *moment) Type() string { return "time" }

// choice is a flag that holds one of several words.
type choice struct {
	word  string
	words []string
}

func (c *choice) String() string { return c.word }

func (c *choice) Set(s string) error {
	for _, w := range c.words {
		if w == s {
			c.word = s
			return nil
		}
	}
	return fmt.Errorf("expected %s, found %q", orList(c.words), s)
}

func (c *choice) Type() string { return "word" }

// orList joins words as "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// size is a flag that holds a number of bytes.
type size int64

func (z *size) String() string {
	n := int64(*z)
	for i, u := range []string{"G", "M", "k"} {
		if by := int64(1) << (30 - 10*i); n >= by && n%by == 0 {
			return strconv.FormatInt(n/by, 10) + u
		}
	}
	return strconv.FormatInt(n, 10)
}

func (z *size) Set(s string) error {
	shift := 0
	digits := strings.TrimRight(s, "kKmMgG")
	switch strings.ToLower(s[len(digits):]) {
	case "k":
		shift = 10
	case "m":
		shift = 20
	case "g":
		shift = 30
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || len(s)-len(digits) > 1 || n < 1 || n > (1<<40)>>shift {
		return fmt.Errorf("expected a number of bytes, as 100M, found %q", s)
	}
	*z = size(n << shift)
	return nil
}

func (z *size) Type() string { return "bytes" }
