package sqlite

import (
	"encoding/hex"
	"sort"

	"drainboard/ledger"
)

// entry is what the index keeps of a row: enough to see that it changed, and its key.
type entry struct {
	id               int64 // row id
	created, updated float64
	key              [32]byte // of a key of 64 or 16 lower-case hexadecimal digits; other keys stand in index.other
	size             int32    // bytes of the response, -1 without one
	state            uint8    // position in index.states
	form             keyForm
}

type keyForm uint8

const (
	keyOther keyForm = iota
	key16
	key64
)

// index is the board's own memory of tool_calls, ordered by row id: 64 bytes a row for keys of the recipes.
type index struct {
	rows   []entry
	other  map[int64]string
	states []ledger.State
	open   map[int64]string // rows that are not committed: row id to key
}

func newIndex() *index {
	return &index{other: map[int64]string{}, open: map[int64]string{}}
}

// find returns the position of a row id, or where it would stand.
func (x *index) find(id int64) (int, bool) {
	n := len(x.rows)
	if n == 0 || x.rows[n-1].id < id {
		return n, false
	}
	i := sort.Search(n, func(i int) bool { return x.rows[i].id >= id })
	return i, x.rows[i].id == id
}

// put adds a row or replaces what stood at its row id.
func (x *index) put(id int64, key string, im ledger.Image) {
	e := x.entry(id, key, im)
	if i, ok := x.find(id); ok {
		x.rows[i] = e
	} else {
		x.rows = append(x.rows, entry{})
		copy(x.rows[i+1:], x.rows[i:])
		x.rows[i] = e
	}
	x.note(e, key)
}

// note keeps the text of keys that an entry cannot hold, and the list of open rows.
func (x *index) note(e entry, key string) {
	delete(x.other, e.id)
	delete(x.open, e.id)
	if e.form == keyOther {
		x.other[e.id] = key
	}
	if x.states[e.state] != ledger.Committed {
		x.open[e.id] = key
	}
}

// drop forgets a row id.
func (x *index) drop(id int64) {
	if i, ok := x.find(id); ok {
		x.rows = append(x.rows[:i], x.rows[i+1:]...)
	}
	delete(x.other, id)
	delete(x.open, id)
}

// same says whether the row at a row id is as the index has it.
func (x *index) same(id int64, key string, im ledger.Image) bool {
	i, ok := x.find(id)
	return ok && x.rows[i] == x.entry(id, key, im) && (x.rows[i].form != keyOther || x.other[id] == key)
}

// text is the key of an entry.
func (x *index) text(e entry) string {
	switch e.form {
	case key64:
		return hex.EncodeToString(e.key[:])
	case key16:
		return hex.EncodeToString(e.key[:8])
	}
	return x.other[e.id]
}

func (x *index) entry(id int64, key string, im ledger.Image) entry {
	e := entry{id: id, created: im.Created, updated: im.Updated, size: -1, state: x.intern(im.State)}
	if im.HasResponse {
		e.size = int32(min(len(im.Response), 1<<31-1))
	}
	e.setKey(key)
	return e
}

func (e *entry) setKey(key string) {
	if len(key) != 64 && len(key) != 16 {
		return
	}
	for i := range len(key) {
		if c := key[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return
		}
	}
	if _, err := hex.Decode(e.key[:len(key)/2], []byte(key)); err != nil {
		return
	}
	e.form = key64
	if len(key) == 16 {
		e.form = key16
	}
}

// intern gives a state its small number. A ledger with more than 255 states of its own shares the last number:
// changes between those are seen by their times.
func (x *index) intern(s ledger.State) uint8 {
	for i, t := range x.states {
		if s == t {
			return uint8(i)
		}
	}
	if len(x.states) == 256 {
		return 255
	}
	x.states = append(x.states, s)
	return uint8(len(x.states) - 1)
}
