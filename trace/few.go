package trace

// few finds values by key: a list while there are few, as in most traces there are, and a map beside it beyond that. The zero few is ready.
// It must not be copied once it was used: it has room for one value in itself, so that one alone takes no further memory.
type few[K comparable, V any] struct {
	list []pair[K, V]
	one  [1]pair[K, V]
	at   map[K]int32 // where each key stands, once there are many
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

// manyKeys is from how many keys on a map finds them sooner than a look at each.
const manyKeys = 12

func (f *few[K, V]) find(k K) int {
	if f.at != nil {
		if i, ok := f.at[k]; ok {
			return int(i)
		}
		return -1
	}
	for i := range f.list {
		if f.list[i].key == k {
			return i
		}
	}
	return -1
}

// get gives the value of a key, else the zero value.
func (f *few[K, V]) get(k K) (v V) {
	if i := f.find(k); i >= 0 {
		return f.list[i].value
	}
	return v
}

// set puts a value in the place of what the key had.
func (f *few[K, V]) set(k K, v V) {
	if i := f.find(k); i >= 0 {
		f.list[i].value = v
		return
	}
	if f.list == nil {
		f.list = f.one[:0]
	}
	f.list = append(f.list, pair[K, V]{k, v})
	switch n := len(f.list); {
	case f.at != nil:
		f.at[k] = int32(n - 1)
	case n > manyKeys:
		f.at = make(map[K]int32, 2*n)
		for i := range f.list {
			f.at[f.list[i].key] = int32(i)
		}
	}
}

// take gives the value of a key and forgets both.
func (f *few[K, V]) take(k K) (v V) {
	i := f.find(k)
	if i < 0 {
		return v
	}
	v = f.list[i].value
	last := len(f.list) - 1
	if f.at != nil {
		delete(f.at, k)
		if i < last {
			f.at[f.list[last].key] = int32(i)
		}
	}
	f.list[i] = f.list[last]
	clear(f.list[last:])
	f.list = f.list[:last]
	return v
}
