package table

// Seen is one tool of a trace.
type Seen struct {
	Tool       string
	Calls      int
	Suggestion Suggestion
}

// Init writes a tools.yaml for the tools of a trace, in the order given. TODO
func Init(tools []Seen, pack *Pack) []byte {
	return []byte("tools: {}\n")
}
