package intake

import (
	"fmt"

	"drainboard/keys"
)

// tries bounds the digests that finding out about recipes may cost: a row whose call is in no trace has to be tried with every run.
const tries = 200_000

// reproducer finds out whether a recipe makes a row's key from the row's request and a run that was seen.
type reproducer struct {
	o    *owner
	args keys.Args
	runs []string // tried for rows that no call is like
	left int
}

func newReproducer(o *owner) *reproducer {
	return &reproducer{o: o, runs: append(o.book.AllRuns(1000), ""), left: tries}
}

// by says which of the recipes reproduce the row.
func (r *reproducer) by(f *rowFacts, recipes []*keys.Recipe) []bool {
	out := make([]bool, len(recipes))
	if r.args.Parse([]byte(f.request)) != nil {
		return out
	}
	rule := r.o.book.Table().Lookup(f.row.Tool, &r.args)
	r.args.Ignore(rule.Ignore)
	try := func(run string) bool {
		missing := false
		for i, recipe := range recipes {
			if out[i] {
				continue
			}
			r.left--
			id, tool := keys.RunID{Text: []byte(run)}, []byte(f.row.Tool)
			d, err := recipe.Derive(id, tool, &r.args)
			out[i] = err == nil && recipe.Spell(d, id, tool) == f.row.Key
			missing = missing || !out[i]
		}
		return missing && r.left > 0
	}
	found := false
	r.o.book.RunsOf(f.row.Tool, f.row.Request, func(run string) bool {
		found = true
		return try(run)
	})
	if found {
		for _, done := range out {
			if done {
				return out
			}
		}
	}
	for _, run := range r.runs {
		if r.left <= 0 || !try(run) {
			break
		}
	}
	return out
}

// reproduce marks the rows that the recipe in force makes.
func (o *owner) reproduce(rows []*rowFacts) {
	r := newReproducer(o)
	for _, f := range rows {
		f.row.Reproduced = r.by(f, []*keys.Recipe{o.e.Recipe()})[0]
	}
}

// detect compares the recipe in force with the others once everything is read: which reproduces most rows of the ledger. It says so where
// a set recipe is not the best.
func (o *owner) detect() {
	if o.e.cfg.Ledger == nil || len(o.rows) == 0 {
		return
	}
	recipes := o.book.Table().KeyRecipes()
	counts := make([]int, len(recipes))
	r := newReproducer(o)
	rows := make([]*rowFacts, 0, len(o.rows))
	for _, f := range o.rows {
		for i, yes := range r.by(f, recipes) {
			if yes {
				counts[i]++
			}
			if recipes[i].Name() == o.e.Recipe().Name() {
				f.row.Reproduced = yes
			}
		}
		rows = append(rows, f)
	}
	o.book.Ledger(bookRows(rows), nil, false)
	best, ours := 0, 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
		if recipes[i].Name() == o.e.Recipe().Name() {
			ours = i
		}
	}
	if counts[best] <= counts[ours] {
		return
	}
	o.best = recipes[best]
	o.book.RecipeNote(fmt.Sprintf("%s reproduces %d of %d ledger rows, %s %d", o.e.Recipe().Name(), counts[ours], len(o.rows), o.best.Name(), counts[best]))
}
