package triage

import "drainboard/trace"

type role uint8

const (
	roleOrphan role = iota
	rolePaired
	roleDouble
	roleEcho
	roleCopy
	roleLeftOut
)

type resultFlags uint8

const (
	resultDirect  resultFlags = 1 << iota // to is the call it was given to because it names none
	resultPayload                         // has one
	resultCut
	resultCounted // stands among the orphans
)

// result is one recorded result. It is kept at 72 bytes, as calls are kept small.
type result struct {
	payload            [16]byte
	time               int64
	offset             uint32 // the lower half of it; see stem
	line               uint32
	run                uint32 // name
	stem               uint32
	to                 uint32 // in ids; of resultDirect, the call
	scope, nextInScope uint32
	of, next           uint32 // the call it belongs to, and the next result of that call
	more               uint32 // 0: none of that
	status             trace.Status
	role               role
	flags              resultFlags
}

// resultMore is what some results have.
type resultMore struct {
	place    int64  // latest recorded time so far in its file; of all others it is their own time
	payloads uint32 // further digests, by rule: index in Book.payloads
	conn     uint32 // name: within what its id reaches, if that is a connection
}

func (b *Book) stemOf(r *result) *stem { return b.stems.list.at(r.stem) }

// id is the call id that a result names, in Book.ids.
func (r *result) id() uint32 {
	if r.flags&resultDirect != 0 {
		return 0
	}
	return r.to
}

// direct is the call that a result was given to because it names none.
func (r *result) direct() uint32 {
	if r.flags&resultDirect == 0 {
		return 0
	}
	return r.to
}

// scopeKey is how far a result's id reaches.
func (b *Book) scopeKey(r *result) scopeKey {
	k := scopeKey{reach: b.stemOf(r).reach, id: r.id()}
	switch k.reach {
	case trace.ReachEverywhere:
	case trace.ReachConn:
		k.owner = b.more.at(r.more).conn
	default:
		k.owner = r.run
	}
	return k
}
