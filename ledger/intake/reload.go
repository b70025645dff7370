package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// reload judges by another table: from memory as far as that goes, else by reading everything again.
func (o *owner) reload(t *table.Table) error {
	was := o.e.reading.Load().law.Load()
	recipe, err := o.e.cfg.recipeAfter(was, t)
	if err != nil {
		return err
	}
	next := &law{recipe, t}
	if o.e.loading.Load() || recipe != was.recipe || !reflect.DeepEqual(was.table.Formats, t.Formats) || !o.change(next) {
		return o.again(recipe, t)
	}
	return nil
}

// recipeAfter is the recipe in force under another table: the one that was, unless another one was chosen or describes it otherwise.
func (c *Config) recipeAfter(was *law, t *table.Table) (*keys.Recipe, error) {
	if c.Recipe == "" && t.Recipe != was.table.Recipe {
		return c.recipe(t)
	}
	r, err := t.KeyRecipe(was.recipe.Name())
	switch {
	case err != nil:
		return c.recipe(t)
	case sameRecipes(was.table, t):
		return was.recipe, nil
	}
	return r, nil
}

// sameRecipes says whether two tables describe the same recipes.
func sameRecipes(a, b *table.Table) bool {
	if len(a.Recipes) != len(b.Recipes) {
		return false
	}
	for i := range a.Recipes {
		if !a.Recipes[i].Same(&b.Recipes[i]) {
			return false
		}
	}
	return true
}

// errAnew says that a law cannot be changed without reading everything again.
var errAnew = errors.New("everything has to be read again")

// change puts another law of the same recipe and formats in force without reading everything again, and says whether it did. When it
// did not, the book is spoilt: another one has to be made.
func (o *owner) change(next *law) bool {
	r := o.e.reading.Load()
	if !o.still(r) {
		return false
	}
	defer r.change.Unlock()
	c, ok := o.book.Change(next.table)
	if !ok || o.rekey(c, r.law.Load(), next) != nil {
		return false
	}
	r.law.Store(next)
	o.book = c.Book()
	o.book.RecipeNote("")
	o.rejoin(next.table)
	o.patience.begin(o) // rows are numbered anew
	o.book.Settle(true)
	o.detect()
	o.dirty = true
	return true
}

// still waits until no batch that was keyed by the law in force is on its way, and holds the workers there. ok is false when that did
// not come about; then nothing is held.
func (o *owner) still(r *reading) (ok bool) {
	const tries = 100
	for range tries {
		locked := make(chan struct{})
		go func() {
			r.change.Lock()
			close(locked)
		}()
		for waiting := true; waiting; {
			select {
			case p := <-o.e.work:
				o.takeAll(p)
			case <-locked:
				waiting = false
			}
		}
		for len(o.e.work) > 0 {
			o.takeAll(<-o.e.work)
		}
		if o.inOrder() {
			return true
		}
		r.change.Unlock()
		select { // whoever has the block before will send it now
		case p := <-o.e.work:
			o.takeAll(p)
		case <-o.e.ctx.Done():
			return false
		}
	}
	return false
}

// inOrder says whether no batch waits for one before it.
func (o *owner) inOrder() bool {
	for _, q := range o.files {
		if len(q.waiting) > 0 {
			return false
		}
	}
	return true
}

// stretch is calls of one file, to be read again in one pass.
type stretch struct{ from, to int }

// stretches cuts what is to be read again by file, and long lists into several.
func stretches(c *triage.Change, most int) (out []stretch) {
	for i := range c.Unread() {
		last := len(out) - 1
		if last < 0 || i-out[last].from >= most || c.File(out[last].from) != c.File(i) {
			out = append(out, stretch{i, i})
			last++
		}
		out[last].to = i + 1
	}
	return out
}

// someCalls is how many calls are read again at once.
const someCalls = 4096

// rekeyed is what another law makes of a stretch.
type rekeyed struct {
	stretch
	calls []triage.Rekeyed
	err   error
}

// rekey reads the calls again that a change cannot do without, and keys them by the next law.
func (o *owner) rekey(c *triage.Change, was, next *law) error {
	list := stretches(c, max(someCalls, c.Unread()/(4*workers())))
	todo, done := make(chan stretch), make(chan rekeyed, len(list))
	ctx, cancel := context.WithCancel(o.e.ctx)
	defer cancel()
	var group sync.WaitGroup
	defer group.Wait()
	for range min(len(list), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			defer o.e.guard("a worker")
			k := rekeyer{reader: o.e.reading.Load().reader, was: was, next: next, change: c}
			for s := range todo {
				done <- k.stretch(o.byID[c.File(s.from)], s)
			}
		})
	}
	go func() {
		defer close(todo)
		for _, s := range list {
			select {
			case todo <- s:
			case <-ctx.Done():
				return
			}
		}
	}()
	var ready []rekeyed
	for range list {
		select {
		case r := <-done:
			if r.err != nil {
				return r.err
			}
			ready = append(ready, r)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, r := range ready {
		for i := range r.calls {
			c.Set(r.from+i, &r.calls[i])
		}
	}
	return nil
}

// rekeyer keys calls by another law. One is for one goroutine.
type rekeyer struct {
	reader    *trace.Reader
	was, next *law
	change    *triage.Change
	args      keys.Args
	rows      map[string][2]*table.Row // of both tables, by tool
}

func (k *rekeyer) stretch(f *trace.File, s stretch) rekeyed {
	out := rekeyed{stretch: s, calls: make([]triage.Rekeyed, s.to-s.from)}
	at := make([]trace.At, s.to-s.from)
	for i := range at {
		p := k.change.Pos(s.from + i)
		at[i] = trace.At{Off: p.Offset, N: p.N}
	}
	out.err = k.reader.ReadEvents(f, at, func(i int, e *trace.Event) error {
		if err := k.call(e, k.change.Known(s.from+i), &out.calls[i]); err != nil {
			return fmt.Errorf("%s: %w", k.change.Pos(s.from+i), err)
		}
		return nil
	})
	return out
}

// row gives the rows of a tool in both tables.
func (k *rekeyer) row(tool []byte) [2]*table.Row {
	rows, ok := k.rows[string(tool)]
	if !ok {
		if k.rows == nil || len(k.rows) > 1<<14 {
			k.rows = map[string][2]*table.Row{}
		}
		name := string(tool)
		rows = [2]*table.Row{k.was.table.Row(name), k.next.table.Row(name)}
		k.rows[name] = rows
	}
	return rows
}

// call keys one call. It has to be the one that was read before: it has the arguments that it had, and the key when its line alone does
// not say which run it is of.
func (k *rekeyer) call(e *trace.Event, known triage.Reread, out *triage.Rekeyed) error {
	if e.Kind != trace.Call || !bytes.Equal(e.Tool, known.Tool) {
		return errChanged
	}
	run := keys.RunID{Text: e.Run, Raw: e.RunRaw}
	if len(e.Run) == 0 {
		run.Text = known.Run
	}
	rows := k.row(e.Tool)
	was := keyed{law: k.was}
	read := was.read(rows[0], e, &k.args)
	if was.rule != known.Rule || was.arguments != known.Args {
		return errChanged
	}
	if len(e.Run) == 0 && !known.NoKey {
		if was.derive(run, e, &k.args); was.digest != known.Key {
			return errAnew
		}
	}
	now := keyed{law: k.next, rule: rows[1].Own(), noKey: true, reason: was.reason}
	if read {
		now.reason = ""
		now.judge(rows[1], &k.args)
		now.derive(run, e, &k.args)
	}
	*out = triage.Rekeyed{
		Rule: uint16(now.rule.ID), Key: now.digest, Args: now.arguments, NoKey: now.noKey, Opaque: now.opaque, Ignored: now.ignored, Reason: now.reason,
	}
	if now.noKey || now.rule.Class == table.Pure {
		return nil
	}
	if shape, leaves, ok := k.args.Shape(known.Time, known.Time != trace.NoTime); ok {
		out.Shape, out.Leaves = shape, append([]keys.Leaf(nil), leaves...)
	}
	return nil
}
