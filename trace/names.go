package trace

import (
	"path/filepath"
	"strings"
)

// traceName says whether a file in a directory may be a trace by its name: what lines of JSON, documents and logs are
// called, rotated or compressed ones too.
func traceName(name string) bool {
	if name == "" || name[0] == '.' {
		return false
	}
	for {
		ext := strings.ToLower(filepath.Ext(name))
		switch ext {
		case ".jsonl", ".ndjson", ".json", ".log", ".traj", ".trace":
			return true
		case ".gz", ".zst", ".bak", ".old", ".orig":
		default:
			// Rotated: trace.jsonl.1, trace.jsonl-20260302, trace.log.2026-03-02.
			if !strings.ContainsAny(ext, "0123456789") {
				return false
			}
			if i := strings.IndexByte(ext, '-'); i > 0 && traceName("x"+ext[:i]) {
				return true
			}
		}
		name = strings.TrimSuffix(name, name[len(name)-len(ext):])
	}
}

// lineName says whether a name promises lines of JSON.
func lineName(name string) bool {
	return strings.Contains(name, ".jsonl") || strings.Contains(name, ".ndjson")
}

// vendored says whether a directory holds other people's files, or is hidden.
func vendored(name string) bool {
	switch name {
	case "node_modules", "vendor", "__pycache__", "site-packages", "bower_components", "venv":
		return true
	}
	return len(name) > 1 && name[0] == '.' && name != ".."
}

// covering gives the source that a path belongs to.
func (r *Reader) covering(path string, dir bool) *root {
	for _, root := range r.roots {
		if root.stream || root.Path == Stdin {
			continue
		}
		if root.clean == path {
			return root
		}
		if !root.many {
			continue
		}
		if ok, err := filepath.Match(root.clean, path); err == nil && ok {
			return root
		}
		if rel, ok := below(root.clean, path); ok && ours(rel, dir) {
			return root
		}
	}
	return nil
}

// below gives the path relative to a directory, if it is below it.
func below(dir, path string) (string, bool) {
	if dir == "." {
		return path, !filepath.IsAbs(path) && !strings.HasPrefix(path, "..")
	}
	rel, ok := strings.CutPrefix(path, dir)
	if !ok || rel == "" {
		return "", false
	}
	if dir[len(dir)-1] == filepath.Separator {
		return rel, true
	}
	return rel[1:], rel[0] == filepath.Separator
}

// ours says whether a walk would come to a path below its directory.
func ours(rel string, dir bool) bool {
	names := strings.Split(rel, string(filepath.Separator))
	for i, name := range names {
		if i == len(names)-1 && !dir {
			return traceName(name)
		}
		if vendored(name) {
			return false
		}
	}
	return true
}
