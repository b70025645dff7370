package trace

import (
	"bytes"
	"errors"

	"drainboard/keys/pyjson"
)

// document decodes values that span lines. The elements of an array that is no value's part are values themselves.
func (d *blockDecoder) document() {
	data := d.Data
	lines := lineCounter{data: data}
	at := 0
	if d.Off == 0 && bytes.HasPrefix(data, bom) {
		at = len(bom)
	}
	for {
		if at = skipSpace(data, at); at == len(data) {
			break
		}
		next, err := d.w.doc.Parse(data, at)
		if err == nil {
			d.root(d.w.doc.Root(), &lines)
			at = next
			continue
		}
		var syntax *pyjson.SyntaxError
		if d.Last && errors.As(err, &syntax) && syntax.Unfinished && data[len(data)-1] != '\n' {
			d.st.Tail = true
			break
		}
		d.torn(at, lines.at(at), reasonOf(err))
		at = resync(data, max(next, at+1))
	}
	d.st.Lines = lines.at(len(data))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		d.st.Lines++
	}
}

func (d *blockDecoder) root(v pyjson.Value, lines *lineCounter) {
	if v.Kind() != pyjson.Array || v.Len() == 0 {
		d.value(v, v.Offset(), lines.at(v.Offset()))
		return
	}
	for e := range v.Elements() {
		d.value(e, e.Offset(), lines.at(e.Offset()))
	}
}

// resync gives the start of the next line that begins with a bracket: where the next value probably starts.
func resync(data []byte, at int) int {
	for at < len(data) {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
		if at < len(data) && (data[at] == '{' || data[at] == '[') {
			return at
		}
	}
	return len(data)
}

// lineCounter gives the 0-based line of ever greater offsets.
type lineCounter struct {
	data    []byte
	upTo, n int
}

func (c *lineCounter) at(off int) int {
	c.n += bytes.Count(c.data[c.upTo:off], []byte{'\n'})
	c.upTo = off
	return c.n
}
