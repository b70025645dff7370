package trace

// Formats gives the known formats in the order in which a file's first lines are shown to them (FORMATS.md §1.6).
func Formats() []*Format {
	return []*Format{
		codexFormat(),
		claudeFormat(),
		plainFormat(),
		genericFormat(),
	}
}
