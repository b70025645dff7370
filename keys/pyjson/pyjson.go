// Package pyjson reads JSON as CPython's json module does, and keeps what it read.
//
// Contract. A Doc holds one parsed value as a flat, reusable node array over the caller's
// bytes: nothing is copied, so the bytes must not change while the Doc is used, and a Value
// is valid until the next Parse of its Doc. Accepted is exactly what json.loads accepts of a
// str decoded from strict UTF-8: NaN, Infinity, -Infinity, lone surrogate escapes (\ud83d),
// control characters only when escaped, duplicate names (the last wins in Get; iteration
// still sees all). Nesting and integer length are not limited here (package keys refuses
// what CPython's recursion and integer limits refuse); Parse never recurses on the stack.
// Text is WTF-8: a lone surrogate is its three-byte encoding, so that byte order is code
// point order. No state is shared between Docs; one Doc is for one goroutine.
package pyjson
