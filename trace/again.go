package trace

import (
	"bytes"
	"fmt"

	"drainboard/keys/pyjson"
)

// ReadEvent reads the n-th call or result (from 1) of the value at off in the (decompressed) file again. The event owns its bytes. In a format whose
// decoder needs other lines the file is read from its start (Format.Apart), or the event may lack what those lines said.
func (r *Reader) ReadEvent(f *File, off int64, n int) (Event, error) {
	if format := f.Format(); format != nil && format.Apart {
		return r.readFromStart(f, format, off, n)
	}
	v, err := r.ReadValue(f, off)
	if err != nil {
		return Event{}, err
	}
	format := f.Format()
	if format == nil {
		return Event{}, fmt.Errorf("%s: its format is not known yet", f.Path)
	}
	var found *Event
	var w Scratch
	// Not the file itself, whose lines its own blocks count; and closed, so that a decoder lets go of what it holds back.
	b := Block{File: &File{Path: f.Path}, Off: off, Data: v, Document: true, Last: true}
	decode(&b, format.New(v, f.Path), format, &w, func(e *Event) {
		if (e.Kind == Call || e.Kind == Result) && e.N == n && found == nil {
			own := e.clone()
			found = &own
		}
	})
	if found == nil {
		return Event{}, fmt.Errorf("%s at byte %d: expected call or result %d of a value, found other bytes: the file has changed", f.Path, off, n)
	}
	return *found, nil
}

// clone copies what the event lends.
func (e *Event) clone() Event {
	own := *e
	own.Value = pyjson.Value{}
	for _, p := range [...]*[]byte{&own.Run, &own.RunRaw, &own.Parent, &own.CallID, &own.Tool, &own.Args, &own.Recorded, &own.Conn, &own.Payload, &own.Span} {
		*p = bytes.Clone(*p)
	}
	return own
}

// DecodeBytes decodes a whole closed file of a known format, as DecodeBlock would, and hands every event to handle.
func DecodeBytes(f *Format, data []byte, path string, handle func(*Event)) Stats {
	var w Scratch
	return decode(&Block{File: &File{Path: path}, Data: data, Last: true}, f.New(head(data), path), f, &w, handle)
}
