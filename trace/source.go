package trace

import (
	"os"
	"strings"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Source is one thing to read: a file, a directory with everything below it, a glob, or standard input.
type Source struct {
	Label string // the side it belongs to, or ""
	Path  string // as given; Stdin for standard input
	As    string // what a single file is shown as; "" is its path
}

// ParseSource reads an argument of the command line: PATH, label=PATH or "-". An argument that exists as a path is one,
// even with a '=' in it; so is one whose part before the first '=' is empty or holds a path separator.
func ParseSource(arg string) Source {
	label, path, found := strings.Cut(arg, "=")
	if !found || label == "" || path == "" || strings.ContainsAny(label, `/\`) {
		return Source{Path: arg}
	}
	if _, err := os.Lstat(arg); err == nil {
		return Source{Path: arg}
	}
	return Source{Label: label, Path: path}
}
