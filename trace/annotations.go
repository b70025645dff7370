package trace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"drainboard/keys/pyjson"
)

// Annotation is what the definition of a tool says of it (MCP's ToolAnnotations, in a tools/list result). The server wrote it and nobody
// checked it: it is a hint.
type Annotation struct {
	Tool                              string
	ReadOnly, Destructive, Idempotent Said
}

// Said is what a definition says of one thing.
type Said uint8

// What may be said.
const (
	Unsaid Said = iota
	SaidNo
	SaidYes
)

// Limits of what is looked at for definitions.
const (
	maxDefinition = 16 << 20 // bytes of a line
	maxDepth      = 32       // of a definition in its line, texts that hold JSON included
)

// Annotations looks through a file of any format, which may be compressed, for definitions of tools that have annotations. Lines that are
// longer than 16 MiB, and what is no JSON, are passed over. One tool may be defined several times.
func Annotations(ctx context.Context, path string, visit func(Annotation)) error {
	fd, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("look for tool definitions: %w", err)
	}
	defer func() { _ = fd.Close() }()
	info, err := fd.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err // a stream is gone
	}
	var src io.Reader = fd
	if p := packed(fd); p != unpacked {
		w, err := newWindow(fd, p)
		if err != nil {
			return fmt.Errorf("look for tool definitions in %s: %w", path, err)
		}
		defer w.close()
		src = w.src
	}
	r := bufio.NewReaderSize(src, 256<<10)
	var line []byte
	var d definitions
	for {
		piece, err := r.ReadSlice('\n')
		if len(line) <= maxDefinition {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if at := bytes.IndexByte(line, '{'); at >= 0 && len(line) <= maxDefinition && bytes.Contains(line, []byte(`annotations`)) {
			d.read(line, at, 0, visit)
		}
		line = line[:0]
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}

// definitions finds those of one line.
type definitions struct{ docs []*pyjson.Doc }

// read looks at the value that begins at a place of a text; whatever stands behind it is passed over.
func (d *definitions) read(text []byte, at, depth int, visit func(Annotation)) {
	if len(d.docs) <= depth {
		d.docs = append(d.docs, &pyjson.Doc{})
	}
	if _, err := d.docs[depth].Parse(text, at); err == nil {
		d.walk(d.docs[depth].Root(), depth, visit)
	}
}

func (d *definitions) walk(v pyjson.Value, depth int, visit func(Annotation)) {
	if depth+1 >= maxDepth || !bytes.Contains(v.Raw(), []byte(`annotations`)) {
		return
	}
	switch v.Kind() {
	case pyjson.String:
		text := []byte(v.Text())
		if at := bytes.IndexAny(text, "{["); at == 0 {
			d.read(text, 0, depth+1, visit)
		}
	case pyjson.Array:
		for x := range v.Elements() {
			d.walk(x, depth, visit)
		}
	case pyjson.Object:
		if name, says := v.Get("name"), v.Get("annotations"); name.Kind() == pyjson.String && says.Kind() == pyjson.Object {
			a := Annotation{Tool: name.Text(), ReadOnly: said(says, "readOnlyHint"), Destructive: said(says, "destructiveHint"), Idempotent: said(says, "idempotentHint")}
			if a.Tool != "" && (has(says, "readOnlyHint") || has(says, "destructiveHint") || has(says, "idempotentHint") || has(says, "openWorldHint")) {
				visit(a)
			}
			return
		}
		for _, x := range v.Members() {
			d.walk(x, depth, visit)
		}
	}
}

func said(v pyjson.Value, name string) Said {
	switch v.Get(name).Kind() {
	case pyjson.True:
		return SaidYes
	case pyjson.False:
		return SaidNo
	}
	return Unsaid
}

// With is what two definitions of one tool say together: what is safer only where both say it.
func (a Annotation) With(b Annotation) Annotation {
	both := func(x, y, safe Said) Said {
		if x != y && (x == safe || y == safe) {
			return Unsaid
		}
		return max(x, y)
	}
	a.ReadOnly, a.Destructive, a.Idempotent = both(a.ReadOnly, b.ReadOnly, SaidYes), both(a.Destructive, b.Destructive, SaidNo), both(a.Idempotent, b.Idempotent, SaidYes)
	return a
}
