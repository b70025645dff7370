package trace

import (
	"bytes"
	"fmt"
	"io"
)

// maxAnew bounds how much of a file is read again to find one event, in bytes.
const maxAnew = 256 << 20

// readFromStart reads the n-th call or result of the value at off again by decoding the file up to where that is told.
func (r *Reader) readFromStart(f *File, format *Format, off int64, n int) (Event, error) {
	src, done, err := reopen(f)
	if err != nil {
		return Event{}, err
	}
	defer done()
	var found *Event
	var w Scratch
	block := Block{File: &File{Path: f.Path}}
	var dec Decoder
	var data []byte
	for found == nil && !block.Last {
		have := len(data)
		data = append(data, make([]byte, blockSize)...)
		m, err := src.ReadAt(data[have:], block.Off+int64(have))
		if err != nil && err != io.EOF {
			return Event{}, fmt.Errorf("read %s again: %w", f.Now(), err)
		}
		data = data[:have+m]
		if dec == nil {
			var s sniffer
			block.Document = s.spansLines(head(data))
			dec = format.New(head(data), f.Path)
		}
		block.Last = err == io.EOF
		end := bytes.LastIndexByte(data, '\n') + 1
		switch {
		case block.Last:
			end = len(data)
		case block.Off+int64(len(data)) > maxAnew:
			return Event{}, fmt.Errorf("%s at byte %d: expected to find it again within %d bytes: the file is too long for that", f.Path, off, maxAnew)
		case block.Document || end == 0:
			continue
		}
		block.Data = data[:end]
		decode(&block, dec, format, &w, func(e *Event) {
			if found == nil && (e.Kind == Call || e.Kind == Result) && e.N == n && block.Off+int64(e.Offset) == off {
				own := e.clone()
				found = &own
			}
		})
		block.Off += int64(end)
		data = append(data[:0], data[end:]...)
	}
	if found == nil {
		return Event{}, fmt.Errorf("%s at byte %d: expected call or result %d of a value, found other bytes: %w", f.Path, off, n, ErrChanged)
	}
	return *found, nil
}
