package table

// Situation is what happened to a call that somebody has to decide about.
type Situation uint8

// The situations, the columns of the decision table.
const (
	OnTimeout Situation = iota
	OnRetry             // the same intent is asked for again
	OnExtra             // a second effect is confirmed
)

// String is the column's heading.
func (s Situation) String() string {
	switch s {
	case OnTimeout:
		return "on timeout"
	case OnRetry:
		return "on identical retry"
	default:
		return "on confirmed extra write"
	}
}

// Shape names the row of the decision table that a rule belongs to.
func Shape(r *Rule) string {
	switch {
	case r.Class == Pure:
		return "pure read"
	case r.Class == Keyed && r.Effect == Write:
		return "keyed write"
	case r.Class == Keyed:
		return "keyed create"
	case r.Class == Compensate:
		return "effect with no natural key"
	default:
		return "unclassified"
	}
}

// Advice is the cell of the decision table for a rule in a situation (PRODUCT.md "advice"). A tool in no
// class has no row there: it is to be classified first.
func Advice(r *Rule, s Situation) string {
	switch r.Class {
	case Pure:
		return [...]string{"send again", "send again", "nothing"}[s]
	case Keyed:
		extra := "close or comment the extra object"
		if r.Effect == Write {
			extra = "overwrite with the stored canonical body"
		}
		return [...]string{"wait, then replay the store", "return the stored payload", extra}[s]
	case Compensate:
		return [...]string{"do not retry by yourself", "refuse until a human gives a key", "run the documented compensation"}[s]
	default:
		return "classify the tool first"
	}
}
