package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"drainboard/ledger"
)

// maxBatch is how many callers one transaction serves at most.
const maxBatch = 256

// op is one caller's part of a transaction.
type op struct {
	f     func(*tx) error
	state atomic.Int32 // queued, begun or left
	err   error
	panic any
	done  chan struct{}
}

const (
	queued int32 = iota
	begun
	left // its caller gave up while it was queued
)

var errClosed = errors.New("expected an open ledger, found one that was closed")

// do has f run in the writer's next transaction and waits for its commit. When ctx ends before f has begun, f never
// runs; afterwards do waits for the end all the same, so that nobody leaves a claim behind that he does not know of.
func (s *Store) do(ctx context.Context, f func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &op{f: f, done: make(chan struct{})}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	s.queue = append(s.queue, o)
	s.some.Signal()
	s.mu.Unlock()
	select {
	case <-o.done:
	case <-ctx.Done():
		if o.state.CompareAndSwap(queued, left) {
			return ctx.Err()
		}
		<-o.done
	}
	if o.panic != nil {
		panic(o.panic)
	}
	return o.err
}

// write is the writer's goroutine.
func (s *Store) write() {
	defer close(s.ended)
	last := 0
	for {
		start := time.Now()
		batch := s.next(last)
		s.turn.waited(time.Since(start))
		if batch == nil {
			_ = s.w.close() // nothing is lost: everything was committed
			return
		}
		last = len(batch)
		s.transact(batch)
		for _, o := range batch {
			close(o.done)
		}
		s.turn.after(s.w)
	}
}

// next takes what waits. After a transaction of many it lets those many come again first.
func (s *Store) next(last int) []*op {
	for tries, seen := 0, -1; last > 1 && tries < 8; tries++ {
		runtime.Gosched()
		s.mu.Lock()
		n := len(s.queue)
		s.mu.Unlock()
		if n == seen && n > 0 || n >= last {
			break
		}
		seen = n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 {
		if s.closed {
			return nil
		}
		s.some.Wait()
	}
	n := min(len(s.queue), maxBatch)
	batch := s.queue[:n:n]
	s.queue = s.queue[n:]
	return batch
}

// transact runs a batch in one transaction; when one of it fails so that the others cannot go on, each runs in its own.
func (s *Store) transact(batch []*op) {
	err := s.begin(batch)
	if err == nil {
		err = s.ready()
		if err == nil && !s.run(batch) {
			if err = s.rollback(); err == nil {
				for i := range batch {
					if len(batch) > 1 {
						s.transact(batch[i : i+1])
					}
				}
				return
			}
		}
		if err == nil {
			err = s.commit()
		}
		if err != nil {
			err = errors.Join(err, ignoring(s.rollback()))
		}
	}
	if err == nil {
		return
	}
	err = explainBusy(s.path, err)
	for _, o := range batch {
		if o.state.Load() != left {
			o.err = err
		}
	}
}

// run runs the functions of a batch; false says that one failed after it wrote, or by an error of SQLite, which may have
// ended the transaction.
func (s *Store) run(batch []*op) bool {
	fenced := s.schema.has["drainboard_fence_insert"] || s.schema.has["drainboard_fence_update"]
	for _, o := range batch {
		if !o.state.CompareAndSwap(queued, begun) && o.state.Load() != begun {
			continue
		}
		t := &tx{c: s.w, fenced: fenced}
		o.err, o.panic = nil, nil
		func() {
			defer func() { o.panic = recover() }()
			o.err = o.f(t)
		}()
		if (o.err != nil || o.panic != nil) && (t.wrote || code(o.err) != 0) {
			o.err = explainBusy(s.path, o.err)
			return false
		}
	}
	return true
}

// ready checks the file's schema again when it changed, and makes drainboard's own tables when they are not there.
func (s *Store) ready() error {
	v, err := s.w.number("PRAGMA schema_version")
	if err != nil {
		return err
	}
	if v != s.schema.seen {
		if err := s.check(); err != nil {
			return err
		}
	}
	if s.schema.made {
		return nil
	}
	for _, o := range ours() {
		if s.schema.has[o.name] {
			continue
		}
		if _, err := s.w.exec(o.sql); err != nil {
			return err
		}
		s.schema.seen = 0 // it is read again in the next transaction: this one may be rolled back
	}
	return nil
}

// begin takes SQLite's write lock. It is asked for again and again, soon and at random times, so that of many
// processes none waits for long: SQLite's own handler waits longer the longer it has waited.
func (s *Store) begin(batch []*op) error {
	start := time.Now()
	for {
		_, err := s.w.exec("BEGIN IMMEDIATE")
		if err == nil || !busy(err) {
			return err
		}
		s.turn.contended = time.Now()
		if time.Since(start) > s.opt.Patience {
			return err
		}
		if waiting(batch) == 0 {
			return context.Canceled
		}
		time.Sleep(retryMin + rand.N(retryMin))
	}
}

func waiting(batch []*op) (n int) {
	for _, o := range batch {
		if o.state.Load() != left {
			n++
		}
	}
	return n
}

// commit ends the transaction. Outside WAL it waits for readers.
func (s *Store) commit() error {
	start := time.Now()
	for {
		_, err := s.w.exec("COMMIT")
		if err == nil || !busy(err) || time.Since(start) > s.opt.Patience {
			return err
		}
		time.Sleep(retryMin + rand.N(retryMin))
	}
}

// The turns that processes take at one file. A process that goes on writing lets the lock go for yieldFor after
// probeOf, which is longer than those who wait sleep between two tries. Once others are seen it does so after sliceOf, and
// for half as long as it wrote: agents wait as SQLite does by itself, which tries every 100 ms at last, and gives up after
// five seconds in Python. In the first restFor of every restEvery, by the clock that all processes here share, those who
// hardly stood idle write nothing, so that such a try finds the lock free however many they are.
const (
	retryMin  = 100 * time.Microsecond
	sliceOf   = 5 * time.Millisecond
	yieldFor  = 500 * time.Microsecond
	yieldMost = 50 * time.Millisecond
	probeOf   = 25 * time.Millisecond
	quiet     = 5 * time.Second // without a sign of others
	restEvery = 2 * time.Second
	restFor   = 110 * time.Millisecond
)

// turn is the writer's memory of whose turn it is.
type turn struct {
	since     time.Time     // the last time that the lock was free for others
	contended time.Time     // the last sign of others
	version   int64         // PRAGMA data_version: moves when another connection commits
	period    int64         // of restEvery, that is under way
	idle      time.Duration // in this period, without anything to write
}

// waited is told how long there was nothing to write.
func (t *turn) waited(d time.Duration) {
	t.idle += d
	if d > yieldFor {
		t.since = time.Now()
	}
}

// after is called after every transaction.
func (t *turn) after(c *conn) {
	now := time.Now()
	if pause := t.rest(now); pause > 0 {
		time.Sleep(pause)
		t.since = time.Now()
		t.look(c)
		return
	}
	held := now.Sub(t.since)
	yield := yieldFor
	switch {
	case now.Sub(t.contended) < quiet && held >= sliceOf:
		yield = min(max(yieldFor, held/2), yieldMost)
	case held < probeOf:
		return
	}
	time.Sleep(yield)
	t.since = time.Now()
	t.look(c)
}

// rest is how long nothing is to be written because everybody rests now.
func (t *turn) rest(now time.Time) time.Duration {
	period, in := now.UnixNano()/int64(restEvery), time.Duration(now.UnixNano())%restEvery
	if period == t.period {
		return 0
	}
	busy := period == t.period+1 && t.idle < restEvery/5
	t.period, t.idle = period, 0
	if !busy {
		return 0
	}
	return restFor - in // not above 0 when its last transaction took longer than that
}

// look finds out whether others have written.
func (t *turn) look(c *conn) {
	v, err := c.number("PRAGMA data_version")
	if err != nil || v == t.version {
		return
	}
	if t.version != 0 {
		t.contended = t.since
	}
	t.version = v
}

// patient runs f again while the file is locked, until it works or the patience is at its end.
func patient(ctx context.Context, patience time.Duration, f func() error) error {
	end := time.Now().Add(patience)
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		err := f()
		if err == nil || !busy(err) || time.Now().After(end) {
			return err
		}
		if err := pause(ctx, wait/2+rand.N(wait)); err != nil {
			return err
		}
	}
}

// explainBusy explains an error of SQLite; others are those of the functions that ran, and theirs.
func explainBusy(path string, err error) error {
	if err == nil || code(err) == 0 {
		return err
	}
	return explain(path, err)
}

var (
	_ ledger.Store  = (*Store)(nil)
	_ ledger.Looker = (*Looker)(nil)
	_ ledger.Tx     = (*tx)(nil)
)
