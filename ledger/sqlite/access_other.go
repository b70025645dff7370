//go:build !unix

package sqlite

// mayWrite leaves the answer to the first write.
func mayWrite(string) error { return nil }
