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

// Packs are all packs, by name.
func Packs() []*Pack {
	var out []*Pack
	files, _ := fs.Glob(packFiles, "packs/*.yaml")
	for _, f := range files {
		if p, ok := PackFor(strings.TrimSuffix(strings.TrimPrefix(f, "packs/"), ".yaml")); ok {
			out = append(out, p)
		}
	}
	return out
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
