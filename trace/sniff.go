package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// headSize is how much of a file's start decides its format, unless its first line alone is longer.
const headSize = 64 << 10

// head gives the start of data that decides the format: whole lines up to headSize, or the first line.
func head(data []byte) []byte {
	if len(data) <= headSize {
		return data
	}
	if i := bytes.LastIndexByte(data[:headSize], '\n'); i >= 0 {
		return data[:i+1]
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return data[:i+1]
	}
	return data
}

// sniffer finds the format of files. It is for one goroutine.
type sniffer struct {
	formats []*Format
	doc     pyjson.Doc
	counts  []int
}

// sniff gives the format of a file that starts with head, or nil when nothing there tells. Unless final, head may grow:
// what a format needs several lines for is then declared as soon as they are there.
func (s *sniffer) sniff(head []byte, path string, document bool) *Format {
	s.counts = append(s.counts[:0], make([]int, len(s.formats))...)
	head = bytes.TrimPrefix(head, bom)
	if document {
		return s.document(head, path)
	}
	for len(head) > 0 {
		line := head
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			line, head = head[:i], head[i+1:]
		} else {
			head = nil
		}
		if skipSpace(line, 0) == len(line) {
			continue
		}
		p := Probe{Line: bytes.TrimRight(line, "\r"), Path: path}
		if _, err := s.doc.Parse(line, 0); err == nil {
			p.Value = s.doc.Root()
		}
		if f := s.ask(&p); f != nil {
			return f
		}
	}
	return s.counted()
}

func (s *sniffer) document(head []byte, path string) *Format {
	at := 0
	for {
		next, err := s.doc.Parse(head, at)
		if err != nil {
			return s.counted()
		}
		root := s.doc.Root()
		p := Probe{Line: head[at:next], Path: path}
		if root.Kind() == pyjson.Array {
			for p.Value = range root.Elements() {
				if f := s.ask(&p); f != nil {
					return f
				}
			}
		} else if p.Value = root; true {
			if f := s.ask(&p); f != nil {
				return f
			}
		}
		at = next
	}
}

// ask shows one value to the formats.
func (s *sniffer) ask(p *Probe) *Format {
	for i, f := range s.formats {
		if s.counts[i] >= max(f.Lines, 1) || !f.Sniff(p) {
			continue
		}
		if s.counts[i]++; f.Lines <= 1 {
			return f
		}
	}
	return nil
}

// counted gives the first format of those that need several lines and found them.
func (s *sniffer) counted() *Format {
	for i, f := range s.formats {
		if f.Lines > 1 && s.counts[i] >= f.Lines {
			return f
		}
	}
	return nil
}

// spansLines says whether the values of a file that starts with data span lines, or are the elements of one array: its
// first byte is { or [, and what starts there goes on behind the first line; or it is an array whose first element is
// an object.
func (s *sniffer) spansLines(data []byte) bool {
	head := bytes.TrimPrefix(data[:min(len(data), headSize)], bom)
	at := skipSpace(head, 0)
	if at == len(head) || head[at] != '{' && head[at] != '[' {
		return false
	}
	end, err := s.doc.Parse(head, at)
	if err != nil {
		if e, ok := err.(*pyjson.SyntaxError); !ok || !e.Unfinished {
			return false
		}
		end = len(bytes.TrimRight(head, " \t\r\n"))
	}
	if head[at] == '[' {
		if i := skipSpace(head, at+1); i < len(head) && head[i] == '{' {
			return true
		}
	}
	return bytes.IndexByte(head[at:end], '\n') >= 0
}

// oneValue says whether data is one whole value that cannot go on: an object or an array.
func (s *sniffer) oneValue(data []byte) bool {
	return s.doc.ParseWhole(bytes.TrimPrefix(data, bom)) == nil && s.doc.Root().Kind() >= pyjson.Array
}

// wholeValues gives the length of the longest start of data that holds nothing but whole objects and arrays, with the
// white space behind them. Broken text counts as it comes: brackets outside of strings decide.
func wholeValues(data []byte) int {
	depth, end := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			if i = endOfString(data, i); i < 0 {
				return end
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				depth = 0
				end = skipSpace(data, i+1)
			}
		}
	}
	return end
}

// endOfString gives the offset of the quote that ends the string at i, or below zero.
func endOfString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}
