package intake

import (
	"path/filepath"
	"strings"
)

// empties are the sources that held no traces when they were looked at.
type empties []string

// found takes back what was said of the sources that hold a file, by now.
func (e *empties) found(path string, takeBack func(source string)) {
	kept := (*e)[:0]
	for _, source := range *e {
		if holds(source, path) {
			takeBack(source)
		} else {
			kept = append(kept, source)
		}
	}
	*e = kept
}

// holds says whether a file is one of a source: below a folder, or fitting a glob.
func holds(source, path string) bool {
	if fits, err := filepath.Match(source, path); err == nil && fits {
		return true
	}
	dir := strings.TrimSuffix(filepath.Clean(source), string(filepath.Separator)) + string(filepath.Separator)
	return source == "." && !filepath.IsAbs(path) || strings.HasPrefix(filepath.Clean(path), dir)
}
