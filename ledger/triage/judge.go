package triage

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// judging makes the findings of entities, in their order, and says them. It changes nothing but what is an entity's own, so that several goroutines may
// judge entities of one kind at once; what is said is kept by the one that owns the book, in order.
type judging func(m *memory, list []uint32, say saying)

// saying takes the findings that an entity has now.
type saying func(i uint32, now []*Finding)

// memory is what a judging works in: for the entities, the calls and attempts of one, and for runs.
type memory struct {
	list     []uint32
	calls    []uint32
	tries    []attempt
	gathered gathered
}

// one makes a judging of the judging of one entity.
func one(judge func(m *memory, i uint32) []*Finding) judging {
	return func(m *memory, list []uint32, say saying) {
		for _, i := range list {
			say(i, judge(m, i))
		}
	}
}

// Entities are judged by several goroutines where there are so many of them, so many at a time.
const (
	crowd   = 2048
	portion = 256
)

// judge makes the findings of entities of one kind and keeps them.
func (b *Book) judge(list []uint32, with judging, keep saying) {
	if len(list) < crowd || runtime.GOMAXPROCS(0) == 1 {
		with(&b.memory, list, keep)
		return
	}
	type found struct {
		i   uint32
		now []*Finding
	}
	sayings := make([][]found, (len(list)+portion-1)/portion)
	inPortions(len(list), func(m *memory, k, from, to int) {
		out := make([]found, 0, to-from)
		with(m, list[from:to], func(i uint32, now []*Finding) { out = append(out, found{i, now}) })
		sayings[k] = out
	}, func(k int) {
		for _, f := range sayings[k] {
			keep(f.i, f.now)
		}
		sayings[k] = nil
	})
}

// inPortions has several goroutines work on portions of n items, and does something with each portion once it is done, here and in their order. What fails
// in a goroutine fails here.
func inPortions(n int, work func(m *memory, k, from, to int), done func(k int)) {
	type end struct {
		k     int
		fault string
	}
	portions := (n + portion - 1) / portion
	ends := make(chan end, portions) // nobody waits for whoever takes them
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), portions) {
		go func() {
			k := 0
			defer func() {
				if r := recover(); r != nil {
					ends <- end{k, fmt.Sprintf("%v\n%s", r, debug.Stack())}
				}
			}()
			var m memory
			for {
				if k = int(next.Add(1)) - 1; k >= portions {
					return
				}
				work(&m, k, k*portion, min(n, (k+1)*portion))
				ends <- end{k: k}
			}
		}()
	}
	ready := make([]bool, portions)
	for k := range portions {
		for !ready[k] {
			e := <-ends
			if e.fault != "" {
				panic(e.fault)
			}
			ready[e.k] = true
		}
		done(k)
	}
}
