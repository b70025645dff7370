// Package intake feeds the book: it reads the sources, decodes and keys in workers, folds the batches in one goroutine that owns
// the book, looks at the ledger, and publishes snapshots.
//
// Contract. One goroutine, started by Start, owns the triage.Book; everybody else sees immutable snapshots (latest wins, at most 20 a
// second) or asks through the Engine's methods, which are answered by that goroutine or by reading files again. Batches of one file are
// folded in the order of the file whatever the order in which workers finish. Closing the context ends every goroutine; Wait says when.
package intake
