package trace

// idSet is a set of ids that forgets all when it holds maxIDs. Ids longer than maxID bytes are not kept.
type idSet map[string]struct{}

const (
	maxIDs = 1 << 16
	maxID  = 1 << 10
)

// add says whether the id is new.
func (s *idSet) add(id []byte) bool {
	if len(id) > maxID {
		return true
	}
	if _, ok := (*s)[string(id)]; ok {
		return false
	}
	s.put(string(id))
	return true
}

func (s *idSet) put(id string) {
	if *s == nil || len(*s) >= maxIDs {
		*s = idSet{}
	}
	(*s)[id] = struct{}{}
}

func (s idSet) has(id []byte) bool {
	_, ok := s[string(id)]
	return ok
}

// idLog is an idSet of which nothing is asked while only one of two kinds of records comes: ids are entered when something is.
type idLog struct {
	set   idSet
	fresh []string
}

func (l *idLog) add(id string) {
	if len(id) > maxID {
		return
	}
	if len(l.set)+len(l.fresh) >= maxIDs {
		l.set, l.fresh = nil, l.fresh[:0]
	}
	l.fresh = append(l.fresh, id)
}

func (l *idLog) has(id []byte) bool {
	for _, id := range l.fresh {
		l.set.put(id)
	}
	clear(l.fresh)
	l.fresh = l.fresh[:0]
	return l.set.has(id)
}
