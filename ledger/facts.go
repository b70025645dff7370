package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"drainboard/keys"
)

// Image is what a row held at one moment: the part of it that drainboard compares before it writes over it.
type Image struct {
	State       State
	Response    string
	HasResponse bool
	Created     float64
	Updated     float64
}

// Image returns what the row holds now.
func (r *Row) Image() Image {
	return Image{State: r.State, Response: r.Response, HasResponse: r.HasResponse, Created: r.Created, Updated: r.Updated}
}

// Fingerprint is a short text that differs when the image does.
func (im Image) Fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %t %q %x %x", im.State, im.HasResponse, im.Response, im.Created, im.Updated)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Differs says whether a row is not what drainboard last wrote. A row that was left failed and was claimed anew by
// a writer that knows nothing of claims does not: that is what failed is for.
func Differs(wrote, found Image) bool {
	return wrote != found && (wrote.State != Failed || wrote.Created == found.Created || found.State == "")
}

// AckOverwritten is the kind of an acknowledgement of an overwritten row; its Seen is the Fingerprint of what was found.
const AckOverwritten = "overwritten"

// Overwritten is a row that is not what drainboard last wrote (LEDGER.md "Who is promised what").
type Overwritten struct {
	Key, Tool string
	Wrote     Image
	Found     Image // Found.State is empty when the row is gone
}

// Late is a reply that came after its claim was gone, or an update that the fence turned away.
type Late struct {
	ID          int64
	Key, Tool   string
	Token       string // of the claim that is gone; empty for a writer that knows of no claims
	State       State  // what the reply would have made of the row
	Response    string
	HasResponse bool
	At          float64
	Differs     bool // its payload is not the one the row holds: critical
}

// Contradicts says whether the late reply holds a payload that the row does not: as JSON values, without the ignore rules of
// a table. What is not a commit holds none.
func (l *Late) Contradicts(row Image) bool {
	if l.State != Committed {
		return false
	}
	return row.State != Committed || row.HasResponse != l.HasResponse || !samePayload(row.Response, l.Response)
}

func samePayload(a, b string) bool {
	var s keys.Scratch
	return a == b || keys.ValueDigest(&s, []byte(a), nil) == keys.ValueDigest(&s, []byte(b), nil)
}

// Ack is an operator's acknowledgement of a finding.
type Ack struct {
	ID      int64  // of its log entry: what undo names
	Kind    string // of the finding, as the caller calls it
	Key     string
	Seen    string // the finding's fingerprint when it was acknowledged; another one brings the finding back
	Reason  string
	Actor   string
	At      float64
	Expires float64 // seconds since 1970; 0 never
}

// HumanKey is a word that a person gave for one more send of a compensate intent.
type HumanKey struct {
	Key     string // the intent
	Word    string
	RowKey  string // the key of the row that the send makes
	Reason  string
	Actor   string
	At      float64
	Used    bool
	UsedAt  float64
	UsedFor string // the token of the claim that used it up
}

// CompensationState says how far a compensation got.
type CompensationState string

// A compensation is started before its script runs and ended after it; one that was started by a process that is
// gone has an unknown outcome, which only the operator resolves.
const (
	CompensationStarted CompensationState = "started"
	CompensationEnded   CompensationState = "ended"
	CompensationUnknown CompensationState = "outcome unknown"
)

// Compensation is the last attempt at undoing one extra effect.
type Compensation struct {
	ID      string // CompensationID of (key, payload, number)
	Key     string
	Tool    string
	Extra   string // canonical payload of the extra result; "none" for an effect without payload
	Number  int    // among the extras of the group with that payload, from 0
	Attempt int
	State   CompensationState
	Exit    int // of the script; meaningful when ended
	Started float64
	Ended   float64
	Owner   Owner
}

// Facts are what drainboard keeps beside tool_calls and what findings are made of. A nil *Facts in Changes means:
// as they were at the look before.
type Facts struct {
	Overwritten   []Overwritten
	Late          []Late
	Acks          []Ack
	HumanKeys     []HumanKey
	Compensations []Compensation
}

// Equal says whether two sets of facts are the same.
func (f *Facts) Equal(g *Facts) bool {
	return slices.Equal(f.Overwritten, g.Overwritten) && slices.Equal(f.Late, g.Late) && slices.Equal(f.Acks, g.Acks) &&
		slices.Equal(f.HumanKeys, g.HumanKeys) && slices.Equal(f.Compensations, g.Compensations)
}

// Owner is a process on a host: who holds a claim or runs a compensation.
type Owner struct {
	Host, BootID string
	PID          int
	PIDStart     int64 // clock ticks since boot, as /proc/PID/stat field 22 has it; 0 unknown
}
