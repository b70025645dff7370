package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"drainboard/keys/pyjson"
	"drainboard/trace"

	"github.com/spf13/cobra"
)

func newRecord(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "record FILE",
		Short: "Append standard input's events to a trace, a line each",
		Long: `record appends each line of standard input to FILE, under a lock and with one write, so that several may record
into one file. An event without a time gets ts, seconds since 1970; nothing else of it changes. What is not
one JSON object is refused and named, the rest is recorded, and the exit code is 1. An unfinished last line of the file is
ended first.`,
		Example: `  my-agent --events | drainboard record traces/run-22.jsonl`,
		Args:    exactly(1, "a file"),
		RunE:    func(c *cobra.Command, args []string) error { return a.record(c.Context(), args[0]) },
	}
}

// record appends events as they come.
func (a *app) record(ctx context.Context, path string) (err error) {
	f, err := trace.OpenRecord(path)
	if err != nil {
		return fmt.Errorf("%w; name a file, there or not, in a folder that is there and may be written; nothing was recorded", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := linesOf(ctx, a.env.Stdin, int(a.opts.maxLine))
	refused, kept := 0, 0
	var size int64
	for n := 1; ; n++ {
		var l inputLine
		select {
		case l = <-lines:
		case <-ctx.Done():
			return ctx.Err()
		}
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return fmt.Errorf("read standard input: %w; %s", l.err, keptWords(kept, size, path))
		}
		line := bytes.TrimSuffix(l.text, []byte("\n"))
		switch event, why := eventOf(line, l.long, a.env.Now()); {
		case why != "":
			refused++
			a.warn("line %d: %s: not recorded", n, why)
		case event != nil:
			wrote, err := f.Append(event)
			if err != nil {
				return fmt.Errorf("line %d: %w; %s", n, err, keptWords(kept, size, path))
			}
			kept++
			size += int64(wrote)
		}
		if l.err != nil {
			break
		}
	}
	if refused > 0 {
		return &refusal{fmt.Errorf("%s refused; %s", plural(refused, "line was", "lines were"), keptWords(kept, size, path))}
	}
	return nil
}

func keptWords(n int, bytes int64, path string) string {
	return fmt.Sprintf("kept in %s: %s, %d bytes", path, plural(n, "line", "lines"), bytes)
}

// inputLine is a line of standard input, with its end; err is what came after it.
type inputLine struct {
	text []byte
	long bool // longer than may be: text is gone
	err  error
}

// linesOf reads lines in a goroutine of its own, so that a signal does not wait for the next one. It ends with ctx or with an error.
func linesOf(ctx context.Context, r io.Reader, most int) <-chan inputLine {
	out := make(chan inputLine)
	go func() {
		in := bufio.NewReaderSize(r, 1<<16)
		for {
			var l inputLine
			l.text, l.long, l.err = readLine(in, most)
			select {
			case out <- l:
			case <-ctx.Done():
				return
			}
			if l.err != nil {
				return
			}
		}
	}()
	return out
}

// readLine reads a line with its end; of one that is longer than most, long is set and its text is gone.
func readLine(in *bufio.Reader, most int) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > most {
			line, long = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// eventOf is the line to record, with a time; nil for a blank one. why says that it is no event.
func eventOf(line []byte, long bool, now time.Time) (event []byte, why string) {
	if long {
		return nil, "it is longer than --max-line"
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, ""
	}
	if !utf8.Valid(line) {
		return nil, "expected UTF-8, found other bytes"
	}
	var d pyjson.Doc
	if err := d.ParseWhole(line); err != nil {
		return nil, "expected one JSON object, found " + err.Error()
	}
	v := d.Root()
	if v.Kind() != pyjson.Object {
		return nil, "expected one JSON object, found " + v.Kind().String()
	}
	for _, name := range []string{"ts", "timestamp", "time"} {
		if at := v.Get(name); at.Kind() != pyjson.Missing && at.Kind() != pyjson.Null {
			return line, ""
		}
	}
	end := bytes.LastIndexByte(line, '}')
	event = append(event, line[:end]...)
	if v.Len() > 0 {
		event = append(event, ", "...)
	}
	event = append(event, `"ts": `...)
	event = strconv.AppendFloat(event, float64(now.UnixMicro())/1e6, 'f', 6, 64)
	return append(event, line[end:]...), ""
}
