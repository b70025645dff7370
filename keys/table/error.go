package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in a table. Line and Column are 1-based; Column counts characters.
type Error struct {
	File         string
	Line, Column int
	Msg          string // what was expected and what was found
}

// Error is `file:line:column: message`.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg) }

// Errors are all mistakes of a table, in the order of the file.
type Errors []*Error

// Error has one line a mistake.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As and errors.Is each mistake.
func (es Errors) Unwrap() []error {
	all := make([]error, len(es))
	for i, e := range es {
		all[i] = e
	}
	return all
}

// sorted is the list in the order of the file, or nil when it is empty.
func (es Errors) sorted() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return es
}

// What a change of a table meets.
var (
	// ErrChanged: the file no longer holds what was read; read it again and decide again.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrEdit: the file is written in a way that the edit cannot change safely; it must be made by hand.
	ErrEdit = errors.New("the row cannot be edited in place, change it by hand")
)

// closest finds the word that was probably meant: at most a third of its letters away, or nothing.
func closest(word string, known []string) string {
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); d < least && d <= (len(k)+2)/3 {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to add, drop or change; two neighbours swapped count as one.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	prev, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], prev[j-2]+1)
			}
		}
		prev, row, next = row, next, prev
	}
	return row[len(b)]
}
