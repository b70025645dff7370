package trace

import (
	"bytes"
	"errors"

	"drainboard/keys/pyjson"
)

// Stats counts what a block held. Nothing is left out:
//
//	Values + Torn + Noise + Extra = Calls + Results + Others + Bad + Held
type Stats struct {
	Lines   int   // physical lines, blank ones and an unfinished last one included
	Bytes   int64 // of these lines, the skipped rest of an overlong one included
	Values  int   // readable values
	Torn    int   // unreadable stretches: a line or the rest of one
	Noise   int   // lines without a value that the format knows to be neither call nor result
	Extra   int   // events that a value gave beyond its first
	Calls   int
	Results int
	Others  int  // values and lines that are neither, run marks and links included
	Bad     int  // Bad events: torn stretches, values that are no object, and what lacks something
	Held    int  // events that were held back, less those that were let go: 0 over a whole closed file
	Tail    bool // the file ends in an unfinished value: a partial tail, neither bad nor listed
}

// Add adds what another block held.
func (s *Stats) Add(o Stats) {
	s.Lines += o.Lines
	s.Bytes += o.Bytes
	s.Values += o.Values
	s.Torn += o.Torn
	s.Noise += o.Noise
	s.Extra += o.Extra
	s.Calls += o.Calls
	s.Results += o.Results
	s.Others += o.Others
	s.Bad += o.Bad
	s.Held += o.Held
	s.Tail = s.Tail || o.Tail
}

// Reasons of bad lines.
const (
	reasonNoObject = "expected a JSON object, found another value"
	reasonTooLong  = "the line is longer than the limit (--max-line)"
)

var bom = []byte("\xEF\xBB\xBF")

// DecodeBlock decodes a block with its file's decoder and hands every call, result, run mark, link and bad stretch to
// handle, in the order of the file. It does not release the block. Where the format is not Stateless it waits until the file's blocks before
// this one are decoded, and parses meanwhile; when reading ends before that it does nothing.
func DecodeBlock(b *Block, w *Scratch, handle func(*Event)) Stats {
	if !b.Wait(w) {
		return Stats{}
	}
	w.waited = b.done != nil
	st := decode(b, b.File.dec, b.File.Format(), w, handle)
	w.waited = false
	w.ahead.clear()
	b.pass()
	w.handleLast(handle)
	return st
}

func decode(b *Block, dec Decoder, f *Format, w *Scratch, handle func(*Event)) Stats {
	var st Stats
	w.handle, w.stats = handle, &st
	w.lines, w.off = b.File.lines, b.Off
	d := blockDecoder{Block: b, dec: dec, format: f, w: w, st: &st}
	d.lines, _ = dec.(LineDecoder)
	switch {
	case b.Skipped > 0:
		st.Lines, st.Bytes = 1, b.Skipped
		d.torn(0, 0, reasonTooLong)
	case b.Document:
		st.Bytes = int64(len(b.Data))
		d.document()
	default:
		st.Bytes = int64(len(b.Data))
		d.eachLine()
	}
	if fl, ok := dec.(Flusher); ok && b.Last {
		w.reset()
		fl.Flush(w)
		st.Extra += w.n + w.bad
	}
	if !f.Stateless {
		b.File.lines += st.Lines
	}
	w.handle, w.stats = nil, nil
	return st
}

type blockDecoder struct {
	*Block
	dec    Decoder
	lines  LineDecoder // dec, when it is one
	format *Format
	w      *Scratch
	st     *Stats
	slow   bool // a line was no value alone: whole does not try the others
}

func (d *blockDecoder) eachLine() {
	data := d.Data
	for at := 0; at < len(data); d.st.Lines++ {
		if behind := d.whole(at); behind > 0 {
			at = behind
			continue
		}
		end := len(data)
		next := end
		whole := false
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end, next, whole = at+i, at+i+1, true
		}
		if !whole && d.Last && !d.closedLine(at, end) {
			d.st.Tail = true
			d.st.Lines++
			return
		}
		d.line(at, end, d.st.Lines)
		at = next
	}
}

// whole decodes the line at at if it is one value and nothing else, as nearly all are, and gives the offset behind its line end; 0 when it is not. To
// look for the end of the line first would be to go through all of it twice while it comes from memory.
func (d *blockDecoder) whole(at int) int {
	if d.slow || d.lines != nil || !d.format.Stateless || d.Data[at] != '{' {
		return 0
	}
	end, err := d.w.doc.Parse(d.Data, at)
	if err != nil || end >= len(d.Data) || d.Data[end] != '\n' || bytes.IndexByte(d.Data[at:end], '\n') >= 0 {
		d.slow = true // a value that is cut off may have been read on to the end of the block, which may not happen for each line
		return 0
	}
	d.value(d.w.doc.Root(), at, d.st.Lines)
	return end + 1
}

// closedLine says whether an unfinished last line is whole values, or blank, and counts like any other.
func (d *blockDecoder) closedLine(at, end int) bool {
	line := d.Data[:end]
	for {
		if at = skipSpace(line, at); at == end {
			return true
		}
		if d.lines != nil {
			off, only := d.lines.Start(line[at:])
			if off < 0 || only {
				return off < 0
			}
			at += off
		}
		next, err := d.w.doc.Parse(line, at)
		if err != nil {
			return false
		}
		at = next
	}
}

// line decodes the values of the line data[at:end], the n-th of the block.
func (d *blockDecoder) line(at, end, n int) {
	line := d.Data[:end]
	if at == 0 && d.Off == 0 && bytes.HasPrefix(line, bom) {
		at = len(bom)
	}
	first := skipSpace(line, at)
	if first == end {
		return // blank
	}
	only := false
	if d.lines != nil {
		var off int
		off, only = d.lines.Start(line[at:])
		if off < 0 {
			d.st.Noise++
			d.st.Others++
			return
		}
		d.w.Prefix = line[at : at+off]
		at += off
	}
	for at = skipSpace(line, at); at < end; at = skipSpace(line, at) {
		doc, next, err := d.parse(line, at)
		if err != nil {
			d.torn(at, n, reasonOf(err))
			return
		}
		d.value(doc.Root(), at, n)
		if only {
			return
		}
		at = next
	}
}

// parse gives what was parsed ahead, or parses now.
func (d *blockDecoder) parse(line []byte, at int) (doc *pyjson.Doc, next int, err error) {
	if doc, p := d.w.ahead.take(at); doc != nil {
		return doc, p.end, p.err
	}
	next, err = d.w.doc.Parse(line, at)
	return &d.w.doc, next, err
}

// value decodes one readable value.
func (d *blockDecoder) value(v pyjson.Value, at, line int) {
	w := d.w
	w.reset()
	w.line, w.offset = line, at
	d.st.Values++
	if v.Kind() != pyjson.Object {
		w.Bad(reasonNoObject)
	} else {
		d.dec.Decode(v, w)
	}
	switch k := w.n + w.bad; k {
	case 0:
		d.st.Others++
	default:
		d.st.Extra += k - 1
	}
}

// torn reports an unreadable stretch.
func (d *blockDecoder) torn(at, line int, reason string) {
	d.w.reset()
	d.w.line, d.w.offset = line, at
	d.st.Torn++
	d.w.Bad(reason)
}

func reasonOf(err error) string {
	var syntax *pyjson.SyntaxError
	if errors.As(err, &syntax) {
		if syntax.Unfinished {
			return "not JSON: the value is cut off"
		}
		return "not JSON: " + syntax.Reason
	}
	return "not JSON: " + err.Error()
}

func skipSpace(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r' || s[i] == '\n') {
		i++
	}
	return i
}
