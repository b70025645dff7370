package intake

import (
	"sync"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// owner is the goroutine that owns the book.
type owner struct {
	e       *Engine
	book    *triage.Book
	files   map[*trace.File]*queue
	byID    []*trace.File // by triage.FileID
	pass    int
	workers int           // still at work
	dirty   bool          // folded since the last snapshot
	caught  bool          // the reader has said that it caught up, or has ended
	ledger  bool          // the first look has been taken in, or there is none
	folded  int64         // batches that are in the book
	last    time.Time     // of the last snapshot
	pause   time.Duration // until the next one at the least
	rows    map[string]*rowFacts
	facts   *ledger.Facts
	running []ledger.Owner // of compensations that are under way
	acks    []ledger.Ack   // of no ledger
	once    sync.Once      // loaded is closed once
	window  *watched       // nil: no drain window was chosen
	patience
	empties
	best *keys.Recipe // reproduces more rows of the ledger than the recipe in force; nil: none does
}

// queue holds the batches of a file that came before their turn.
type queue struct {
	id      triage.FileID
	next    int
	waiting map[int]*triage.Batch
	named   bool // the book has its description, format and all
}

// Snapshots are made at most this often, and more seldom when making one is dear: after some times as long as the last one took. What one costs grows
// with what came since the one before. While what was there at the start is read, they only hold that up; afterwards, a large factor would let them fall
// behind a fast writer further and further.
const (
	shortest    = 25 * time.Millisecond
	seldom      = 20
	longest     = 5 * time.Second
	seldomLive  = 2
	longestLive = time.Second
)

// pause is how long no snapshot is made after one that took so long.
func pause(took time.Duration, loading bool) time.Duration {
	if loading {
		return max(shortest, min(seldom*took, longest))
	}
	return max(shortest, min(seldomLive*took, longestLive))
}

func newOwner(e *Engine) *owner {
	o := &owner{e: e, ledger: e.cfg.Ledger == nil, rows: map[string]*rowFacts{}}
	o.window = watch(&e.cfg)
	o.clean()
	return o
}

// clean begins an empty book for the reading in force.
func (o *owner) clean() {
	c, r := &o.e.cfg, o.e.reading.Load()
	o.empties = nil
	o.pass, o.files, o.byID, o.folded, o.caught, o.best = r.number, map[*trace.File]*queue{}, nil, 0, false, nil
	o.book = triage.NewBook(triage.Config{
		Table: r.law.Load().table, Recipe: r.law.Load().recipe, Ledger: c.Ledger != nil || c.LedgerErr != nil, Draining: c.Draining, Since: c.Since, Match: c.Match,
	})
	for _, s := range c.Sources {
		if s.Label != "" {
			o.book.AddSide(s.Label)
		}
	}
	if c.LedgerErr != nil {
		o.book.Unread(c.LedgerPath, c.LedgerErr.Error())
	}
	o.book.Loading(true)
}

// begin starts the workers of the reading in force.
func (o *owner) begin() {
	r := o.e.reading.Load()
	for o.workers = 0; o.workers < workers(); o.workers++ {
		o.e.group.Add(1)
		go o.e.read(r)
	}
}

// again reads everything again, by another recipe or table.
func (o *owner) again(recipe *keys.Recipe, t *table.Table) error {
	was := o.e.reading.Load()
	if err := o.e.open(recipe, t); err != nil {
		return err
	}
	_ = was.reader.Close() // what is left of that pass is passed over by its number
	o.clean()
	o.rejoin(t)
	o.book.SetAcks(o.acks)
	o.begin()
	return nil
}

// rejoin gives a book of another table the ledger as it was seen last.
func (o *owner) rejoin(t *table.Table) {
	d := digester{table: t}
	rows := make([]*rowFacts, 0, len(o.rows))
	for _, f := range o.rows {
		d.digest(f)
		rows = append(rows, f)
	}
	o.book.Ledger(bookRows(rows), nil, true)
	if o.facts != nil {
		o.foldFacts()
	}
}

func (o *owner) run() {
	e := o.e
	defer e.group.Done()
	defer close(e.done)
	defer e.guard("the book")
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for {
		if !e.cfg.Follow && e.loading.Load() {
			// Whoever reads once waits for the end: nobody looks before that.
		} else if wait := o.pause - time.Since(o.last); o.dirty && wait <= 0 && len(e.work) == 0 || o.dirty && wait < -o.pause {
			o.show()
		} else if o.dirty {
			due.Reset(max(wait, time.Millisecond))
		}
		select {
		case pieces := <-e.work:
			o.takeAll(pieces)
		case f := <-e.asks:
			f(o)
		case <-due.C:
		case <-tick.C:
			o.dirty = o.compensating() || o.dirty || o.book.Ages(e.cfg.Now().UnixNano()) || o.book.Pending() || o.book.Awaiting() || o.window.due(e.cfg.Now().UnixNano())
		case <-e.ctx.Done():
			return
		}
	}
}

// show makes and publishes a snapshot.
func (o *owner) show() {
	began := time.Now()
	final := o.caught && o.ledger && o.workers == 0
	o.patience.look(o)
	s := o.book.Snapshot(o.e.cfg.Now().UnixNano(), final)
	if o.window != nil {
		o.window.look(s, o.e.loading.Load())
	}
	o.last = time.Now()
	o.pause = pause(o.last.Sub(began), o.e.loading.Load())
	o.dirty = o.book.Behind()
	o.e.publish(s)
}

func (o *owner) takeAll(pieces []piece) {
	for _, p := range pieces {
		o.take(p)
	}
}

func (o *owner) take(p piece) {
	if p.ledger == nil && p.pass != o.pass {
		return
	}
	switch {
	case p.notice != nil:
		o.note(p.notice)
	case p.batch != nil:
		o.batch(p)
	case p.ledger != nil:
		o.look(p.ledger)
		reason := ""
		if p.err != nil {
			reason = p.err.Error()
		}
		o.book.Unread(o.e.cfg.LedgerPath, reason)
	case p.end:
		o.workers--
		if p.err != nil {
			o.book.Unread("reading", p.err.Error())
		}
		if o.workers == 0 {
			o.caught = true
		}
	}
	o.dirty = true
	o.settleLoad()
}

// batch folds a batch in its turn.
func (o *owner) batch(p piece) {
	q := o.queue(p.file)
	q.waiting[p.seq] = p.batch
	for {
		b, ok := q.waiting[q.next]
		if !ok {
			return
		}
		delete(q.waiting, q.next)
		q.next++
		o.folded++
		b.File = q.id
		if !q.named {
			info := fileInfo(p.file)
			info.FirstLine = p.file.FirstLine // set by now
			o.book.Describe(q.id, info)
			q.named = info.Format != ""
		}
		o.book.Fold(b)
		o.e.batches.give(b)
	}
}

// fileInfo is what is known of a file from its first moment on, and its format if that is known.
func fileInfo(f *trace.File) triage.FileInfo {
	info := triage.FileInfo{Path: f.Path, Side: f.Label, Generation: f.Gen}
	if format := f.Format(); format != nil {
		info.Format, info.Restates, info.Results = format.Name, format.Restates, format.Results
	}
	return info
}

func (o *owner) queue(f *trace.File) *queue {
	q, ok := o.files[f]
	if !ok {
		q = &queue{id: o.book.AddFile(fileInfo(f)), waiting: map[int]*triage.Batch{}}
		o.files[f] = q
		o.byID = append(o.byID, f)
	}
	return q
}

// note takes in news of a source or file.
func (o *owner) note(n *trace.Notice) {
	say := func(f *trace.File, text string) {
		if f != nil {
			o.book.Note(o.queue(f).id, text)
		}
	}
	switch n.What {
	case trace.Found:
		if n.File != nil {
			o.queue(n.File)
		}
		o.book.Unread(n.Path, "")
		o.empties.found(n.Path, func(source string) { o.book.Unread(source, "") })
	case trace.Unreadable:
		reason := "cannot be read"
		if n.Err != nil {
			reason = n.Err.Error()
		}
		o.book.Unread(n.Path, reason)
	case trace.NoTraces:
		o.book.Unread(n.Path, "no traces in it")
		o.empties = append(o.empties, n.Path)
	case trace.Truncated, trace.Rewritten:
		word := map[trace.What]string{trace.Truncated: "truncated", trace.Rewritten: "rewritten"}[n.What]
		say(n.Of, word)
		say(n.File, "")
	case trace.Renamed:
		say(n.File, "renamed to "+n.Path)
	case trace.Removed:
		say(n.File, "removed")
	case trace.Returned:
		o.book.Unread(n.Path, "")
	case trace.Writing:
		text := ""
		if n.Bytes > 0 {
			text = "writing"
		}
		say(n.File, text)
	case trace.CaughtUp:
		o.caught = true
	}
}

// settleLoad ends loading once everything that was there is folded.
func (o *owner) settleLoad() {
	if !o.caught || !o.ledger || o.folded < o.e.reading.Load().handed.Load() || !o.e.loading.Load() {
		return
	}
	o.book.Settle(true)
	o.detect()
	if o.best != nil && o.e.cfg.Recipe == "" && o.book.Table().Recipe == "" && o.pass == 0 {
		if err := o.again(o.best, o.book.Table()); err == nil {
			return
		}
	}
	o.e.loading.Store(false)
	o.book.Loading(false)
	o.patience.begin(o)
	o.show()
	o.once.Do(func() { close(o.e.loaded) })
}
