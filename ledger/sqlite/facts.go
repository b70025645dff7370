package sqlite

// facts is the Looker's memory of drainboard's own tables.
type facts struct{}
