package table

import (
	"embed"
	"io/fs"
	"strings"
)

// Pack is what is known about one agent's own tools. It is a suggestion to start a table from.
type Pack struct {
	Name  string // as `init --pack` takes it; that of the agent's trace format
	Title string
	table *Table // its classes are suggestions
}

//go:embed packs/*.yaml
var packFiles embed.FS

// PackNames are the names of all packs, in order. None is read for it.
func PackNames() []string {
	files, _ := fs.Glob(packFiles, "packs/*.yaml")
	for i, f := range files {
		files[i] = strings.TrimSuffix(strings.TrimPrefix(f, "packs/"), ".yaml")
	}
	return files
}

// PackFor finds a pack by its name.
func PackFor(name string) (*Pack, bool) {
	src, err := packFiles.ReadFile("packs/" + name + ".yaml")
	if err != nil {
		return nil, false
	}
	t, err := Parse(src, name)
	if err != nil {
		return nil, false
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(string(src), "# "), "\n")
	return &Pack{Name: name, Title: title, table: t}, true
}

// Rows are the pack's rows: the tools, volatile arguments and polling that it knows, with suggested
// classes. Cases follow their row. The slice must not be changed.
func (p *Pack) Rows() []*Rule { return p.table.rules[1:] }
