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
	ctx   context.Context
	f     func(*tx) error
	state atomic.Int32 // queued, begun or left
	err   error
	panic any
	done  chan struct{} // nil when its caller writes by itself
}

const (
	queued int32 = iota
	begun
	left // its caller gave up while it was queued
)

var errClosed = errors.New("expected an open ledger, found one that was closed")

// do has f run in the next transaction and waits for its commit. When ctx ends before f has begun, f never runs;
// afterwards do waits for the end all the same, so that nobody leaves a claim behind that he does not know of.
func (s *Store) do(ctx context.Context, f func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &op{ctx: ctx, f: f}
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return errClosed
	case !s.writing && len(s.queue) == 0 && s.turn.pause(time.Now()) == 0:
		s.writing = true
		s.mu.Unlock()
		s.alone(o)
	default:
		o.done = make(chan struct{})
		s.queue = append(s.queue, o)
		s.some.Signal()
		s.mu.Unlock()
		o.wait()
	}
	if o.panic != nil {
		panic(o.panic)
	}
	if o.state.Load() == left {
		return ctx.Err()
	}
	return o.err
}

// wait waits until the writer has served an op, or its caller gives up.
func (o *op) wait() {
	select {
	case <-o.done:
	case <-o.ctx.Done():
		if !o.state.CompareAndSwap(queued, left) {
			<-o.done
		}
	}
}

// alone serves the one caller that there is on its own goroutine: handing it over costs more than its statements.
func (s *Store) alone(o *op) {
	defer func() {
		s.mu.Lock()
		s.writing = false
		if len(s.queue) > 0 || s.closed {
			s.some.Signal()
		}
		s.mu.Unlock()
	}()
	s.serve([]*op{o})
}

// write is the writer's goroutine: it serves those who come while somebody writes.
func (s *Store) write() {
	defer close(s.ended)
	for last := 0; ; {
		batch := s.next(last)
		if batch == nil {
			_ = s.w.close() // nothing is lost: everything was committed
			return
		}
		last = len(s.serve(batch))
	}
}

// serve runs a batch, and whoever has come by the time that the lock is ours; it returns them all, when they know.
func (s *Store) serve(batch []*op) []*op {
	s.turn.before(s.w)
	err := s.begin(batch)
	if err == nil {
		batch = append(batch, s.take(maxBatch-len(batch))...)
	}
	s.transact(batch, err)
	s.turn.after()
	for _, o := range batch {
		if o.done != nil {
			close(o.done)
		}
	}
	return batch
}

// take takes at most n of those who wait out of the queue.
func (s *Store) take(n int) []*op {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, len(s.queue))
	batch := s.queue[:n:n]
	s.queue = s.queue[n:]
	return batch
}

// next takes what waits, when nobody else writes. After a transaction of many it lets those many come again first.
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
	if last > 0 {
		s.writing = false
	}
	for s.writing || len(s.queue) == 0 {
		if s.closed && !s.writing {
			s.mu.Unlock()
			return nil
		}
		s.some.Wait()
	}
	s.writing = true
	pause := s.turn.pause(time.Now())
	s.mu.Unlock()
	time.Sleep(pause)
	return s.take(maxBatch)
}

// transact runs a batch in the transaction that was begun, when err is nil; when one of it fails so that the others cannot
// go on, each runs in its own.
func (s *Store) transact(batch []*op, err error) {
	if err == nil {
		err = s.ready()
		if err == nil && !s.run(batch) {
			if err = s.rollback(); err == nil {
				s.apart(batch)
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

// apart runs each of many in a transaction of its own; one that is alone has failed.
func (s *Store) apart(batch []*op) {
	if len(batch) == 1 {
		return
	}
	for i := range batch {
		s.transact(batch[i:i+1], s.begin(batch[i:i+1]))
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
		if waiting(batch) == 0 {
			return context.Canceled
		}
		_, err := s.w.exec("BEGIN IMMEDIATE")
		if err == nil || !busy(err) {
			return err
		}
		s.turn.contended = time.Now()
		if time.Since(start) > s.opt.Patience {
			return err
		}
		time.Sleep(retryMin + rand.N(retryMin))
	}
}

// waiting is how many of a batch have not given up.
func waiting(batch []*op) (n int) {
	for _, o := range batch {
		if o.done == nil && o.ctx.Err() != nil {
			o.state.CompareAndSwap(queued, left) // nobody else says it for a caller that writes by itself
		}
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

// turn is the memory of whose turn it is. It belongs to who writes.
type turn struct {
	since     time.Time     // the last time that the lock was free for others
	contended time.Time     // the last sign of others
	version   int64         // PRAGMA data_version: moves when another connection commits
	period    int64         // of restEvery, that is under way
	idle      time.Duration // in this period, without anything to write
	ended     time.Time     // of the last transaction
	until     time.Time     // nothing is to be written before; zero when there is no pause
}

// pause is how long nothing is to be written now.
func (t *turn) pause(now time.Time) time.Duration {
	if t.until.IsZero() {
		return 0
	}
	return max(t.until.Sub(now), 0)
}

// before is called before every transaction, when the pause is over.
func (t *turn) before(c *conn) {
	free := t.ended
	if !t.until.IsZero() {
		free, t.since, t.until = t.until, t.until, time.Time{}
		t.look(c)
	}
	now := time.Now()
	idle := max(now.Sub(free), 0)
	if idle > yieldFor {
		t.since = now
	}
	if !free.IsZero() {
		t.idle += idle
	}
}

// after is called after every transaction.
func (t *turn) after() {
	now := time.Now()
	t.ended = now
	if pause := t.rest(now); pause > 0 {
		t.until = now.Add(pause)
		return
	}
	held := now.Sub(t.since)
	switch {
	case now.Sub(t.contended) < quiet && held >= sliceOf:
		t.until = now.Add(min(max(yieldFor, held/2), yieldMost))
	case held >= probeOf:
		t.until = now.Add(yieldFor)
	}
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
