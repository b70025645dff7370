package intake

import (
	"time"

	"drainboard/keys"
	"drainboard/keys/pyjson"
	"drainboard/keys/table"
	"drainboard/ledger"
	"drainboard/ledger/triage"
)

// ledgerNews is one look at the ledger, as the owner takes it in.
type ledgerNews struct {
	rows  []*rowFacts
	table *table.Table // by which they are digested
	gone  []string
	all   bool
	more  *ledger.Facts
}

// rowFacts is a row as it came and as the book joins it.
type rowFacts struct {
	row               triage.LedgerRow
	request, response string
}

// lookEvery is how often the ledger is looked at; an unchanged one costs a pragma.
const lookEvery = 200 * time.Millisecond

// watchLedger looks at the ledger until the engine ends.
func (e *Engine) watchLedger() {
	defer e.group.Done()
	defer e.guard("the ledger's watch")
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	failing := false
	held := holders{alive: e.cfg.Alive}
	for first := true; ; first = false {
		began := time.Since(e.started)
		changes, err := e.cfg.Ledger.Look(e.ctx)
		switch {
		case e.ctx.Err() != nil:
			return
		case err != nil:
			text := err.Error()
			e.trouble.Store(&text)
		default:
			e.trouble.Store(nil)
			e.looked.Store(int64(began))
			held.fold(&changes)
		}
		news := viewRows(changes, &held, e.Table())
		if first || failing != (err != nil) || changes.All || len(news.rows)+len(news.gone) > 0 || news.more != nil {
			if !e.hand([]piece{{ledger: news, err: err}}) {
				return
			}
		}
		failing = err != nil
		if !e.cfg.Follow {
			return
		}
		select {
		case <-tick.C:
		case <-e.ctx.Done():
			return
		}
	}
}

// viewRows digests rows by a table.
func viewRows(c ledger.Changes, held *holders, t *table.Table) *ledgerNews {
	news := &ledgerNews{table: t, gone: c.Gone, all: c.All, more: c.Facts}
	for i := range c.Rows {
		r := &c.Rows[i]
		f := &rowFacts{request: r.Request, response: r.Response, row: triage.LedgerRow{
			Key: r.Key, Tool: r.Tool, State: string(r.State), Created: r.Created, Updated: r.Updated, HasResponse: r.HasResponse, Owner: held.words(r),
		}}
		news.rows = append(news.rows, f)
	}
	d := digester{table: t}
	for _, f := range news.rows {
		d.digest(f)
	}
	return news
}

// digester computes what rows are joined and compared by.
type digester struct {
	table   *table.Table
	args    keys.Args
	scratch keys.Scratch
}

func (d *digester) digest(f *rowFacts) {
	if d.args.Parse([]byte(f.request)) != nil {
		_ = d.args.Parse(pyjson.AppendQuote(nil, []byte(f.request))) // no JSON: an opaque text, which always parses
	}
	rule := d.table.Lookup(f.row.Tool, &d.args)
	d.args.Ignore(rule.Ignore)
	f.row.Request, f.row.Timeout = d.args.Digest(), rule.Timeout.Seconds()
	if f.row.HasResponse {
		f.row.Response = keys.ValueDigest(&d.scratch, []byte(f.response), rule.IgnoreResult)
	}
}

// look takes one look at the ledger into the book.
func (o *owner) look(n *ledgerNews) {
	if n.all {
		clear(o.rows)
	}
	table := o.book.Table()
	if n.table != table {
		d := digester{table: table}
		for _, f := range n.rows {
			d.digest(f)
		}
	}
	for _, f := range n.rows {
		o.rows[f.row.Key] = f
	}
	for _, key := range n.gone {
		delete(o.rows, key)
	}
	if !o.e.loading.Load() {
		o.reproduce(n.rows)
	}
	o.book.Ledger(bookRows(n.rows), n.gone, n.all)
	if n.more != nil {
		o.facts = n.more
		o.foldFacts()
	}
	o.ledger = true
}

func bookRows(list []*rowFacts) []triage.LedgerRow {
	out := make([]triage.LedgerRow, len(list))
	for i, f := range list {
		out[i] = f.row
	}
	return out
}
