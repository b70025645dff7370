package intake

import (
	"bytes"
	"hash/maphash"

	"drainboard/ledger/triage"
)

// texts finds the numbers of a batch's texts that may come again: open addressing over the batch's own bytes. A Go map would keep each text
// a second time. It is for one batch, until clear.
type texts struct {
	seed   maphash.Seed
	places []textPlace // a power of two, at least twice count
	count  int
}

// textPlace holds a text's number and a part of its hash; where nothing stands, the number is 0.
type textPlace struct {
	hash uint32
	at   triage.Str
}

// fewTexts is how many places there are at first, manyTexts how many are kept for the next batch.
const fewTexts, manyTexts = 256, 1 << 14

func newTexts() texts { return texts{seed: maphash.MakeSeed(), places: make([]textPlace, fewTexts)} }

func (t *texts) clear() {
	if len(t.places) > manyTexts {
		t.places = make([]textPlace, fewTexts)
	}
	clear(t.places)
	t.count = 0
}

// put gives the number of a text of the batch, to which it is added unless it is there.
func (t *texts) put(b *triage.Batch, text []byte) triage.Str {
	hash := uint32(maphash.Bytes(t.seed, text))
	mask := len(t.places) - 1
	i := int(hash) & mask
	for ; t.places[i].at != 0; i = (i + 1) & mask {
		if p := t.places[i]; p.hash == hash && bytes.Equal(b.Text(p.at), text) {
			return p.at
		}
	}
	at := b.Add(text)
	t.places[i] = textPlace{hash, at}
	if t.count++; 2*t.count > len(t.places) {
		t.grow()
	}
	return at
}

func (t *texts) grow() {
	old := t.places
	t.places = make([]textPlace, 2*len(old))
	mask := len(t.places) - 1
	for _, p := range old {
		if p.at == 0 {
			continue
		}
		i := int(p.hash) & mask
		for t.places[i].at != 0 {
			i = (i + 1) & mask
		}
		t.places[i] = p
	}
}
