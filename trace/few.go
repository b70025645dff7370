package trace

// few finds values by key: a list while there are few, as in most traces there are, and a map beside it beyond that. The zero few is ready.
// It must not be copied once it was used: it has room for one value in itself, so that one alone takes no further memory.
type few[K comparable, V any] struct {
	keys   []K
	values []V
	key    [1]K
	value  [1]V
	at     map[K]int32 // where each key stands, once there are many
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
	for i := range f.keys {
		if f.keys[i] == k {
			return i
		}
	}
	return -1
}

// get gives the value of a key, else the zero value.
func (f *few[K, V]) get(k K) (v V) {
	if i := f.find(k); i >= 0 {
		return f.values[i]
	}
	return v
}

// set puts a value in the place of what the key had.
func (f *few[K, V]) set(k K, v V) {
	if i := f.find(k); i >= 0 {
		f.values[i] = v
		return
	}
	if f.keys == nil {
		f.keys, f.values = f.key[:0], f.value[:0]
	}
	f.keys, f.values = append(f.keys, k), append(f.values, v)
	switch n := len(f.keys); {
	case f.at != nil:
		f.at[k] = int32(n - 1)
	case n > manyKeys:
		f.at = make(map[K]int32, 2*n)
		for i, k := range f.keys {
			f.at[k] = int32(i)
		}
	}
}

// take gives the value of a key and forgets both.
func (f *few[K, V]) take(k K) (v V) {
	i := f.find(k)
	if i < 0 {
		return v
	}
	v = f.values[i]
	last := len(f.keys) - 1
	if f.at != nil {
		delete(f.at, k)
		if i < last {
			f.at[f.keys[last]] = int32(i)
		}
	}
	f.keys[i], f.values[i] = f.keys[last], f.values[last]
	clear(f.keys[last:])
	clear(f.values[last:])
	f.keys, f.values = f.keys[:last], f.values[:last]
	return v
}
