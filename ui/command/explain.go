package command

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/trace"

	"github.com/spf13/cobra"
)

func newKeysExplain(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "explain A [B] [PATH | label=PATH]...",
		Short: "Why two calls have different keys, or what one call's key is made of",
		Long: `explain compares two calls, each named by its position (file:line, and #n for the nth call of a line)
or by the beginning of its key, and lists the JSON pointers at which their arguments differ, what kind
of volatile value each looks like and why, the bytes that the recipe hashes and where they differ, and
the ignore: line that would merge them. It shows which other calls that line would merge too, and
whether those were answered differently: merging distinct intents deletes real work.

Of one call it shows the key under every recipe, the bytes behind each, and its nearest neighbours: the
calls of its tool that differ in the fewest pointers.

Without a PATH the files of the positions are read.`,
		Args: atLeast(1, "one or two calls, as file:line or the beginning of a key"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 && isCall(args[1]) {
				return a.explain(c.Context(), args[:2], args[2:])
			}
			return a.explain(c.Context(), args[:1], args[1:])
		},
	}
}

// isCall says whether an argument names a call rather than a path.
func isCall(arg string) bool {
	if position().MatchString(arg) {
		return true
	}
	if _, err := os.Lstat(arg); err == nil {
		return false
	}
	return arg != trace.Stdin && !strings.ContainsAny(arg, "=*?[/")
}

// position is a call's place on the command line: file:line[#n].
var position = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+):([0-9]+)(?:#([0-9]+))?$`) })

func (a *app) explain(ctx context.Context, names, paths []string) error {
	if len(paths) == 0 {
		for _, arg := range names {
			if m := position().FindStringSubmatch(arg); m != nil && isFile(trace.ParseSource(m[1]).Path) && !slices.Contains(paths, m[1]) {
				paths = append(paths, m[1])
			}
		}
	}
	s, err := a.open(ctx, paths)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := a.list(ctx, s); err != nil {
		return err
	}
	var calls []*triage.CallView
	for _, name := range names {
		v, err := s.named(ctx, name)
		if err != nil {
			return err
		}
		calls = append(calls, v)
	}
	p := a.page()
	var answer any
	if len(calls) == 1 {
		e, err := s.explore(ctx, calls[0])
		if err != nil {
			return err
		}
		e.mask(a)
		answer = e
		p.exploration(e)
	} else {
		e, err := s.compare(ctx, calls[0], calls[1])
		if err != nil {
			return err
		}
		e.mask(a)
		answer = e
		p.explanation(e)
	}
	if a.opts.json {
		return a.printJSON(answer)
	}
	return p.flush(a.env.Stdout)
}

// named finds the call at a position, or the first call of the key that begins so.
func (s *session) named(ctx context.Context, arg string) (*triage.CallView, error) {
	if m := position().FindStringSubmatch(arg); m != nil {
		v, err := s.callAt(ctx, m[1], m[2], m[3])
		if v != nil || err != nil {
			return v, err
		}
	}
	found, err := s.Keys(ctx, arg, 2)
	if err != nil {
		return nil, err
	}
	if len(found) > 1 && !slices.Contains(found, arg) {
		return nil, &refusal{fmt.Errorf("several keys begin with %q, as %s and %s: give more of it", arg, found[0], found[1])}
	}
	if len(found) == 1 {
		arg = found[0]
	}
	calls, total, err := s.Calls(ctx, intake.Query{Key: arg, Limit: 1})
	switch {
	case err != nil:
		return nil, fmt.Errorf("find the call %q: %w", arg, err)
	case total == 0:
		return nil, &refusal{fmt.Errorf("there is no call at %q and none with a key that begins so: drainboard keys lists them all", arg)}
	}
	return &calls[0], nil
}

// callAt finds a call by its place; nil when there is none.
func (s *session) callAt(ctx context.Context, file, line, number string) (*triage.CallView, error) {
	n := 0
	at, err := strconv.Atoi(line)
	if err == nil && number != "" {
		n, err = strconv.Atoi(number)
	}
	if err != nil {
		return nil, nil //nolint:nilerr // a number beyond all lines is at no call
	}
	for from := 0; ; {
		calls, total, err := s.Calls(ctx, intake.Query{From: from, Limit: pageOfCalls, Copies: true})
		if err != nil {
			return nil, err
		}
		for i := range calls {
			p := calls[i].Pos
			if p.Line == at && (n == 0 || p.N == n) && (p.File == file || strings.HasSuffix(p.File, "/"+file)) {
				return &calls[i], nil
			}
		}
		if from += len(calls); from >= total || len(calls) == 0 {
			return nil, nil
		}
	}
}
