package intake

import "time"

// inGoodTime is how long a call may be without its row, or a row without its call, while sources are followed.
const inGoodTime = time.Second

// patience says what has had its time: calls that came before a look at the ledger which found no row for them, and rows that came as long ago.
type patience struct{ arrivals []arrival }

// arrival is how many calls and rows had come at a time since the start.
type arrival struct {
	at          time.Duration
	calls, rows uint32
}

// begin says that what was there at the start is read: all of it has had its time.
func (p *patience) begin(o *owner) {
	calls, rows := o.book.Arrived()
	p.arrivals = append(p.arrivals[:0], arrival{-inGoodTime, calls, rows})
}

// look tells the book of an owner what has had its time by now. Nothing is waited for while what was there at the start is read.
func (p *patience) look(o *owner) {
	if !o.e.cfg.Follow || o.e.cfg.Ledger == nil || o.e.loading.Load() {
		return
	}
	now := time.Since(o.e.started)
	calls, rows := o.book.Arrived()
	if n := len(p.arrivals); n == 0 || now-p.arrivals[n-1].at >= inGoodTime/20 {
		p.arrivals = append(p.arrivals, arrival{now, calls, rows})
	}
	looked := time.Duration(o.e.looked.Load())
	k := -1
	for i, a := range p.arrivals {
		if now-a.at < inGoodTime || looked < a.at {
			break
		}
		k = i
	}
	if k < 0 {
		return
	}
	o.book.Await(p.arrivals[k].calls, p.arrivals[k].rows)
	p.arrivals = append(p.arrivals[:0], p.arrivals[k:]...)
}
