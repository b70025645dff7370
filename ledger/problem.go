package ledger

import "strings"

// ProblemKind says what stands between a caller and a ledger, so that a caller can branch on it.
type ProblemKind string

// The kinds of problem. Missing to NewerVersion refuse to open; ReadOnly and Foreign still let the ledger be read.
const (
	Missing      ProblemKind = "missing"       // there is no file
	Empty        ProblemKind = "empty"         // a file of zero bytes, or one without tool_calls
	NotALedger   ProblemKind = "not a ledger"  // not SQLite, not a regular file
	Denied       ProblemKind = "denied"        // no permission to read
	Locked       ProblemKind = "locked"        // somebody held it for longer than the caller waits
	HotJournal   ProblemKind = "hot journal"   // a writer died inside a transaction
	WALDenied    ProblemKind = "wal denied"    // WAL mode, and its side files cannot be made or written here
	OtherSchema  ProblemKind = "other schema"  // tool_calls is not the seven columns
	NewerVersion ProblemKind = "newer version" // written by a later drainboard
	ReadOnly     ProblemKind = "read-only"     // readable, but without permission to write
	Foreign      ProblemKind = "foreign"       // readable, but it holds triggers or drainboard_* objects not ours
	Broken       ProblemKind = "broken"        // damaged, or an error of the disk or the server
)

// Problem is the error of a ledger that cannot be used as was asked: what was expected and found, where, and
// what to do about it.
type Problem struct {
	Kind  ProblemKind
	Path  string
	Found string // what was expected and what was found
	Do    string // what to do
	Err   error  // the cause, when there is one
}

// Error puts the problem into one line.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString("ledger ")
	b.WriteString(p.Path)
	b.WriteString(": ")
	b.WriteString(p.Found)
	if p.Err != nil {
		b.WriteString(" (")
		b.WriteString(p.Err.Error())
		b.WriteString(")")
	}
	if p.Do != "" {
		b.WriteString("; ")
		b.WriteString(p.Do)
	}
	return b.String()
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Err }
