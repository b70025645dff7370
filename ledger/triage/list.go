package triage

import (
	"sort"

	"github.com/tidwall/btree"
)

// NewList makes a list of items in the order of less, for faces that keep lists of their own and for tests. Of two items
// of which neither is less the later one stays.
func NewList[T any](less func(a, b T) bool, items ...T) List[T] {
	tree := btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
	for _, item := range items {
		tree.Load(item)
	}
	return List[T]{tree: tree}
}

// Search returns the position of the first item that does not stand before item: where item stands, or would stand.
func (l List[T]) Search(item T) int {
	return sort.Search(l.Len(), func(i int) bool {
		at, _ := l.At(i)
		return !l.tree.Less(at, item)
	})
}
