package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"drainboard/keys/table"
	"drainboard/ledger/intake"
	"drainboard/ledger/triage"
	"drainboard/ui/redact"
)

// tagged is one call as `tools --tag` writes it: the recorded values in the plain format, and the tag. It can be read again.
type tagged struct {
	Type     string          `json:"type"`
	Time     string          `json:"ts,omitempty"`
	Run      string          `json:"run_id"`
	CallID   string          `json:"call_id,omitempty"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args,omitempty"`
	Recorded string          `json:"idempotency_key,omitempty"`
	Tag      string          `json:"tag"`
}

// tag writes the calls of classified tools to a file that is not there yet, or to standard output. Calls of unclassified
// tools are left out and counted on standard error.
func (a *app) tag(ctx context.Context, s *session, path string) error {
	var out io.Writer = a.env.Stdout
	var file *os.File
	if path != "-" {
		var err error
		if file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); errors.Is(err, os.ErrExist) {
			return &refusal{fmt.Errorf("%s is there already: name a new file", path)}
		} else if err != nil {
			return err
		}
		out = file
	}
	w := bufio.NewWriterSize(out, 1<<16)
	lines := io.Writer(w)
	if a.opts.redact {
		lines = masking{w, redact.JSON}
	}
	written, left, err := s.writeTagged(ctx, lines)
	err = errors.Join(err, w.Flush())
	if file != nil {
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return err
	}
	p := a.page()
	p.word(plain, "%s tagged", plural(written, "call", "calls"))
	if path != "-" {
		p.word(dim, " in %s", path)
	}
	if left > 0 {
		p.word(yellow, "; %s of unclassified tools left out", plural(left, "call", "calls"))
	}
	p.line()
	return p.flush(a.env.Stderr)
}

func (s *session) writeTagged(ctx context.Context, w io.Writer) (written, left int, err error) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for from := 0; ; {
		calls, total, err := s.Calls(ctx, intake.Query{From: from, Limit: pageOfCalls})
		if err != nil {
			return written, left, err
		}
		for i := range calls {
			v := &calls[i]
			if v.Class == table.Unclassified {
				left++
				continue
			}
			t := tagged{
				Type: "tool_call", Time: triage.Stamp(v.Time), Run: v.Run, CallID: v.CallID, Tool: v.Tool, Recorded: v.Recorded, Tag: v.Class.String(),
			}
			raw, err := s.Args(ctx, v.Pos)
			if err != nil {
				return written, left, fmt.Errorf("read the arguments of %s again: %w", where(v.Pos), err)
			}
			if t.Args, err = compactJSON(raw); err != nil {
				return written, left, fmt.Errorf("arguments of %s: %w", where(v.Pos), err)
			}
			if err := enc.Encode(t); err != nil {
				return written, left, err
			}
			written++
		}
		if from += len(calls); from >= total || len(calls) == 0 {
			return written, left, nil
		}
	}
}

// compactJSON brings a raw value into one line. What Python's json writes and encoding/json does not (NaN, Infinity) is told
// as text.
func compactJSON(raw []byte) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) == nil {
		return b.Bytes(), nil
	}
	return json.Marshal(string(raw))
}
