package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"drainboard/keys"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
	"drainboard/trace"
)

// Config says what an Engine reads and judges by.
type Config struct {
	Sources  []trace.Source
	Follow   bool
	MaxLine  int // bytes; 0: trace.DefaultMaxLine
	Stdin    io.Reader
	Poll     time.Duration
	Formats  []*trace.Format                          // nil: trace.Formats()
	Keep     func(path string, info fs.FileInfo) bool // trace.Config.Keep
	Run      string                                   // the run of lines that name none; "": named after the file
	Table    *table.Table
	Recipe   string // "": the table's, else the one that reproduces most of the ledger, else intent
	Since    int64  // nanoseconds, or trace.NoTime
	Draining string
	Match    triage.Match

	Ledger     ledger.Looker // nil: none
	LedgerPath string
	LedgerErr  error // a ledger was named and cannot be opened: it blocks

	// Alive says what is known of a process that runs a compensation; nil: nothing is.
	Alive func(ledger.Owner) ledger.Liveness

	Now func() time.Time // the clock; nil: time.Now

	// Window is how long nothing may block before the verdict is GO; 0: no drain window. Watched is what is known of it from before. KeepWindow
	// is told what is known of it by now, when that changes and now and then; it must not block.
	Window     time.Duration
	Watched    triage.WindowState
	KeepWindow func(triage.WindowState)
}

// Progress says how far reading is.
type Progress struct {
	Loading     bool    // what was there at the start is not read yet
	Read, Total int64   // bytes of it; Total grows while sources are found
	Rate        float64 // bytes a second, since the start
	Behind      int64   // bytes that lie unread while following
	Ledger      string  // "" or why the ledger cannot be read just now
	Table       string  // "" or why the decision table on disk is not the one in force; whoever calls Reload says so
}

// Query names calls: see triage.Question.
type Query = triage.Question

// Engine reads, keys and judges. All methods may be called by any goroutine.
type Engine struct {
	cfg     Config
	ctx     context.Context
	cancel  context.CancelFunc
	input   *tap // standard input, kept; nil when it is no source
	reading atomic.Pointer[reading]

	work    chan []piece
	asks    chan func(*owner)
	done    chan struct{} // the owner has ended
	updates chan struct{}
	loaded  chan struct{} // closed when what was there at the start is in the book

	snapshot atomic.Pointer[triage.Snapshot]
	trouble  atomic.Pointer[string] // why the ledger cannot be read just now
	loading  atomic.Bool
	looked   atomic.Int64 // when the last look at the ledger began that went well, since started
	started  time.Time
	fault    atomic.Pointer[error] // what ended the engine early
	batches  batches
	group    sync.WaitGroup
}

// law is what calls are keyed and judged by. It never changes.
type law struct {
	recipe *keys.Recipe
	table  *table.Table
}

// reading is one pass over the sources.
type reading struct {
	number int
	reader *trace.Reader
	law    atomic.Pointer[law]

	mu     sync.Mutex   // held while an item is taken, so that blocks are counted in the order in which they are handed out
	handed atomic.Int64 // blocks that workers took
	change sync.RWMutex // held (for reading) from keying a block until its batch is sent: the law does not change in between
}

// take gives the next items. Whoever gets a notice knows that every block before it is counted.
func (r *reading) take(ctx context.Context) ([]trace.Item, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	items, err := r.reader.NextFew(ctx)
	for _, it := range items {
		if it.Block != nil {
			r.handed.Add(1)
		}
	}
	return items, err
}

// piece is what a worker or the ledger's goroutine sends to the owner.
type piece struct {
	pass   int // of the reading that it belongs to
	file   *trace.File
	seq    int
	batch  *triage.Batch
	notice *trace.Notice
	end    bool // one worker has ended
	err    error
	ledger *ledgerNews
}

// Start begins to read. The Engine ends when ctx does, or with Close; a one-shot one (not Config.Follow) keeps answering after it has read everything.
func Start(ctx context.Context, c Config) (*Engine, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Table == nil {
		c.Table = table.Default()
	}
	recipe, err := c.recipe(c.Table)
	if err != nil {
		return nil, err
	}
	return start(ctx, c, recipe)
}

// recipe is the one that was chosen: by Config.Recipe, else by the table, else intent until the ledger says otherwise.
func (c *Config) recipe(t *table.Table) (*keys.Recipe, error) {
	name := cmp.Or(c.Recipe, t.Recipe)
	if name == "" {
		return keys.Intent, nil
	}
	return t.KeyRecipe(name)
}

// formats are those that the table maps, and then all others.
func (c *Config) formats(t *table.Table) []*trace.Format {
	if len(t.Formats) == 0 {
		return c.Formats
	}
	var out []*trace.Format
	for i := range t.Formats {
		f := &t.Formats[i]
		out = append(out, trace.Mapped(trace.Mapping{Name: f.Name, Call: fields(f.Call), Result: fields(f.Result)}))
	}
	if c.Formats == nil {
		return append(out, trace.Formats()...)
	}
	return append(out, c.Formats...)
}

func fields(f *table.Fields) *trace.Fields {
	if f == nil {
		return nil
	}
	out := &trace.Fields{
		Tool: f.Tool, Args: f.Args, CallID: f.CallID, Run: f.Run, Time: f.Time, Recorded: f.Recorded,
		Result: f.Result, Status: f.Status, Error: f.Error,
	}
	for _, t := range f.When {
		out.When = append(out.When, trace.Test{At: t.At, Match: t.Match})
	}
	return out
}

func start(ctx context.Context, c Config, recipe *keys.Recipe) (*Engine, error) {
	e := &Engine{
		cfg: c, work: make(chan []piece, 2*workers()), batches: make(batches, 64), asks: make(chan func(*owner)), done: make(chan struct{}),
		updates: make(chan struct{}, 1), loaded: make(chan struct{}), started: time.Now(),
	}
	e.ctx, e.cancel = context.WithCancel(ctx)
	for _, s := range c.Sources {
		if s.Path == trace.Stdin && e.input == nil && c.Stdin != nil {
			var err error
			if e.input, err = newTap(c.Stdin); err != nil {
				e.cancel()
				return nil, err
			}
		}
	}
	if err := e.open(recipe, c.Table); err != nil {
		e.cancel()
		return nil, err
	}
	o := newOwner(e)
	e.publish(o.book.Snapshot(c.Now().UnixNano(), false))
	o.begin()
	if c.Ledger != nil {
		e.group.Add(1)
		go e.watchLedger()
	}
	e.group.Add(1)
	go o.run()
	return e, nil
}

// open begins a reading.
func (e *Engine) open(recipe *keys.Recipe, t *table.Table) error {
	c := &e.cfg
	conf := trace.Config{Sources: c.Sources, Follow: c.Follow, MaxLine: c.MaxLine, Formats: c.formats(t), Poll: c.Poll, Now: c.Now, Keep: c.Keep}
	if e.input != nil {
		conf.Stdin = e.input.reader()
	}
	reader, err := trace.Open(e.ctx, conf)
	if err != nil {
		return err
	}
	next := &reading{reader: reader}
	next.law.Store(&law{recipe, t})
	if was := e.reading.Load(); was != nil {
		next.number = was.number + 1
	}
	e.reading.Store(next)
	e.loading.Store(true)
	return nil
}

func workers() int { return max(1, runtime.GOMAXPROCS(0)) }

// read is one worker: it takes blocks, keys them and sends the batches on.
func (e *Engine) read(r *reading) {
	defer e.group.Done()
	defer e.guard("a worker")
	k := newKeyer(&e.cfg, r.law.Load(), e.batches)
	for {
		items, err := r.take(e.ctx)
		if err != nil {
			p := piece{pass: r.number, end: true}
			if !errors.Is(err, io.EOF) {
				p.err = err
			}
			e.hand([]piece{p})
			return
		}
		for len(items) > 0 {
			n := 1 // so many need not wait for their turn, but for the first
			for n < len(items) && (items[n].Block == nil || !items[n].Block.Waits()) {
				n++
			}
			if b := items[0].Block; b != nil {
				b.Wait(&k.trace) // not in pass: that holds up a change of the law, which holds up the block before
			}
			if k = e.pass(r, k, items[:n]); k == nil {
				return
			}
			items = items[n:]
		}
	}
}

// pass sends on what was taken, keyed by the law in force, and gives the keyer for what comes next; nil ends the worker.
func (e *Engine) pass(r *reading, k *keyer, items []trace.Item) *keyer {
	r.change.RLock()
	defer r.change.RUnlock()
	if now := r.law.Load(); k.law != now {
		k = newKeyer(&e.cfg, now, e.batches)
	}
	pieces := make([]piece, len(items))
	for i, it := range items {
		p := &pieces[i]
		p.pass, p.notice = r.number, it.Notice
		if it.Block != nil {
			p.file, p.seq = it.Block.File, it.Block.Seq
			p.batch = k.key(it.Block)
			it.Block.Release()
		}
	}
	if !e.hand(pieces) {
		return nil
	}
	return k
}

// hand sends pieces to the owner; false when the engine ends.
func (e *Engine) hand(pieces []piece) bool {
	select {
	case e.work <- pieces:
		return true
	case <-e.ctx.Done():
		return false
	}
}

// guard keeps a panic of one goroutine from ending the process with the terminal in raw mode: it ends the engine instead, and says so.
func (e *Engine) guard(who string) {
	if r := recover(); r != nil {
		stack := make([]byte, 1<<16)
		err := fmt.Errorf("%s failed: %v\n%s", who, r, stack[:runtime.Stack(stack, false)])
		e.fault.CompareAndSwap(nil, &err)
		e.cancel()
	}
}

// Err is what ended the engine before its time, or nil.
func (e *Engine) Err() error {
	if p := e.fault.Load(); p != nil {
		return *p
	}
	return nil
}

func (e *Engine) publish(s *triage.Snapshot) {
	e.snapshot.Store(s)
	select {
	case e.updates <- struct{}{}:
	default:
	}
}

// Snapshot is the latest one; it is never nil.
func (e *Engine) Snapshot() *triage.Snapshot { return e.snapshot.Load() }

// Updates has an entry when there is a newer snapshot than the one taken last.
func (e *Engine) Updates() <-chan struct{} { return e.updates }

// Progress says how far reading is.
func (e *Engine) Progress() Progress {
	p := e.reading.Load().reader.Progress()
	out := Progress{Loading: e.loading.Load(), Read: p.Read, Total: p.Total}
	if seconds := time.Since(e.started).Seconds(); seconds > 0 {
		out.Rate = float64(p.Read) / seconds
	}
	if !out.Loading {
		out.Behind = max(0, p.Total-p.Read)
	}
	if t := e.trouble.Load(); t != nil {
		out.Ledger = *t
	}
	return out
}

// Wait returns when everything that was there at the start is in the book and judged.
func (e *Engine) Wait(ctx context.Context) error {
	select {
	case <-e.loaded:
		return e.Err()
	case <-e.done:
		if err := e.Err(); err != nil {
			return err
		}
		return errors.New("reading ended before everything was read")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask has the owner run f and waits for it.
func (e *Engine) ask(ctx context.Context, f func(*owner)) error {
	ran := make(chan struct{})
	select {
	case e.asks <- func(o *owner) { f(o); close(ran) }:
	case <-e.done:
		return e.ended()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-ran:
		return nil
	case <-e.done:
		return e.ended()
	}
}

func (e *Engine) ended() error {
	if err := e.Err(); err != nil {
		return err
	}
	return errors.New("the engine was closed")
}

// Calls lists a page of calls and says how many there are in all.
func (e *Engine) Calls(ctx context.Context, q Query) (page []triage.CallView, total int, err error) {
	err = e.ask(ctx, func(o *owner) {
		o.book.Link()
		page, total = o.book.View(q)
	})
	return page, total, err
}

// Report answers everything at once.
func (e *Engine) Report(ctx context.Context) (r *triage.Report, err error) {
	err = e.ask(ctx, func(o *owner) {
		now := e.cfg.Now().UnixNano()
		if r = o.book.Report(now); o.window != nil {
			r.Apply(o.window.view(now), now)
		}
	})
	if err == nil {
		r.Ledger.Path = e.cfg.LedgerPath
	}
	return r, err
}

// Keys lists the keys that begin with a prefix, at most limit.
func (e *Engine) Keys(ctx context.Context, prefix string, limit int) (found []string, err error) {
	err = e.ask(ctx, func(o *owner) {
		o.book.Link()
		found = o.book.Keys(prefix, limit)
	})
	return found, err
}

// Acknowledge replaces the acknowledgements that stand in no ledger: they hide findings and never turn a verdict. Those of the
// ledger come with its facts.
func (e *Engine) Acknowledge(ctx context.Context, acks []ledger.Ack) error {
	return e.ask(ctx, func(o *owner) {
		o.acks = acks
		o.book.SetAcks(acks)
		o.dirty = true
	})
}

// Recipe is the recipe in force.
func (e *Engine) Recipe() *keys.Recipe { return e.reading.Load().law.Load().recipe }

// Table is the decision table in force.
func (e *Engine) Table() *table.Table { return e.reading.Load().law.Load().table }

// Reload judges by another table from now on. Only those calls are read again whose keys the table changes; where that is not enough
// (another recipe, other formats, other ignore_result rules, files that changed meanwhile) everything is.
func (e *Engine) Reload(ctx context.Context, t *table.Table) error {
	var err error
	if asked := e.ask(ctx, func(o *owner) { err = o.reload(t) }); asked != nil {
		return asked
	}
	return err
}

// Row reads a row of the ledger as it is now.
func (e *Engine) Row(ctx context.Context, key string) (ledger.Row, bool, error) {
	if e.cfg.Ledger == nil {
		return ledger.Row{}, false, errors.New("no ledger was given: start with --ledger")
	}
	return e.cfg.Ledger.Row(ctx, key)
}

// Close ends reading and waits for every goroutine. The ledger is closed too.
func (e *Engine) Close() error {
	e.cancel()
	err := e.reading.Load().reader.Close()
	e.input.close()
	e.group.Wait()
	if e.cfg.Ledger != nil {
		err = errors.Join(err, e.cfg.Ledger.Close())
	}
	return err
}
