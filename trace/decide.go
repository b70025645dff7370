package trace

import (
	"bytes"
	"context"
	"path/filepath"
)

// decide finds the format of a file from its first chunk. The outcome is again when the chunk can be handed out now, or
// must be loaded anew because the file is a document: then the format is still unknown.
func (r *Reader) decide(ctx context.Context, t *tail, c *chunk, closed bool) outcome {
	data := c.data()
	final := closed && c.end
	whole := data
	if !final && !t.document {
		whole = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	start := head(whole)
	if !t.document && (r.sniff.spansLines(data) || !final && len(whole) == 0 && jsonName(t.path) && r.sniff.oneValue(data)) {
		t.document = true
		return again
	}
	if t.document {
		if !final {
			whole = data[:wholeValues(data)]
		}
		start = whole
	}
	f := r.sniff.sniff(start, t.file.Path, t.document)
	if f == nil {
		enough := final || len(whole) > headSize || !c.end
		switch {
		case !enough || len(whole) == 0 && !final:
			if !c.end {
				t.long, t.seen = true, t.off+int64(len(data))
				return again
			}
			r.hold(ctx, t, int64(len(data)-len(whole)))
			return idle
		case !r.promising(ctx, t):
			return idle
		}
		f = unknownFormat()
	}
	r.settle(t, f, start)
	return again
}

// promising says whether a file in which nothing was recognised is read all the same: one that was named, or whose name
// promises lines of JSON. Any other is left out, which is told.
func (r *Reader) promising(ctx context.Context, t *tail) bool {
	if t.named || lineName(filepath.Base(t.path)) {
		return true
	}
	r.tell(ctx, Notice{What: NotTrace, File: t.file})
	r.end(ctx, t)
	return false
}

func (r *Reader) settle(t *tail, f *Format, head []byte) {
	if t.off > 0 { // a copy goes on: what it begins with was passed over
		if src, _, done := t.plain(); src != nil {
			buf := make([]byte, headSize)
			n, _ := src.ReadAt(buf, 0)
			head = buf[:n]
			done()
		}
	}
	t.file.dec = f.New(head, t.file.Path)
	t.file.format.Store(f)
	if f.Name != unknownName {
		t.root.traces++
	}
}

// jsonName says whether a name promises one JSON document.
func jsonName(path string) bool {
	ext := filepath.Ext(path)
	return ext == ".json" || ext == ".traj"
}
