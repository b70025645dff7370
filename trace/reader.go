package trace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"
)

// Config says what a Reader reads, and how.
type Config struct {
	Sources []Source
	Follow  bool // go on reading what grows; otherwise what is there is read once and Next ends with io.EOF
	// MaxLine bounds the memory that one line, or one value that spans lines, may take, in bytes; 0 means DefaultMaxLine.
	// A longer one is one bad line and passed over in bounded memory. A block that holds the longest line takes twice
	// MaxLine while it is put together; decoding it takes 16 bytes more for each value in it.
	MaxLine  int
	Stdin    io.Reader     // read when a source's path is Stdin
	SpoolDir string        // where standard input is kept, in a private file that is gone at exit; "" the system's
	Formats  []*Format     // in the order of asking; nil: Formats()
	Poll     time.Duration // how often to look at everything, reported or not; 0 means a second
	NoWatch  bool          // do not ask the system to report changes: look only
	// Keep, if set, is asked about each file that a directory or glob gives, at every look until it says yes: no leaves it unread. A file
	// that was kept stays so. It is called by the Reader's goroutine.
	Keep func(path string, info fs.FileInfo) bool
	Now  func() time.Time
}

// DefaultMaxLine is the longest line that is read unless Config says otherwise, in bytes.
const DefaultMaxLine = 100 << 20

// Item is one thing that a Reader has to say: a Block or a Notice, never both.
type Item struct {
	Block  *Block
	Notice *Notice
}

// Progress says how far reading is.
type Progress struct {
	Files int64 // found
	Total int64 // bytes of them, as they lie on disk
	Read  int64 // bytes read of these
}

// Reader finds files and reads them in blocks. One goroutine of its own does that; Next may be called by several.
//
// A file is known by its device and inode, and by how it begins: renamed inside what is watched it is the same File.
// Cut or written anew it is a new one, with the same Path and the next Gen. A file that turns up in a directory and
// begins with what was read of another one beside it, which is named alike or was cut or removed, is a copy of that
// (a backup, a rotation by copying, a compressed rotation): what was read is not read again, which a Notice tells.
type Reader struct {
	cfg    Config
	sniff  sniffer
	pool   pool
	items  chan []Item
	cancel context.CancelFunc
	ended  chan struct{}   // closed when the goroutine is done
	quit   <-chan struct{} // closed when reading is to end
	wake   chan struct{}   // a stream grew or ended

	files, total, read atomic.Int64

	turn chan struct{} // holds an entry while Next is at work
	rest []Item        // taken, but not given by Next yet

	spoolMu sync.Mutex
	spools  []*spool

	// The rest belongs to the goroutine.
	roots   []*root
	tails   map[*tail]struct{}
	byPath  map[string]*tail
	byID    map[identity]*tail
	gens    map[string]int // Files that a path had
	ghosts  []ghost
	stems   map[string][]*tail  // by directory and name without extensions
	last    map[string]*lastAt  // by path as told
	told    map[string]bool     // what is told once
	touched map[string]struct{} // paths to look at
	gone    []*tail             // missing, not given up yet
	seek    []*tail             // not where they were: to be looked for in their directories
	perhaps []*tail             // copies, perhaps, of what is gone: looked at again
	queue   []*tail
	out     []Item // to be handed out together
	held    int    // bytes of blocks in it
	round   int
	steps   int
	opened  int // descriptors, at most
	caught  bool
	watch   *watcher
}

// queued is how many blocks, or bundles of small ones, may wait to be taken: enough to keep a reader ahead of its workers.
const queued = 4

// Small blocks and notices are handed out in bundles of so many bytes, or so many items, at most: handing something to another goroutine takes about as long
// as decoding some lines does.
const (
	bundleBytes = 64 << 10
	bundleItems = 32
)

// Open starts reading. The context ends it, as Close does; whoever opened a Reader closes it.
func Open(ctx context.Context, c Config) (*Reader, error) {
	if len(c.Sources) == 0 {
		return nil, errors.New("nothing to read: expected at least one source")
	}
	if c.MaxLine <= 0 {
		c.MaxLine = DefaultMaxLine
	}
	if c.Formats == nil {
		c.Formats = Formats()
	}
	if c.Poll <= 0 {
		c.Poll = time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &Reader{
		cfg:    c,
		sniff:  sniffer{formats: c.Formats},
		items:  make(chan []Item, queued),
		cancel: cancel,
		ended:  make(chan struct{}),
		quit:   ctx.Done(),
		wake:   make(chan struct{}, 1),
		turn:   make(chan struct{}, 1),
		tails:  map[*tail]struct{}{},
		byPath: map[string]*tail{},
		byID:   map[identity]*tail{},
		gens:   map[string]int{},
		stems:  map[string][]*tail{},
		last:   map[string]*lastAt{},
		told:   map[string]bool{},

		touched: map[string]struct{}{},
	}
	for _, s := range c.Sources {
		r.roots = append(r.roots, &root{Source: s})
	}
	go r.run(ctx)
	return r, nil
}

// Next gives the next block or notice; io.EOF when everything was read and the Reader does not follow, and the
// context's error when it, or the Reader's, has ended.
func (r *Reader) Next(ctx context.Context) (Item, error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return Item{}, ctx.Err()
	}
	defer func() { <-r.turn }()
	if len(r.rest) == 0 {
		items, err := r.NextFew(ctx)
		if err != nil {
			return Item{}, err
		}
		r.rest = items
	}
	it := r.rest[0]
	r.rest = r.rest[1:]
	return it, nil
}

// NextFew is Next for whoever takes what there is at once: a large block, or some small ones and notices, at least one, in their order. Who calls it does not
// call Next too.
func (r *Reader) NextFew(ctx context.Context) ([]Item, error) {
	select {
	case items, ok := <-r.items:
		if !ok {
			return nil, io.EOF
		}
		return items, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Progress says how far reading is.
func (r *Reader) Progress() Progress {
	return Progress{Files: r.files.Load(), Total: r.total.Load(), Read: r.read.Load()}
}

// Close ends reading and gives everything back, what was kept of standard input too. A Read of Config.Stdin that is
// under way cannot be ended from here: it ends when its stream does.
func (r *Reader) Close() error {
	r.cancel()
	<-r.ended
	r.spoolMu.Lock()
	defer r.spoolMu.Unlock()
	var err error
	for _, s := range r.spools {
		err = errors.Join(err, s.close())
	}
	r.spools = nil
	return err
}

// send hands an item out, now or, if it is small, with others; false when reading is to end.
func (r *Reader) send(ctx context.Context, it Item) bool {
	r.out = append(r.out, it)
	if it.Block != nil {
		r.held += len(it.Block.Data)
	}
	if r.held >= bundleBytes || len(r.out) >= bundleItems {
		return r.flush(ctx)
	}
	return ctx.Err() == nil
}

// flush hands out what was sent. It is called before the goroutine waits for anything.
func (r *Reader) flush(ctx context.Context) bool {
	if len(r.out) == 0 {
		return ctx.Err() == nil
	}
	out := r.out
	r.out, r.held = nil, 0
	select {
	case r.items <- out:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *Reader) tell(ctx context.Context, n Notice) {
	if n.File != nil && n.Path == "" {
		n.Path, n.Label = n.File.Path, n.File.Label
	}
	r.send(ctx, Item{Notice: &n})
}

// coalesce is how long lines that keep coming are gathered; the first after an idle spell is read at once.
const coalesce = 5 * time.Millisecond

func (r *Reader) run(ctx context.Context) {
	defer close(r.ended)
	defer close(r.items)
	defer r.giveBack()
	if r.cfg.Follow && !r.cfg.NoWatch {
		r.startWatch(ctx)
	}
	var next, last time.Time // of looking at everything, and of reading
	for ctx.Err() == nil {
		if now := r.cfg.Now(); next.IsZero() || r.cfg.Follow && !now.Before(next) {
			r.look(ctx)
			// Looking may take a hundredth of the time.
			took := r.cfg.Now().Sub(now)
			next = now.Add(max(r.cfg.Poll, 100*took))
		}
		more := r.pass(ctx)
		r.flush(ctx)
		if more {
			last = r.cfg.Now()
			r.drain()
			r.heed(ctx)
			continue
		}
		if r.cfg.Follow || !r.streaming() {
			r.caughtUp(ctx)
			r.flush(ctx)
			if !r.cfg.Follow {
				return
			}
		}
		if r.wait(ctx, next) {
			next = time.Time{}
		}
		if r.cfg.Follow {
			r.sleep(ctx, coalesce-r.cfg.Now().Sub(last))
		}
		last = r.cfg.Now()
		r.drain()
		r.heed(ctx)
	}
}

// wait waits for news, until everything is to be looked at or until what is missing is given up; lost says that news
// were lost and everything must be looked at.
func (r *Reader) wait(ctx context.Context, next time.Time) (lost bool) {
	var timer <-chan time.Time
	if r.cfg.Follow {
		d := next.Sub(r.cfg.Now())
		if len(r.gone) > 0 {
			d = min(d, grace)
		}
		t := time.NewTimer(max(d, time.Millisecond))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-ctx.Done():
	case <-r.wake:
		r.wakeStreams()
	case e := <-r.watch.events():
		r.note(e)
	case err := <-r.watch.errors():
		return err != nil
	case <-timer:
	}
	return false
}

func (r *Reader) sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// giveBack closes what the goroutine holds.
func (r *Reader) giveBack() {
	r.watch.close()
	for t := range r.tails {
		t.close()
	}
}

// streaming says whether a stream goes on.
func (r *Reader) streaming() bool {
	for t := range r.tails {
		if t.pipe != nil && !t.ended {
			return true
		}
	}
	return false
}

// caughtUp tells once that what was there at the start was read, and which sources held no traces.
func (r *Reader) caughtUp(ctx context.Context) {
	if r.caught {
		return
	}
	r.caught = true
	for _, root := range r.roots {
		if root.there && root.many && root.traces == 0 && !root.barred {
			r.tell(ctx, Notice{What: NoTraces, Path: root.Path, Label: root.Label})
		}
	}
	r.tell(ctx, Notice{What: CaughtUp})
}
