package trace

import "strings"

// maxPartial bounds the arguments that are put together out of a stream's pieces: 16 MiB. What goes beyond ends the call.
const maxPartial = 16 << 20

// maxPartials bounds how many calls of streams are open at once; all of them together hold no more than maxHeld bytes.
const maxPartials = 1 << 12

// partials puts calls together that a stream gives in pieces. A call stands where its first piece does.
type partials struct {
	open  map[string]*partial
	bytes int
}

type partial struct {
	*held
	args []byte // the text so far
}

// add adds a piece to the call of that name in the stream; the first one brings its id and tool.
func (p *partials) add(w *Scratch, name string, t *turn, id, tool, args []byte) {
	c := p.open[name]
	if c != nil && len(tool) > 0 && len(c.event.Tool) > 0 && len(id) > 0 && string(id) != string(c.event.CallID) {
		p.let(w, name) // a new call under an old number
		c = nil
	}
	if c == nil {
		if len(p.open) >= maxPartials {
			p.finish(w, "")
		}
		if p.open == nil {
			p.open = map[string]*partial{}
		}
		e := t.event(Call, w)
		e.CallID, e.Tool = id, tool
		c = &partial{held: w.Hold(e)}
		p.open[name] = c
	}
	if len(c.event.Tool) == 0 {
		c.event.Tool = append([]byte{}, tool...)
	}
	c.args = append(c.args, args...)
	p.bytes += len(args)
	switch {
	case len(c.args) > maxPartial:
		p.let(w, name)
	case p.bytes > maxHeld:
		p.finish(w, "")
	}
}

// finish lets go of the calls whose names begin so, in the order in which they began.
func (p *partials) finish(w *Scratch, prefix string) {
	for _, name := range inOrder(p.open) {
		if strings.HasPrefix(name, prefix) {
			p.let(w, name)
		}
	}
}

func (p *partials) let(w *Scratch, name string) {
	c := p.open[name]
	if c == nil {
		return
	}
	delete(p.open, name)
	p.bytes -= len(c.args)
	if len(c.event.Tool) == 0 {
		w.Drop(c.held)
		return
	}
	c.event.Args = w.Quote(c.args)
	w.Release(c.held)
}

// Flush lets go of calls whose streams broke off: their arguments are what came of them.
func (p *partials) Flush(w *Scratch) { p.finish(w, "") }
