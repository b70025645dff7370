package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"drainboard/ledger/triage"
	"drainboard/ui/redact"

	"github.com/spf13/cobra"
)

// page starts an output for people.
func (a *app) page() *page {
	return &page{colour: a.env.Coloured && a.opts.theme.word != "mono", ascii: a.opts.ascii, redact: a.opts.redact, width: a.env.Width, folder: a.folder}
}

// printJSON prints one JSON value and a newline. Text that is not UTF-8 is printed with U+FFFD in its place.
func (a *app) printJSON(v any) error { return a.encoder(a.env.Stdout).Encode(v) }

// printReport is printJSON for a report, whose lists may be long: their text is never there as a whole.
func (a *app) printReport(r *triage.Report) error {
	out := a.pieces(a.env.Stdout)
	err := out.fields(reflect.ValueOf(r).Elem())
	if err != nil {
		return err
	}
	out.held.WriteByte('\n')
	return out.flush(0)
}

// pieces prints a value as an encoder does, a piece at a time.
type pieces struct {
	a    *app
	to   io.Writer
	held bytes.Buffer
	enc  *json.Encoder
}

func (a *app) pieces(to io.Writer) *pieces {
	p := &pieces{a: a, to: to}
	p.enc = a.encoder(&p.held)
	return p
}

// flush prints what is held when it is more than so many bytes.
func (p *pieces) flush(more int) error {
	if p.held.Len() <= more {
		return nil
	}
	_, err := p.held.WriteTo(p.to)
	return err
}

// fields prints a struct, each of whose fields has the name that its tag gives. A field that may be omitted has one zero value that counts as empty.
func (p *pieces) fields(v reflect.Value) error {
	before := byte('{')
	for i := range v.NumField() {
		name, rest, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		f := v.Field(i)
		if rest == "omitempty" && f.IsZero() {
			continue
		}
		p.held.WriteByte(before)
		before = ','
		p.held.WriteString(`"` + name + `":`)
		var err error
		switch {
		case f.Kind() == reflect.Struct:
			err = p.fields(f)
		case f.Kind() == reflect.Slice && f.Len() > 0:
			err = p.list(f)
		default:
			err = p.whole(f)
		}
		if err != nil {
			return err
		}
	}
	p.held.WriteByte('}')
	return nil
}

func (p *pieces) list(v reflect.Value) error {
	p.held.WriteByte('[')
	if err := p.items(v); err != nil {
		return err
	}
	p.held.WriteByte(']')
	return nil
}

// So many items of a list are written by one goroutine at a time.
const stretch = 256

// items prints the items of a list. Several goroutines write a long one, of which a few stretches are held at a time.
func (p *pieces) items(v reflect.Value) error {
	n := v.Len()
	if n < 4*stretch {
		for i := range n {
			if i > 0 {
				p.held.WriteByte(',')
			}
			if err := errors.Join(p.whole(v.Index(i)), p.flush(1<<16)); err != nil {
				return err
			}
		}
		return nil
	}
	type part struct {
		*pieces
		err   error
		ready chan struct{}
	}
	parts := make(chan *part, runtime.GOMAXPROCS(0)) // in their order
	var spare sync.Pool                              // pieces
	go func() {
		defer close(parts)
		for from := 0; from < n; from += stretch {
			q := &part{ready: make(chan struct{})}
			if q.pieces, _ = spare.Get().(*pieces); q.pieces == nil {
				q.pieces = p.a.pieces(nil)
			}
			parts <- q
			go func() {
				defer close(q.ready)
				for i := from; i < min(n, from+stretch) && q.err == nil; i++ {
					if i > 0 {
						q.held.WriteByte(',')
					}
					q.err = q.whole(v.Index(i))
				}
			}()
		}
	}()
	err := p.flush(0)
	for q := range parts {
		if <-q.ready; err == nil {
			err = q.err
		}
		if err == nil {
			_, err = q.held.WriteTo(p.to)
			spare.Put(q.pieces)
		}
	}
	return err
}

// whole prints a value at once.
func (p *pieces) whole(v reflect.Value) error {
	if err := p.enc.Encode(v.Addr().Interface()); err != nil {
		return err
	}
	p.held.Truncate(p.held.Len() - 1) // the newline
	return nil
}

// encoder writes JSON values, a line each, that a terminal shows as they are: what controls one, or changes the direction or the look of
// other text, stands there as an escape.
func (a *app) encoder(w io.Writer) *json.Encoder {
	if a.opts.redact {
		w = masking{w, redact.JSON}
	}
	enc := json.NewEncoder(visible{w})
	enc.SetEscapeHTML(false)
	return enc
}

// masking takes secrets out of what is written: JSON in whole values, or text in whole lines.
type masking struct {
	w    io.Writer
	mask func([]byte) []byte
}

func (m masking) Write(b []byte) (int, error) {
	if _, err := m.w.Write(m.mask(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// mask takes secrets out of a text, or a JSON value, when they are to be masked.
func (a *app) mask(text string) string {
	if !a.opts.redact {
		return text
	}
	return string(redact.JSON([]byte(text)))
}

// settleRedact settles whether secrets are masked: --redact, else $DRAINBOARD_REDACT. Then standard error holds none either, but for that of
// the commands which pass on what another program writes.
func (a *app) settleRedact(c *cobra.Command) {
	a.opts.namedRedact = c.Flags().Changed("redact")
	if word := a.env.Getenv("DRAINBOARD_REDACT"); !a.opts.namedRedact && word != "" && word != "0" {
		a.opts.redact = true
	}
	if a.opts.redact && c.Name() != "exec" && c.Name() != "record" {
		a.env.Stderr = masking{a.env.Stderr, func(b []byte) []byte { return []byte(redact.Text(string(b))) }}
	}
}

// visible escapes invisible characters in JSON. It is written to in whole values, in which they stand in strings only.
type visible struct{ w io.Writer }

func (v visible) Write(b []byte) (int, error) {
	out := b
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r >= 0x7f && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)) {
			if len(out) == len(b) && &out[0] == &b[0] {
				out = append(make([]byte, 0, len(b)+len(b)/8+16), b[:i]...)
			}
			out = appendEscape(out, r)
		} else if &out[0] != &b[0] {
			out = append(out, b[i:i+n]...)
		}
		i += n
	}
	if _, err := v.w.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// appendEscape appends a character as \uXXXX, or as two of them.
func appendEscape(dst []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	units := []uint16{uint16(r)}
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		units = []uint16{uint16(high), uint16(low)}
	}
	for _, u := range units {
		dst = append(dst, '\\', 'u', digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	return dst
}
