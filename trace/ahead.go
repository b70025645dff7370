package trace

import (
	"bytes"

	"drainboard/keys/pyjson"
)

// ahead is what a worker makes of a block before its turn: its values, parsed. That needs nothing of the blocks before, while decoding them does
// where a format is not Stateless.
type ahead struct {
	docs   []*pyjson.Doc // of values, in order, and spare ones behind them
	room   []int         // the most values that each of docs has held
	total  int           // of room
	values []parsed
	next   int // of values, to be taken
}

// parsed is what Doc.Parse said of the value at at.
type parsed struct {
	at, end int
	err     error
}

// The bounds of what is parsed ahead of a block, and kept for the next: values, JSON values in all of them.
const (
	maxAhead      = 1 << 14
	maxAheadNodes = 1 << 20
)

// Waits says whether there are blocks before this one that it must wait for.
func (b *Block) Waits() bool { return b.before != nil }

// Wait returns when the block's turn to be decoded has come: at once where the format is Stateless, else when the file's blocks before it are
// decoded, or released without; it is parsed meanwhile. It is false when reading ended before. DecodeBlock waits by itself. Who must not wait while
// holding what the blocks before need, too, waits here first, with the Scratch that is to decode the block.
func (b *Block) Wait(w *Scratch) bool {
	if b.before == nil {
		return true
	}
	select {
	case <-b.before:
	default:
		w.ahead.clear()
		if _, ok := b.File.dec.(LineDecoder); !ok && !b.Document {
			w.ahead.parse(b)
		}
		select {
		case <-b.before:
		case <-b.home.quit:
			return false
		}
	}
	b.before = nil
	return true
}

// parse parses the values of a block's lines, as blockDecoder.line goes through them.
func (a *ahead) parse(b *Block) {
	if a.total > maxAheadNodes {
		a.docs, a.room, a.total = nil, nil, 0
	}
	nodes, at := 0, 0
	if b.Off == 0 && bytes.HasPrefix(b.Data, bom) {
		at = len(bom)
	}
	for next := 0; at < len(b.Data); at = next {
		end := len(b.Data)
		next = end
		if i := bytes.IndexByte(b.Data[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		line := b.Data[:end]
		for at = skipSpace(line, at); at < end; at = skipSpace(line, at) {
			if len(a.values) == maxAhead || nodes > maxAheadNodes {
				return
			}
			p, n := a.value(line, at)
			if nodes += n; p.err != nil {
				break
			}
			at = p.end
		}
	}
}

func (a *ahead) value(line []byte, at int) (p parsed, nodes int) {
	i := len(a.values)
	if i == len(a.docs) {
		a.docs, a.room = append(a.docs, new(pyjson.Doc)), append(a.room, 0)
	}
	p.at = at
	p.end, p.err = a.docs[i].Parse(line, at)
	a.values = append(a.values, p)
	if nodes = a.docs[i].Nodes(); nodes > a.room[i] {
		a.total += nodes - a.room[i]
		a.room[i] = nodes
	}
	return p, nodes
}

func (a *ahead) clear() { a.values, a.next = a.values[:0], 0 }

// take gives the value at at, nil when it was not parsed ahead. They are to be taken in order; others may be left out.
func (a *ahead) take(at int) (*pyjson.Doc, parsed) {
	for ; a.next < len(a.values); a.next++ {
		switch p := a.values[a.next]; {
		case p.at == at:
			return a.docs[a.next], p
		case p.at > at:
			return nil, parsed{}
		}
	}
	return nil, parsed{}
}
