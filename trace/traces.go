package trace

import "hash/maphash"

// traceIndex finds traces by their ids: open addressing, of which a look for a stranger touches four bytes a place and no id.
// A Go map of as many short-lived ids grows and rehashes for as long as they come. The zero traceIndex is ready.
type traceIndex struct {
	hashes []uint32     // 0: nothing stands there; a power of two of places, at least twice count
	traces []*spanTrace // at the same places
	count  int
	seed   maphash.Seed
}

// hash gives what get and a spanTrace want of an id: never 0.
func (x *traceIndex) hash(id []byte) uint32 {
	if x.hashes == nil {
		x.seed = maphash.MakeSeed()
		x.hashes, x.traces = make([]uint32, 64), make([]*spanTrace, 64)
	}
	return max(uint32(maphash.Bytes(x.seed, id)), 1)
}

// get gives the trace of an id, or nil.
func (x *traceIndex) get(hash uint32, id []byte) *spanTrace {
	mask := len(x.hashes) - 1
	for i := int(hash) & mask; x.hashes[i] != 0; i = (i + 1) & mask {
		if x.hashes[i] == hash && x.traces[i].id == string(id) {
			return x.traces[i]
		}
	}
	return nil
}

// add takes in a trace whose id is not there.
func (x *traceIndex) add(tr *spanTrace) {
	if x.count++; 2*x.count > len(x.hashes) {
		old := x.traces
		x.hashes, x.traces = make([]uint32, 2*len(old)), make([]*spanTrace, 2*len(old))
		for _, tr := range old {
			if tr != nil {
				x.put(tr)
			}
		}
	}
	x.put(tr)
}

func (x *traceIndex) put(tr *spanTrace) {
	mask := len(x.hashes) - 1
	i := int(tr.hash) & mask
	for x.hashes[i] != 0 {
		i = (i + 1) & mask
	}
	x.hashes[i], x.traces[i] = tr.hash, tr
}

// remove takes out a trace that is there. What stands behind it moves up, unless it would come before its own place.
func (x *traceIndex) remove(tr *spanTrace) {
	mask := len(x.hashes) - 1
	gap := int(tr.hash) & mask
	for x.traces[gap] != tr {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; x.hashes[i] != 0; i = (i + 1) & mask {
		if (i-int(x.hashes[i]))&mask >= (i-gap)&mask {
			x.hashes[gap], x.traces[gap] = x.hashes[i], x.traces[i]
			gap = i
		}
	}
	x.hashes[gap], x.traces[gap] = 0, nil
	x.count--
}
