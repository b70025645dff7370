// Package leftovers hunts for what a drain leaves behind: two real objects with one natural key (PRODUCT.md "leftover"). Two pull requests from one
// head branch, two issues with one title, one comment posted twice, one patch committed twice, one webhook delivered twice.
//
// Contract. Traces, Git and Deliveries each look in one place and return Groups: the objects of one natural key, one of them kept, and for each other
// one what undoes it. A Group is a guess where nobody said what names an object, or where it is not sure that both exist. Nothing here changes
// anything: a plan is a list, whose commands a person or `compensate` runs.
//
// Order. The same input gives the same groups in the same order: certain ones before guesses, then by the time of their first object. Loss. Calls whose
// arguments cannot be read again are counted (Found.Unread) and take part in nothing. A single place is bounded: Limits say by what.
//
// Ownership. Each function returns values that belong to the caller and keeps none. Git starts processes through ledger/run only.
package leftovers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"drainboard/ledger/triage"
	"drainboard/trace"
)

// Basis says what the objects of a group have in common.
type Basis string

// The bases, the strongest first.
const (
	ByTable    Basis = "natural key" // the pointers of the tool's row in tools.yaml
	ByPatch    Basis = "patch"       // git's stable patch id
	ByTree     Basis = "tree"        // of two branches
	ByHeader   Basis = "header"      // idempotency or delivery header of a webhook
	ByTitle    Basis = "issue title"
	ByComment  Basis = "comment" // text and place, within one retry window
	BySubject  Basis = "subject" // of a commit
	ByArgument Basis = "argument"
	ByResult   Basis = "result" // one url or id, answered to several intents
)

var bases = []Basis{ByTable, ByPatch, ByTree, ByHeader, ByTitle, ByComment, BySubject, ByArgument, ByResult}

// Field is one part of a natural key.
type Field struct {
	At    string `json:"at"`    // JSON pointer, header or property
	Value string `json:"value"` // at most 200 bytes of it; "" where the text is not shown
}

// Action says what is to be done about an object.
type Action string

// The actions.
const (
	Keep       Action = "keep"
	Compensate Action = "compensate" // Command does it, keyed: once, whoever runs it
	Revert     Action = "revert"     // Command does it
	Delete     Action = "delete"
	ByHand     Action = "by hand"
	Look       Action = "look" // it is not sure that it exists
)

// Object is one real thing, or one that may be real.
type Object struct {
	Name   string `json:"object"` // its url, id, hash; "" when nothing names it
	Side   string `json:"side"`
	Run    string `json:"run"`
	Tool   string `json:"tool"`
	Key    string `json:"key"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Time   string `json:"time"`   // RFC 3339, UTC
	Sure   bool   `json:"sure"`   // an ok result, or the repository itself, says that it exists
	Stored bool   `json:"stored"` // its payload is what the ledger stored
	Calls  int    `json:"calls"`  // that were answered with it

	Action  Action   `json:"action"`
	Command []string `json:"command"` // argv; empty when there is none
	Why     string   `json:"why"`

	at     int64 // for order
	object string
	doing  *triage.Doing
	extra  int // position among the extra effects of its key, when Action is Compensate and it is not the kept effect
	kept   bool
}

// Undoing says how a compensation undoes the object: the effect that the ledger stored, or the extra effect of its key at a position of
// triage.Effects.Extras. It means something only where Action is Compensate.
func (o *Object) Undoing() (key, side string, kept bool, extra int) {
	return o.Key, o.Side, o.kept, o.extra
}

// Group is the objects of one natural key.
type Group struct {
	Where   string   `json:"where"` // traces, git, deliveries
	Basis   Basis    `json:"basis"`
	Guess   bool     `json:"guess"`
	Kind    string   `json:"kind"` // of object: a tool, the start of a url, commit, branch, delivery
	Fields  []Field  `json:"natural_key"`
	Hash    string   `json:"hash"` // of the natural key: 12 hex digits
	Objects []Object `json:"objects"`
}

// Found is what a hunt found.
type Found struct {
	Groups []Group `json:"leftovers"`
	Shared []Group `json:"shared"` // one object that several intents were answered with: nothing to undo, but it has several owners
	Looked int     `json:"looked"` // effects, commits, branches, deliveries that were looked at
	Unread int     `json:"unread"` // of which this many could not be read
}

// Add takes in what another hunt found.
func (f *Found) Add(o Found) {
	f.Groups, f.Shared = append(f.Groups, o.Groups...), append(f.Shared, o.Shared...)
	f.Looked, f.Unread = f.Looked+o.Looked, f.Unread+o.Unread
}

// digest names a natural key shortly.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// show is a value as a Field holds it.
func show(text string) string {
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// sortGroups puts certain groups before guesses, then by basis and by the time of the first object.
func sortGroups(groups []Group) {
	first := func(g *Group) (int64, string, int) {
		at, file, line := int64(0), "", 0
		for i := range g.Objects {
			if o := &g.Objects[i]; i == 0 || o.at < at {
				at, file, line = o.at, o.File, o.Line
			}
		}
		return at, file, line
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		if a.Guess != b.Guess {
			if b.Guess {
				return -1
			}
			return 1
		}
		at1, file1, line1 := first(&a)
		at2, file2, line2 := first(&b)
		return cmp.Or(cmp.Compare(slices.Index(bases, a.Basis), slices.Index(bases, b.Basis)), cmp.Compare(at1, at2),
			strings.Compare(file1, file2), cmp.Compare(line1, line2), strings.Compare(a.Hash, b.Hash))
	})
}

// stamp prints a time, "" for none.
func stamp(at int64) string {
	if at == trace.NoTime {
		return ""
	}
	return triage.Stamp(at)
}
