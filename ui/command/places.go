package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"drainboard/keys/pyjson"
	"drainboard/trace"
	"drainboard/trace/agentdb"
)

// What a search of the working directory may cost.
const (
	mostEntries = 20_000 // names looked at
	mostDepth   = 6      // folders below the working directory
	mostFiles   = 500    // traces taken
)

// search is how traces are looked for when no path is given.
type search struct {
	agent   string    // "" for all: the name of an agent or of its format
	project string    // "" for all: the directory that an agent worked in
	since   time.Time // files not written since are left unread; zero: none are
}

// narrow says whether the search is for what agents left, and not for the working directory's own traces.
func (s *search) narrow() bool { return s.agent != "" || s.project != "" }

// foundTraces is what a search found.
type foundTraces struct {
	sources []trace.Source
	stores  []string                       // agents' databases
	keep    func(string, fs.FileInfo) bool // which files of the sources are read
	said    []string                       // what was found, newest first, a line an agent
}

// findTraces looks for traces when no path is given: in the places of known agents, and in the working directory by name. The error,
// when there are none, says where it looked.
func findTraces(e *Env, want search) (*foundTraces, error) {
	k := &keeper{want: want, known: map[string]bool{}}
	out := &foundTraces{keep: k.keep}
	var looked []string
	if !want.narrow() {
		here, n, err := tracesBelow(e.Dir)
		if err != nil {
			return nil, err
		}
		out.sources = here
		looked = append(looked, fmt.Sprintf("./ (%s; *.jsonl, *.ndjson, *.traj, mcp*.log, also .gz and .zst)", plural(n, "name", "names")))
	}
	type haul struct {
		agent  string
		files  int
		newest time.Time
	}
	hauls := map[string]*haul{}
	var asked []string // agents, in the order of their places
	globs := map[string][]string{}
	known := map[string]bool{}
	places := trace.Locations(e.Home, e.Getenv)
	stores := agentdb.Locations(e.Home, e.Getenv)
	for n, l := range append(places, stores...) {
		known[slug(l.Agent)] = true
		if want.agent != "" && slug(want.agent) != slug(l.Agent) && slug(want.agent) != l.Format {
			continue
		}
		if globs[l.Agent] == nil {
			asked = append(asked, l.Agent)
		}
		globs[l.Agent] = append(globs[l.Agent], l.Glob)
		paths, err := filepath.Glob(l.Glob)
		if err != nil {
			return nil, fmt.Errorf("look for traces of %s: %w", l.Agent, err)
		}
		kept := 0
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil || !info.IsDir() && !k.keep(path, info) {
				continue
			}
			if n >= len(places) {
				if !agentdb.Is(path) {
					continue
				}
				out.stores = append(out.stores, path)
			}
			kept++
			h := hauls[l.Agent]
			if h == nil {
				h = &haul{agent: l.Agent}
				hauls[l.Agent] = h
			}
			if h.files++; info.ModTime().After(h.newest) {
				h.newest = info.ModTime()
			}
		}
		if kept > 0 && n < len(places) {
			out.sources = append(out.sources, trace.Source{Path: l.Glob})
		}
	}
	if want.agent != "" && len(asked) == 0 {
		return nil, &usage{"", fmt.Errorf("--agent %s: expected one of %s", want.agent, strings.Join(slices.Sorted(maps.Keys(known)), ", "))}
	}
	list := slices.SortedFunc(maps.Values(hauls), func(a, b *haul) int { return b.newest.Compare(a.newest) })
	for _, h := range list {
		out.said = append(out.said, fmt.Sprintf("%s: %s, the newest of %s", h.agent, plural(h.files, "file", "files"), h.newest.Format(time.DateTime)))
	}
	if len(out.sources)+len(out.stores) == 0 {
		for _, agent := range asked {
			line := agent + ": " + underHome(globs[agent][0], e.Home)
			if n := len(globs[agent]) - 1; n > 0 {
				line += ", and " + plural(n, "other place", "other places")
			}
			looked = append(looked, line)
		}
		return nil, &usage{"", errors.New("no traces were found; name a file or folder, or try: drainboard demo\nlooked in " + strings.Join(looked, "\n          "))}
	}
	return out, nil
}

// underHome writes a path below the user's home as people do.
func underHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return "~/" + filepath.ToSlash(rest)
	}
	return path
}

// slug is a name as --agent takes it.
func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// keeper says which of the files that were found are read. It is asked again about a file that it left out, and then looks at it again only when it grew.
type keeper struct {
	want  search
	mu    sync.Mutex
	known map[string]bool // by path and size
}

func (k *keeper) keep(path string, info fs.FileInfo) bool {
	if info.ModTime().Before(k.want.since) {
		return false
	}
	if k.want.project == "" {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := path + "\x00" + strconv.FormatInt(min(info.Size(), headSize), 10)
	yes, ok := k.known[key]
	if !ok {
		yes = ofProject(path, k.want.project)
		k.known[key] = yes
	}
	return yes
}

// headSize is how much of a file is looked at for the directory that its agent worked in.
const headSize = 64 << 10

// ofProject says whether a trace is of an agent that worked in a directory: by a folder named after it, as several agents do, or by a working
// directory named near its beginning.
func ofProject(path, dir string) bool {
	named := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
	for _, part := range strings.Split(filepath.ToSlash(path), "/") {
		if part == named || part == "-"+named+"--" {
			return true
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, headSize))
	quoted := string(pyjson.AppendQuote(nil, []byte(dir)))
	for _, field := range [...]string{`"cwd":`, `"cwd": `, `"directory":`, `"working_directory":`} {
		if bytes.Contains(head, []byte(field+quoted)) {
			return true
		}
	}
	return false
}

// tracesBelow finds files in a folder that are traces by name, and says how many names it looked at. Hidden and vendored folders are
// left out, links are not followed, and it stops at its bounds.
func tracesBelow(dir string) (found []trace.Source, looked int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			return fs.SkipDir
		}
		looked++
		switch {
		case looked > mostEntries || len(found) >= mostFiles:
			return fs.SkipAll
		case d.IsDir():
			rel, _ := filepath.Rel(dir, path)
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || vendored(d.Name()) || strings.Count(rel, string(filepath.Separator)) >= mostDepth) {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && traceName(d.Name()):
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			found = append(found, trace.Source{Path: rel})
		}
		return nil
	})
	return found, looked, err
}

// vendored says whether a folder holds other people's files.
func vendored(name string) bool {
	switch name {
	case "node_modules", "vendor", "venv", "site-packages", "__pycache__", "target", "dist", "build", "testdata":
		return true
	default:
		return false
	}
}

// traceName says whether a file is called as traces are.
func traceName(name string) bool {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	if strings.HasPrefix(name, ".") {
		return false
	}
	switch filepath.Ext(name) {
	case ".jsonl", ".ndjson", ".traj":
		return true
	case ".log":
		return strings.HasPrefix(name, "mcp")
	default:
		return false
	}
}
