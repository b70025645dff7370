package board

import (
	"slices"
	"sync/atomic"
	"time"

	"drainboard/ledger/triage"
	"drainboard/ui/board/filter"
	"drainboard/ui/board/ink"
)

// source is where the rows of a list come from: a sorted list of the snapshot, a stretch of one, or rows put together.
type source[T any] interface {
	Len() int
	At(i int) (T, bool)
}

// stretch is the rows [from, from+n) of a source.
type stretch[T any] struct {
	of      source[T]
	from, n int
}

func (s stretch[T]) Len() int { return s.n }

func (s stretch[T]) At(i int) (item T, ok bool) {
	if i < 0 || i >= s.n {
		return item, false
	}
	return s.of.At(s.from + i)
}

// array is rows in memory.
type array[T any] []T

func (a array[T]) Len() int { return len(a) }

func (a array[T]) At(i int) (item T, ok bool) {
	if i < 0 || i >= len(a) {
		return item, false
	}
	return a[i], true
}

// order is a way to sort a list.
type order[T any] struct {
	name   string
	column int              // whose title stands out
	less   func(a, b T) int // nil: as the source stands
}

// spec says what a list is made of. It is fixed.
type spec[T any] struct {
	subject filter.Subject
	columns []column
	orders  []order[T]
	id      func(T) string
	record  func(T, int64) filter.Record
	// rows gives the rows before the filter, at a cost that does not grow with their number, or few of them; make is true when they
	// are to be sorted even in their first order.
	rows func(*triage.Snapshot, *listState) source[T]
	// keep leaves rows out that are hidden; nil: none is.
	keep func(T, *listState) bool
	// seek finds a row that stood in the list before: a position to look at first. nil: where it was.
	seek func(source[T], T) int
	row  func(*ink.Block, *places, T, rowLook)
	// args reads the arguments of a row's first call, for filters that look at them; nil: there are none. It may wait.
	args func(T) []byte
	// about says what a row is about, for the detail and for actions.
	about func(T) subject
}

// with leaves out the columns that were not chosen.
func (s *spec[T]) with(columns []string) *spec[T] {
	s.columns = choose(s.columns, columns)
	return s
}

// rowLook is how one row is drawn.
type rowLook struct {
	look
	on     bool // under the cursor
	marked bool
}

// listState is what the operator chose for a list.
type listState struct {
	tab    int // which of the screen's lists
	order  int
	filter *filter.Filter
	pure   bool // show repeats of pure tools
	copies bool // show copies of calls
	hushed bool // hide what is acknowledged
}

// list is a windowed, filtered, sorted list of rows of one kind.
type list[T any] struct {
	grid
	spec  *spec[T]
	state listState
	snap  *triage.Snapshot
	src   source[T]
	at    T // the row under the cursor
	has   bool

	job     uint64        // generation of the newest job
	wanted  atomic.Uint64 // the same, for jobs: one that reads files ends early when it is stale
	running bool
	again   bool      // something changed while a job ran, or soon after it
	began   time.Time // when the job that runs began
	rest    time.Time // before that no further job begins by itself
	asked   bool      // the operator asked for the rows that come next: what they move has not moved by itself
	cols    places
}

// small is up to how many rows a list is filtered and sorted at once rather than in a command.
const small = 4096

// needsBuilding says whether the rows cannot be shown as they stand in the snapshot.
func (l *list[T]) needsBuilding() bool {
	return !l.state.filter.Empty() || l.spec.orders[l.state.order].less != nil || l.spec.keep != nil && l.state.hushed
}

// update takes in a snapshot or a changed state. It returns a job to be run elsewhere when there is much to do.
func (l *list[T]) update(s *triage.Snapshot, now time.Time) func() jobDone {
	l.snap = s
	raw := l.spec.rows(s, &l.state)
	if !l.needsBuilding() {
		l.job++
		l.running, l.again = false, false
		l.show(raw, now)
		return nil
	}
	if raw.Len() <= small && !l.state.filter.Reads() {
		l.job++
		l.running, l.again = false, false
		l.show(l.build(&building[T]{raw: raw, state: l.state, now: s.Now, job: l.job}), now)
		return nil
	}
	if l.src == nil {
		l.src = array[T](nil) // until the first job is done
	}
	if l.running || !l.asked && now.Before(l.rest) {
		l.again = true
		return nil
	}
	l.job++
	l.running, l.again, l.began = true, false, now
	gen, state, at := l.job, l.state, s.Now
	l.wanted.Store(gen)
	return l.part(&building[T]{raw: raw, state: state, now: at, job: gen})
}

// jobDone is what a job made; more goes on with it, nil when these are all rows.
type jobDone struct {
	screen screen
	gen    uint64
	rows   any
	more   func() jobDone
}

// part makes a job of a list in the making: all of it, or where each row has to be read from a file as many as are read in a moment.
func (l *list[T]) part(n *building[T]) func() jobDone {
	return func() jobDone {
		d := jobDone{gen: n.job, rows: l.build(n)}
		if n.at < n.raw.Len() {
			d.more = l.part(n)
		}
		return d
	}
}

// building is a list in the making. It belongs to one job at a time.
type building[T any] struct {
	raw   source[T]
	state listState
	now   int64
	job   uint64
	at    int // rows of raw before it are done
	out   []T
}

// take takes in what a job made; it returns a further job when something changed meanwhile. Stale results are dropped.
func (l *list[T]) take(d jobDone, now time.Time) func() jobDone {
	if d.gen != l.job || !l.running {
		return nil
	}
	if d.more != nil {
		asked := l.asked
		l.show(d.rows.(array[T]), now)
		l.asked = asked // until all are there
		return d.more
	}
	l.running = false
	l.rest = now.Add(restFactor * now.Sub(l.began))
	l.show(d.rows.(array[T]), now)
	return l.retry(now)
}

// restFactor is how many times as long as a job took the next one waits, unless the operator asks: news come twenty times a second,
// and filtering a million rows for each would take a whole core.
const restFactor = 4

// retry takes up what was put off, when its time has come.
func (l *list[T]) retry(now time.Time) func() jobDone {
	if !l.again || l.running || now.Before(l.rest) {
		return nil
	}
	return l.update(l.snap, now)
}

// restate starts over after the operator changed filter, order or what is hidden: what runs is stale.
func (l *list[T]) restate(now time.Time) func() jobDone {
	l.running, l.again, l.asked = false, false, true
	l.wanted.Store(0)
	if l.snap == nil {
		return nil
	}
	return l.update(l.snap, now)
}

// readsAtOnce is how many rows of which arguments are read again are looked at before those that passed are shown.
const readsAtOnce = 1024

// build filters and sorts for a job. It only reads what does not change, so it may run in any goroutine.
func (l *list[T]) build(n *building[T]) array[T] {
	f, reads, read := n.state.filter, n.state.filter.Reads() && l.spec.args != nil, 0
	if n.out == nil {
		n.out = make([]T, 0, min(n.raw.Len(), small))
	}
	for ; n.at < n.raw.Len() && read < readsAtOnce; n.at++ {
		item, ok := n.raw.At(n.at)
		if !ok {
			n.at = n.raw.Len()
			break
		}
		if l.spec.keep != nil && !l.spec.keep(item, &n.state) {
			continue
		}
		if !f.Empty() {
			r := l.spec.record(item, n.now)
			if reads {
				if l.wanted.Load() != n.job {
					n.at = n.raw.Len()
					break
				}
				r.Args = func() []byte { read++; return l.spec.args(item) }
			}
			if !f.Match(&r) {
				continue
			}
		}
		n.out = append(n.out, item)
	}
	out := n.out
	if n.at < n.raw.Len() {
		out = slices.Clone(out) // it grows while these are shown
	}
	if less := l.spec.orders[n.state.order].less; less != nil {
		slices.SortStableFunc(out, less)
	}
	return out
}

// show puts rows on screen and finds the row under the cursor again.
func (l *list[T]) show(src source[T], now time.Time) {
	l.src = src
	at := -1
	if l.has && l.grid.id != "" {
		at = l.find(src)
	}
	moved := l.moved
	l.settle(src.Len(), at, now)
	if l.asked {
		l.moved, l.asked = moved, false
	}
	l.pick()
}

// near is how far from its last position a row is looked for.
const near = 2048

// find looks for the row that was under the cursor: where the list's order says, then around where it was.
func (l *list[T]) find(src source[T]) int {
	if l.spec.seek != nil {
		if i := l.spec.seek(src, l.at); i >= 0 {
			if item, ok := src.At(i); ok && l.spec.id(item) == l.grid.id {
				return i
			}
		}
	}
	for d := 0; d <= near; d++ {
		for _, i := range [2]int{l.cursor + d, l.cursor - d} {
			if item, ok := src.At(i); ok && l.spec.id(item) == l.grid.id {
				return i
			}
		}
	}
	return -1
}

// pick notes which row is under the cursor.
func (l *list[T]) pick() {
	l.at, l.has = l.src.At(l.cursor)
	l.grid.id = ""
	if l.has {
		l.grid.id = l.spec.id(l.at)
	}
}

// draw writes the title line and the visible rows.
func (l *list[T]) draw(b *ink.Block, lk look) {
	if l.cols.width != b.Width() || l.cols.when != lk.whenWidth() {
		l.cols = solve(l.spec.columns, b.Width(), lk.whenWidth())
	}
	l.titles(b)
	from, to := l.visible()
	for i := from; i < to && b.Left() > 0; i++ {
		item, ok := l.src.At(i)
		if !ok {
			break
		}
		id := l.spec.id(item)
		r := rowLook{look: lk, on: i == l.cursor, marked: l.isMarked(id)}
		r.margin(b)
		l.spec.row(b, &l.cols, item, r)
		b.End()
	}
}

func (l *list[T]) titles(b *ink.Block) {
	sorted := l.spec.orders[l.state.order]
	for i, c := range l.spec.columns {
		w := l.cols.w[i]
		if w == 0 {
			continue
		}
		tone := ink.Head
		if sorted.less != nil && sorted.column == i {
			tone = ink.TabOn
		}
		b.To(l.cols.x[i])
		if c.right {
			b.Right(c.title, w, tone)
		} else {
			b.SayCell(c.title, w, tone)
		}
	}
	b.End()
}

// margin writes the caret and the mark before a row.
func (r rowLook) margin(b *ink.Block) {
	switch {
	case r.on && r.marked:
		b.Sign(b.Glyph().Caret, ink.Caret).Sign(b.Glyph().Mark, ink.Marked)
	case r.on:
		b.Sign(b.Glyph().Caret, ink.Caret)
	case r.marked:
		b.Sign(b.Glyph().Mark, ink.Marked)
	}
}

// cell starts column i and returns its width; 0: it is not shown.
func (p *places) cell(b *ink.Block, i int) int {
	if p.w[i] > 0 {
		b.To(p.x[i])
	}
	return p.w[i]
}

// about is what the row under the cursor is about.
func (l *list[T]) about() subject {
	if !l.has {
		return subject{}
	}
	return l.spec.about(l.at)
}

// most is up to how many rows are marked at once.
const most = 10_000

// each visits the rows shown, up to most of them; it says whether those were all.
func (l *list[T]) each(visit func(id string, s subject)) (all bool) {
	for i := range min(l.src.Len(), most) {
		item, ok := l.src.At(i)
		if !ok {
			break
		}
		visit(l.spec.id(item), l.spec.about(item))
	}
	return l.src.Len() <= most
}

// shown is how many rows there are.
func (l *list[T]) shown() int { return l.n }

// busy says that rows which the operator asked for are not there yet.
func (l *list[T]) busy() bool { return l.running && l.asked }

func (l *list[T]) pos() *grid { return &l.grid }

func (l *list[T]) options() *listState { return &l.state }

// orders names the ways to sort.
func (l *list[T]) orders() (names []string) {
	for _, o := range l.spec.orders {
		names = append(names, o.name)
	}
	return names
}

func (l *list[T]) subject() filter.Subject { return l.spec.subject }
